import type { ActivityDraft } from '../model/events.ts'

/**
 * Log for activity that belongs to no change of configuration. Entries of one turn of the event loop are committed
 * together.
 */
export interface ActivityLog {
  record(draft: ActivityDraft): void
  /** Resolves when everything recorded so far is committed; a response waits for it. */
  committed(): Promise<void>
}

/** Adds one row to the activity in the current transaction. */
export type RecordActivity = (draft: ActivityDraft) => void

/** The disk accepts no writes now. The change is undone, and a later attempt may succeed. */
export class StorageUnavailable extends Error {
  /** `lib/storage-failure.ts` recognises the error by this code. */
  readonly code = 'STORAGE_UNAVAILABLE'

  constructor(cause: unknown) {
    super('The disk accepts no writes now.', { cause })
  }
}

/**
 * Configuration and its activity row change together: `change` runs in one transaction of core.db, and its drafts go to
 * the outbox in the same transaction (P7). An exception undoes everything. Events are emitted after the commit.
 */
export interface UnitOfWork {
  /** @throws StorageUnavailable, and any error of `run`. */
  change<T>(run: (record: RecordActivity) => T): T
}

/** Lets callers acknowledge changes later, so that the disk does not block everything else. */
export interface DeferredWork {
  /** Changes that `run` makes before it returns are committed without waiting for the disk. */
  deferring<T>(run: () => T): T
  /** Counts up with each change. */
  readonly commits: number
  /**
   * Resolves when every change so far would survive a power cut and its activity is in the history. Callers await it
   * before they acknowledge a change.
   * @throws StorageUnavailable
   */
  onDisk(): Promise<void>
}

/** A change that takes part in another change's transaction. */
export interface ChangePart {
  /** Writes the change with its activity rows; runs inside `UnitOfWork.change`. */
  readonly store: (record: RecordActivity) => void
  /** Updates memory, after the commit. */
  readonly apply: () => void
}
