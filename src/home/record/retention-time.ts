import type { Clock } from '../../lib/clock.ts'
import { ClockWatch } from '../../lib/clock-watch.ts'
import { RELEASED_AT } from '../../lib/released-at.ts'

/** How much faster than time passes the time to forget by may move on: a day an hour. */
const CATCH_UP = 24

/**
 * The time by which the history is thinned and forgotten. What is forgotten is gone for good, so a clock that is wrong
 * for a while must not decide it: this time stands still until the clock has run for an hour without being set, and
 * then moves on by a day an hour at most until it has reached the clock (docs/decisions/storage.md). It never is before
 * the release: from 1970, where a machine without a battery begins, it would take years.
 */
export class RetentionTime {
  readonly #clock: Clock
  readonly #watch: ClockWatch
  #time: number
  #monotonic: number

  /**
   * @param stored the time of the last run of the gateway in epoch ms; null where there was none: a new history begins
   *   with this start, so that a clock that is set ahead soon after it ages nothing either.
   */
  constructor(clock: Clock, stored: number | null) {
    this.#clock = clock
    this.#watch = new ClockWatch(clock)
    this.#time = Math.max(stored ?? clock.now(), RELEASED_AT)
    this.#monotonic = clock.monotonic()
  }

  /** To be called every minute or so. Epoch ms, or null while nothing may be forgotten. */
  now(): number | null {
    const [wall, monotonic] = [this.#clock.now(), this.#clock.monotonic()]
    const passed = monotonic - this.#monotonic
    this.#monotonic = monotonic
    if (!this.#watch.steady() || wall < RELEASED_AT) return null
    this.#time = Math.max(this.#time, Math.min(wall, this.#time + passed * CATCH_UP))
    return Math.min(this.#time, wall)
  }
}
