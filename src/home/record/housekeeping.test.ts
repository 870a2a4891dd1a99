// @module-tag repeated
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { tempHistory } from '#support/homes/history.ts'
import { times } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { Log } from '../../lib/log.ts'
import { silentLog } from '../../lib/log.ts'
import { GATEWAY_CAUSE } from '../model/events.ts'
import { maintainHistory } from './housekeeping.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import { RELEASED_AT } from '../../lib/released-at.ts'

const THIRTY_YEARS_MS = 30 * 365 * DAY_MS
const KEPT_DAYS = 800

test('upkeep runs in steps while there is work, rests until the next minute, and survives a full disk', () => {
  const clock = new ManualClock(0)
  const sentences: string[] = []
  const log: Log = { ...silentLog, warn: (_, sentence) => void sentences.push(sentence) }
  let work = 3
  let full = false
  const steps: number[] = []
  const step = (): boolean => {
    if (full) throw new Error('database or disk is full')
    steps.push(clock.now())
    return work-- > 0
  }
  const stop = maintainHistory({
    upkeep: { step, time: () => null, usage: () => ({ bytes: 0, bytesMax: 0, written: 0, shed: 0, failed: 0 }) },
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

describe('a wrong wall clock', () => {
  const ENTRY = { kind: 'edited', subject: { kind: 'home' }, what: 'x', cause: GATEWAY_CAUSE } as const

  function open(clock: ManualClock, file = join(tempFolder(), 'history.db')) {
    const history = tempHistory({ clock, file })
    const parts = { energy: { forgetOld: () => true }, upkeep: history.upkeep, log: silentLog, clock }
    return {
      history,
      count: () => [...history.activity.iterate(0, Number.MAX_SAFE_INTEGER)].length,
      keep: () => maintainHistory(parts),
      close: () => history.close(),
    }
  }

  /** A history with one entry a day for `KEPT_DAYS`, oldest first, and its upkeep. */
  function agedHistory(clock: ManualClock, file?: string) {
    const made = open(clock, file)
    for (let day = KEPT_DAYS - 1; day >= 0; day--)
      made.history.activity.record({ ...ENTRY, at: clock.now() - day * DAY_MS })
    made.history.writer.flush()
    return made
  }

  proves('storage.wrong-clock', 'deletes nothing for an hour, and then at most a day an hour', () => {
    const clock = new ManualClock()
    const { count, keep } = agedHistory(clock)
    keep()
    clock.advance(2 * HOUR_MS)
    expect(count()).toBe(KEPT_DAYS)
    clock.jumpWall(THIRTY_YEARS_MS)
    clock.advance(HOUR_MS - MINUTE_MS)
    expect(count()).toBe(KEPT_DAYS)
    clock.advance(4 * HOUR_MS)
    expect(count()).toBeGreaterThanOrEqual(KEPT_DAYS - 5)
    expect(count()).toBeLessThan(KEPT_DAYS)
  })

  proves('storage.wrong-clock', 'costs no more after it is set right, also over restarts of the gateway', () => {
    const clock = new ManualClock()
    const { count, keep } = agedHistory(clock)
    keep()()
    clock.jumpWall(THIRTY_YEARS_MS)
    for (let starts = 0; starts < times(3, 10); starts++) {
      const stop = keep()
      clock.advance(50 * MINUTE_MS)
      stop()
    }
    expect(count()).toBe(KEPT_DAYS)
    const stop = keep()
    clock.advance(2 * HOUR_MS)
    stop()
    expect(count()).toBeGreaterThanOrEqual(KEPT_DAYS - 2)
    clock.jumpWall(-THIRTY_YEARS_MS)
    keep()
    clock.advance(times(4 * HOUR_MS, 2 * DAY_MS))
    expect(count()).toBeGreaterThanOrEqual(KEPT_DAYS - 4)
  })

  proves('storage.wrong-clock', 'deletes nothing of a history that is as new as the start', () => {
    const clock = new ManualClock()
    const { history, count, keep } = open(clock)
    keep()
    history.activity.record({ ...ENTRY, at: clock.now() })
    history.writer.flush()
    clock.jumpWall(THIRTY_YEARS_MS)
    clock.advance(3 * HOUR_MS)
    expect(count()).toBe(1)
  })

  proves('storage.wrong-clock', 'deletes nothing of a history from an earlier version, over restarts', () => {
    const clock = new ManualClock()
    const file = join(tempFolder(), 'history.db')
    agedHistory(clock, file).close()
    const db = new Database(file)
    db.exec('DELETE FROM meta')
    db.close()
    clock.jumpWall(THIRTY_YEARS_MS)
    for (let starts = 0; starts < 3; starts++) {
      const { history, keep, close } = open(clock, file)
      history.activity.record({ ...ENTRY, at: clock.now() })
      history.writer.flush()
      const stop = keep()
      clock.advance(HOUR_MS + 30 * MINUTE_MS)
      stop()
      close()
    }
    expect(open(clock, file).count()).toBeGreaterThan(KEPT_DAYS - 5)
  })

  proves(
    'storage.wrong-clock',
    'of a first start in 1970 does not prevent deletion once it is right',
    { tags: ['long'] },
    () => {
      const clock = new ManualClock(0)
      const file = join(tempFolder(), 'history.db')
      const first = open(clock, file)
      first.history.activity.record({ ...ENTRY, at: clock.now() })
      first.keep()
      clock.advance(2 * HOUR_MS)
      first.close()
      const { history, keep, count } = open(clock, file)
      history.activity.record({ ...ENTRY, at: clock.now() })
      clock.jumpWall(RELEASED_AT + 10 * DAY_MS)
      keep()
      history.readings.record('hall', 'light', clock.now() - 30 * DAY_MS + 7, 1)
      clock.advance(2 * HOUR_MS)
      clock.advance(12 * HOUR_MS)
      expect([...history.readings.iterate(0, Number.MAX_SAFE_INTEGER)].map(({ at }) => at % MINUTE_MS)).toEqual([0])
      // Entries from 1970 age together with their neighbours.
      expect(count()).toBe(2)
    },
  )

  test('that was always right deletes old entries', () => {
    const clock = new ManualClock()
    const { count, keep } = agedHistory(clock)
    keep()
    const days = times(1, 10)
    clock.advance(days * DAY_MS)
    expect(count()).toBe(KEPT_DAYS - days + 1)
  })
})
