import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Random } from '../../lib/random.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'
import type { Checkpoint } from '../write-ahead-log.ts'
import { SqliteActivityStore } from './activity-store.ts'
import { Causes } from './causes.ts'
import { SqliteDetectionStore } from './detection-store.ts'
import { SqliteDevicePlaceStore, SqliteLastReadingStore, SqliteUnitIdentityStore } from './device-place-store.ts'
import { SqliteEnergyStore } from './energy-store.ts'
import { HistoryFile } from './history-file.ts'
import { EVENTS_KEPT_MS, SqliteHistoryUpkeep } from './history-upkeep.ts'
import { HistoryWriter } from './history-writer.ts'
import { Misdated } from './misdated.ts'
import { SubjectNumbers } from './subject-numbers.ts'
import { SqliteReadingStore } from './reading-store.ts'
import { RowJournal } from './row-journal.ts'
import { SqliteSettingsStore, SqliteUnitScheduleStore } from './settings-store.ts'

/** Default size limit of history.db: years of a home of thirty units. */
export const HISTORY_BYTES_DEFAULT = 2 * 1024 ** 3

export interface HistoryOptions {
  readonly file: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly bytesMax?: number
  readonly checkpoint?: Checkpoint | undefined
  /** Runs a function at the end of this event loop turn; default `setImmediate`. */
  readonly defer?: (run: () => void) => void
}

/** The open history.db with its stores. */
export class HistoryDb {
  readonly file: HistoryFile
  readonly writer: HistoryWriter
  readonly activity: SqliteActivityStore
  readonly detections: SqliteDetectionStore
  readonly readings: SqliteReadingStore
  readonly lastReadings: SqliteLastReadingStore
  readonly energy: SqliteEnergyStore
  readonly devicePlaces: SqliteDevicePlaceStore
  readonly settings: SqliteSettingsStore
  readonly unitSchedules: SqliteUnitScheduleStore
  readonly unitIdentities: SqliteUnitIdentityStore
  readonly upkeep: SqliteHistoryUpkeep
  readonly #journal: RowJournal | null

  constructor(db: HistoryFile, options: HistoryOptions) {
    this.file = db
    const { clock, log, random, defer = (run) => void setImmediate(run) } = options
    const writer = new HistoryWriter({ db, clock, log, defer })
    const names = new SubjectNumbers(db)
    db.onReset(() => names.reload())
    const causes = new Causes(db)
    const misdated = new Misdated(db, EVENTS_KEPT_MS)
    const parts = { db, writer, names, causes, misdated }
    this.writer = writer
    this.activity = new SqliteActivityStore({ ...parts, random })
    this.detections = new SqliteDetectionStore(parts)
    this.readings = new SqliteReadingStore({ ...parts, defer })
    this.lastReadings = new SqliteLastReadingStore(parts)
    this.energy = new SqliteEnergyStore(parts)
    this.devicePlaces = new SqliteDevicePlaceStore(parts)
    this.settings = new SqliteSettingsStore(parts)
    this.unitSchedules = new SqliteUnitScheduleStore(parts)
    this.unitIdentities = new SqliteUnitIdentityStore(parts)
    this.upkeep = new SqliteHistoryUpkeep({ ...parts, readings: this.readings })
    this.#journal = db.onDisk ? this.#takeOver(new RowJournal(`${options.file}-rows`), log) : null
  }

  close(): void {
    this.writer.flush()
    this.#journal?.remove()
    this.file.close()
  }

  /** Stores the rows of a killed process; if the disk refuses them, they wait for the next start. */
  #takeOver(journal: RowJournal, log: Log): RowJournal | null {
    try {
      this.activity.recover(journal.left())
    } catch (error) {
      log.error({ err: error }, 'The last activity entries of the killed gateway could not be stored.')
      if (isStorageFailure(error)) return null
    }
    journal.remove()
    this.writer.keepIn(journal)
    return journal
  }
}

/**
 * Opens or creates history.db. @throws if the folder is unwritable or the file comes from a newer version; a damaged
 * file is replaced
 */
export function openHistory(options: HistoryOptions): HistoryDb {
  const file = new HistoryFile({ ...options, bytesMax: options.bytesMax ?? HISTORY_BYTES_DEFAULT })
  try {
    return new HistoryDb(file, options)
  } catch (error) {
    file.close()
    throw error
  }
}
