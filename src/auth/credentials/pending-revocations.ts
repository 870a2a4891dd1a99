import type { ActivityDraft, Cause } from '../../home/model/events.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'

/**
 * Subject of entries about administration: an integration that does not exist, so that only administrators read them
 * (docs/activity.md).
 */
const ADMINISTRATION = { kind: 'integration', id: 'any' } as const

/** An entry about administration. */
export const administrationEntry = (clock: Pick<Clock, 'now'>, what: string, cause: Cause): ActivityDraft => ({
  at: clock.now(),
  kind: 'access',
  subject: ADMINISTRATION,
  what,
  cause,
})

/** Delay before a failed write is retried. */
const STORE_RETRY_MS = 10_000

/** The end of somebody's access. */
export interface Revocation {
  /** Id of the revoked object; a later revocation of the same object replaces this one. */
  readonly id: string
  /** Revokes it for good. @throws StorageUnavailable */
  readonly store: () => void
  /** Repeats `store` later, when the object may have changed. The revocation stays pending if this throws. */
  readonly retry: () => void
  /** Revokes it in memory only; null if it must wait for the disk. */
  readonly hold: (() => void) | null
}

/** A revocation with the same effect at any time. */
interface LastingRevocation {
  readonly id: string
  /** Revokes it in one transaction. @throws StorageUnavailable */
  readonly change: () => void
  /** Revokes it in memory only. */
  readonly hold: () => void
  /** Called after either. */
  readonly over: () => void
}

export function revocationOf({ id, change, hold, over }: LastingRevocation): Revocation {
  const store = (): void => {
    change()
    over()
  }
  const held = (): void => {
    hold()
    over()
  }
  return { id, store, retry: store, hold: held }
}

interface PendingRevocationsParts {
  readonly clock: Clock
  readonly log: Log
}

/**
 * Revocations that take effect although the disk accepts no writes: a stolen key must not work until somebody has made
 * room. They are stored as soon as possible; an earlier restart may undo them. Every credential, integration, operator,
 * session, person and passkey has one at most.
 */
export class PendingRevocations {
  readonly #parts: PendingRevocationsParts
  readonly #pending = new Map<string, Revocation>()
  #cancel: (() => void) | null = null

  constructor(parts: PendingRevocationsParts) {
    this.#parts = parts
  }

  /** True if it is stored, false if it is pending. @throws StorageUnavailable if it cannot be held, and as `store`. */
  revoke(revocation: Revocation): boolean {
    const { id, store, hold } = revocation
    try {
      store()
      this.#pending.delete(id)
      return true
    } catch (error) {
      if (!isStorageFailure(error) || hold === null) throw error
      hold()
      this.#pending.set(id, revocation)
      this.#cancel ??= this.#later()
      return false
    }
  }

  /** Tries a last time. */
  stop(): void {
    this.#cancel?.()
    this.#storeAll()
  }

  #later(): () => void {
    return this.#parts.clock.after(STORE_RETRY_MS, () => {
      this.#cancel = this.#storeAll() ? null : this.#later()
    })
  }

  #storeAll(): boolean {
    for (const revocation of this.#pending.values()) if (!this.#stored(revocation)) return false
    return true
  }

  #stored({ id, retry }: Revocation): boolean {
    try {
      retry()
    } catch (error) {
      if (isStorageFailure(error)) return false
      this.#parts.log.error({ err: error, id }, 'A revocation could not be stored.')
    }
    this.#pending.delete(id)
    return true
  }
}
