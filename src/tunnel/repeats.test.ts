import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { REPEATS_MAX, REPEATS_MS } from '../wire/tunnel.ts'
import { Repeats } from './open-streams.ts'

const id = (number: number): string => number.toString(16).padStart(32, '0')

test('a request that comes again within a minute is no first one, and one without an id never is', () => {
  const clock = new ManualClock()
  const repeats = new Repeats(clock)
  expect([repeats.isFirst(id(1)), repeats.isFirst(id(1)), repeats.isFirst(id(2))]).toEqual([true, false, true])
  expect([repeats.isFirst(undefined), repeats.isFirst('1'), repeats.isFirst(id(1).toUpperCase() + '0')]).toEqual([
    false,
    false,
    false,
  ])
  clock.advance(REPEATS_MS)
  expect(repeats.isFirst(id(1))).toBe(false)
  clock.advance(1)
  expect(repeats.isFirst(id(1))).toBe(true)
})

test('of very many requests the latest are known', () => {
  const repeats = new Repeats(new ManualClock())
  const firsts = Array.from({ length: REPEATS_MAX + 1 }, (_, number) => repeats.isFirst(id(number)))
  expect(firsts.every(Boolean)).toBe(true)
  expect([repeats.isFirst(id(REPEATS_MAX)), repeats.isFirst(id(2))]).toEqual([false, false])
  expect(repeats.isFirst(id(0))).toBe(true)
})
