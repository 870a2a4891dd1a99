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
import { answerInstead, connectStream } from './stream-upgrade.ts'

const DESTINATION = {
  gateway: '0123456789ab',
  authority: 'api',
  path: '/v1/house',
  token: null,
  peer: '::1',
  challenge: () => 'Bearer',
  answered: () => {},
} as const
const GET = 'GET /v1/house HTTP/1.1\r\nHost: localhost\r\n'

/** A relay's port whose gateway is found only once the client has left; answers how many streams it was asked for. */
async function streamsOfOneThatLeft(head: string): Promise<number> {
  const [asked, found] = [Promise.withResolvers<void>(), Promise.withResolvers<LocatedTunnel>()]
  let streams = 0
  const directory: Directory = {
    find: () => {
      asked.resolve()
      return found.promise
    },
  }
  const parts: ForwardParts = { directory, metrics: new RelayMetrics(), clock: new ManualClock(), random: systemRandom }
  const over = Promise.withResolvers<void>()
  const left = Promise.withResolvers<unknown>()
  const taken = (request: IncomingMessage, response: ServerResponse): void => {
    left.resolve(once(response, 'close'))
    void forward(request, response, DESTINATION, parts).then(over.resolve)
  }
  const upgraded = (request: IncomingMessage, socket: Duplex, rest: Buffer): void => {
    left.resolve(once(socket, 'close'))
    const instead = (): ServerResponse => answerInstead(request, socket)
    const upgrade = { request, socket, head: rest, instead, connected: () => {} }
    void connectStream(upgrade, DESTINATION, parts).then(over.resolve)
  }
  const server = createServer(taken).on('upgrade', upgraded)
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1', () => client.write(head))
  await asked.promise
  client.destroy()
  await left.promise
  found.resolve({
    node: 'here',
    open: () => {
      streams += 1
      return 'gone'
    },
  })
  await over.promise
  return streams
}

test.each([
  ['a request', `${GET}\r\n`],
  ['a socket', `${GET}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
])('%s of a client that leaves while its gateway is looked for is not sent there', async (_what, head) => {
  expect(await streamsOfOneThatLeft(head)).toBe(0)
})
