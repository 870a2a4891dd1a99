import * as z from 'zod'
import { freshRevision, type RevisionMarks, type SceneEdits } from '../../home/model/house.ts'
import { StorageUnavailable } from '../../home/ports/activity-log.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'
import type { Db } from '../database.ts'
import { readCompanion, writeCompanion } from './companion-file.ts'

/** Number of revisions reserved at once: the file is written before the first of them, not for each. */
export const REVISIONS_RESERVED = 100

const shape = z.strictObject({
  /** Upper bound of all issued revisions. */
  highest: z.int().min(0),
  /** The minimum revision of all objects after the last restore; 0 before the first. */
  raisedTo: z.int().min(0),
})

/**
 * The highest issued revision of the home, in a file next to the configuration. Backups exclude the file, so a restore
 * does not bring back an older one.
 */
export class RevisionMark implements RevisionMarks {
  readonly #file: string | null
  #highest: number
  #reserved: number
  #raisedTo: number

  /** @param file null for memory only */
  constructor(file: string | null) {
    this.#file = file
    // Without the file, revisions continue from those in the configuration.
    const stored = file === null ? null : readCompanion(file, shape)
    // The number of issued revisions among the reserved ones is unknown.
    this.#highest = this.#reserved = stored?.highest ?? 0
    this.#raisedTo = stored?.raisedTo ?? 0
  }

  get highest(): number {
    return this.#highest
  }

  /** The minimum revision of all objects after the last restore; 0 before the first. */
  get raisedTo(): number {
    return this.#raisedTo
  }

  /**
   * Call inside the change that stores an object with this revision, before the commit. @throws StorageUnavailable if
   * the disk refuses the file
   */
  reach(revision: number): void {
    if (revision <= this.#highest) return
    if (revision > this.#reserved) this.#reserve(revision + REVISIONS_RESERVED)
    this.#highest = revision
  }

  /** Takes over the revisions of an opened configuration, even on an unwritable disk. */
  known(db: Db): void {
    const highest = highestIn(db)
    try {
      this.reach(highest)
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      this.#highest = highest
    }
  }

  /** Records a restore: from now on every object has at least this revision. */
  raise(revision: number): void {
    this.#raisedTo = revision
    this.#highest = revision
    try {
      this.#reserve(revision + REVISIONS_RESERVED)
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      // No revision is issued before the file is written.
      this.#reserved = 0
    }
  }

  #reserve(reserved: number): void {
    if (this.#file !== null) writeCompanion(this.#file, { highest: reserved, raisedTo: this.#raisedTo })
    this.#reserved = reserved
  }
}

/**
 * Raises every revision above all issued ones, so that a client with a revision from before the older configuration
 * gets 409. If nothing else is known, the time in epoch seconds serves. Runs in a transaction. @param at epoch ms
 */
export function raiseRevisions(db: Db, mark: RevisionMark, at: number): void {
  mark.known(db)
  const revision = freshRevision(mark, Math.floor(at / 1000))
  mark.raise(revision)
  const edits: readonly SceneEdits[] = [{ devices: null, count: revision }]
  for (const table of ['scenes', 'device_groups'])
    db.prepare(`UPDATE ${table} SET revision = ?, edits = ?`).run(revision, JSON.stringify(edits))
  db.prepare('UPDATE rules SET revision = ?').run(revision)
}

const HIGHEST = `SELECT max(revision) FROM (SELECT revision FROM scenes UNION ALL SELECT revision FROM device_groups
  UNION ALL SELECT revision FROM rules)`
const highestIn = (db: Db): number => db.prepare<[], number | null>(HIGHEST).pluck().get() ?? 0
