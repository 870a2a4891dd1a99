import type { ActivityDraft } from '../model/events.ts'

/**
 * Where activity goes that belongs to no change of configuration: gathered for a turn of the event loop, then committed
 * together.
 */
export interface ActivityLog {
  record(draft: ActivityDraft): void
  /** Resolves when everything recorded so far is committed; an answer waits for it before it leaves. */
  committed(): Promise<void>
}

/** Adds one row to the activity, in the transaction that is under way. */
export type RecordActivity = (draft: ActivityDraft) => void

/** The disk takes no writes now: nothing of the change was made, and a later try may succeed. */
export class StorageUnavailable extends Error {
  /** `lib/storage-failure.ts` knows it by this. */
  readonly code = 'STORAGE_UNAVAILABLE'

  constructor(cause: unknown) {
    super('The disk takes no writes now.', { cause })
  }
}

/**
 * Configuration and its activity row change together: `change` runs in one transaction of core.db and its drafts land
 * in the outbox of the same transaction (P7). Throwing inside undoes everything. Events are emitted after the commit.
 */
export interface UnitOfWork {
  /** @throws StorageUnavailable, and whatever `run` throws. */
  change<T>(run: (record: RecordActivity) => T): T
}

/** For whoever acknowledges changes later: the disk must not hold everything else up until then. */
export interface DeferredWork {
  /** Changes that `run` makes before it returns are committed without waiting for the disk. */
  deferring<T>(run: () => T): T
  /** Counts up with each change. */
  readonly commits: number
  /**
   * Resolves when every change so far would survive a power cut, and its activity is in the history; awaited before one
   * is acknowledged.
   * @throws StorageUnavailable
   */
  onDisk(): Promise<void>
}

/** Something that changes in the transaction of something else. */
export interface ChangePart {
  /** Writes it with its activity rows; runs inside `UnitOfWork.change`. */
  readonly store: (record: RecordActivity) => void
  /** Takes it into memory, after the commit. */
  readonly apply: () => void
}
