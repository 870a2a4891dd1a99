import type { ActivityDraft, Cause } from '../../home/model/events.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'

/**
 * What entries about administration are about: an integration that there is not, so that administrators alone ever read
 * them (docs/activity.md).
 */
const ADMINISTRATION = { kind: 'integration', id: 'any' } as const

/** An entry about administration. */
export const administered = (clock: Pick<Clock, 'now'>, what: string, cause: Cause): ActivityDraft => ({
  at: clock.now(),
  kind: 'access',
  subject: ADMINISTRATION,
  what,
  cause,
})

/** What the disk did not take is tried again after this. */
const STORE_AGAIN_MS = 10_000

/** How somebody's leave ends. */
export interface Ending {
  /** What ends: a later ending of the same takes its place. */
  readonly id: string
  /** Ends it for good. @throws StorageUnavailable */
  readonly store: () => void
  /** The same, later: what it is about may have changed. It stays held where this throws. */
  readonly again: () => void
  /** Ends it in memory alone; null for what has to wait for the disk. */
  readonly hold: (() => void) | null
}

/** What ends in the same way whenever it is stored. */
interface SameEnding {
  readonly id: string
  /** Ends it in one transaction. @throws StorageUnavailable */
  readonly change: () => void
  /** Ends it in memory alone. */
  readonly hold: () => void
  /** What follows from either. */
  readonly over: () => void
}

export function endingOf({ id, change, hold, over }: SameEnding): Ending {
  const store = (): void => {
    change()
    over()
  }
  const held = (): void => {
    hold()
    over()
  }
  return { id, store, again: store, hold: held }
}

interface UntilStoredParts {
  readonly clock: Clock
  readonly log: Log
}

/**
 * What ends at once although the disk takes no writes: a stolen key must not go on until somebody has made room. It is
 * stored as soon as the disk takes it; a start before that may bring it back. There are at most as many as there are
 * credentials, integrations, operators, sessions, persons and passkeys.
 */
export class UntilStored {
  readonly #parts: UntilStoredParts
  readonly #waiting = new Map<string, Ending>()
  #cancel: (() => void) | null = null

  constructor(parts: UntilStoredParts) {
    this.#parts = parts
  }

  /** Whether it is stored; false: it is held. @throws StorageUnavailable where it cannot be held, and as `store`. */
  ends(ending: Ending): boolean {
    const { id, store, hold } = ending
    try {
      store()
      this.#waiting.delete(id)
      return true
    } catch (error) {
      if (!isStorageFailure(error) || hold === null) throw error
      hold()
      this.#waiting.set(id, ending)
      this.#cancel ??= this.#later()
      return false
    }
  }

  /** Tries once more, for the last time. */
  stop(): void {
    this.#cancel?.()
    this.#storeAll()
  }

  #later(): () => void {
    return this.#parts.clock.after(STORE_AGAIN_MS, () => {
      this.#cancel = this.#storeAll() ? null : this.#later()
    })
  }

  #storeAll(): boolean {
    for (const ending of this.#waiting.values()) if (!this.#stored(ending)) return false
    return true
  }

  #stored({ id, again }: Ending): boolean {
    try {
      again()
    } catch (error) {
      if (isStorageFailure(error)) return false
      this.#parts.log.error({ err: error, id }, 'What an administrator ended could not be stored.')
    }
    this.#waiting.delete(id)
    return true
  }
}
