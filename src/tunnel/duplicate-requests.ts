import type { Clock } from '../lib/clock.ts'
import { DUPLICATES_MAX, DUPLICATES_MS, REQUEST_ID } from '../wire/tunnel.ts'

/** Ids of recent requests, so that a request repeated by the relay over any tunnel is not carried out twice. */
export class DuplicateRequests {
  readonly #clock: Clock
  readonly #seen = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** True for the first request with this id within `DUPLICATES_MS`; false for an invalid id. */
  isFirst(id: string | undefined): boolean {
    if (id === undefined || !REQUEST_ID.test(id)) return false
    const now = this.#clock.monotonic()
    for (const [oldId, at] of this.#seen) {
      if (now - at <= DUPLICATES_MS && this.#seen.size < DUPLICATES_MAX) break
      this.#seen.delete(oldId)
    }
    if (this.#seen.has(id)) return false
    this.#seen.set(id, now)
    return true
  }
}
