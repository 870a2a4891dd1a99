import { expect, test } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { silentLog } from '../../lib/log.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { join } from 'node:path'
import { HistoryFile } from './history-file.ts'
import { KindSizes } from './kind-sizes.ts'

test('every row is counted once at any step size, and again after many deletions', () => {
  const file = join(tempFolder(), 'history.db')
  const history = tempHistory({ file })
  // Two steps and one row; the readings are in three units, so that steps end within a series.
  for (let at = 0; at < 20_001; at += 1) {
    history.readings.record(`unit-${at % 3}`, 'light', at, 1)
    if (at % 5_000 === 0) history.writer.flush()
  }
  history.detections.record('hall', { at: 1, kind: 'motion', value: true })
  history.close()
  const db = new HistoryFile({ file, clock: new ManualClock(), log: silentLog, bytesMax: 2 ** 30 })
  const sizes = new KindSizes(db)
  const counted = (): number => {
    let steps = 0
    while (sizes.count()) steps += 1
    return steps
  }
  counted()
  expect(sizes.rowsOf('readings')).toBe(20_001)
  expect(sizes.rowsOf('detections')).toBe(1)
  expect(sizes.largestFirst()[0]).toBe('readings')
  sizes.forgot('readings', 1_000)
  expect(counted()).toBe(0)
  sizes.forgot('readings', 1_000)
  expect(sizes.rowsOf('readings')).toBe(18_001)
  expect(counted()).toBeGreaterThan(2)
  expect(sizes.rowsOf('readings')).toBe(20_001)
  db.close()
})
