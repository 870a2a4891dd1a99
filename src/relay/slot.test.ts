import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { systemRandom } from '../lib/random.ts'
import { fail } from '../lib/result.ts'
import { Slot } from './slot.ts'

test('a slot whose relay is away tries for ever, and keeps nothing of tries that are over', async () => {
  const listened = vi.spyOn(AbortSignal.prototype, 'addEventListener')
  const clock = new ManualClock()
  let tries = 0
  const open = async () => {
    tries += 1
    return fail('unreachable' as const)
  }
  const slot = new Slot({ clock, random: systemRandom, open, changed: () => {} })
  await clock.advanceAsync(3_600_000)
  expect(tries).toBeGreaterThan(72)
  const [signal] = listened.mock.contexts
  listened.mockRestore()
  expect(getEventListeners(signal as AbortSignal, 'abort')).toHaveLength(1)
  await slot.stop(0)
  expect(getEventListeners(signal as AbortSignal, 'abort')).toHaveLength(0)
})
