import type { ReadingPoint, ReadingRange, ReadingStore } from '../../home/ports/history-store.ts'
import type { ReadingKind } from '../../home/model/device.ts'
import type { HistoryParts } from './history-parts.ts'
import { POINTS, ReadingRanges } from './reading-range.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'

export const RAW_KEPT_MS = 7 * DAY_MS
export const MINUTES_KEPT_MS = 56 * DAY_MS
export const HOURS_KEPT_MS = 3_660 * DAY_MS
/** Rows that one step of thinning takes from a table: a few milliseconds of work. */
const ROWS_PER_STEP = 1_000

interface Series {
  readonly id: number
  readonly unit: string
  readonly kind: ReadingKind
}

/** Sensor readings: single values for days, sums by minute for weeks, by hour for years. */
export class SqliteReadingStore implements ReadingStore {
  readonly #parts: HistoryParts
  readonly #series = new Map<string, Series>()
  readonly #insert
  readonly #ranges: ReadingRanges
  readonly #forget

  constructor(parts: HistoryParts & { readonly defer: (run: () => void) => void }) {
    const { db } = parts
    this.#parts = parts
    this.#insert = db.prepare<[number, number, number]>(
      'INSERT OR REPLACE INTO readings_raw (series, at, value) VALUES (?, ?, ?)',
    )
    this.#ranges = new ReadingRanges(db, parts.defer)
    this.#forget = db.prepare<[number, number]>('DELETE FROM readings_hour WHERE series = ? AND at < ?')
    this.#reload()
    db.onReset(() => this.#reload())
  }

  record(unit: string, kind: ReadingKind, at: number, value: number): void {
    this.#parts.writer.add(() => this.#insert.run(this.#seriesOf(unit, kind).id, at, value))
  }

  async range(unit: string, kind: ReadingKind, from: number, to: number, points: number): Promise<ReadingRange> {
    this.#parts.writer.flush()
    const series = (): number | undefined => this.#series.get(`${unit} ${kind}`)?.id
    return this.#ranges.of({ series, from, to, step: Math.ceil((to - from) / points) })
  }

  *each(from: number, to: number): Iterable<ReadingPoint & { readonly unit: string; readonly kind: ReadingKind }> {
    this.#parts.writer.flush()
    const forward = this.#parts.db.prepare<{ series: number; from: number; to: number }, ReadingPoint>(
      `${POINTS} ORDER BY at LIMIT 500`,
    )
    for (const { id, unit, kind } of this.#series.values()) {
      let next = from
      for (;;) {
        const rows = forward.all({ series: id, from: next, to })
        for (const row of rows) yield { unit, kind, ...row }
        const last = rows.at(-1)
        if (last === undefined) break
        next = last.at + 1
      }
    }
  }

  thin(now: number): { readonly moved: number } {
    this.#parts.writer.flush()
    const before = { raw: now - RAW_KEPT_MS, minutes: now - MINUTES_KEPT_MS, hours: now - HOURS_KEPT_MS }
    const overdue = this.#parts.db.prepare<typeof before, { id: number }>(OVERDUE).all(before)
    if (overdue.length === 0) return { moved: 0 }
    return this.#parts.writer.now(() => {
      let moved = 0
      for (const { id } of overdue) {
        moved += this.#coarsen(RAW_TO_MINUTE, id, MINUTE_MS, before.raw)
        if (moved < ROWS_PER_STEP) moved += this.#coarsen(MINUTE_TO_HOUR, id, HOUR_MS, before.minutes)
        if (moved < ROWS_PER_STEP) moved += this.#forget.run(id, before.hours).changes
        if (moved >= ROWS_PER_STEP) break
      }
      return { moved }
    })
  }

  /** Gathers the oldest rows of a series, whole spans of `grain` only, into the coarser table. */
  #coarsen(statements: Coarsen, series: number, grain: number, before: number): number {
    const edge = Math.floor(before / grain) * grain
    const last =
      this.#parts.db
        .prepare<[number, number, number], { at: number | null }>(statements.reach)
        .get(series, edge, ROWS_PER_STEP)?.at ?? null
    if (last === null) return 0
    const to = Math.min(edge, (Math.floor(last / grain) + 1) * grain)
    this.#parts.db.prepare<{ series: number; to: number; grain: number }>(statements.gather).run({ series, to, grain })
    return this.#parts.db.prepare<[number, number]>(statements.remove).run(series, to).changes
  }

  #seriesOf(unit: string, kind: ReadingKind): Series {
    const known = this.#series.get(`${unit} ${kind}`)
    if (known !== undefined) return known
    const made = this.#parts.db
      .prepare<[number, string]>('INSERT INTO series (unit, kind) VALUES (?, ?)')
      .run(this.#parts.names.number(`device:${unit}`), kind)
    const series = { id: Number(made.lastInsertRowid), unit, kind }
    this.#series.set(`${unit} ${kind}`, series)
    return series
  }

  #reload(): void {
    this.#series.clear()
    for (const row of this.#parts.db
      .prepare<[], { id: number; unit: number; kind: ReadingKind }>('SELECT id, unit, kind FROM series')
      .all()) {
      const unit = this.#parts.names.key(row.unit).slice('device:'.length)
      this.#series.set(`${unit} ${row.kind}`, { id: row.id, unit, kind: row.kind })
    }
  }
}

/** The series that have rows which were kept long enough: one look for all, since there are rarely any. */
const OVERDUE = `
  SELECT s.id FROM series s
  WHERE EXISTS (SELECT 1 FROM readings_raw r WHERE r.series = s.id AND r.at < @raw)
    OR EXISTS (SELECT 1 FROM readings_minute r WHERE r.series = s.id AND r.at < @minutes)
    OR EXISTS (SELECT 1 FROM readings_hour r WHERE r.series = s.id AND r.at < @hours)`

interface Coarsen {
  /** The time of the last row that one step takes. */
  readonly reach: string
  readonly gather: string
  readonly remove: string
}

// better-sqlite3 binds numbers as floating point, so each division is cast back to a whole number.
const MERGE = `
  ON CONFLICT (series, at) DO UPDATE SET
    min = min(min, excluded.min), max = max(max, excluded.max),
    mean = (mean * count + excluded.mean * excluded.count) / (count + excluded.count), count = count + excluded.count`

const RAW_TO_MINUTE: Coarsen = {
  reach: 'SELECT max(at) AS at FROM (SELECT at FROM readings_raw WHERE series = ? AND at < ? ORDER BY at LIMIT ?)',
  gather: `
    INSERT INTO readings_minute (series, at, min, max, mean, count)
    SELECT series, CAST(at / @grain AS INTEGER) * @grain, min(value), max(value), avg(value), count(*) FROM readings_raw
    WHERE series = @series AND at < @to GROUP BY CAST(at / @grain AS INTEGER)${MERGE}`,
  remove: 'DELETE FROM readings_raw WHERE series = ? AND at < ?',
}

const MINUTE_TO_HOUR: Coarsen = {
  reach: 'SELECT max(at) AS at FROM (SELECT at FROM readings_minute WHERE series = ? AND at < ? ORDER BY at LIMIT ?)',
  gather: `
    INSERT INTO readings_hour (series, at, min, max, mean, count)
    SELECT series, CAST(at / @grain AS INTEGER) * @grain, min(min), max(max), sum(mean * count) / sum(count), sum(count) FROM readings_minute
    WHERE series = @series AND at < @to GROUP BY CAST(at / @grain AS INTEGER)${MERGE}`,
  remove: 'DELETE FROM readings_minute WHERE series = ? AND at < ?',
}
