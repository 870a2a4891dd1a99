import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { systemRandom } from '../lib/random.ts'
import { fail, ok } from '../lib/result.ts'
import { PersistentTunnel } from './persistent-tunnel.ts'
import type { Tunnel, ReplacementReason } from './tunnel.ts'

test('a slot retries for ever while its relay is away, and finished tries leave no memory behind', async () => {
  const listened = vi.spyOn(AbortSignal.prototype, 'addEventListener')
  const clock = new ManualClock()
  let tries = 0
  const open = async () => {
    tries += 1
    return fail('unreachable' as const)
  }
  const slot = new PersistentTunnel({ clock, random: systemRandom, open, changed: () => {} })
  await clock.advanceAsync(3_600_000)
  expect(tries).toBeGreaterThan(72)
  const [signal] = listened.mock.contexts
  listened.mockRestore()
  expect(getEventListeners(signal as AbortSignal, 'abort')).toHaveLength(1)
  await slot.stop(0)
  expect(getEventListeners(signal as AbortSignal, 'abort')).toHaveLength(0)
})

const DIALLED_MAX = 2_000

/** A slot and its dial times. The relay asks for a replacement `afterMs` after each welcome. */
function replacing(clock: ManualClock, afterMs: number, retryAfter: number | null) {
  const dialled: number[] = []
  const open = async () => {
    dialled.push(clock.monotonic())
    // A slot that dials without a pause would never let the test's clock go on.
    if (dialled.length > DIALLED_MAX) return new Promise<never>(() => {})
    const { promise: replacementDue, resolve } = Promise.withResolvers<ReplacementReason>()
    clock.after(afterMs, () => resolve({ kind: 'replace', retryAfter }))
    const stop = async (): Promise<void> => resolve({ kind: 'lost', retryAfter: null })
    const tunnel = { replacementDue, closed: new Promise<void>(() => {}), isOpen: true, retire: () => {}, stop }
    return ok(tunnel as unknown as Tunnel)
  }
  return { slot: new PersistentTunnel({ clock, random: systemRandom, open, changed: () => {} }), dialled }
}

for (const afterMs of [0, 1, 5_000])
  proves(
    'relay.no-pause',
    `a relay that asks for a new tunnel every ${afterMs} ms waits longer and longer`,
    async () => {
      const clock = new ManualClock()
      const { slot, dialled } = replacing(clock, afterMs, 0)
      await clock.advanceAsync(3_600_000)
      expect(dialled.length).toBeGreaterThan(36)
      expect(dialled.length).toBeLessThan(400)
      await slot.stop(0)
    },
  )

test('a replacement after a long time is immediate, for the relay and for the gateway itself', async () => {
  const clock = new ManualClock()
  const late = replacing(clock, 60_000, 0)
  const own = replacing(clock, 1_000, null)
  await clock.advanceAsync(600_000)
  expect(late.dialled).toHaveLength(11)
  expect(own.dialled).toHaveLength(601)
  await Promise.all([late.slot.stop(0), own.slot.stop(0)])
})
