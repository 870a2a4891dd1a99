import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { DUPLICATES_MAX, DUPLICATES_MS } from '../wire/tunnel.ts'
import { DuplicateRequests } from './duplicate-requests.ts'

const id = (number: number): string => number.toString(16).padStart(32, '0')

test('a request with the id of the last minute is a duplicate, and so is one without an id', () => {
  const clock = new ManualClock()
  const duplicates = new DuplicateRequests(clock)
  expect([duplicates.isFirst(id(1)), duplicates.isFirst(id(1)), duplicates.isFirst(id(2))]).toEqual([true, false, true])
  expect([
    duplicates.isFirst(undefined),
    duplicates.isFirst('1'),
    duplicates.isFirst(id(1).toUpperCase() + '0'),
  ]).toEqual([false, false, false])
  clock.advance(DUPLICATES_MS)
  expect(duplicates.isFirst(id(1))).toBe(false)
  clock.advance(1)
  expect(duplicates.isFirst(id(1))).toBe(true)
})

test('among very many requests, the latest ids are remembered', () => {
  const duplicates = new DuplicateRequests(new ManualClock())
  const firsts = Array.from({ length: DUPLICATES_MAX + 1 }, (_, number) => duplicates.isFirst(id(number)))
  expect(firsts.every(Boolean)).toBe(true)
  expect([duplicates.isFirst(id(DUPLICATES_MAX)), duplicates.isFirst(id(2))]).toEqual([false, false])
  expect(duplicates.isFirst(id(0))).toBe(true)
})
