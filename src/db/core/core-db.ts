import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathExists, PRIVATE_FILE_MODE, syncFile, syncFolder } from '../../lib/files.ts'
import type { ActivityDraft } from '../../home/model/events.ts'
import type { DeferredWork, UnitOfWork } from '../../home/ports/activity-log.ts'
import type { OutboxRow, OutboxSource } from '../../home/ports/history-store.ts'
import {
  type Db,
  type Transaction,
  transactionOf,
  openDatabase,
  type MigrationState,
  migrationStateOf,
  readCell,
} from '../database.ts'
import { CoreDisk } from './core-disk.ts'
import { isDraft } from './core-rows.ts'
import { unseal } from './seal.ts'
import { NarrowedAccess } from './narrowed-access.ts'
import { lastNumberOf } from './numbers.ts'
import { RevisionMark } from './revision-mark.ts'
import { WalIndex } from '../wal-index.ts'
import { type Checkpoint, WriteAheadLog } from '../write-ahead-log.ts'

export const MIGRATIONS = join(import.meta.dirname, 'migrations')

/** Cheaper than `queueMicrotask`, which stores the async context of each caller. */
const SOON = Promise.resolve()

export interface CoreDbOptions {
  /** Reason why every change is refused, if it is. */
  readonly takesNoChanges?: unknown
  readonly closed?: () => void
  /** True if a copy replaced an unusable configuration. */
  readonly isRestored?: boolean
  /** Syncs a file to the disk; default: the system's. */
  readonly syncFile?: ((file: string) => Promise<void>) | undefined
  /** Checkpoints the log in another thread; by default SQLite does it during commits. */
  readonly checkpoint?: Checkpoint | undefined
  /** Highest issued revision; by default not stored. */
  readonly revisions?: RevisionMark | undefined
  /** Changes that narrowed access; by default not stored. */
  readonly narrowed?: NarrowedAccess | undefined
}

/**
 * core.db: acknowledged changes survive a power cut. One connection; every change is one transaction with its activity
 * row in the outbox.
 */
export class CoreDb implements UnitOfWork, DeferredWork, OutboxSource {
  /** Called after each commit with rows in the outbox. */
  onOutbox: () => void = () => {}
  /** Called after each change with an activity row, which an administrator or client would miss. */
  onChanged: () => void = () => {}
  readonly db: Db
  readonly revisions: RevisionMark
  readonly narrowed: NarrowedAccess
  /** State of the disk under core.db. */
  readonly disk: CoreDisk
  /** Ids whose access the running change may narrow. */
  readonly #narrows = new Set<string>()
  readonly #log: WriteAheadLog | null
  readonly #immediately: Transaction
  readonly #index: WalIndex
  readonly #dataVersion
  readonly #insertDraft
  #seenVersion: number | undefined
  #ownWrites = 0
  #epoch = 0
  #looked = false
  readonly #forgetLook = (): void => {
    this.#looked = false
  }
  #defers = false
  #outboxWaits = false
  readonly #options: CoreDbOptions

  constructor(file: string, options: CoreDbOptions = {}) {
    this.#options = options
    this.db = openDatabase(file, 'full', MIGRATIONS)
    this.revisions = options.revisions ?? new RevisionMark(null)
    this.narrowed = options.narrowed ?? new NarrowedAccess(null)
    const moving = (): void => unseal(file)
    this.disk = new CoreDisk(this.db, {
      ...options,
      synced: () => this.#drainSynced(),
      committed: () => this.#log?.afterCommit(),
      moving,
    })
    const { checkpoint } = options
    this.#log = checkpoint === undefined ? null : new WriteAheadLog(this.db, { ...options, checkpoint, moving })
    this.#immediately = transactionOf(this.db)
    this.#index = new WalIndex(file)
    this.#dataVersion = this.db.prepare<[], number>('PRAGMA data_version').pluck()
    this.#insertDraft = this.db.prepare<[string]>('INSERT INTO activity_outbox (draft) VALUES (?)')
  }

  /**
   * Counts up whenever this or another connection has committed. Stores compare it with the number of their last read,
   * so one cheap query tells whether their rows are current (Spec 1 point 3).
   */
  epoch(): number {
    // No other code runs before the next microtask, so one query of SQLite serves every caller until then.
    if (!this.#looked) {
      // A failed query is not cached: the next caller must not get outdated rows.
      this.#look()
      this.#looked = true
      void SOON.then(this.#forgetLook)
    }
    return this.#epoch + this.#ownWrites
  }

  /** SQLite counts only the commits of other connections. The index is cheaper and shows whether there were any. */
  #look(): void {
    if (this.#index.isUnchanged()) return
    const version = this.#dataVersion.get()
    this.#index.seen()
    if (version === this.#seenVersion) return
    this.#seenVersion = version
    this.#epoch += 1
  }

  /** State outside the tables has changed, so stores read again. */
  invalidate(): void {
    this.#ownWrites += 1
  }

  change<T>(run: (record: (draft: ActivityDraft) => void) => T): T {
    let isNumbered = false
    // On a failing disk the commit waits: a refused change must not exist.
    const defers = this.#defers && !this.db.inTransaction && !this.disk.fails
    const commit = (): T =>
      this.#immediately(() => {
        this.#narrows.clear()
        const before = lastNumberOf(this.db, 'activity_outbox')
        const value = run((draft) => void this.#insertDraft.run(JSON.stringify(draft)))
        const number = lastNumberOf(this.db, 'activity_outbox')
        isNumbered = number > before
        // A change without its own number is noted under the next one.
        if (this.#narrows.size > 0) this.narrowed.note([...this.#narrows], number + (isNumbered ? 0 : 1))
        return value
      })
    const answer = defers ? this.disk.committed(() => this.#withoutSync(commit)) : this.disk.stored(commit)
    this.#ownWrites += 1
    this.#log?.afterCommit()
    if (defers) this.#syncLater(isNumbered)
    else if (isNumbered) this.onOutbox()
    if (isNumbered) this.onChanged()
    return answer
  }

  /**
   * Stores call this inside a change that may narrow the access of an integration, or replaces a person's password. No
   * older configuration may restore that (narrowed-access.ts).
   */
  narrows(id: string): void {
    this.#narrows.add(id)
  }

  deferring<T>(run: () => T): T {
    this.#defers = true
    try {
      return run()
    } finally {
      this.#defers = false
    }
  }

  get commits(): number {
    return this.#ownWrites
  }

  onDisk(): Promise<void> {
    return this.disk.synced()
  }

  /**
   * Commits writes outside configuration changes without waiting for the disk; inside a transaction they are part of
   * it.
   */
  commitDeferred<T>(write: () => T): T {
    if (this.db.inTransaction) return write()
    const answer = this.#withoutSync(write)
    this.#log?.afterCommit()
    this.#syncLater(false)
    return answer
  }

  #withoutSync<T>(commit: () => T): T {
    this.db.pragma(`synchronous = ${this.#log?.needsNoSync === true ? 'OFF' : 'NORMAL'}`)
    try {
      return commit()
    } finally {
      this.db.pragma('synchronous = FULL')
    }
  }

  /** Starts to sync a change; its activity follows later, never earlier. */
  #syncLater(isNumbered: boolean): void {
    this.#outboxWaits ||= isNumbered
    this.disk.begin()
  }

  #drainSynced(): void {
    if (!this.#outboxWaits || !this.db.open) return
    this.#outboxWaits = false
    this.onOutbox()
  }

  peek(limit: number, after = 0): OutboxRow[] {
    const rows = this.db
      .prepare<[number, number], { id: number; draft: string }>(
        'SELECT id, draft FROM activity_outbox WHERE id > ? ORDER BY id LIMIT ?',
      )
      .all(after, limit)
    return rows.flatMap((row) => {
      const draft = readCell<ActivityDraft | null>(row.draft, null, isDraft)
      return draft === null ? [] : [{ id: row.id, draft }]
    })
  }

  remove(ids: readonly number[]): void {
    // The history recognizes its rows, so rows that reappear after a power cut are not stored twice.
    this.#withoutSync(() =>
      this.db
        .prepare('DELETE FROM activity_outbox WHERE id IN (SELECT value FROM json_each(?))')
        .run(JSON.stringify(ids)),
    )
    this.#log?.afterCommit()
  }

  cut(rows: number): number {
    const { changes } = this.#withoutSync(() =>
      this.db
        .prepare<[number]>('DELETE FROM activity_outbox WHERE id <= (SELECT max(id) FROM activity_outbox) - ?')
        .run(rows),
    )
    this.#log?.afterCommit()
    return changes
  }

  /**
   * Writes a consistent, private copy to a new file; resolves to its size in bytes. The file gets its name when it is
   * complete and on the disk.
   */
  async backup(file: string): Promise<number> {
    if (pathExists(file)) throw new Error(`${file} exists already`)
    const fresh = `${file}.new`
    try {
      closeSync(openSync(fresh, 'wx', PRIVATE_FILE_MODE))
      await this.db.backup(fresh)
      await syncFile(fresh)
      renameSync(fresh, file)
      await syncFolder(dirname(file))
      return statSync(file).size
    } finally {
      rmSync(fresh, { force: true })
    }
  }

  get tables(): MigrationState {
    return migrationStateOf(this.db, MIGRATIONS)
  }

  /** True if every change is refused until the next start. */
  get takesNoChanges(): boolean {
    return 'takesNoChanges' in this.#options
  }

  /** True if a copy replaced an unusable configuration, which is already reported. */
  get isRestored(): boolean {
    return this.#options.isRestored === true
  }

  close(): void {
    this.revisions.close()
    this.db.close()
    this.#index.close()
    this.#options.closed?.()
  }
}
