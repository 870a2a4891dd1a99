import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { Epochs } from './epochs.ts'

test('each number is greater than those before, and its own; of others, and of those long past, it knows nothing', () => {
  const clock = new ManualClock()
  const epochs = new Epochs(clock)
  const [first, second] = [epochs.next(), epochs.next()]
  expect([first, second]).toEqual([clock.now(), clock.now() + 1])
  clock.advance(60_000)
  expect(epochs.next()).toBe(clock.now())
  expect([first, second, clock.now(), clock.now() - 1].map((epoch) => epochs.isOwn(epoch))).toEqual([
    ...[true, true, true],
    false,
  ])
  for (let each = 0; each < 64; each += 1) epochs.next()
  expect(epochs.isOwn(first)).toBe(false)
})
