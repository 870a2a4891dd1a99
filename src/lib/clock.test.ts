import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { every } from './clock.ts'

test('functions of an interval run together each interval, with one timer, until they are stopped', () => {
  const clock = new ManualClock()
  const ran: string[] = []
  const stop = every(clock, 1_000, () => ran.push('first'))
  clock.advance(999)
  expect(ran).toEqual([])
  clock.advance(1)
  expect(ran).toEqual(['first'])
  clock.advance(500)
  const stopSecond = every(clock, 1_000, () => ran.push('second'))
  expect(clock.waiting).toBe(1)
  clock.advance(1_000)
  expect(ran).toEqual(['first', 'first', 'second'])
  stop()
  clock.advance(1_000)
  expect(ran).toEqual(['first', 'first', 'second', 'second'])
  stopSecond()
  stopSecond()
  expect(clock.waiting).toBe(0)
  every(clock, 1_000, () => ran.push('third'))
  clock.advance(1_000)
  expect(ran.slice(4)).toEqual(['third'])
})

test('a function that a neighbour stops does not run, and one that a neighbour starts waits for its turn', () => {
  const clock = new ManualClock()
  const ran: string[] = []
  every(clock, 1_000, () => {
    ran.push('first')
    stopSecond()
    if (ran.length === 1) every(clock, 1_000, () => ran.push('third'))
  })
  const stopSecond = every(clock, 1_000, () => ran.push('second'))
  clock.advance(1_000)
  expect(ran).toEqual(['first'])
  clock.advance(1_000)
  expect(ran).toEqual(['first', 'first', 'third'])
})

test('an error of one function reaches the process and stops no other function', () => {
  const clock = new ManualClock()
  const ran: number[] = []
  every(clock, 1_000, () => {
    throw new Error('the disk fails')
  })
  every(clock, 1_000, () => ran.push(clock.monotonic()))
  for (let round = 0; round < 2; round += 1) expect(() => clock.advance(1_000)).toThrow('the disk fails')
  expect(ran).toEqual([1_000, 2_000])
})

test('thousands of functions run in several turns', () => {
  const clock = new ManualClock()
  const ranAt = new Map<number, number>()
  const count = (): void => void ranAt.set(clock.monotonic(), (ranAt.get(clock.monotonic()) ?? 0) + 1)
  for (let entry = 0; entry < 1_000; entry += 1) every(clock, 1_000, count)
  clock.advance(1_000)
  expect([...ranAt]).toEqual([700, 800, 900, 1_000].map((at) => [at, 250]))
})

test('a process that stood still runs a missed function once, and then on schedule', () => {
  const clock = new ManualClock()
  const ranAt: number[] = []
  every(clock, 1_000, () => ranAt.push(clock.monotonic()))
  clock.stall(60_000)
  clock.advance(2_500)
  expect(ranAt).toEqual([60_000, 61_000, 62_000])
})
