import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { Duplex, duplexPair, Writable } from 'node:stream'
import { connect, TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { trusting } from '#support/gateway/callers.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { openTls } from '../../src/tls/tls.ts'

// Each test verifies one row of docs/private-behaviour.md with the dependency alone. If a test fails after an update,
// it names the place in the program that has to change.

/** Part of the responses and requests that the system accepts from a client that does not read. */
const PART = Buffer.alloc(64 * 1024)
/** More requests than one TLS record holds. */
const REQUESTS = 2_000
/** The text frame "hi" of a client, masked with zeros. */
const MASKED_HI = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69])
const HI = Buffer.from([0x81, 0x02, 0x68, 0x69])
const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** A TLS server that answers every request with `body`, and its clients. */
async function secureServer(body: string | Buffer) {
  const parts = { clock: systemClock, random: systemRandom, log: silentLog }
  const tls = await openTls({ ...parts, dir: join(tempFolder(), 'tls'), serial: 'ab12', addresses: () => [] })
  const server = createServer(tls.secureContextOptions(), (_request, response) => response.end(body))
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await tls.stop()
  })
  const trusted = trusting(tls.ca.pem)
  const client = async (to: { readonly port: number } | { readonly socket: Duplex }): Promise<TLSSocket> => {
    const socket = connect({ ...trusted, host: '127.0.0.1', ...to, servername: 'localhost' })
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'secureConnect')
    return socket
  }
  return { server, tls, client }
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Sends one request and resolves to the first line of the response. */
async function firstLine(socket: TLSSocket): Promise<string | undefined> {
  socket.write(GET)
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  return chunk.toString('latin1').split('\r\n')[0]
}

/** The two ends of an upgraded connection. */
async function upgraded() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => client.terminate())
  const [served] = (await accepted) as [WebSocket]
  if (client.readyState !== WebSocket.OPEN) await once(client, 'open')
  return { served: served as WebSocket & { _socket?: unknown; _receiver?: unknown }, client }
}

test('ws keeps the connection of a socket in `_socket`, and frames written to it arrive', async () => {
  const { served, client } = await upgraded()
  expect(served._socket).toBeInstanceOf(Duplex)
  const message = once(client, 'message')
  ;(served._socket as Duplex).write(HI)
  const [data] = await message
  expect(String(data)).toBe('hi')
})

test('ws keeps the reader of a socket in `_receiver`, which emits `conclude` before the socket answers', async () => {
  const { served, client } = await upgraded()
  expect(served._receiver).toBeInstanceOf(Writable)
  const states: number[] = []
  ;(served._receiver as Writable).prependListener('conclude', () => states.push(served.readyState))
  const closed = once(served, 'close')
  client.close()
  await closed
  expect(states).toEqual([WebSocket.OPEN])
})

test('ws makes a socket of the server from any stream: `new WebSocket(null)` and `setSocket`', async () => {
  const ServerSocket = WebSocket as unknown as new (
    address: null,
    protocols: undefined,
    options: object,
  ) => WebSocket & { setSocket(socket: Duplex, head: Buffer, options: object): void }
  const [own, other] = duplexPair()
  const socket = new ServerSocket(null, undefined, { autoPong: true })
  socket.setSocket(own, Buffer.alloc(0), { allowSynchronousEvents: true, maxPayload: 100 })
  onTestFinished(() => socket.terminate())
  const message = once(socket, 'message')
  other.write(MASKED_HI)
  const [data] = await message
  expect(String(data)).toBe('hi')
  socket.send('hi')
  const sent: Buffer[] = []
  for await (const chunk of other as AsyncIterable<Buffer>) {
    sent.push(chunk)
    if (Buffer.concat(sent).length >= HI.length) break
  }
  expect(Buffer.concat(sent)).toEqual(HI)
})

test('Node refuses requests behind unread answers with HPE_PAUSED, which is why the server has a workaround', async () => {
  const { server, client } = await secureServer(PART)
  const socket = await client({ port: await portOf(server) })
  const refused = once(server, 'clientError')
  expect(await firstLine(socket)).toBe('HTTP/1.1 200 OK')
  socket.pause()
  socket.write(GET.repeat(REQUESTS))
  const [error] = (await refused) as [NodeJS.ErrnoException]
  expect(error.code).toBe('HPE_PAUSED')
})

test('Node serves HTTP on an encrypted socket passed by `secureConnection`', async () => {
  const { server, tls, client } = await secureServer('served')
  const [near, far] = duplexPair()
  const encrypted = new TLSSocket(near, { isServer: true, ...tls.secureContextOptions() })
  encrypted.once('secure', () => server.emit('secureConnection', encrypted))
  expect(await firstLine(await client({ socket: far }))).toBe('HTTP/1.1 200 OK')
})

test('Node has one listener of `secureConnection`, which serves HTTP when it is called later', async () => {
  const { server, client } = await secureServer('served')
  const [serve, ...others] = server.listeners('secureConnection')
  expect(others).toEqual([])
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket) => serve?.call(server, socket))
  expect(await firstLine(await client({ port: await portOf(server) }))).toBe('HTTP/1.1 200 OK')
})

test('Node starts TLS when its listener of `connection` is called, with bytes that were unshifted', async () => {
  const { server, client } = await secureServer('served')
  const listeners = server.listeners('connection')
  expect(listeners.length).toBeGreaterThan(0)
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    socket.once('readable', () => {
      const bytes = socket.read() as Buffer | null
      if (bytes !== null) socket.unshift(bytes)
      for (const listener of listeners) listener.call(server, socket)
    })
  })
  expect(await firstLine(await client({ port: await portOf(server) }))).toBe('HTTP/1.1 200 OK')
})

test('multicast-dns includes the unicast response bit in the class', async () => {
  const { default: open } = await import('multicast-dns')
  const socket = createSocket('udp4')
  const mdns = open({ multicast: false, bind: false, socket: socket })
  onTestFinished(() => mdns.destroy())
  const query = once(mdns, 'query')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const header = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
  const question = [1, 0x61, 5, ...Buffer.from('local'), 0, 0, 1, 0x80, 1]
  socket.send(Buffer.from([...header, ...question]), socket.address().port, '127.0.0.1')
  const [packet] = (await query) as [{ readonly questions: readonly object[] }]
  expect(packet.questions).toEqual([{ name: 'a.local', type: 'A', class: 'UNKNOWN_32769' }])
})
