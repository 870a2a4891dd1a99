import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { Rounds } from './rounds.ts'

test('each runs once an interval from when it was added, until it is taken out', () => {
  const clock = new ManualClock()
  const rounds = new Rounds(clock, 1_000)
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
