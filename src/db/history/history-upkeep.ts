import type { HistoryUpkeep, HistoryUsage } from '../../home/ports/history-store.ts'
import { atOf, firstIdOf } from './activity-id.ts'
import { isStorageFailure } from '../storage-failure.ts'
import type { HistoryFile } from './history-file.ts'
import type { HistoryWriter } from './history-writer.ts'
import type { SqliteReadingStore } from './reading-store.ts'

const DAY_MS = 86_400_000
/** Activity and detections are kept this long, if the size allows. */
export const EVENTS_KEPT_MS = 800 * DAY_MS
const ROWS_PER_STEP = 1_000
/** The row of `meta` that holds the time by which was forgotten. */
const TIME = 'retention_time'
const TIME_STORED_EVERY_MS = 3_600_000
/** Above this part of the allowed size the oldest day is deleted, so that new rows always find room. */
const FULL_FROM = 0.9
/** Free pages above this are given back to the file system, a few at a time. */
const FREE_PAGES_KEPT = 1_000
const PAGES_GIVEN_BACK = 200

export interface UpkeepParts {
  readonly db: HistoryFile
  readonly writer: HistoryWriter
  readonly readings: SqliteReadingStore
}

/**
 * Keeps history.db inside its size: thins, forgets what is too old, and when it is nearly full, the oldest day of
 * everything but energy.
 */
export class SqliteHistoryUpkeep implements HistoryUpkeep {
  readonly #parts: UpkeepParts
  #timeStored = -Infinity
  /** The newest entry of before this start. */
  readonly #before: number | null

  constructor(parts: UpkeepParts) {
    this.#parts = parts
    this.#before = this.#newest()
    if (this.#before !== null && this.#stored() === null) this.#keepFirst(this.#before)
  }

  step(time: number | null): boolean {
    if (time !== null && this.#forgetOld(time)) return true
    if (this.#fullness() > FULL_FROM)
      return this.#parts.writer.now(() => this.#forgetBefore(this.#oldest() + DAY_MS, true)) > 0
    if (this.#pragma('freelist_count') <= FREE_PAGES_KEPT) return false
    this.#parts.db.pragma(`incremental_vacuum(${PAGES_GIVEN_BACK})`)
    return true
  }

  time(): number | null {
    return this.#stored() ?? this.#before ?? this.#newest()
  }

  #newest(): number | null {
    const newest = this.#parts.db.prepare<[], number | null>('SELECT max(id) FROM activity').pluck().get() ?? null
    return newest === null ? null : atOf(newest)
  }

  #stored(): number | null {
    const stored = this.#parts.db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(TIME)
    return stored === undefined ? null : Number(stored)
  }

  /**
   * For a history that has no time: what this start writes, by a clock that may be wrong, must not become it.
   */
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
    const forgotten = this.#parts.writer.now(() => this.#forgetBefore(time - EVENTS_KEPT_MS, false))
    return forgotten > 0 || this.#parts.readings.thin(time).moved > 0
  }

  #storeTime(time: number): void {
    const set = this.#parts.db.prepare<[string, string]>('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
    set.run(TIME, String(Math.floor(time)))
  }

  #fullness(): number {
    return (this.#pragma('page_count') - this.#pragma('freelist_count')) / this.#pragma('max_page_count')
  }

  #oldest(): number {
    const activity = this.#parts.db.prepare<[], number | null>('SELECT min(id) FROM activity').pluck().get() ?? null
    const others = this.#parts.db
      .prepare<[], number | null>(OLDEST)
      .pluck()
      .all()
      .filter((at) => at !== null)
    return Math.min(...others, activity === null ? Infinity : atOf(activity))
  }

  /** Forgets up to a step's rows of each table; readings only with `all`. */
  #forgetBefore(before: number, all: boolean): number {
    if (!Number.isFinite(before)) return 0
    let forgotten = this.#parts.db
      .prepare('DELETE FROM activity WHERE id IN (SELECT id FROM activity WHERE id < ? ORDER BY id LIMIT ?)')
      .run(firstIdOf(before), ROWS_PER_STEP).changes
    const units = this.#parts.db.prepare(
      'DELETE FROM detections WHERE (unit, at, n) IN (SELECT d.unit, d.at, d.n FROM subjects s CROSS JOIN detections d WHERE d.unit = s.id AND d.at < ? LIMIT ?)',
    )
    forgotten += units.run(before, ROWS_PER_STEP).changes
    for (const table of all ? READING_TABLES : []) {
      const rows = this.#parts.db.prepare(
        `DELETE FROM ${table} WHERE (series, at) IN (SELECT r.series, r.at FROM series s CROSS JOIN ${table} r WHERE r.series = s.id AND r.at < ? LIMIT ?)`,
      )
      forgotten += rows.run(before, ROWS_PER_STEP).changes
    }
    return forgotten
  }

  #pragma(name: string): number {
    return Number(this.#parts.db.pragma(name))
  }
}

const READING_TABLES = ['readings_raw', 'readings_minute', 'readings_hour'] as const

/** One seek for each unit and series. */
const OLDEST = [
  'SELECT min((SELECT d.at FROM detections d WHERE d.unit = s.id ORDER BY d.at LIMIT 1)) FROM subjects s',
  ...READING_TABLES.map(
    (table) => `SELECT min((SELECT r.at FROM ${table} r WHERE r.series = s.id ORDER BY r.at LIMIT 1)) FROM series s`,
  ),
].join(' UNION ALL ')
