import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { SharedTimer } from './shared-timer.ts'

test('each entry runs once an interval from its adding, until it is removed', () => {
  const clock = new ManualClock()
  const rounds = new SharedTimer(clock, 1_000)
  const ran: string[] = []
  const stop = rounds.add(() => ran.push('first'))
  clock.advance(999)
  expect(ran).toEqual([])
  clock.advance(1)
  expect(ran).toEqual(['first'])
  clock.advance(500)
  const stopSecond = rounds.add(() => ran.push('second'))
  clock.advance(1_000)
  expect(ran).toEqual(['first', 'first', 'second'])
  stop()
  clock.advance(1_000)
  expect(ran).toEqual(['first', 'first', 'second', 'second'])
  stopSecond()
  stopSecond()
  clock.advance(5_000)
  rounds.add(() => ran.push('third'))
  clock.advance(1_000)
  expect(ran.slice(4)).toEqual(['third'])
})

test('each entry runs once an interval even if every timer of a busy process is late', () => {
  const clock = new ManualClock()
  const rounds = new SharedTimer(clock, 1_000)
  const ranAt: number[] = []
  rounds.add(() => ranAt.push(clock.monotonic()))
  for (let turn = 0; turn < 15; turn += 1) {
    clock.stall(200)
    clock.advance(0)
  }
  expect(ranAt).toEqual([1_000, 2_000, 3_000])
})

test('a process that stood still runs a missed entry once, and then on schedule', () => {
  const clock = new ManualClock()
  const rounds = new SharedTimer(clock, 1_000)
  const ranAt: number[] = []
  rounds.add(() => ranAt.push(clock.monotonic()))
  clock.stall(60_000)
  clock.advance(2_500)
  expect(ranAt).toEqual([60_000, 61_000, 62_000])
})
