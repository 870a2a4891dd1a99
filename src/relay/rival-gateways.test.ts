import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { RivalGateways } from './rival-gateways.ts'

function rivals(own: readonly number[] = []) {
  const clock = new ManualClock()
  const passed: number[] = []
  let found = 0
  const epochs = { isOwn: (epoch: number) => own.includes(epoch), passed: (epoch: number) => passed.push(epoch) }
  const made = new RivalGateways(clock, epochs, () => (found += 1))
  return { clock, passed, rivals: made, found: () => found }
}

test('an own tunnel that takes the place of another is no other gateway', () => {
  const { rivals: made, found } = rivals([1, 2])
  expect([made.replaced(0, 1, 2), made.lately, found()]).toEqual([null, null, 0])
})

test('one takeover, as an earlier process leaves it, is taken back and tells nobody', () => {
  const { rivals: made, passed, found, clock } = rivals([1])
  expect(made.replaced(0, 1, 7)).toBe('take_back')
  // The same one is heard of once more.
  expect(made.replaced(0, 1, 7)).toBe('take_back')
  clock.advance(11 * 60_000)
  expect(made.replaced(0, 1, 8)).toBe('take_back')
  expect([made.lately, found(), passed]).toEqual([null, 0, [7, 7, 8]])
})

test('the second takeover tells of another gateway, and after the third in one slot this one gives way', () => {
  const { rivals: made, found, clock } = rivals([1, 2, 3])
  expect([made.replaced(0, 1, 7), made.replaced(1, 2, 8)]).toEqual(['take_back', 'take_back'])
  expect([made.replaced(0, 1, 9), found(), made.lately]).toEqual(['take_back', 1, clock.now()])
  // Both count the same.
  expect([made.replaced(0, 3, 3), found()]).toEqual(['give_way', 2])
  clock.advance(25 * 60 * 60_000)
  expect(made.lately).toBeNull()
})
