import type { z } from 'zod'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HttpCaller, TestSocket } from '#support/gateway/callers.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { LineBetween } from '#support/relay/line-between.ts'
import { FIRST_BYTE_TIMEOUT_MS } from '../../relay/edge/forward.ts'
import { sendControlRequest } from '../../relay/tunnels/control-request.ts'
import { TunnelSession } from '../../relay/tunnels/tunnel-session.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { drain, hello, RETRY_SECONDS_MAX, welcome } from '../../src/wire/relay-messages.ts'
import { hostileRelay } from '#support/relay/hostile-relay.ts'
import { ANSWER_DUE_MS, PONG_WITHIN_MS } from '../../src/wire/tunnel.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { type RelayAnswer, TestRelay, type TestRelayOptions } from '#support/relay/test-relay.ts'

const HOUSE = { method: 'GET', path: '/v1/house' }

async function world(
  options: TestRelayOptions = {},
): Promise<{ relay: TestRelay; home: TestHome; through: HttpCaller }> {
  const relay = await TestRelay.open(options)
  onTestFinished(() => relay[Symbol.asyncDispose]())
  const home = await TestHome.open('http')
  onTestFinished(() => home[Symbol.asyncDispose]())
  const through = new HttpCaller(relay.access(home.main.token))
  onTestFinished(() => through[Symbol.asyncDispose]())
  return { relay, home, through }
}

describe('a line to the relay', () => {
  test('that falls silent is abandoned by the gateway, which connects again', { tags: ['long'] }, async () => {
    const { relay, home, through } = await world()
    const line = await LineBetween.to(relay.relay.port)
    const fingerprint = relay.relay.authority?.fingerprint
    const body = { url: `https://localhost:${line.port}`, fingerprint }
    const { link } = await home.running.admin.call<RelayAnswer>('POST', '/relay', body)
    await relay.confirm(link?.code ?? '')
    expect((await through.call(HOUSE)).status).toBe(200)
    const before = line.connections
    line.fallSilent()
    await home.running.hasten(line.reached(before + 1))
    const state = async (): Promise<string> => (await home.running.admin.call<RelayAnswer>('GET', '/relay')).state
    while ((await state()) !== 'linked');
    expect((await through.call(HOUSE)).status).toBe(200)
    expect(line.connections).toBe(before + 1)
  })

  test(
    'that falls silent during a request is detected by a ping, before the request times out',
    { tags: ['long'] },
    async () => {
      const clock = new PassingClock()
      const { relay, home, through } = await world({ clock })
      const line = await LineBetween.to(relay.relay.port)
      const body = { url: `https://localhost:${line.port}`, fingerprint: relay.relay.authority?.fingerprint }
      const { link } = await home.running.admin.call<RelayAnswer>('POST', '/relay', body)
      await relay.confirm(link?.code ?? '')
      expect((await through.call(HOUSE)).status).toBe(200)
      line.fallSilent()
      line.refuse()
      const response = through.call(HOUSE)
      await line.lost()
      await clock.pass(ANSWER_DUE_MS + PONG_WITHIN_MS + 3_000)
      expect(await response).toMatchObject({ status: 504, body: { error: { code: 'gateway_timeout' } } })
      expect(ANSWER_DUE_MS + PONG_WITHIN_MS + 3_000).toBeLessThan(FIRST_BYTE_TIMEOUT_MS)
      expect((await through.call(HOUSE)).status).toBe(503)
    },
  )

  test('that is reset under a client’s socket ends it', async () => {
    const { relay, home } = await world()
    const line = await LineBetween.to(relay.relay.port)
    const body = { url: `https://localhost:${line.port}`, fingerprint: relay.relay.authority?.fingerprint }
    const { link } = await home.running.admin.call<RelayAnswer>('POST', '/relay', body)
    await relay.confirm(link?.code ?? '')
    const socket = await TestSocket.open(relay.access(home.main.token))
    expect(await socket.subscribe(['*'])).toMatchObject({ status: 200 })
    line.reset()
    expect(await socket.ended).toBe(1006)
  })

  test(
    'that is lost during a requested wait is dialled again at once, and long waits are refused',
    { tags: ['long'] },
    async () => {
      const again = Promise.withResolvers<void>()
      const refused = Promise.withResolvers<boolean>()
      let welcomed = 0
      const { port, fingerprint } = await hostileRelay((socket) => {
        void (async () => {
          const tunnel = new TunnelSession({
            socket,
            clock: systemClock,
            log: silentLog,
            onClose: () => {},
            onExhausted: () => {},
          })
          const send = <S extends z.ZodType>(path: string, response: S, body: object) =>
            sendControlRequest(tunnel, { path, body, response }, systemClock)
          const nonce = Buffer.alloc(32, 7).toString('base64url')
          const relay = { nonce, node: 'one', nodes: 1, origin: `https://localhost:${port}` }
          if (!(await send('/hello', hello.response, relay)).ok) return
          await send('/welcome', welcome.response, { linked: true, accounts: [], retryAfter: null })
          welcomed += 1
          if (welcomed === 2) again.resolve()
          refused.resolve(!(await send('/drain', drain.response, { retryAfter: RETRY_SECONDS_MAX + 1 })).ok)
          await send('/drain', drain.response, { retryAfter: RETRY_SECONDS_MAX })
          tunnel.destroy()
        })()
      })
      const home = await TestHome.open('http')
      onTestFinished(() => home[Symbol.asyncDispose]())
      await home.running.admin.call('POST', '/relay', { url: `https://localhost:${port}`, fingerprint })
      expect(await refused.promise).toBe(true)
      await again.promise
    },
  )

  test('is closed by a stopping relay only after open requests have finished', { tags: ['long'] }, async () => {
    const { relay, home, through } = await world()
    await relay.serve(home.running)
    const socket = await TestSocket.open(relay.access(home.main.token))
    const on = { op: 'set_power', args: { on: true } }
    const answer = through.call({ method: 'POST', path: home.at('hall-light', '/control'), body: on })
    await socket.subscribe([])
    const stopped = relay.relay.stop(30_000)
    expect((await home.running.hasten(answer)).status).toBe(200)
    socket.close()
    await home.running.hasten(stopped)
    await expect(through.call(HOUSE)).rejects.toThrow('ECONNREFUSED')
    expect((await home.call(HOUSE)).status).toBe(200)
  })
})
