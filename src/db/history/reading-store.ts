import type { ReadingPoint, ReadingRange, ReadingStore } from '../../home/ports/history-store.ts'
import type { ReadingKind } from '../../home/model/device.ts'
import { type HistoryParts, paged } from './history-parts.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import type { HistoryFile } from './history-file.ts'

export const RAW_KEPT_MS = 7 * DAY_MS
export const MINUTES_KEPT_MS = 56 * DAY_MS
export const HOURS_KEPT_MS = 3_660 * DAY_MS
/** Rows per step of thinning: a few milliseconds of work. */
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
  readonly #ranges: ReadingRanges

  constructor(parts: HistoryParts & { readonly defer: (run: () => void) => void }) {
    const { db } = parts
    this.#parts = parts
    this.#ranges = new ReadingRanges(db, parts.defer)
    this.#reload()
    db.onReset(() => this.#reload())
  }

  record(unit: string, kind: ReadingKind, at: number, value: number): void {
    this.#parts.writer.add(() =>
      this.#parts.db
        .prepare('INSERT OR REPLACE INTO readings_raw (series, at, value) VALUES (?, ?, ?)')
        .run(this.#seriesOf(unit, kind).id, at, value),
    )
  }

  async range(unit: string, kind: ReadingKind, from: number, to: number, points: number): Promise<ReadingRange> {
    this.#parts.writer.flush()
    const series = (): number | undefined => this.#series.get(`${unit} ${kind}`)?.id
    return this.#ranges.of({ series, from, to, step: Math.ceil((to - from) / points) })
  }

  *iterate(from: number, to: number): Iterable<ReadingPoint & { readonly unit: string; readonly kind: ReadingKind }> {
    this.#parts.writer.flush()
    const forward = this.#parts.db.prepare<{ series: number; from: number; to: number }, ReadingPoint>(
      `${POINTS} ORDER BY at LIMIT 500`,
    )
    for (const { id, unit, kind } of this.#series.values())
      for (const row of paged<ReadingPoint>((last) =>
        forward.all({ series: id, from: last === undefined ? from : last.at + 1, to }),
      ))
        yield { unit, kind, ...row }
  }

  *before(unit: string, kind: ReadingKind, to: number): Iterable<{ readonly at: number; readonly value: number }> {
    this.#parts.writer.flush()
    const series = this.#series.get(`${unit} ${kind}`)
    if (series === undefined) return
    const backward = this.#parts.db.prepare<[number, number], { at: number; value: number }>(
      'SELECT at, value FROM readings_raw WHERE series = ? AND at < ? ORDER BY at DESC LIMIT 100',
    )
    yield* paged((last) => backward.all(series.id, last?.at ?? to))
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
        if (moved < ROWS_PER_STEP)
          moved += this.#parts.db
            .prepare('DELETE FROM readings_hour WHERE series = ? AND at < ?')
            .run(id, before.hours).changes
        if (moved >= ROWS_PER_STEP) break
      }
      return { moved }
    })
  }

  /** Merges the oldest rows of a series into the coarser table, whole spans of `grain` only. */
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
      .run(this.#parts.names.device(unit), kind)
    const series = { id: Number(made.lastInsertRowid), unit, kind }
    this.#series.set(`${unit} ${kind}`, series)
    return series
  }

  #reload(): void {
    this.#series.clear()
    for (const row of this.#parts.db
      .prepare<[], { id: number; unit: number; kind: ReadingKind }>('SELECT id, unit, kind FROM series')
      .all()) {
      const unit = this.#parts.names.deviceAt(row.unit)
      this.#series.set(`${unit} ${row.kind}`, { id: row.id, unit, kind: row.kind })
    }
  }
}

/** The series with overdue rows: one query for all, because there are rarely any. */
const OVERDUE = `
  SELECT s.id FROM series s
  WHERE EXISTS (SELECT 1 FROM readings_raw r WHERE r.series = s.id AND r.at < @raw)
    OR EXISTS (SELECT 1 FROM readings_minute r WHERE r.series = s.id AND r.at < @minutes)
    OR EXISTS (SELECT 1 FROM readings_hour r WHERE r.series = s.id AND r.at < @hours)`

interface Coarsen {
  /** The time of the last row in one step. */
  readonly reach: string
  readonly gather: string
  readonly remove: string
}

// better-sqlite3 binds numbers as floating point, so each division is cast back to an integer.
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

/** Rows of one resolution summed per event loop turn: a few milliseconds of work. */
export const ROWS_PER_TURN = 2_000

/** Time range, divided into parts of `step` milliseconds. */
export interface SteppedRange {
  /** The present number of the series, read for each window: a new file may have replaced a damaged one. */
  readonly series: () => number | undefined
  readonly from: number
  readonly to: number
  readonly step: number
}

interface Window {
  readonly series: number
  readonly from: number
  readonly to: number
}

interface Part extends Omit<ReadingPoint, 'at'> {
  /** Part of the range, from 0. */
  readonly slot: number
  readonly rows: number
}

/** Rows of the series at all resolutions as one table; parameters `series`, `from` and `to`. */
export const POINTS = `
  SELECT at, min, max, mean, count FROM (
    SELECT at, value AS min, value AS max, value AS mean, 1 AS count FROM readings_raw WHERE series = @series AND at >= @from AND at < @to
    UNION ALL SELECT at, min, max, mean, count FROM readings_minute WHERE series = @series AND at >= @from AND at < @to
    UNION ALL SELECT at, min, max, mean, count FROM readings_hour WHERE series = @series AND at >= @from AND at < @to
  )`

// better-sqlite3 binds numbers as floating point, so each division is cast back to an integer.
const PARTS = `
  SELECT CAST((at - @origin) / @step AS INTEGER) AS slot, min(min) AS min, max(max) AS max, sum(mean * count) / sum(count) AS mean, sum(count) AS count, count(*) AS rows
  FROM (${POINTS}) GROUP BY slot ORDER BY slot`

const nextAfter = (table: string): string =>
  `SELECT at FROM ${table} WHERE series = @series AND at >= @from AND at < @to ORDER BY at LIMIT 1 OFFSET ${ROWS_PER_TURN}`
const FIRST_TOO_MANY = `SELECT min(at) AS at FROM (${['readings_raw', 'readings_minute', 'readings_hour']
  .map((table) => `SELECT * FROM (${nextAfter(table)})`)
  .join(' UNION ALL ')})`

/**
 * Sums ranges of years of readings without blocking the event loop: each turn handles one time window of one pending
 * range.
 */
export class ReadingRanges {
  readonly #db: HistoryFile
  readonly #defer: (run: () => void) => void
  readonly #parts
  readonly #firstTooMany
  #lastTurn: Promise<void> = Promise.resolve()
  #waiting = 0

  /** @param defer runs a function at the end of this event loop turn */
  constructor(db: HistoryFile, defer: (run: () => void) => void) {
    this.#db = db
    this.#defer = defer
    this.#parts = db.prepare<Window & { readonly step: number; readonly origin: number }, Part>(PARTS)
    this.#firstTooMany = db.prepare<Window, { readonly at: number | null }>(FIRST_TOO_MANY)
  }

  async of({ series, from, to, step }: SteppedRange): Promise<ReadingRange> {
    const slots = new Map<number, Part>()
    if (this.#waiting > 0) await this.#nextTurn()
    for (let begin = from; begin < to;) {
      const id = series()
      // A stopping gateway has no more callers.
      if (id === undefined || !this.#db.isOpen) break
      const end = this.#endOf(id, begin, to)
      for (const part of this.#parts.all({ series: id, from: begin, to: end, step, origin: from }))
        slots.set(part.slot, mergeParts(slots.get(part.slot), part))
      begin = end
      if (begin < to) await this.#nextTurn()
    }
    const parts = [...slots.values()]
    return {
      points: parts.map(({ slot, min, max, mean, count }) => ({ at: from + slot * step, min, max, mean, count })),
      rows: parts.reduce((sum, { rows }) => sum + rows, 0),
    }
  }

  /**
   * End of a window that begins at `from`: on a whole hour, because thinning keeps readings within their hour while the
   * rest of the range waits.
   */
  #endOf(series: number, from: number, to: number): number {
    const at = this.#firstTooMany.get({ series, from, to })?.at ?? to
    const hour = Math.floor(at / HOUR_MS) * HOUR_MS
    return at >= to ? to : Math.min(to, hour > from ? hour : hour + HOUR_MS)
  }

  /** One pending range continues per event loop turn. */
  async #nextTurn(): Promise<void> {
    this.#waiting += 1
    this.#lastTurn = this.#lastTurn.then(() => new Promise((resolve) => this.#defer(resolve)))
    await this.#lastTurn
    this.#waiting -= 1
  }
}

function mergeParts(known: Part | undefined, part: Part): Part {
  if (known === undefined) return part
  const count = known.count + part.count
  return {
    slot: part.slot,
    min: Math.min(known.min, part.min),
    max: Math.max(known.max, part.max),
    mean: (known.mean * known.count + part.mean * part.count) / count,
    count,
    rows: known.rows + part.rows,
  }
}
