import * as z from 'zod'
import { freshRevision, type RevisionMarks, type SceneEdits } from '../../home/model/house.ts'
import { StorageUnavailable } from '../../home/ports/activity-log.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'
import type { Db } from '../database.ts'
import { readCompanion, writeCompanion } from './companion-file.ts'

/** Revisions reserved at once: the file is written before the first of them is given, not for each. */
export const REVISIONS_RESERVED = 100

const shape = z.strictObject({
  /** Every revision that was ever given is at most this. */
  highest: z.int().min(0),
  /** The revision that the last restore raised all objects to; 0 before the first. */
  raisedTo: z.int().min(0),
})

/**
 * The highest revision that the home ever gave, in a file of its own beside the configuration. No backup holds the
 * file, so a restore does not bring an older one.
 */
export class RevisionMark implements RevisionMarks {
  readonly #file: string | null
  #highest: number
  #reserved: number
  #raisedTo: number

  /** @param file null where nothing outlives the process. */
  constructor(file: string | null) {
    this.#file = file
    // Without it, revisions go on from those in the configuration.
    const stored = file === null ? null : readCompanion(file, shape)
    // Nobody knows how many of the reserved ones were given.
    this.#highest = this.#reserved = stored?.highest ?? 0
    this.#raisedTo = stored?.raisedTo ?? 0
  }

  get highest(): number {
    return this.#highest
  }

  /** Revision that the last restore raised all objects to; 0 before the first. */
  get raisedTo(): number {
    return this.#raisedTo
  }

  /**
   * Called inside the change that stores an object with this revision, before it is committed.
   * @throws StorageUnavailable where the disk does not take the file.
   */
  reach(revision: number): void {
    if (revision <= this.#highest) return
    if (revision > this.#reserved) this.#reserve(revision + REVISIONS_RESERVED)
    this.#highest = revision
  }

  /** Takes the revisions of a configuration that was opened, also where the disk takes no writes. */
  known(db: Db): void {
    const highest = highestIn(db)
    try {
      this.reach(highest)
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      this.#highest = highest
    }
  }

  /** Notes a restore, after which every object has at least this revision. */
  raise(revision: number): void {
    this.#raisedTo = revision
    this.#highest = revision
    try {
      this.#reserve(revision + REVISIONS_RESERVED)
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      // The next revision is not given before the file is written.
      this.#reserved = 0
    }
  }

  #reserve(reserved: number): void {
    if (this.#file !== null) writeCompanion(this.#file, { highest: reserved, raisedTo: this.#raisedTo })
    this.#reserved = reserved
  }
}

/**
 * Raises every revision above all that the home ever gave: after the configuration became an older one, a client with
 * a revision of before gets 409. Where nothing else is known the time serves, in epoch seconds. Runs in a transaction.
 *
 * @param at epoch ms
 */
export function raiseRevisions(db: Db, mark: RevisionMark, at: number): void {
  mark.known(db)
  const revision = freshRevision(mark, Math.floor(at / 1000))
  mark.raise(revision)
  const edits: readonly SceneEdits[] = [{ devices: null, count: revision }]
  db.prepare('UPDATE scenes SET revision = ?, edits = ?').run(revision, JSON.stringify(edits))
  db.prepare('UPDATE rules SET revision = ?').run(revision)
}

const HIGHEST = 'SELECT max(revision) FROM (SELECT revision FROM scenes UNION ALL SELECT revision FROM rules)'
const highestIn = (db: Db): number => db.prepare<[], number | null>(HIGHEST).pluck().get() ?? 0
