import type { Clock } from '../lib/clock.ts'
import type { LinkedAccountsParts } from './linked-accounts.ts'
import type { PendingRelayRequest } from './settings-file.ts'
import type { Emitter } from '../lib/emitter.ts'

export interface PendingRequestsParts extends Pick<LinkedAccountsParts, 'file' | 'clock' | 'log'> {
  /** Records in the activity that the relay unlinked all accounts; runs inside the write that ends the request. */
  readonly recordUnlinked: () => void
}

/**
 * Administrators' requests to the relay that it has not confirmed. They are stored and repeated on each connection.
 * Unlinking includes linking, because a relay sends a code to a home without accounts.
 */
export class PendingRequests {
  readonly #parts: PendingRequestsParts

  constructor(parts: PendingRequestsParts) {
    this.#parts = parts
  }

  /** Kind of the request that the current relay has not confirmed, or null. */
  get wish(): PendingRelayRequest['wish'] | null {
    const { current, pending } = this.#parts.file
    return pending !== null && pending.url === current?.url ? pending.wish : null
  }

  /** True after a request to unlink; the home is then unreachable through the relay. */
  get isUnlinking(): boolean {
    return this.wish === 'unlink'
  }

  /**
   * Stores a request to the current relay.
   * @param record called just before the request is stored, to record it in the activity
   * @throws StorageUnavailable if the disk refuses it; then no request is sent
   */
  async store(wish: PendingRelayRequest['wish'], record: () => void): Promise<void> {
    const { file, clock } = this.#parts
    await file.replace((current) => {
      if (current === null || (wish === 'link' && this.isUnlinking)) return current
      return { ...current, pending: { wish, url: current.url, since: clock.now() } }
    }, record)
  }

  /**
   * Removes a request that the relay at `url` carried out. If that cannot be stored, the next connection sends it
   * again.
   */
  async remove(url: string, wish: PendingRelayRequest['wish'] | null): Promise<void> {
    const { file, recordUnlinked, log } = this.#parts
    if (wish === null || this.wish !== wish) return
    try {
      await file.replace(
        (current) => {
          if (current?.url !== url || current.pending?.wish !== wish) return current
          const { pending: _confirmed, ...settings } = current
          return settings
        },
        () => (wish === 'unlink' ? recordUnlinked() : undefined),
      )
    } catch (error) {
      log.error({ err: error }, 'The relay’s confirmation of an administrator’s request could not be stored.')
    }
  }
}

/** Longest wait for the relay's response to an administrator's request. */
const ANSWER_TIMEOUT_MS = 15_000

/** Resolves when a change makes `isAnswered` true, or after `ANSWER_TIMEOUT_MS`. */
export function waitForRelay(clock: Clock, changes: Emitter<void>, isAnswered: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const check = (isLate: boolean): void => {
    if (!isLate && !isAnswered()) return
    cancel()
    unsubscribe()
    resolve()
  }
  const cancel = clock.after(ANSWER_TIMEOUT_MS, () => check(true))
  const unsubscribe = changes.on(() => check(false))
  check(false)
  return promise
}
