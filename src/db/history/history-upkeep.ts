import type { HistoryUpkeep, HistoryUsage } from '../../home/ports/history-store.ts'
import { atOf, firstIdOf } from './activity-index.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'
import type { HistoryParts } from './history-parts.ts'
import { type HistoryKind, KindSizes } from './kind-sizes.ts'
import type { Span } from './misdated.ts'
import type { SqliteReadingStore } from './reading-store.ts'
import { PRESENCE_KEPT_MS } from '../../home/model/presence.ts'
import { DAY_MS } from '../../lib/durations.ts'

/** Retention of activity and detections, if the size allows. */
export const EVENTS_KEPT_MS = 800 * DAY_MS
const ROWS_PER_STEP = 1_000
/** The row of `meta` with the time of the retention. */
const TIME = 'retention_time'
const TIME_STORED_EVERY_MS = 3_600_000
/** Above this part of the size limit the oldest day of the largest kind is deleted, so that new rows fit. */
const FULL_FROM = 0.9
/** Free pages above this number return to the file system, a few at a time. */
const FREE_PAGES_KEPT = 1_000
const PAGES_GIVEN_BACK = 200

export interface UpkeepParts extends HistoryParts {
  readonly readings: SqliteReadingStore
}

/**
 * Keeps history.db within its size: thins it and deletes old rows. When it is nearly full, the oldest day of the
 * largest kind is deleted; energy stays (docs/activity.md#thinning-and-size).
 */
export class SqliteHistoryUpkeep implements HistoryUpkeep {
  readonly #parts: UpkeepParts
  readonly #sizes: KindSizes
  #timeStored: number
  /** The newest entry before this start. */
  readonly #before: number | null

  constructor(parts: UpkeepParts) {
    this.#parts = parts
    this.#sizes = new KindSizes(parts.db)
    this.#before = this.#newest()
    const stored = this.#storedTime()
    if (this.#before !== null && stored === null) this.#keepFirst(this.#before)
    // A start under a clock that is behind must not move the time back.
    this.#timeStored = stored ?? -Infinity
    parts.misdated.setTime(stored ?? this.#before)
  }

  step(time: number | null): boolean {
    if (time !== null && this.#forgetOld(time)) return true
    if (this.#fullness() > FULL_FROM)
      return this.#sizes.count() || this.#sizes.largestFirst().some((kind) => this.#forgetFirst(kind) > 0)
    if (this.#pragma('freelist_count') <= FREE_PAGES_KEPT) return false
    this.#parts.db.giveBack(PAGES_GIVEN_BACK)
    return true
  }

  time(): number | null {
    return this.#storedTime() ?? this.#before ?? this.#newest()
  }

  #newest(): number | null {
    const newest = this.#parts.db.prepare<[], number | null>('SELECT max(id) FROM activity').pluck().get() ?? null
    return newest === null ? null : atOf(newest)
  }

  #storedTime(): number | null {
    const stored = this.#parts.db.meta(TIME)
    return stored === undefined ? null : Number(stored)
  }

  /** For a history without a time: entries of this start, perhaps by a wrong clock, must not set it. */
  #keepFirst(time: number): void {
    try {
      this.#parts.writer.now(() => this.#storeTime(time))
    } catch (error) {
      if (!isStorageFailure(error)) throw error
    }
  }

  usage(): HistoryUsage {
    const pageBytes = this.#pragma('page_size')
    return {
      bytes: (this.#pragma('page_count') - this.#pragma('freelist_count')) * pageBytes,
      bytesMax: this.#pragma('max_page_count') * pageBytes,
      ...this.#parts.writer.counts,
    }
  }

  #forgetOld(time: number): boolean {
    if (time - this.#timeStored >= TIME_STORED_EVERY_MS) {
      this.#parts.writer.now(() => this.#storeTime(time))
      this.#timeStored = time
    }
    this.#parts.writer.flush()
    this.#forgetPresence(time)
    return this.#forgetAged(time) > 0 || this.#parts.readings.thin(time).moved > 0
  }

  #storeTime(time: number): void {
    this.#parts.db.setMeta(TIME, String(Math.floor(time)))
  }

  #fullness(): number {
    return (this.#pragma('page_count') - this.#pragma('freelist_count')) / this.#pragma('max_page_count')
  }

  /** Epoch ms; Infinity without rows. */
  #oldest(kind: HistoryKind): number {
    if (kind === 'activity') {
      const id = this.#parts.db.prepare<[], number | null>('SELECT min(id) FROM activity').pluck().get() ?? null
      return id === null ? Infinity : atOf(id)
    }
    const found = this.#parts.db.prepare<[], number | null>(OLDEST[kind]).pluck().all()
    return Math.min(...found.filter((at) => at !== null))
  }

  /** Deletes up to one step of rows of a kind's oldest day. */
  #forgetFirst(kind: HistoryKind): number {
    const before = this.#oldest(kind) + DAY_MS
    if (!Number.isFinite(before)) return 0
    const forgotten = this.#parts.writer.now(() => this.#forget(kind, { from: 0, to: before }))
    this.#sizes.forgot(kind, forgotten)
    return forgotten
  }

  #forget(kind: HistoryKind, span: Span): number {
    switch (kind) {
      case 'activity':
        return this.#forgetActivity(span)
      case 'detections':
        return this.#forgetDetections(span)
      case 'readings':
        return READING_TABLES.reduce((sum, table) => sum + this.#forgetReadings(table, span), 0)
    }
  }

  #forgetReadings(table: string, { to }: Span): number {
    const rows = this.#parts.db.prepare(
      `DELETE FROM ${table} WHERE (series, at) IN (SELECT r.series, r.at FROM series s CROSS JOIN ${table} r WHERE r.series = s.id AND r.at < ? LIMIT ?)`,
    )
    return rows.run(to, ROWS_PER_STEP).changes
  }

  #forgetAged(time: number): number {
    this.#parts.misdated.setTime(time)
    const spans = this.#parts.misdated.expiredSpans(time - EVENTS_KEPT_MS).filter((span) => this.#hasEvents(span))
    // Called every minute, mostly without any: a query costs less than a transaction.
    if (spans.length === 0) return 0
    return this.#parts.writer.now(() => spans.reduce((sum, span) => sum + this.#forgetEvents(span), 0))
  }

  #hasEvents({ from, to }: Span): boolean {
    const any = this.#parts.db.prepare<[number, number, number, number], number>(HAS_EVENTS).pluck()
    return any.get(firstIdOf(from), firstIdOf(to), from, to) === 1
  }

  #forgetEvents(span: Span): number {
    return this.#forgetActivity(span) + this.#forgetDetections(span)
  }

  /** Presence has a shorter retention than other activity, and few rows. */
  #forgetPresence(time: number): void {
    const end = firstIdOf(time - PRESENCE_KEPT_MS)
    const numbers = JSON.stringify(this.#parts.names.persons().map(({ number }) => number))
    const aged = 'FROM activity WHERE subject IN (SELECT value FROM json_each(?)) AND id < ?'
    const { db, writer, causes } = this.#parts
    if (db.prepare<[string, number], number>(`SELECT 1 ${aged} LIMIT 1`).get(numbers, end) === undefined) return
    writer.now(() =>
      causes.release(db.prepare<[string, number], number>(`DELETE ${aged} RETURNING cause`).pluck().all(numbers, end)),
    )
  }

  /** Deletes up to one step of activity rows, and causes without rows. */
  #forgetActivity({ from, to }: Span): number {
    const activity = this.#parts.db
      .prepare<[number, number, number], number>(
        'DELETE FROM activity WHERE id IN (SELECT id FROM activity WHERE id >= ? AND id < ? ORDER BY id LIMIT ?) RETURNING cause',
      )
      .pluck()
    const causes = activity.all(firstIdOf(from), firstIdOf(to), ROWS_PER_STEP)
    this.#parts.causes.release(causes)
    return causes.length
  }

  #forgetDetections({ from, to }: Span): number {
    const detections = this.#parts.db.prepare(
      'DELETE FROM detections WHERE (unit, at, n) IN (SELECT d.unit, d.at, d.n FROM subjects s CROSS JOIN detections d WHERE d.unit = s.id AND d.at >= ? AND d.at < ? LIMIT ?)',
    )
    return detections.run(from, to, ROWS_PER_STEP).changes
  }

  #pragma(name: string): number {
    return Number(this.#parts.db.prepare<[], number>(`PRAGMA ${name}`).pluck().get())
  }
}

const READING_TABLES = ['readings_raw', 'readings_minute', 'readings_hour'] as const

const HAS_EVENTS = `
  SELECT EXISTS (SELECT 1 FROM activity WHERE id >= ? AND id < ?)
    OR EXISTS (SELECT 1 FROM subjects s CROSS JOIN detections d WHERE d.unit = s.id AND d.at >= ? AND d.at < ?)`

/** One index seek per unit and series. */
const OLDEST = {
  detections: 'SELECT min((SELECT d.at FROM detections d WHERE d.unit = s.id ORDER BY d.at LIMIT 1)) FROM subjects s',
  readings: READING_TABLES.map(
    (table) => `SELECT min((SELECT r.at FROM ${table} r WHERE r.series = s.id ORDER BY r.at LIMIT 1)) FROM series s`,
  ).join(' UNION ALL '),
}
