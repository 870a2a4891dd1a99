import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { splicedFrame, textFrame } from './websocket-frame.ts'

/** Lengths at which the head of a frame changes its form, and at which bytes are no longer copied. */
const LENGTHS = [0, 1, 125, 126, 127, 16_384, 16_385, 65_534, 65_535, 65_536, 300_000]

test('frames are what a WebSocket client reads, at every length, whole or in pieces', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  onTestFinished(() => {
    sockets.close()
    server.close()
  })
  await once(server, 'listening')
  sockets.once('connection', (_socket, request) => {
    for (const length of LENGTHS) {
      request.socket.write(textFrame('ä'.repeat(length)))
      request.socket.write(textFrame('x'.repeat(length), true))
      for (const piece of splicedFrame('{"ö":"', Buffer.from('y'.repeat(length)), '"}')) request.socket.write(piece)
    }
  })
  const texts: string[] = []
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => client.terminate())
  const all = Promise.withResolvers<void>()
  client.on('error', all.reject)
  client.on('message', (data, binary) => {
    expect(binary).toBe(false)
    if (texts.push((data as Buffer).toString()) === LENGTHS.length * 3) all.resolve()
  })
  await all.promise
  expect(texts).toEqual(
    LENGTHS.flatMap((length) => ['ä'.repeat(length), 'x'.repeat(length), `{"ö":"${'y'.repeat(length)}"}`]),
  )
})
