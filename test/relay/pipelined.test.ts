import { once } from 'node:events'
import { describe, expect, onTestFinished } from 'vitest'
import { madeUpToken } from '../../bench/made-up-home.ts'
import { REQUESTS_OF_CONNECTION_MAX } from '../../relay/edge/connection-requests.ts'
import { refuseStream, respond } from '../../src/tunnel/stream-responses.ts'
import type { TunnelStreamHandler } from '../../src/tunnel/open-streams.ts'
import { rawRequest, dial } from '#support/gateway/raw-client.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { gatewayAt, startLinked } from '#support/relay/gateway-at.ts'
import { TestRelay } from '#support/relay/test-relay.ts'

const authorization = `Bearer ${madeUpToken(1)}`
const EVENTS = { 'content-type': 'text/event-stream' }

/** Does not respond to `/v1/slow`; begins all other responses, but ends only `/v1/about-to-end`. */
function answering() {
  const ended: Promise<unknown>[] = []
  const begun = Promise.withResolvers<void>()
  const api: TunnelStreamHandler = {
    handle(stream, { ':path': path }) {
      ended.push(once(stream, 'close'))
      if (path === '/v1/slow') return
      respond(stream, 200, EVENTS, path === '/v1/about-to-end')
      // The relay has places for all requests that it does not refuse.
      if (ended.length === REQUESTS_OF_CONNECTION_MAX) begun.resolve()
    },
    end: (stream) => refuseStream(stream),
  }
  return { api, ended, begun: begun.promise }
}

describe('pipelined requests', () => {
  proves('relay.pipelined', 'leave no stream open when their client disconnects before the responses', async () => {
    const log = recordingLog()
    const relay = await TestRelay.open({ log })
    onTestFinished(() => relay[Symbol.asyncDispose]())
    const { api, ended, begun } = answering()
    await startLinked(relay, gatewayAt(relay, { api }))
    const client = await dial(relay.access(null))
    const get = (path: string): string =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`
    // The last request is refused.
    client.write(get('/v1/slow') + get('/v1/events').repeat(REQUESTS_OF_CONNECTION_MAX))
    await begun
    // A tunnel keeps the order of headers: with this response the relay has read the earlier ones.
    expect(
      await rawRequest(relay.access(null), { path: '/v1/about-to-end', headers: { authorization } }),
    ).toMatchObject({
      status: 200,
    })
    client.destroy()
    await Promise.all(ended)
    const statuses = (): unknown[] =>
      log.lines
        .filter(({ sentence }) => sentence === 'A request was answered.')
        .map(({ fields }) => ('status' in fields ? fields.status : null))
    while (statuses().length < REQUESTS_OF_CONNECTION_MAX + 2) await new Promise(setImmediate)
    expect(statuses().filter((status) => status === 0)).toHaveLength(REQUESTS_OF_CONNECTION_MAX + 1)
    expect(relay.relay.tunnels.counts().streams).toBe(0)
  })
})
