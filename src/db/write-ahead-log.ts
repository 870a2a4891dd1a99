import { statSync } from 'node:fs'
import { syncFile } from '../lib/files.ts'
import type { LogState } from './checkpoint-thread.ts'
import type { Db } from './database.ts'

/**
 * `step`: growth that starts a checkpoint. It is large because a commit waits once while a truncated log reaches the
 * disk. `max`: length at which a log without pauses is checkpointed while all callers wait.
 */
export const LOG_BYTES = { step: 16 * 1024 * 1024, max: 64 * 1024 * 1024 } as const
/**
 * Number of small commits between two measurements of the log, each a file system call. Small commits hardly lengthen
 * it.
 */
export const UNMEASURED_COMMITS_MAX = 32
/** Immediate retries of a checkpoint that a commit interrupted. */
const ROUNDS_MAX = 3

/** Checkpoints the log of the database `file`; returns its progress. */
export type Checkpoint = (file: string) => Promise<LogState>

interface LogParts {
  readonly checkpoint: Checkpoint
  readonly syncFile?: ((file: string) => Promise<void>) | undefined
  /** Called before a checkpoint. */
  readonly moving?: () => void
  readonly bytes?: { readonly step: number; readonly max: number }
}

/**
 * Keeps the write-ahead log of a database short without delaying its connection. SQLite's own checkpoints wait for the
 * disk during a commit, so another connection makes them in a thread (docs/decisions/storage.md#decided).
 */
export class WriteAheadLog {
  readonly #db: Db
  readonly #parts: LogParts
  readonly #sizes: { readonly step: number; readonly max: number }
  readonly #file: string
  #commits = 0
  /** Small commits since the last measurement. */
  #unmeasured = 0
  #running = false
  /** Length of the next checkpoint. */
  #next: number
  /** Length at which a blocking checkpoint starts. */
  #last: number
  /** True if the log is truncated, on the disk too. */
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
   * True if the next commit needs no earlier sync. SQLite syncs the first page of a log, so that no old frames follow
   * it after a power cut. A truncated log has none.
   */
  get needsNoSync(): boolean {
    return this.#isEmptied && this.#bytes() === 0
  }

  /** Call after each commit, outside transactions. @param small true for a commit of a few rows */
  afterCommit({ small = false } = {}): void {
    if (this.#db.inTransaction) return
    this.#commits += 1
    this.#isEmptied = false
    this.#unmeasured += 1
    if (small && this.#unmeasured < UNMEASURED_COMMITS_MAX) return
    this.#unmeasured = 0
    const bytes = this.#bytes()
    if (bytes === null) return
    if (bytes >= this.#last) this.#emptyNow(bytes)
    else if (bytes >= this.#next && !this.#running) void this.#move()
  }

  async #move(): Promise<void> {
    this.#running = true
    try {
      for (let round = 0; round < ROUNDS_MAX && !(await this.#checkpointOnce()); round += 1) continue
    } catch {
      // The disk or the thread failed. The log keeps every change, and more growth starts another checkpoint.
    } finally {
      this.#running = false
      this.#next = (this.#bytes() ?? 0) + this.#sizes.step
    }
  }

  /** One checkpoint: false if a commit came meanwhile, so that truncating the log would block. */
  async #checkpointOnce(): Promise<boolean> {
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

  /** Blocks on the disk. After a failure the log may grow by another step. */
  #emptyNow(bytes: number): void {
    this.#last = bytes + this.#sizes.step
    try {
      if (this.#empty()) this.#last = this.#sizes.max
    } catch {
      // Committed changes stay in the log if the checkpoint fails.
    }
  }

  /** False if another connection still reads from the log. */
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

  /** Null if the disk fails: a successful commit must not fail because of its length. */
  #bytes(): number | null {
    try {
      return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
    } catch {
      return null
    }
  }
}
