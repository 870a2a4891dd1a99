import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { GATEWAY_CAUSE } from '../../home/model/events.ts'
import { type Log, silentLog } from '../../lib/log.ts'
import { systemRandom } from '../../lib/random.ts'
import { type HistoryDb, openHistory } from './history-db.ts'
import { EVENTS_KEPT_MS } from './history-upkeep.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2027, 0, 1)

function write(history: HistoryDb, at: number, text = 'x'): void {
  history.activity.record({ at, kind: 'edited', subject: { kind: 'home' }, what: text, cause: GATEWAY_CAUSE })
}

function count(history: HistoryDb): number {
  return [...history.activity.iterate(0, 2 ** 41)].length
}

/** A log that records its sentences. */
function listening(): { readonly log: Log; readonly sentences: string[] } {
  const sentences: string[] = []
  const keep = (_: object, sentence: string) => void sentences.push(sentence)
  const log: Log = { ...silentLog, info: keep, warn: keep, error: keep }
  return { log, sentences }
}

describe('a history that is full', () => {
  test(
    'keeps answering, counts omitted rows, reports that once, and recovers when there is room',
    { tags: ['long'] },
    () => {
      const clock = new ManualClock(NOW)
      const { log, sentences } = listening()
      const history = tempHistory({ clock, log, bytesMax: 400_000 })
      const long = 'x'.repeat(2_000)
      for (let n = 0; n < 400; n++) {
        write(history, NOW + n, long)
        history.writer.flush()
        clock.advance(1_001)
      }
      expect(history.writer.counts.failed).toBeGreaterThan(100)
      expect(history.writer.counts.failed + history.writer.counts.written).toBe(400)
      expect(count(history)).toBe(history.writer.counts.written)
      expect(sentences).toEqual([
        'The history cannot be written: entries are left out until there is room. Everything else goes on.',
      ])
      while (history.upkeep.step(NOW + EVENTS_KEPT_MS + DAY)) clock.advance(20)
      write(history, NOW + 1_000)
      history.writer.flush()
      expect(count(history)).toBe(1)
      expect(sentences[1]).toBe('The history can be written again.')
    },
  )

  test('after a failure nothing is tried for a second', () => {
    const clock = new ManualClock(NOW)
    const history = tempHistory({ clock, bytesMax: 200_000 })
    for (let n = 0; history.writer.counts.failed === 0; n++) {
      write(history, NOW + n, 'x'.repeat(2_000))
      history.writer.flush()
    }
    write(history, NOW, 'small')
    history.writer.flush()
    expect(history.writer.counts).toMatchObject({ failed: 2, leftOutLately: 2 })
    clock.advance(20 * 60 * 60_000)
    history.readings.record('hall', 'light', NOW, Number.NaN)
    history.writer.flush()
    expect(history.writer.counts).toMatchObject({ failed: 3, leftOutLately: 3 })
    clock.advance(5 * 60 * 60_000)
    expect(history.writer.counts).toMatchObject({ failed: 3, leftOutLately: 1 })
  })

  test('one bad row does not lose the others of its commit', () => {
    const { log, sentences } = listening()
    const history = tempHistory({ log })
    write(history, NOW)
    history.readings.record('hall', 'light', NOW, Number.NaN)
    write(history, NOW + 1)
    history.writer.flush()
    expect(count(history)).toBe(2)
    expect(history.writer.counts).toMatchObject({ written: 2, failed: 1 })
    expect(sentences).toEqual(['One row of the history could not be stored and was left out.'])
  })
})

describe('upkeep', () => {
  /** Days of history until it is nearly full, each with so many long entries. */
  function filled(history: HistoryDb, entries: number, others: number): number {
    let days = 0
    for (let before = history.upkeep.usage(); before.bytes < 0.92 * before.bytesMax; before = history.upkeep.usage()) {
      const day = days++
      const at = NOW + day * DAY
      for (let n = 0; n < entries; n++) write(history, at + n, 'x'.repeat(1_000))
      for (let n = 0; n < others; n++) {
        history.readings.record('hall', 'light', at + n, day)
        history.detections.record('hall', { at: at + n, kind: 'motion', value: true })
      }
      history.energy.count('lamp', () => ({
        counter: { mwh: day, at },
        amounts: [{ quarter: at, day: 20270101 + day, price: -1, mwh: 1 }],
      }))
      history.writer.flush()
    }
    expect(history.writer.counts.failed).toBe(0)
    return days
  }

  const oldestOf = (rows: Iterable<{ readonly at: number }>): number => [...rows][0]?.at ?? Infinity

  test(
    'makes room before the size is reached: the oldest day of the largest kind is deleted, energy stays',
    { tags: ['long'] },
    () => {
      const history = tempHistory({ bytesMax: 1_000_000 })
      const days = filled(history, 22, 1)
      while (history.upkeep.step(NOW + days * DAY));
      const after = history.upkeep.usage()
      expect(after.bytes / after.bytesMax).toBeLessThan(0.9)
      expect(oldestOf(history.activity.iterate(0, 2 ** 41))).toBeGreaterThan(NOW)
      expect(oldestOf(history.readings.iterate(0, 2 ** 41))).toBe(NOW)
      expect(oldestOf(history.detections.iterate(0, 2 ** 41))).toBe(NOW)
      expect([...history.energy.iterate(0, 2 ** 41)]).toHaveLength(days)
    },
  )

  test('a kind with far more rows takes no history from the others', { tags: ['long'] }, () => {
    const history = tempHistory({ bytesMax: 1_000_000 })
    for (let day = 0; day < 30; day += 1) {
      for (let n = 0; n < 100; n += 1)
        history.detections.record('hall', { at: NOW + day * DAY + n, kind: 'motion', value: true })
      history.readings.record('hall', 'light', NOW + day * DAY, day)
      write(history, NOW + day * DAY)
    }
    history.writer.flush()
    const detections = [...history.detections.iterate(0, 2 ** 41)].length
    // An authorized caller floods the activity for days, with pauses for the upkeep.
    for (let hour = 0; hour < 40; hour += 1) {
      for (let n = 0; n < 200; n += 1) write(history, NOW + 31 * DAY + hour * (DAY / 24) + n, 'x'.repeat(200))
      history.writer.flush()
      for (let steps = 0; steps < 1_000 && history.upkeep.step(null); steps += 1);
    }
    expect(history.writer.counts).toMatchObject({ shed: 0, failed: 0 })
    expect([...history.detections.iterate(0, 2 ** 41)]).toHaveLength(detections)
    expect([...history.readings.iterate(0, 2 ** 41)]).toHaveLength(30)
    expect(oldestOf(history.activity.iterate(0, 2 ** 41))).toBeGreaterThan(NOW + 30 * DAY)
  })

  test('old rows are deleted, newer ones stay', () => {
    const history = tempHistory()
    for (const age of [EVENTS_KEPT_MS + 1, EVENTS_KEPT_MS - 1]) {
      write(history, NOW - age)
      history.detections.record('hall', { at: NOW - age, kind: 'door', value: false })
    }
    while (history.upkeep.step(NOW));
    expect([count(history), [...history.detections.iterate(0, 2 ** 41)].length]).toEqual([1, 1])
  })

  test('free pages return to the file system', () => {
    const file = join(tempFolder(), 'history.db')
    const history = openHistory({ file, clock: new ManualClock(), random: systemRandom, log: silentLog })
    for (let n = 0; n < 3_000; n++) write(history, NOW - EVENTS_KEPT_MS - n - 1, 'x'.repeat(2_000))
    history.writer.flush()
    const pages = () => {
      const db = new Database(file, { readonly: true })
      const found = Number(db.pragma('page_count', { simple: true }))
      db.close()
      return found
    }
    const before = pages()
    let steps = 0
    while (history.upkeep.step(NOW)) steps += 1
    expect(pages()).toBeLessThan(before - 400)
    // Many pages per step: three to delete rows, and some to return pages.
    expect(steps).toBeLessThan(20)
    history.close()
  })
})

test('a damaged file is put aside with the time in its name and a new one begins', () => {
  const folder = tempFolder()
  const file = join(folder, 'history.db')
  writeFileSync(file, 'this is no database, and long enough to be looked at as one '.repeat(100))
  const { log, sentences } = listening()
  const history = openHistory({ file, clock: new ManualClock(NOW), random: systemRandom, log })
  write(history, NOW)
  expect(count(history)).toBe(1)
  history.close()
  expect(readdirSync(folder).toSorted()).toEqual(['history.db', 'history.db.corrupt-2027-01-01T00-00-00.000Z'])
  expect(sentences).toEqual(['The history is damaged: it was put aside and a new one begins.'])
})
