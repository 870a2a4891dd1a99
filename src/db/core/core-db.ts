import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isThere, PRIVATE_FILE_MODE, syncFile, syncFolder } from '../../lib/files.ts'
import type { ActivityDraft } from '../../home/model/events.ts'
import type { DeferredWork, UnitOfWork } from '../../home/ports/activity-log.ts'
import type { OutboxRow, OutboxSource } from '../../home/ports/history-store.ts'
import { type Db, type Immediately, immediately, openDatabase, type Tables, tablesOf, readCell } from '../database.ts'
import { CoreDisk } from './core-disk.ts'
import { isDraft } from './core-rows.ts'
import { unseal } from './seal.ts'
import { NarrowedAccess } from './narrowed-access.ts'
import { lastOf } from './numbers.ts'
import { RevisionMark } from './revision-mark.ts'
import { WalIndex } from '../wal-index.ts'
import { type Checkpoint, WriteAheadLog } from '../write-ahead-log.ts'

export const MIGRATIONS = join(import.meta.dirname, 'migrations')

/** Cheaper than `queueMicrotask`, which keeps what belongs to each caller. */
const SOON = Promise.resolve()

export interface CoreDbOptions {
  /** Why every change is refused, where it is. */
  readonly takesNoChanges?: unknown
  readonly closed?: () => void
  /** Whether a copy took the place of what could not be used. */
  readonly isRestored?: boolean
  /** Makes what was written to a file outlive a power cut; the system's unless given. */
  readonly syncFile?: ((file: string) => Promise<void>) | undefined
  /** Keeps the log short elsewhere; SQLite does it in the midst of a commit unless given. */
  readonly checkpoint?: Checkpoint | undefined
  /** Highest revision given; unless given, it is forgotten with the process. */
  readonly revisions?: RevisionMark | undefined
  /** Changes that narrowed access; unless given, they are forgotten with the process. */
  readonly narrowed?: NarrowedAccess | undefined
}

/**
 * core.db: what was acknowledged is there after a power cut. One connection; every change is one transaction with its
 * activity row in the outbox.
 */
export class CoreDb implements UnitOfWork, DeferredWork, OutboxSource {
  /** Called after each commit that put rows into the outbox. */
  onOutbox: () => void = () => {}
  /** Called after each change that has an activity row: what an administrator or client would miss. */
  onChanged: () => void = () => {}
  readonly db: Db
  readonly revisions: RevisionMark
  readonly narrowed: NarrowedAccess
  /** Whether the disk takes what is committed. */
  readonly disk: CoreDisk
  /** Ids whose access the change that is under way may narrow. */
  readonly #narrows = new Set<string>()
  readonly #log: WriteAheadLog | null
  readonly #immediately: Immediately
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
      synced: () => this.#synced(),
      committed: () => this.#log?.committed(),
      moving,
    })
    const { checkpoint } = options
    this.#log = checkpoint === undefined ? null : new WriteAheadLog(this.db, { ...options, checkpoint, moving })
    this.#immediately = immediately(this.db)
    this.#index = new WalIndex(file)
    this.#dataVersion = this.db.prepare<[], number>('PRAGMA data_version').pluck()
    this.#insertDraft = this.db.prepare<[string]>('INSERT INTO activity_outbox (draft) VALUES (?)')
  }

  /**
   * Counts up whenever this connection or another one has committed anything. Stores compare it with the number they
   * read at, so one cheap read of SQLite says whether their rows are still those of the database (Spec 1 point 3).
   */
  epoch(): number {
    // No other code runs before the next microtask, so one look at SQLite serves every caller until then.
    if (!this.#looked) {
      // A look that fails counts for nobody: the next caller must not get what may have changed.
      this.#look()
      this.#looked = true
      void SOON.then(this.#forgetLook)
    }
    return this.#epoch + this.#ownWrites
  }

  /** SQLite counts the commits of others alone: the index tells that there were none at all, and costs less. */
  #look(): void {
    if (this.#index.isUnchanged()) return
    const version = this.#dataVersion.get()
    this.#index.seen()
    if (version === this.#seenVersion) return
    this.#seenVersion = version
    this.#epoch += 1
  }

  /** What is kept beside the tables has changed: whoever read them reads them again. */
  readAgain(): void {
    this.#ownWrites += 1
  }

  change<T>(run: (record: (draft: ActivityDraft) => void) => T): T {
    let isNumbered = false
    // A disk that fails is waited for: what is refused then was not made.
    const defers = this.#defers && !this.db.inTransaction && !this.disk.fails
    const commit = (): T =>
      this.#immediately(() => {
        this.#narrows.clear()
        const before = lastOf(this.db, 'activity_outbox')
        const value = run((draft) => void this.#insertDraft.run(JSON.stringify(draft)))
        const number = lastOf(this.db, 'activity_outbox')
        isNumbered = number > before
        // A change without a number of its own is noted under the next one.
        if (this.#narrows.size > 0) this.narrowed.note([...this.#narrows], number + (isNumbered ? 0 : 1))
        return value
      })
    const answer = defers ? this.disk.committed(() => this.#withoutSync(commit)) : this.disk.stored(commit)
    this.#ownWrites += 1
    this.#log?.committed()
    if (defers) this.#deferred(isNumbered)
    else if (isNumbered) this.onOutbox()
    if (isNumbered) this.onChanged()
    return answer
  }

  /**
   * Called by stores inside a change that may take access away from an integration, or replace a person's password: no
   * older configuration may bring it back (narrowed-access.ts).
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
   * Commits writes that belong to no change of the configuration, without waiting for the disk; inside a transaction
   * they are part of it.
   */
  syncedLater<T>(write: () => T): T {
    if (this.db.inTransaction) return write()
    const answer = this.#withoutSync(write)
    this.#log?.committed()
    this.#deferred(false)
    return answer
  }

  #withoutSync<T>(commit: () => T): T {
    this.db.pragma(`synchronous = ${this.#log?.beginsAnew === true ? 'OFF' : 'NORMAL'}`)
    try {
      return commit()
    } finally {
      this.db.pragma('synchronous = FULL')
    }
  }

  /** Begins to put a change on the disk; its activity follows it there, never the other way round. */
  #deferred(isNumbered: boolean): void {
    this.#outboxWaits ||= isNumbered
    this.disk.begin()
  }

  #synced(): void {
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
    // The history knows which rows it has: those that a power cut brings back are not stored again.
    this.#withoutSync(() =>
      this.db
        .prepare('DELETE FROM activity_outbox WHERE id IN (SELECT value FROM json_each(?))')
        .run(JSON.stringify(ids)),
    )
    this.#log?.committed()
  }

  cut(rows: number): number {
    const { changes } = this.#withoutSync(() =>
      this.db
        .prepare<[number]>('DELETE FROM activity_outbox WHERE id <= (SELECT max(id) FROM activity_outbox) - ?')
        .run(rows),
    )
    this.#log?.committed()
    return changes
  }

  /**
   * Writes a consistent copy to a file that must not exist yet; resolves to its bytes. It is whole and on the disk when
   * it has its name, and nobody else can read any of it.
   */
  async backup(file: string): Promise<number> {
    if (isThere(file)) throw new Error(`${file} exists already`)
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

  get tables(): Tables {
    return tablesOf(this.db, MIGRATIONS)
  }

  /** Whether every change is refused until the next start. */
  get takesNoChanges(): boolean {
    return 'takesNoChanges' in this.#options
  }

  /** Whether a copy took the place of what could not be used, which is told already. */
  get isRestored(): boolean {
    return this.#options.isRestored === true
  }

  close(): void {
    this.db.close()
    this.#index.close()
    this.#options.closed?.()
  }
}
