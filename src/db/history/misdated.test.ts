import Database from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { tempHistory } from '#support/homes/history.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { GATEWAY_CAUSE } from '../../home/model/events.ts'
import type { HistoryDb } from './history-db.ts'
import { EVENTS_KEPT_MS } from './history-upkeep.ts'
import { SPANS_MAX } from './misdated.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2027, 0, 1)
/** A clock without a battery starts here. */
const BEHIND = Date.UTC(1970, 0, 2)

function write(history: HistoryDb, at: number, what = 'x'): void {
  history.activity.record({ at, kind: 'edited', subject: { kind: 'home' }, what, cause: GATEWAY_CAUSE })
  history.detections.record('hall', { at, kind: 'door', value: false })
  history.writer.flush()
}

function forget(history: HistoryDb, time: number): void {
  while (history.upkeep.step(time));
}

function times(history: HistoryDb): number[] {
  const activity = [...history.activity.iterate(0, 2 ** 41)].map(({ at }) => at)
  expect([...history.detections.iterate(0, 2 ** 41)].map(({ at }) => at)).toEqual(activity)
  return activity
}

describe('entries dated by a clock far behind', () => {
  proves('storage.wrong-clock', 'stay as long as the entries stored with them', () => {
    const history = tempHistory()
    write(history, NOW)
    forget(history, NOW)
    write(history, BEHIND)
    write(history, NOW - EVENTS_KEPT_MS + HOUR)
    forget(history, NOW + 3 * DAY)
    expect(times(history)).toEqual([BEHIND, NOW - EVENTS_KEPT_MS + HOUR, NOW])
    forget(history, NOW + EVENTS_KEPT_MS - HOUR)
    expect(times(history)).toHaveLength(3)
    forget(history, NOW + EVENTS_KEPT_MS + HOUR)
    expect(times(history)).toEqual([])
  })

  test('do not keep genuinely old entries', () => {
    const history = tempHistory()
    const old = NOW - EVENTS_KEPT_MS - 2 * DAY
    for (const at of [old - DAY, old, old + DAY, NOW]) write(history, at)
    forget(history, NOW - 2 * DAY)
    write(history, old + 12 * HOUR)
    forget(history, NOW)
    expect(times(history)).toEqual([old + 12 * HOUR, NOW])
  })

  test('stay after a restart under that clock, which does not move the time back', () => {
    const file = join(tempFolder(), 'history.db')
    const first = tempHistory({ file })
    write(first, NOW)
    forget(first, NOW)
    first.close()
    const behind = tempHistory({ file })
    write(behind, BEHIND)
    forget(behind, BEHIND + 2 * HOUR)
    behind.close()
    const right = tempHistory({ file })
    expect(right.upkeep.time()).toBe(NOW)
    forget(right, NOW + DAY)
    expect(times(right)).toEqual([BEHIND, NOW])
  })

  test('all stay if there are more spans than can be noted', () => {
    const file = join(tempFolder(), 'history.db')
    const history = tempHistory({ file })
    write(history, NOW)
    for (let n = 0; n < 3 * SPANS_MAX; n++) write(history, BEHIND + n * 50 * HOUR)
    forget(history, NOW + DAY)
    expect(times(history)).toHaveLength(3 * SPANS_MAX + 1)
    const db = new Database(file, { readonly: true })
    const noted = db.prepare<[], string>("SELECT value FROM meta WHERE key = 'misdated'").pluck().get()
    db.close()
    expect(JSON.parse(noted ?? '')).toHaveLength(SPANS_MAX)
  })

  test('are deleted first if nothing else has room', () => {
    const history = tempHistory({ bytesMax: 400_000 })
    write(history, NOW)
    write(history, BEHIND)
    for (let n = 1; history.writer.counts.failed === 0; n++) write(history, NOW + n * HOUR, 'x'.repeat(5_000))
    forget(history, NOW)
    // The activity is the largest kind, so no other kind gives way.
    expect([...history.activity.iterate(0, 2 ** 41)][0]?.at).toBeGreaterThan(BEHIND)
    expect([...history.detections.iterate(0, BEHIND + 1)]).toHaveLength(1)
  })
})
