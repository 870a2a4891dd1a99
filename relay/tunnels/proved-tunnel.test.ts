import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { HeldTunnel } from './held-tunnel.ts'
import type { Hello } from './proof.ts'
import { ProvedTunnel } from './proved-tunnel.ts'

const HELLO: Hello = {
  serial: '0123456789ab',
  publicKey: '',
  signature: '',
  slot: 0,
  epoch: 1,
  passthrough: 'off',
  wants: null,
}

proves('relay.notices', 'a gateway of an earlier version refuses a notice, and its tunnel goes on', async () => {
  const server = createServer()
  server.on('stream', (stream) => {
    stream.on('error', () => {})
    stream.respond({ ':status': 404 })
    stream.end(JSON.stringify({ error: { code: 'not_found', message: 'There is no such thing here.' } }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  session.on('error', () => {})
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  const destroy = vi.fn()
  const open: HeldTunnel['open'] = (headers) => session.request(headers)
  const tunnel = { destroy, open } as Partial<HeldTunnel> as HeldTunnel
  const served = (): Promise<void> => Promise.resolve()
  const parts = { hello: HELLO, node: 'here', peer: '192.0.2.1', enrolment: { served }, clock: new ManualClock() }
  const news = { id: 'a', kind: 'signed_in', account: 'a@example.org', browser: '', place: '', at: 0 } as const
  expect(await new ProvedTunnel({ tunnel, ...parts }).notify([news])).toBe(true)
  expect(destroy).not.toHaveBeenCalled()
})

test('one that is to end in a while ends then, later where that is said anew, and not once it is kept', () => {
  const clock = new ManualClock()
  const destroy = vi.fn()
  const served = (): Promise<void> => Promise.resolve()
  const tunnel = { destroy } as Partial<HeldTunnel> as HeldTunnel
  const proved = new ProvedTunnel({
    tunnel,
    hello: HELLO,
    node: 'here',
    peer: '192.0.2.1',
    enrolment: { served },
    clock,
  })
  proved.endAfter(1_000)
  proved.keep()
  clock.advance(1_000)
  proved.endAfter(1_000)
  clock.advance(900)
  proved.endAfter(1_000)
  clock.advance(900)
  expect(destroy).not.toHaveBeenCalled()
  clock.advance(100)
  expect(destroy).toHaveBeenCalledOnce()
})
