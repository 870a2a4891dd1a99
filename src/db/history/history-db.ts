import { existsSync, renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Random } from '../../lib/random.ts'
import type { Db } from '../database.ts'
import { openDatabase } from '../database.ts'
import { SqliteActivityStore } from './activity-store.ts'
import { SqliteDetectionStore } from './detection-store.ts'
import { SqliteEnergyStore } from './energy-store.ts'
import { SqliteHistoryUpkeep } from './history-upkeep.ts'
import { HistoryWriter } from './history-writer.ts'
import type { WriteCounts } from './history-writer.ts'
import { Names } from './names.ts'
import { SqliteReadingStore } from './reading-store.ts'
import { SqliteSettingsStore, SqliteUnitScheduleStore } from './settings-store.ts'

const MIGRATIONS = join(import.meta.dirname, 'migrations')
/** The size that history.db may have when nobody says otherwise: years of a home of thirty units. */
export const HISTORY_BYTES_DEFAULT = 2 * 1024 ** 3
const AUTO_VACUUM_INCREMENTAL = 2

export interface HistoryOptions {
  readonly file: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly bytesMax?: number
  /** Runs something at the end of this turn of the event loop; `setImmediate` unless a test says otherwise. */
  readonly defer?: (run: () => void) => void
}

/** history.db, opened, with its stores. */
export class HistoryDb {
  readonly activity: SqliteActivityStore
  readonly detections: SqliteDetectionStore
  readonly readings: SqliteReadingStore
  readonly energy: SqliteEnergyStore
  readonly settings: SqliteSettingsStore
  readonly unitSchedules: SqliteUnitScheduleStore
  readonly upkeep: SqliteHistoryUpkeep
  /** True when the file was made just now. */
  readonly isNew: boolean
  readonly #db: Db
  readonly #writer: HistoryWriter

  constructor(db: Db, options: HistoryOptions, isNew: boolean) {
    this.#db = db
    this.isNew = isNew
    const { clock, log, random, defer = (run) => void setImmediate(run) } = options
    const writer = new HistoryWriter({ db, clock, log, defer })
    const names = new Names(db)
    writer.onRollback(() => names.reload())
    const parts = { db, writer, names }
    this.#writer = writer
    this.activity = new SqliteActivityStore({ ...parts, random })
    this.detections = new SqliteDetectionStore(parts)
    this.readings = new SqliteReadingStore(parts)
    this.energy = new SqliteEnergyStore(parts)
    this.settings = new SqliteSettingsStore(parts)
    this.unitSchedules = new SqliteUnitScheduleStore(parts)
    this.upkeep = new SqliteHistoryUpkeep({ db, writer, readings: this.readings })
  }

  get writes(): WriteCounts {
    return this.#writer.counts
  }

  /** Commits what waits. */
  flush(): void {
    this.#writer.flush()
  }

  close(): void {
    this.#writer.flush()
    this.#db.close()
  }
}

/**
 * Opens history.db, or makes it. A file that is damaged is put aside with the time in its name and a new one is begun:
 * history may be lost, the home goes on. Throws when the folder cannot be written or the file comes from a newer
 * version.
 */
export function openHistory(options: HistoryOptions): HistoryDb {
  try {
    return open(options)
  } catch (error) {
    if (!isDamaged(error)) throw error
    const aside = `${options.file}.corrupt-${new Date(options.clock.now()).toISOString().replaceAll(':', '-')}`
    options.log.error({ err: error, aside }, 'The history is damaged: it was put aside and a new one begins.')
    renameSync(options.file, aside)
    for (const rest of ['-wal', '-shm']) rmSync(`${options.file}${rest}`, { force: true })
    return open(options)
  }
}

function open(options: HistoryOptions): HistoryDb {
  const isNew = !existsSync(options.file)
  if (isNew) prepareNewFile(options.file)
  const db = openDatabase(options.file, 'normal', MIGRATIONS)
  try {
    const pageBytes = Number(db.pragma('page_size', { simple: true }))
    db.pragma(`max_page_count = ${Math.floor((options.bytesMax ?? HISTORY_BYTES_DEFAULT) / pageBytes)}`)
    return new HistoryDb(db, options, isNew)
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Space can be given back in small steps only if a file is made for it, before its first table and before its write-
 * ahead log.
 */
function prepareNewFile(file: string): void {
  const db = new Database(file)
  try {
    db.pragma('auto_vacuum = INCREMENTAL')
    db.exec('VACUUM')
    const got = db.pragma('auto_vacuum', { simple: true })
    if (got !== AUTO_VACUUM_INCREMENTAL) throw new Error(`SQLite took auto_vacuum=${String(got)}.`)
  } finally {
    db.close()
  }
}

function isDamaged(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code))
}
