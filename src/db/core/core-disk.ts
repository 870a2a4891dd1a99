import { StorageUnavailable } from '../../home/ports/activity-log.ts'
import { syncFile } from '../../lib/files.ts'
import { GroupSync } from '../../lib/group-sync.ts'
import type { Db } from '../database.ts'
import { isFull, isStorageFailure, isUnsynced } from '../../lib/storage-failure.ts'

interface CoreDiskParts {
  /** Reason why every change is refused, if it is. */
  readonly takesNoChanges?: unknown
  readonly syncFile?: ((file: string) => Promise<void>) | undefined
  readonly synced: () => void
  /** Called after a commit without a caller. */
  readonly committed: () => void
  /** Called before a checkpoint. */
  readonly moving: () => void
}

/**
 * State of the disk under core.db: whether it accepts commits, and which deferred commits are synced. A change refused
 * because of the disk does not exist. The only unknown: commits before the disk was seen to fail may be lost in a power
 * cut.
 */
export class CoreDisk {
  /** Called with the first error when changes begin to fail, and with null when they succeed again. */
  onFailing: (error: Error | null) => void = () => {}
  /** Frees space on a full disk; returns true if there is more now. */
  onFull: () => boolean = () => false
  readonly #db: Db
  readonly #parts: CoreDiskParts
  readonly #sync = new GroupSync(() => this.#syncNow())
  /** Number of deferred commits, and of the synced ones. */
  #commits = 0
  #syncedUpTo = 0
  /** True if a sync failed since everything was last on the disk. */
  #unsynced = false
  #failing = false

  constructor(db: Db, parts: CoreDiskParts) {
    this.#db = db
    this.#parts = parts
  }

  /** True if the last disk operation failed. */
  get fails(): boolean {
    return this.#failing
  }

  /** Commits and waits for the disk. @throws StorageUnavailable; then nothing was committed */
  stored<T>(commit: () => T): T {
    if (this.#db.inTransaction) return commit()
    const recovers = this.#unsynced
    const answer = this.#tried(() => {
      // The log's content must be on the disk before any later write.
      if (this.#unsynced) this.#checkpoint()
      return commit()
    })
    this.#succeeds()
    if (recovers) this.#hasAll(this.#commits)
    return answer
  }

  /** Commits without waiting for the disk, so that only the sync reveals a failure. @throws as `stored` */
  committed<T>(commit: () => T): T {
    return this.#tried(commit)
  }

  /** Starts to sync committed changes. Callers who acknowledge one wait for `synced`. */
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

  /** After a failed sync a disk may falsely report success, so everything goes to the database file instead. */
  #checkpoint(): void {
    this.#parts.moving()
    const [state] = this.#db.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[]
    if (state !== undefined && state.checkpointed < state.log)
      throw Object.assign(new Error('Another connection still reads from the log.'), { code: 'SQLITE_BUSY' })
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

  /** Repeats a commit on a full disk if space can be freed. */
  #withRoom<T>(commit: () => T): T {
    try {
      return commit()
    } catch (error) {
      if (!isFull(error) || this.#db.inTransaction || !this.onFull()) throw error
      return commit()
    }
  }

  /**
   * A rolled back commit that could not be synced is still in the log, and a start after a kill would find it. A
   * neutral write replaces it, and tests the disk.
   */
  #writeOver(): void {
    this.#unsynced = true
    try {
      this.#db.pragma('synchronous = OFF')
      this.#db.pragma(`user_version = ${String(this.#db.pragma('user_version', { simple: true }))}`)
      this.#parts.committed()
    } catch {
      // The disk accepts no write at all.
    } finally {
      this.#db.pragma('synchronous = FULL')
    }
  }

  #succeeds(): void {
    if (this.#failing) this.onFailing(null)
    this.#failing = false
  }
}
