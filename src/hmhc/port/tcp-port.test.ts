import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TcpPort } from './tcp-port.ts'

let server: ReturnType<typeof createServer>
let sockets: Socket[]

beforeEach(async () => {
  sockets = []
  server = createServer((socket) => {
    socket.on('error', () => {})
    sockets.push(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

const port = (): number => (server.address() as AddressInfo).port

describe('a TCP line', () => {
  it('carries bytes, and reports the loss of the adapter once', async () => {
    const line = new TcpPort('127.0.0.1', port())
    const connected = once(server, 'connection')
    expect(await line.open()).toEqual({ ok: true, value: null })
    await connected
    const [socket] = sockets
    if (socket === undefined) throw new Error('no connection')
    const received = once(socket, 'data')
    line.write(Uint8Array.of(1, 2))
    expect(await received).toEqual([Buffer.from([1, 2])])
    const data = new Promise<Uint8Array>((resolve) => line.listeners.onData(resolve))
    socket.write(Uint8Array.of(3))
    expect([...(await data)]).toEqual([3])
    const reasons: string[] = []
    const down = new Promise<void>((resolve) =>
      line.listeners.onDown((reason) => {
        reasons.push(reason)
        resolve()
      }),
    )
    socket.destroy()
    await down
    expect(reasons).toEqual(['closed by the adapter'])
    line.write(Uint8Array.of(9))
    line.close()
  })

  it('gives the reason why it cannot be opened', async () => {
    const refused = port()
    server.close()
    await once(server, 'close')
    expect(await new TcpPort('127.0.0.1', refused).open()).toEqual({
      ok: false,
      error: expect.stringContaining('ECONNREFUSED'),
    })
  })
})
