import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { connect as connectHttp2, performServerHandshake } from 'node:http2'
import { Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '@hm-gateway/lib/random.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { RelayMetrics } from '../metrics/metrics.ts'
import type { Directory } from '../tunnels/directory.ts'
import { refusalResponse, connectStream } from './stream-upgrade.ts'

test('a WebSocket ends with its tunnel, even if its client reads nothing', async () => {
  const [near, far] = duplexPair()
  const gateway = performServerHandshake(far, { settings: { enableConnectProtocol: true } }).on('error', () => {})
  const filled = Promise.withResolvers<void>()
  gateway.on('stream', (stream) => {
    stream.on('error', () => {}).respond({ ':status': 200 })
    const fill = (): void => {
      while (stream.write(Buffer.alloc(16_384)));
    }
    stream.on('drain', fill)
    fill()
  })
  const session = connectHttp2('https://gateway', { createConnection: () => near }).on('error', () => {})
  onTestFinished(() => session.destroy())
  await once(session, 'remoteSettings')
  const directory: Directory = {
    find: () => ({
      node: 'here',
      open: (headers, endStream) => session.request(headers, { endStream }).on('error', () => {}),
    }),
  }
  const [socket, client] = duplexPair()
  const write = socket.write.bind(socket)
  socket.write = ((chunk: Buffer) => {
    const hasRoom = write(chunk)
    if (!hasRoom) filled.resolve()
    return hasRoom
  }) as typeof socket.write
  const request = new IncomingMessage(new Socket())
  await connectStream(
    { request, socket, head: Buffer.alloc(0), refusal: () => refusalResponse(request, socket), onConnected: () => {} },
    {
      gateway: '0123456789ab',
      authority: 'api',
      path: '/v1/stream',
      token: null,
      peer: '',
      challenge: () => '',
      onStatus: () => {},
    },
    { directory, metrics: new RelayMetrics(), clock: new ManualClock(), random: systemRandom },
  )
  await filled.promise
  const closed = once(socket, 'close')
  session.destroy()
  await closed
  expect(client.readableFlowing).toBeNull()
})

proves('relay.hung-up', 'a refused upgrade closes the connection, even if its client sends more bytes', async () => {
  const [socket, client] = duplexPair()
  const closed = once(socket, 'close')
  client.write('frames')
  refusalResponse(new IncomingMessage(new Socket()), socket).writeHead(503).end('{}')
  client.resume()
  client.end('frames')
  await closed
})
