import { statSync } from 'node:fs'
import { syncFile } from '../lib/files.ts'
import type { LogState } from './checkpoint-thread.ts'
import type { Db } from './database.ts'

/**
 * `step`: a log that has grown by so much is moved into the file; seldom, because whoever commits while an emptied log
 * is on its way to the disk waits for it once. `max`: a log that never rests is moved while everybody waits, once it is
 * so long.
 */
export const LOG_BYTES = { step: 16 * 1024 * 1024, max: 64 * 1024 * 1024 } as const
/**
 * Small commits before its length is looked at again, which is a look at the file system: they cannot make it longer by
 * much.
 */
export const COMMITS_UNSEEN_MAX = 32
/** A log that was written to meanwhile is tried again at once, so often. */
const ROUNDS_MAX = 3

/** Moves the log of the database `file` into it, as far as it is committed, and tells how far that is. */
export type Checkpoint = (file: string) => Promise<LogState>

interface LogParts {
  readonly checkpoint: Checkpoint
  readonly syncFile?: ((file: string) => Promise<void>) | undefined
  /** Called before the log is moved into the file. */
  readonly moving?: () => void
  readonly bytes?: { readonly step: number; readonly max: number }
}

/**
 * Keeps the write-ahead log of a database short without holding up those who use its connection: SQLite's own
 * checkpoints wait for the disk in the midst of a commit, so they are made by another connection, elsewhere
 * (docs/decisions/storage.md#decided).
 */
export class WriteAheadLog {
  readonly #db: Db
  readonly #parts: LogParts
  readonly #sizes: { readonly step: number; readonly max: number }
  readonly #file: string
  #commits = 0
  /** Of small commits, since its length was looked at last. */
  #unseen = 0
  #running = false
  /** Bytes at which it is moved next. */
  #next: number
  /** Bytes at which nobody waits for a rest any longer. */
  #last: number
  /** Whether it is empty, and empty on the disk. */
  #isEmptied = false

  constructor(db: Db, parts: LogParts) {
    this.#db = db
    this.#parts = parts
    this.#sizes = parts.bytes ?? LOG_BYTES
    this.#next = this.#sizes.step
    this.#last = this.#sizes.max
    this.#file = `${db.name}-wal`
    db.pragma('wal_autocheckpoint = 0')
  }

  /**
   * Whether nothing has to be synced before the next commit. SQLite syncs the first page of a log, lest frames of
   * before it follow after a power cut; here none are left that could.
   */
  get beginsAnew(): boolean {
    return this.#isEmptied && this.#bytes() === 0
  }

  /**
   * To be called after each commit; inside a transaction nothing is committed yet.
   * @param small of a commit of a few rows.
   */
  committed({ small = false } = {}): void {
    if (this.#db.inTransaction) return
    this.#commits += 1
    this.#isEmptied = false
    this.#unseen += 1
    if (small && this.#unseen < COMMITS_UNSEEN_MAX) return
    this.#unseen = 0
    const bytes = this.#bytes()
    if (bytes === null) return
    if (bytes >= this.#last) this.#emptyNow(bytes)
    else if (bytes >= this.#next && !this.#running) void this.#move()
  }

  async #move(): Promise<void> {
    this.#running = true
    try {
      for (let round = 0; round < ROUNDS_MAX && !(await this.#moved()); round += 1) continue
    } catch {
      // The disk, or the thread, does not do it now. Nothing is lost: it is tried again once the log has grown.
    } finally {
      this.#running = false
      this.#next = (this.#bytes() ?? 0) + this.#sizes.step
    }
  }

  /** One round: false where something was committed meanwhile, so that the log cannot be emptied without waiting. */
  async #moved(): Promise<boolean> {
    const before = this.#commits
    this.#parts.moving?.()
    const { frames, copied } = await this.#parts.checkpoint(this.#db.name)
    if (!this.#db.open) return true
    if (this.#commits !== before) return false
    if (copied < frames || !this.#empty()) return true
    await (this.#parts.syncFile ?? syncFile)(this.#file)
    this.#isEmptied = this.#commits === before
    return true
  }

  /** Waits for the disk. Where it cannot be emptied now it may grow by as much as it grows between two tries. */
  #emptyNow(bytes: number): void {
    this.#last = bytes + this.#sizes.step
    try {
      if (this.#empty()) this.#last = this.#sizes.max
    } catch {
      // What was committed is in the log, whatever becomes of the file.
    }
  }

  /** False where others still read of it. */
  #empty(): boolean {
    this.#parts.moving?.()
    const busyWaitMs = Number(this.#db.pragma('busy_timeout', { simple: true }))
    this.#db.pragma('busy_timeout = 0')
    try {
      return this.#db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0
    } finally {
      this.#db.pragma(`busy_timeout = ${busyWaitMs}`)
    }
  }

  /** Null if the disk fails: a commit that was made must not fail for its length. */
  #bytes(): number | null {
    try {
      return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
    } catch {
      return null
    }
  }
}
