import * as z from 'zod'
import { freshRevision, type RevisedKind, type RevisionMarks, type SceneEdits } from '../../home/model/house.ts'
import { StorageUnavailable } from '../../home/ports/activity-log.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'
import type { Db } from '../database.ts'
import { readCompanion, writeCompanion, writeCompanionIf } from './companion-file.ts'

/** Number of revisions reserved at once: the file is written before the first of them, not for each. */
export const REVISIONS_RESERVED = 100
/** When fewer are left, the next ones are reserved beside the event loop. */
const REVISIONS_LEFT_MIN = 50

/** Most removed scenes, groups and rules whose last revisions are known one by one. */
export const ENDED_MAX = 10_000

const shape = z.strictObject({
  /** Upper bound of all issued revisions. */
  highest: z.int().min(0),
  /** The minimum revision of all objects after the last restore; 0 before the first. */
  raisedTo: z.int().min(0),
  /** Upper bound of the revisions of objects that ended without a row in `ended_revisions`; missing in older files. */
  forgotten: z.int().min(0).optional(),
})

/**
 * The highest issued revision of the home, in a file next to the configuration. Backups exclude the file, so a restore
 * does not bring back an older one.
 */
export class RevisionMark {
  readonly #file: string | null
  #highest: number
  #reserved: number
  #raisedTo: number
  #forgotten: number
  /** Content of the file that is on its way to the disk. */
  #ahead: z.output<typeof shape> | null = null

  /** @param file null for memory only */
  constructor(file: string | null) {
    this.#file = file
    // Without the file, revisions continue from those in the configuration.
    const stored = file === null ? null : readCompanion(file, shape)
    // The number of issued revisions among the reserved ones is unknown.
    this.#highest = this.#reserved = stored?.highest ?? 0
    this.#raisedTo = stored?.raisedTo ?? 0
    this.#forgotten = stored?.forgotten ?? this.#highest
  }

  /**
   * No object ever had a higher revision, including removed objects and edits that a restore undid. It may be some
   * hundreds above the highest revision in use.
   */
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
    if (revision > this.#reserved) this.#reserve(revision + REVISIONS_RESERVED)
    this.#highest = Math.max(this.#highest, revision)
    if (this.#reserved - revision < REVISIONS_LEFT_MIN && this.#ahead === null) void this.#reserveAhead()
  }

  /** The marks of an open configuration. */
  of(db: Db): RevisionMarks {
    const raisedTo = (): number => this.#raisedTo
    const lost = (): number => Math.max(this.#forgotten, this.#raisedTo - 1)
    const ended = db.prepare<[RevisedKind, string], number>(
      'SELECT revision FROM ended_revisions WHERE kind = ? AND id = ?',
    )
    return {
      get raisedTo() {
        return raisedTo()
      },
      lastOf: (kind, id) => Math.max(lost(), ended.pluck().get(kind, id) ?? 0),
    }
  }

  /** Takes over the revisions of an opened configuration, even on an unwritable disk. */
  known(db: Db): void {
    const highest = highestIn(db)
    try {
      this.reach(highest)
      this.#forgetMost(db)
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

  /** Too many ended revisions become one bound for all ids. */
  #forgetMost(db: Db): void {
    const count = db.prepare<[], number>('SELECT count(*) FROM ended_revisions').pluck().get() ?? 0
    if (count <= ENDED_MAX) return
    this.#forgotten = this.#highest
    this.#reserve(this.#reserved)
    db.prepare('DELETE FROM ended_revisions').run()
  }

  /** Call when the configuration closes: another process may write the file from now on. */
  close(): void {
    this.#ahead = null
  }

  #reserve(reserved: number): void {
    this.#ahead = null
    if (this.#file !== null) writeCompanion(this.#file, this.#contentFor(reserved))
    this.#reserved = reserved
  }

  /** After a failure the first unreserved revision writes the file, or its change is refused. */
  async #reserveAhead(): Promise<void> {
    if (this.#file === null) return
    const content = this.#contentFor(this.#highest + REVISIONS_RESERVED)
    this.#ahead = content
    const isWanted = (): boolean => this.#ahead === content
    const isStored = await writeCompanionIf(this.#file, content, isWanted).catch(() => false)
    if (isStored) this.#reserved = content.highest
    if (isWanted()) this.#ahead = null
  }

  #contentFor(highest: number): z.output<typeof shape> {
    return { highest, raisedTo: this.#raisedTo, forgotten: this.#forgotten }
  }
}

/**
 * Raises every revision above all issued ones, so that a client with a revision from before the older configuration
 * gets 409. If nothing else is known, the time in epoch seconds serves. Runs in a transaction. @param at epoch ms
 */
export function raiseRevisions(db: Db, mark: RevisionMark, at: number): void {
  mark.known(db)
  const revision = freshRevision(mark.highest, Math.floor(at / 1000))
  mark.raise(revision)
  const edits: readonly SceneEdits[] = [{ devices: null, count: revision }]
  for (const table of ['scenes', 'device_groups'])
    db.prepare(`UPDATE ${table} SET revision = ?, edits = ?`).run(revision, JSON.stringify(edits))
  db.prepare('UPDATE rules SET revision = ?').run(revision)
}

const HIGHEST = `SELECT max(revision) FROM (SELECT revision FROM scenes UNION ALL SELECT revision FROM device_groups
  UNION ALL SELECT revision FROM rules UNION ALL SELECT revision FROM ended_revisions)`
const highestIn = (db: Db): number => db.prepare<[], number | null>(HIGHEST).pluck().get() ?? 0
