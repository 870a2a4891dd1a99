import type { Clock } from '../lib/clock.ts'
import type { LinkedAccountsParts } from './linked-accounts.ts'
import type { PendingRequest } from './settings-file.ts'
import type { Emitter } from '../lib/emitter.ts'

export interface PendingRequestsParts extends Pick<LinkedAccountsParts, 'file' | 'clock' | 'log'> {
  /** Tells the home's record that the relay has unlinked all accounts; inside the write that ends the request. */
  readonly unlinked: () => void
}

/**
 * What administrators asked of the relay and the relay has not confirmed: stored, and repeated with each connection.
 * To unlink includes to link, since a relay sends a code to a home without accounts.
 */
export class PendingRequests {
  readonly #parts: PendingRequestsParts

  constructor(parts: PendingRequestsParts) {
    this.#parts = parts
  }

  /** The request that the relay of now has not confirmed, or null. */
  get wish(): PendingRequest['wish'] | null {
    const { current, pending } = this.#parts.file
    return pending !== null && pending.url === current?.url ? pending.wish : null
  }

  /** True from the request to unlink on: nobody reaches the home through the relay from then on. */
  get isUnlinking(): boolean {
    return this.wish === 'unlink'
  }

  /**
   * Stores a request to the relay of now.
   * @param told tells of it, just before it is stored
   * @throws StorageUnavailable where the disk does not take it; nothing is asked then.
   */
  async ask(wish: PendingRequest['wish'], told: () => void): Promise<void> {
    const { file, clock } = this.#parts
    await file.replace((current) => {
      if (current === null || (wish === 'link' && this.isUnlinking)) return current
      return { ...current, pending: { wish, url: current.url, since: clock.now() } }
    }, told)
  }

  /** The relay at `url` did what was asked. One that cannot be stored is asked again by the next connection. */
  async confirmed(url: string, wish: PendingRequest['wish'] | null): Promise<void> {
    const { file, unlinked, log } = this.#parts
    if (wish === null || this.wish !== wish) return
    try {
      await file.replace(
        (current) => {
          if (current?.url !== url || current.pending?.wish !== wish) return current
          const { pending: _confirmed, ...settings } = current
          return settings
        },
        () => (wish === 'unlink' ? unlinked() : undefined),
      )
    } catch (error) {
      log.error({ err: error }, 'The answer of the relay to a request of an administrator could not be stored.')
    }
  }
}

/** How long an administrator's request waits for the relay's answer. */
const SETTLE_MS = 15_000

/** Resolves once the relay has answered, by what `isAnswered` sees at a change, or after `SETTLE_MS`. */
export function settled(clock: Clock, changes: Emitter<void>, isAnswered: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = (isLate: boolean): void => {
    if (!isLate && !isAnswered()) return
    cancel()
    forget()
    resolve()
  }
  const cancel = clock.after(SETTLE_MS, () => look(true))
  const forget = changes.on(() => look(false))
  look(false)
  return promise
}
