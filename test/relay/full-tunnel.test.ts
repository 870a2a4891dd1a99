import { expect, onTestFinished } from 'vitest'
import { STREAMS_MAX } from '../../src/wire/tunnel.ts'
import { TestSocket } from '#support/gateway/callers.ts'
import { hm } from '#support/gateway/cli.ts'
import { dial } from '#support/gateway/raw-client.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { relayedHome } from '#support/relay/relayed-home.ts'

const HOUSE = { method: 'GET', path: '/v1/house' }
const HALF_SENT = 'POST /v1/automations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100'
/** Limits of a gateway and of one credential (docs/limits.md). */
const SOCKETS_MAX = 256
const SOCKETS_OF_ONE = 32
const TOO_MANY = 'Too many requests and connections came through the relay at once'

interface Status {
  readonly attention: readonly { readonly kind: string; readonly what: string; readonly at: number | null }[]
}

proves('relay.full-tunnel', 'a full tunnel is logged at both ends, and shown', { tags: ['long'] }, async () => {
  const [relayLog, gatewayLog] = [recordingLog(), recordingLog()]
  const { relay, home, through } = await relayedHome({ log: relayLog, gateway: { log: gatewayLog, settled: false } })
  const streams = (): number => relay.relay.openCounts().streams
  const programs = await Promise.all(Array.from({ length: SOCKETS_MAX / SOCKETS_OF_ONE }, () => home.integrate({})))
  for (const { token } of programs)
    for (let count = 0; count < SOCKETS_OF_ONE; count += 1) {
      const socket = await TestSocket.open(relay.access(token))
      onTestFinished(() => socket.close())
    }
  const waiting = await Promise.all(Array.from({ length: STREAMS_MAX - SOCKETS_MAX }, () => dial(relay.access(null))))
  for (const socket of waiting) {
    onTestFinished(() => void socket.destroy())
    socket.write(`${HALF_SENT}\r\nAuthorization: Bearer ${home.main.token}\r\n\r\n{`)
  }
  await expect.poll(streams).toBe(STREAMS_MAX)
  expect(await through.call(HOUSE)).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } })
  expect(relayLog.lines.filter(({ level }) => level === 'warn')).toMatchObject([
    { fields: { serial: home.running.gateway.serial, slot: 0, places: 'all', streams: STREAMS_MAX } },
  ])
  await expect
    .poll(() => gatewayLog.lines.filter(({ level }) => level === 'warn'))
    .toMatchObject([{ fields: { slot: 0, streams: STREAMS_MAX } }])
  const { attention } = await home.running.admin.call<Status>('GET', '/status')
  expect(attention.filter(({ kind }) => kind === 'relay')).toMatchObject([
    { what: expect.stringContaining(TOO_MANY) as string, at: expect.any(Number) as number },
  ])
  expect((await hm(home.running.dataDir, 'status')).out).toContain(TOO_MANY)
  expect((await hm(home.running.dataDir, 'relay', 'status')).out).toContain(`${STREAMS_MAX} open`)
})
