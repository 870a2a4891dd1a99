import type { ActivityDraft } from '../model/activity.ts'

/** Where activity goes that belongs to no change of configuration: gathered for a turn of the event loop, then committed together. */
export interface ActivityLog {
  record(draft: ActivityDraft): void
  /** Resolves when everything recorded so far is committed; an answer waits for it before it leaves. */
  committed(): Promise<void>
}

/**
 * Configuration and its activity row change together: `change` runs in one transaction of core.db and its drafts land in the
 * outbox of the same transaction (P7). Throwing inside undoes everything. Listeners are told after the commit.
 */
export interface UnitOfWork {
  change<T>(run: (record: (draft: ActivityDraft) => void) => T): T
}
