import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { systemRandom } from '@hm-gateway/lib/random.ts'
import { RelayMetrics } from '../metrics/metrics.ts'
import type { Directory, LocatedTunnel } from '../tunnels/directory.ts'
import { forward, type ForwardParts } from './forward.ts'
import { refusalResponse, connectStream } from './stream-upgrade.ts'

const DESTINATION = {
  gateway: '0123456789ab',
  authority: 'api',
  path: '/v1/house',
  token: null,
  peer: '::1',
  challenge: () => 'Bearer',
  onStatus: () => {},
} as const
const GET = 'GET /v1/house HTTP/1.1\r\nHost: localhost\r\n'

/** Finds the gateway only after the client has disconnected; returns the number of streams opened to it. */
async function streamsAfterDisconnection(head: string): Promise<number> {
  const [searching, found] = [Promise.withResolvers<void>(), Promise.withResolvers<LocatedTunnel>()]
  let streams = 0
  const directory: Directory = {
    find: () => {
      searching.resolve()
      return found.promise
    },
  }
  const parts: ForwardParts = { directory, metrics: new RelayMetrics(), clock: new ManualClock(), random: systemRandom }
  const handled = Promise.withResolvers<void>()
  const disconnected = Promise.withResolvers<unknown>()
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    disconnected.resolve(once(response, 'close'))
    void forward(request, response, DESTINATION, parts).then(handled.resolve)
  }
  const onUpgrade = (request: IncomingMessage, socket: Duplex, rest: Buffer): void => {
    disconnected.resolve(once(socket, 'close'))
    const refusal = (): ServerResponse => refusalResponse(request, socket)
    const upgrade = { request, socket, head: rest, refusal, onConnected: () => {} }
    void connectStream(upgrade, DESTINATION, parts).then(handled.resolve)
  }
  const server = createServer(onRequest).on('upgrade', onUpgrade)
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1', () => client.write(head))
  await searching.promise
  client.destroy()
  await disconnected.promise
  found.resolve({
    node: 'here',
    open: () => {
      streams += 1
      return 'gone'
    },
  })
  await handled.promise
  return streams
}

test.each([
  ['request', `${GET}\r\n`],
  ['WebSocket', `${GET}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
])('a %s is not sent if its client disconnects during the search for the gateway', async (_what, head) => {
  expect(await streamsAfterDisconnection(head)).toBe(0)
})
