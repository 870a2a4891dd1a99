import { expect, test, vi } from 'vitest'
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
