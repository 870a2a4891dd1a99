import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { FailingFiles } from '#support/faults/failing-files.ts'
import { tempHistory } from '#support/homes/history.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { proves } from '#support/gateway/verifies.ts'
import { GATEWAY_CAUSE } from '../../home/model/events.ts'
import type { HistoryDb } from './history-db.ts'
import { DAMAGED_AGAIN_MS } from './history-file.ts'

const NOW = Date.UTC(2027, 0, 1)
const NEW_FILE = 'The history is damaged: it was put aside and a new one begins.'
const EVERYTHING = { subjects: { all: true }, from: 0, to: 2 ** 41, limit: 50 } as const

/** Damages a table or index of a file that a history has open: its pages get other content. */
function damage(file: string, ...names: readonly string[]): void {
  const db = new Database(file)
  db.unsafeMode()
  db.pragma('writable_schema = ON')
  const version = Number(db.pragma('schema_version', { simple: true }))
  for (const name of names) db.prepare('UPDATE sqlite_schema SET rootpage = 1 WHERE name = ?').run(name)
  db.pragma(`schema_version = ${version + 1}`)
  db.close()
}

function lived() {
  const folder = tempFolder()
  const file = join(folder, 'history.db')
  const clock = new ManualClock(NOW)
  const log = recordingLog()
  const history = tempHistory({ file, clock, log })
  for (let n = 0; n < 20; n += 1) write(history, `before ${n}`, NOW - n)
  history.detections.record('hall', { at: NOW, kind: 'motion', value: true })
  history.readings.record('hall', 'temperature', NOW, 20)
  history.energy.add('hall', [{ quarter: NOW, day: 20_270_101, price: 0, mwh: 5 }])
  history.settings.save('hall', { off_delay_s: 5 }, NOW)
  history.writer.flush()
  const aside = (): string[] => readdirSync(folder).filter((name) => name.startsWith('history.db.corrupt-'))
  return { folder, file, clock, log, history, aside }
}

function write(history: HistoryDb, what: string, at = NOW + 1): void {
  history.activity.record({ at, kind: 'edited', subject: { kind: 'home' }, what, cause: GATEWAY_CAUSE })
}

const entriesOf = (history: HistoryDb): string[] => history.activity.page(EVERYTHING).entries.map(({ what }) => what)

describe('a history that is damaged while it is open', () => {
  const NO_READINGS = { points: [], rows: 0 }
  const uses: readonly (readonly [
    what: string,
    table: string,
    use: (history: HistoryDb) => unknown,
    answer: unknown,
  ])[] = [
    ['a page of activity', 'activity', entriesOf, []],
    ['a page of one subject', 'activity_by_subject', ofHome, []],
    ['a cause', 'causes', (history) => (write(history, 'x'), history.writer.flush(), entriesOf(history)), ['x']],
    ['an export', 'activity', (history) => [...history.activity.iterate(0, 2 ** 41)], []],
    ['detections', 'detections', (history) => history.detections.page('hall', null, 5)?.detections, []],
    [
      'readings',
      'readings_raw',
      (history) => history.readings.range('hall', 'temperature', 0, NOW + 1, 4),
      NO_READINGS,
    ],
    ['the last readings', 'last_readings', (history) => history.lastReadings.all(), []],
    ['energy', 'energy_days', (history) => history.energy.sums('day', ['hall'], 0, 99_999_999), []],
    ['settings', 'settings', (history) => [...history.settings.load()], []],
    ['housekeeping', 'activity', (history) => history.upkeep.step(NOW), false],
  ]

  test.each(uses)('answers from a new one: %s', async (_what, table, use, answer) => {
    const { file, history, log, aside } = lived()
    damage(file, table)
    expect(await use(history)).toEqual(answer)
    expect([log.sentences('error'), aside()]).toEqual([[NEW_FILE], [aside()[0]]])
    expect(history.file.aside).toBe(join(file, '..', aside()[0]!))
    write(history, 'after')
    history.writer.flush()
    expect(entriesOf(history)).toContain('after')
    expect(log.sentences('error')).toEqual([NEW_FILE])
  })

  proves('storage.damaged-history', 'stores pending writes in a new one', async () => {
    const { file, history, log } = lived()
    damage(file, 'activity_by_subject', 'readings_raw', 'energy_quarters')
    write(history, 'during')
    history.readings.record('hall', 'temperature', NOW + 5, 21)
    history.lastReadings.set('hall', 'temperature', NOW + 5, 21)
    history.energy.add('hall', [{ quarter: NOW, day: 20_270_101, price: 0, mwh: 7 }])
    await history.activity.committed()
    expect(entriesOf(history)).toEqual(['during'])
    expect(history.lastReadings.all()).toEqual([{ device: 'hall', kind: 'temperature', at: NOW + 5, value: 21 }])
    expect(history.energy.quarters(['hall'], 0, NOW + 1)).toMatchObject([{ mwh: 7 }])
    expect(history.writer.counts).toMatchObject({ shed: 0, failed: 0 })
    expect(log.sentences('error')).toEqual([NEW_FILE])
  })

  test('stores the rows of the outbox once, in the new one', () => {
    const { file, history } = lived()
    const row = (id: number, what: string) => ({
      id,
      draft: { at: NOW, kind: 'edited', subject: { kind: 'home' }, what, cause: GATEWAY_CAUSE } as const,
    })
    history.activity.takeOutbox([row(1, 'one')], 'now')
    damage(file, 'activity_by_subject')
    history.activity.takeOutbox([row(1, 'one'), row(2, 'two')], 'now')
    history.activity.takeOutbox([row(2, 'two')], 'now')
    expect(entriesOf(history)).toEqual(['two', 'one'])
  })

  test('keeps the damaged file unchanged beside it', () => {
    const { file, folder, history, aside } = lived()
    damage(file, 'causes')
    entriesOf(history)
    expect(readFileSync(join(folder, aside()[0]!), 'latin1')).toContain('before 19')
    expect(readFileSync(file, 'latin1')).not.toContain('before')
  })

  test('continues a rebuild of the energy sums', () => {
    const { file, history } = lived()
    const rebuild = history.energy.rebuild('tariff')
    damage(file, 'energy_days')
    history.energy.add('hall', [{ quarter: NOW, day: 20_270_101, price: 0, mwh: 7 }])
    history.writer.flush()
    for (const device of rebuild.pending()) rebuild.device(device, () => ({ day: 20_270_101, price: 1 }))
    rebuild.finish()
    history.energy.add('hall', [{ quarter: NOW, day: 20_270_101, price: 1, mwh: 3 }])
    expect(history.energy.sums('day', ['hall'], 0, 99_999_999)).toEqual([{ key: 20_270_101, price: 1, mwh: 10 }])
  })

  test('is not replaced again within an hour: then the disk fails', () => {
    const { file, history, log, clock, aside } = lived()
    damage(file, 'activity')
    expect(entriesOf(history)).toEqual([])
    damage(file, 'activity')
    expect(() => entriesOf(history)).toThrow('malformed')
    write(history, 'lost')
    history.writer.flush()
    expect(history.writer.counts.failed).toBe(1)
    expect(aside()).toHaveLength(1)
    clock.advance(DAMAGED_AGAIN_MS)
    write(history, 'kept')
    expect(entriesOf(history)).toEqual(['kept'])
    expect(aside()).toHaveLength(2)
    expect(log.sentences('error')).toHaveLength(3)
  })

  proves('storage.any-error', 'is not replaced while its disk cannot be read: it may be sound', () => {
    const { file, folder, history, aside } = lived()
    damage(file, 'activity')
    {
      using _ = new FailingFiles(folder, ['readSync'])
      for (let turn = 0; turn < 3; turn += 1) expect(() => entriesOf(history)).toThrow('malformed')
      expect(aside()).toEqual([])
    }
    expect(entriesOf(history)).toEqual([])
    expect(aside()).toHaveLength(1)
  })

  test('is kept in memory if no new file can be created', () => {
    const { file, folder, history, log } = lived()
    damage(file, 'activity')
    rmSync(folder, { recursive: true })
    write(history, 'after')
    expect(entriesOf(history)).toEqual(['after'])
    expect(log.sentences('error').at(-1)).toBe('The history is kept in memory until the next start, and begins empty.')
    expect(existsSync(file)).toBe(false)
  })
})

test('a damaged file that cannot be put aside does not prevent the start', () => {
  const { file, history } = lived()
  history.close()
  writeFileSync(file, 'this is no database, and long enough to be looked at as one '.repeat(100))
  // The target name is taken already.
  mkdirSync(`${file}.corrupt-2027-01-01T00-00-00.000Z`)
  const log = recordingLog()
  const again = tempHistory({ file, clock: new ManualClock(NOW), log })
  write(again, 'kept')
  expect(entriesOf(again)).toEqual(['kept'])
  expect(log.sentences('error')).toEqual(['The history is kept in memory until the next start, and begins empty.'])
})

function ofHome(history: HistoryDb): unknown {
  return history.activity.page({ ...EVERYTHING, subjects: { only: new Set(['home', 'device:hall']) } }).entries
}

test('a sound history stays unchanged', () => {
  const { file, history, log, aside } = lived()
  const before = readFileSync(file).length
  expect(entriesOf(history)).toHaveLength(20)
  expect([log.sentences('error'), aside(), history.file.aside]).toEqual([[], [], null])
  expect(readFileSync(file)).toHaveLength(before)
})
