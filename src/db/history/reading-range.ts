import type { ReadingPoint, ReadingRange } from '../../home/ports/history-store.ts'
import type { HistoryFile } from './history-file.ts'
import { HOUR_MS } from '../../lib/durations.ts'

/** Rows of one resolution that are added up in one turn of the event loop: a few milliseconds of work. */
export const ROWS_PER_TURN = 2_000

/** From when to when, cut into parts of `step` milliseconds. */
export interface Range {
  /** The number of the series now, asked for each window: another file may have replaced a damaged one. */
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
  /** Which part of the range, from 0. */
  readonly slot: number
  readonly rows: number
}

/** Rows that hold the series at a resolution each, as one table; parameters `series`, `from` and `to`. */
export const POINTS = `
  SELECT at, min, max, mean, count FROM (
    SELECT at, value AS min, value AS max, value AS mean, 1 AS count FROM readings_raw WHERE series = @series AND at >= @from AND at < @to
    UNION ALL SELECT at, min, max, mean, count FROM readings_minute WHERE series = @series AND at >= @from AND at < @to
    UNION ALL SELECT at, min, max, mean, count FROM readings_hour WHERE series = @series AND at >= @from AND at < @to
  )`

// better-sqlite3 binds numbers as floating point, so each division is cast back to a whole number.
const PARTS = `
  SELECT CAST((at - @origin) / @step AS INTEGER) AS slot, min(min) AS min, max(max) AS max, sum(mean * count) / sum(count) AS mean, sum(count) AS count, count(*) AS rows
  FROM (${POINTS}) GROUP BY slot ORDER BY slot`

const nextAfter = (table: string): string =>
  `SELECT at FROM ${table} WHERE series = @series AND at >= @from AND at < @to ORDER BY at LIMIT 1 OFFSET ${ROWS_PER_TURN}`
const FIRST_TOO_MANY = `SELECT min(at) AS at FROM (${['readings_raw', 'readings_minute', 'readings_hour']
  .map((table) => `SELECT * FROM (${nextAfter(table)})`)
  .join(' UNION ALL ')})`

/**
 * Adds up ranges of readings of years without holding the event loop: a window of time in one turn, and of all ranges
 * that are asked for together one window in each turn.
 */
export class ReadingRanges {
  readonly #db: HistoryFile
  readonly #defer: (run: () => void) => void
  readonly #parts
  readonly #firstTooMany
  #lastTurn: Promise<void> = Promise.resolve()
  #waiting = 0

  /** @param defer runs something at the end of this turn of the event loop. */
  constructor(db: HistoryFile, defer: (run: () => void) => void) {
    this.#db = db
    this.#defer = defer
    this.#parts = db.prepare<Window & { readonly step: number; readonly origin: number }, Part>(PARTS)
    this.#firstTooMany = db.prepare<Window, { readonly at: number | null }>(FIRST_TOO_MANY)
  }

  async of({ series, from, to, step }: Range): Promise<ReadingRange> {
    const slots = new Map<number, Part>()
    if (this.#waiting > 0) await this.#nextTurn()
    for (let begin = from; begin < to;) {
      const id = series()
      // Of a gateway that stops nobody waits for the rest.
      if (id === undefined || !this.#db.isOpen) break
      const end = this.#endOf(id, begin, to)
      for (const part of this.#parts.all({ series: id, from: begin, to: end, step, origin: from }))
        slots.set(part.slot, joined(slots.get(part.slot), part))
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
   * Where a window that begins at `from` ends: on a whole hour, since thinning moves no reading out of its hour while
   * the rest of the range waits.
   */
  #endOf(series: number, from: number, to: number): number {
    const at = this.#firstTooMany.get({ series, from, to })?.at ?? to
    const hour = Math.floor(at / HOUR_MS) * HOUR_MS
    return at >= to ? to : Math.min(to, hour > from ? hour : hour + HOUR_MS)
  }

  /** Of all that wait, one goes on in each turn of the event loop. */
  async #nextTurn(): Promise<void> {
    this.#waiting += 1
    this.#lastTurn = this.#lastTurn.then(() => new Promise((resolve) => this.#defer(resolve)))
    await this.#lastTurn
    this.#waiting -= 1
  }
}

function joined(known: Part | undefined, part: Part): Part {
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
