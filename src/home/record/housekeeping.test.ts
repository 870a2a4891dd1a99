import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { Log } from '../../lib/log.ts'
import { silentLog } from '../../lib/log.ts'
import { keepHistory } from './housekeeping.ts'

const MINUTE_MS = 60_000

test('upkeep runs in steps while there is work, rests till the next minute, and survives a full disk', () => {
  const clock = new ManualClock(0)
  const sentences: string[] = []
  const log: Log = { ...silentLog, warn: (_, sentence) => void sentences.push(sentence) }
  let work = 3
  let full = false
  const steps: number[] = []
  const step = (now: number): boolean => {
    if (full) throw new Error('database or disk is full')
    steps.push(now)
    return work-- > 0
  }
  const stop = keepHistory({
    upkeep: { step, usage: () => ({ bytes: 0, bytesMax: 0, written: 0, shed: 0, failed: 0 }) },
    energy: { forgetOld: () => true },
    clock,
    log,
  })
  clock.advance(2 * MINUTE_MS - 1)
  expect(steps).toEqual([60_000, 60_020, 60_040, 60_060])
  full = true
  clock.advance(3 * MINUTE_MS)
  expect(sentences).toHaveLength(1)
  full = false
  clock.advance(MINUTE_MS)
  expect(steps).toHaveLength(5)
  stop()
  clock.advance(10 * MINUTE_MS)
  expect(steps).toHaveLength(5)
})
