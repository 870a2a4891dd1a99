import { StorageUnavailable } from '../../home/ports/activity-log.ts'
import { syncFile } from '../../lib/files.ts'
import { GroupSync } from '../../lib/group-sync.ts'
import type { Db } from '../database.ts'
import { isFull, isStorageFailure, isUnsynced } from '../../lib/storage-failure.ts'

interface CoreDiskParts {
  /** Why every change is refused, where it is. */
  readonly takesNoChanges?: unknown
  readonly syncFile?: ((file: string) => Promise<void>) | undefined
  readonly synced: () => void
  /** Told of a commit that nobody asked for. */
  readonly committed: () => void
  /** Called before the log is moved into the file. */
  readonly moving: () => void
}

/**
 * Whether the disk takes what core.db commits, and how much of what was committed without waiting it has. What is
 * refused because of the disk was not made: only of changes that were committed before the disk was seen to fail nobody
 * knows whether a power cut takes them away.
 */
export class CoreDisk {
  /** Told when changes begin to fail, with the first error, and by null when they succeed again. */
  onFailing: (error: Error | null) => void = () => {}
  /** Makes room on a disk that has none; answers whether there is more now. */
  onFull: () => boolean = () => false
  readonly #db: Db
  readonly #parts: CoreDiskParts
  readonly #sync = new GroupSync(() => this.#syncNow())
  /** Commits that did not wait for the disk, and how many of them it has. */
  #commits = 0
  #syncedUpTo = 0
  /** Whether a sync failed since the disk was known to have everything. */
  #unsynced = false
  #failing = false

  constructor(db: Db, parts: CoreDiskParts) {
    this.#db = db
    this.#parts = parts
  }

  /** Whether the last that was heard of the disk is a failure. */
  get fails(): boolean {
    return this.#failing
  }

  /** A commit that waits for the disk. @throws StorageUnavailable, and nothing was committed. */
  stored<T>(commit: () => T): T {
    if (this.#db.inTransaction) return commit()
    const recovers = this.#unsynced
    const answer = this.#tried(() => {
      // What is in the log must be on the disk before anything follows it there.
      if (this.#unsynced) this.#checkpoint()
      return commit()
    })
    this.#succeeds()
    if (recovers) this.#hasAll(this.#commits)
    return answer
  }

  /** A commit that does not: whether the disk takes it is not known before it is synced. @throws as `stored`. */
  committed<T>(commit: () => T): T {
    return this.#tried(commit)
  }

  /** Begins to put on the disk what was committed. Whoever acknowledges it learns of a failure. */
  begin(): void {
    this.#commits += 1
    this.synced().catch(() => {})
  }

  /** Resolves when everything committed so far would survive a power cut. @throws StorageUnavailable */
  synced(): Promise<void> {
    return this.#syncedUpTo === this.#commits ? Promise.resolve() : this.#sync.done()
  }

  async #syncNow(): Promise<void> {
    const upTo = this.#commits
    if (this.#unsynced || !(await this.#logIsSynced())) {
      if (!this.#db.open) throw new StorageUnavailable(new Error('The database is closed.'))
      this.#tried(() => this.#checkpoint())
    }
    this.#succeeds()
    this.#hasAll(upTo)
  }

  #hasAll(upTo: number): void {
    this.#syncedUpTo = upTo
    this.#parts.synced()
  }

  async #logIsSynced(): Promise<boolean> {
    try {
      if (!this.#db.memory) await (this.#parts.syncFile ?? syncFile)(`${this.#db.name}-wal`)
      return true
    } catch {
      this.#unsynced = true
      return false
    }
  }

  /** A disk that failed to sync a file may say later that it did: all is written to the other file instead. */
  #checkpoint(): void {
    this.#parts.moving()
    const [state] = this.#db.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[]
    if (state !== undefined && state.checkpointed < state.log)
      throw Object.assign(new Error('Somebody still reads of the log.'), { code: 'SQLITE_BUSY' })
    this.#unsynced = false
  }

  #tried<T>(commit: () => T): T {
    if ('takesNoChanges' in this.#parts) throw new StorageUnavailable(this.#parts.takesNoChanges)
    try {
      return this.#withRoom(commit)
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      if (isUnsynced(error)) this.#writeOver()
      const unavailable = new StorageUnavailable(error)
      if (!this.#failing) this.onFailing(unavailable)
      this.#failing = true
      throw unavailable
    }
  }

  /** On a full disk once more, where room can be made. */
  #withRoom<T>(commit: () => T): T {
    try {
      return commit()
    } catch (error) {
      if (!isFull(error) || this.#db.inTransaction || !this.onFull()) throw error
      return commit()
    }
  }

  /**
   * A commit that could not be synced was taken back, but lies in the log as if it had been made: a start after a kill
   * would find it. What is written in its place changes nothing, and shows whether the disk takes something again.
   */
  #writeOver(): void {
    this.#unsynced = true
    try {
      this.#db.pragma('synchronous = OFF')
      this.#db.pragma(`user_version = ${String(this.#db.pragma('user_version', { simple: true }))}`)
      this.#parts.committed()
    } catch {
      // Then the disk takes nothing at all.
    } finally {
      this.#db.pragma('synchronous = FULL')
    }
  }

  #succeeds(): void {
    if (this.#failing) this.onFailing(null)
    this.#failing = false
  }
}
