import { expect, test } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import type { ReadingStore } from '../../home/ports/history-store.ts'
import { HOURS_KEPT_MS, MINUTES_KEPT_MS, RAW_KEPT_MS, ROWS_PER_TURN } from './reading-store.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2027, 5, 1, 12)

function thinAll(store: ReadingStore, now: number): number {
  for (let steps = 1; ; steps++) if (store.thin(now).moved === 0) return steps
}

test('raw for days, minutes for weeks, hours for years: every value is included', { tags: ['long'] }, async () => {
  const history = tempHistory({ file: ':memory:' })
  const { readings } = history
  const from = NOW - MINUTES_KEPT_MS - 6 * HOUR
  const times: number[] = []
  for (let at = from; at < NOW; at += at < from + 12 * HOUR || at > NOW - 7 * 24 * HOUR - 6 * HOUR ? 20_000 : HOUR)
    times.push(at)
  for (const [n, at] of times.entries()) {
    readings.record('hall', 'temperature', at, 20 + (n % 7))
    if (n % 5_000 === 0) history.writer.flush()
  }
  const {
    points: [before],
  } = await readings.range('hall', 'temperature', from, NOW, 1)
  expect(thinAll(readings, NOW)).toBeGreaterThan(2)
  const {
    points: [after],
  } = await readings.range('hall', 'temperature', from, NOW, 1)
  expect(after).toMatchObject({ at: from, min: 20, max: 26, count: times.length })
  expect(after?.mean).toBeCloseTo(before?.mean ?? 0, 9)
  const points = [...readings.iterate(from, NOW)]
  const gaps = (begin: number, end: number) =>
    new Set(
      points
        .filter(({ at }) => at >= begin && at < end)
        .map(({ at }, n, all) => (all[n + 1]?.at ?? at) - at)
        .filter((gap) => gap > 0),
    )
  expect(gaps(from, from + 6 * HOUR)).toEqual(new Set([HOUR]))
  expect(Math.min(...gaps(NOW - MINUTES_KEPT_MS + HOUR, NOW - RAW_KEPT_MS - HOUR))).toBe(60_000)
  expect(gaps(NOW - RAW_KEPT_MS + HOUR, NOW)).toEqual(new Set([20_000]))
  expect(points.reduce((count, point) => count + point.count, 0)).toBe(times.length)
})

test('a late value merges into its minute', async () => {
  const { readings } = tempHistory({ file: ':memory:' })
  const old = NOW - RAW_KEPT_MS - HOUR
  readings.record('hall', 'light', old, 10)
  thinAll(readings, NOW)
  readings.record('hall', 'light', old + 1_000, 40)
  thinAll(readings, NOW)
  expect(await readings.range('hall', 'light', old - HOUR, NOW, 1)).toMatchObject({
    points: [{ min: 10, max: 40, mean: 25, count: 2 }],
    rows: 1,
  })
})

test('hours end after ten years', async () => {
  const { readings } = tempHistory({ file: ':memory:' })
  readings.record('hall', 'light', NOW, 10)
  thinAll(readings, NOW + HOURS_KEPT_MS - HOUR)
  expect(await readings.range('hall', 'light', 0, 2 * NOW, 10)).toMatchObject({ points: [{ count: 1 }], rows: 1 })
  thinAll(readings, NOW + HOURS_KEPT_MS + HOUR)
  expect(await readings.range('hall', 'light', 0, 2 * NOW, 10)).toEqual({ points: [], rows: 0 })
})

test('a plot has at most the requested number of points', async () => {
  const { readings } = tempHistory({ file: ':memory:' })
  for (let n = 0; n < 5_000; n++) readings.record('hall', 'light', NOW + n * 1_000, n)
  const { points, rows } = await readings.range('hall', 'light', NOW, NOW + 5_000_000, 100)
  expect([points.length, rows]).toEqual([100, 5_000])
  expect(points[1]).toEqual({ at: NOW + 50_000, min: 50, max: 99, mean: 74.5, count: 50 })
  expect(await readings.range('hall', 'co2', NOW, NOW + 1, 10)).toEqual({ points: [], rows: 0 })
})

test('summing a long range over several turns equals summing at once, even while it is thinned', async () => {
  const deferred: (() => void)[] = []
  const { readings } = tempHistory({ file: ':memory:', defer: (run) => deferred.push(run) })
  const from = NOW - RAW_KEPT_MS - 2 * 24 * HOUR
  const at = (n: number): number => from + n * 60_000 + 7
  for (let n = 0; n < 3 * ROWS_PER_TURN; n++) readings.record('hall', 'light', at(n), n)
  const range = readings.range('hall', 'light', from, NOW, 4)
  let turns = 0
  const done = range.then(() => true)
  while (!(await Promise.race([done, Promise.resolve(false)]))) {
    readings.thin(NOW)
    turns += deferred.length
    for (const run of deferred.splice(0)) run()
  }
  expect(turns).toBeGreaterThanOrEqual(2)
  const step = Math.ceil((NOW - from) / 4)
  const expected = Map.groupBy(
    Array.from({ length: 3 * ROWS_PER_TURN }, (_, n) => n),
    (n) => Math.floor((at(n) - from) / step),
  )
  const { points: answer } = await range
  expect(answer.map(({ at: begin, min, max, count }) => ({ begin, min, max, count }))).toEqual(
    [...expected].map(([slot, all]) => ({
      begin: from + slot * step,
      min: all[0],
      max: all.at(-1),
      count: all.length,
    })),
  )
  for (const [slot, all] of expected)
    expect(answer[slot]?.mean).toBeCloseTo(all.reduce((sum, n) => sum + n, 0) / all.length, 6)
})
