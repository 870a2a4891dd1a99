import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { TunnelSession } from './tunnel-session.ts'
import type { GatewayHello } from './authenticate-gateway.ts'
import { GatewayTunnel } from './gateway-tunnel.ts'

const HELLO: GatewayHello = {
  serial: '0123456789ab',
  publicKey: '',
  signature: '',
  slot: 0,
  epoch: 1,
  passthrough: 'off',
  wants: null,
}

proves('relay.notices', 'the tunnel of a gateway that does not know notices stays open', async () => {
  const server = createServer()
  server.on('stream', (stream) => {
    stream.on('error', () => {})
    stream.respond({ ':status': 404 })
    stream.end(JSON.stringify({ error: { code: 'not_found', message: 'There is nothing at this path.' } }))
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
  const open: TunnelSession['open'] = (headers) => session.request(headers)
  const tunnelSession = { destroy, open } as Partial<TunnelSession> as TunnelSession
  const markServed = (): Promise<void> => Promise.resolve()
  const parts = { hello: HELLO, node: 'here', peer: '192.0.2.1', enrolment: { markServed }, clock: new ManualClock() }
  const news = { id: 'a', kind: 'signed_in', account: 'a@example.org', browser: '', place: '', at: 0 } as const
  expect(await new GatewayTunnel({ session: tunnelSession, ...parts }).deliver([news])).toBe(true)
  expect(destroy).not.toHaveBeenCalled()
})

test('a later schedule replaces the end of a tunnel, and a cancelled end does not happen', () => {
  const clock = new ManualClock()
  const destroy = vi.fn()
  const markServed = (): Promise<void> => Promise.resolve()
  const tunnel = new GatewayTunnel({
    session: { destroy } as Partial<TunnelSession> as TunnelSession,
    hello: HELLO,
    node: 'here',
    peer: '192.0.2.1',
    enrolment: { markServed },
    clock,
  })
  tunnel.endAfter(1_000)
  tunnel.cancelEnd()
  clock.advance(1_000)
  tunnel.endAfter(1_000)
  clock.advance(900)
  tunnel.endAfter(1_000)
  clock.advance(900)
  expect(destroy).not.toHaveBeenCalled()
  clock.advance(100)
  expect(destroy).toHaveBeenCalledOnce()
})
