import type { Clock } from '../lib/clock.ts'
import { REPEATS_MAX, REPEATS_MS, REQUEST_ID } from '../wire/tunnel.ts'

/**
 * The requests that came lately, by the relay's id: one that comes twice is not carried out twice, by whatever way.
 */
export class Repeats {
  readonly #clock: Clock
  readonly #seen = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether this is the first request by this id within `REPEATS_MS`; an id of another form is none. */
  isFirst(id: string | undefined): boolean {
    if (id === undefined || !REQUEST_ID.test(id)) return false
    const now = this.#clock.monotonic()
    for (const [each, at] of this.#seen) {
      if (now - at <= REPEATS_MS && this.#seen.size < REPEATS_MAX) break
      this.#seen.delete(each)
    }
    if (this.#seen.has(id)) return false
    this.#seen.set(id, now)
    return true
  }
}
