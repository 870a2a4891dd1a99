import type { Clock } from '../../lib/clock.ts'

/** Silences in a row after which a unit is no longer asked. */
export const FAILURES_MAX = 3
/**
 * How long it is left alone; then one request tries it again. Each try in vain doubles it, so that many dead units do
 * not use up the air time.
 */
export const OPEN_MS = 30_000
export const OPEN_MS_MAX = 240_000

/** Refuses requests to a unit that is known not to answer, so that nobody waits for it. */
export class Breaker {
  readonly #clock: Clock
  #failures = 0
  #openUntil = -Infinity

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The unit was silent lately, so its next request may take long. */
  get doubtful(): boolean {
    return this.#failures > 0
  }

  get open(): boolean {
    return this.openForMs > 0
  }

  /** How long the unit is still left alone. */
  get openForMs(): number {
    return Math.max(0, this.#openUntil - this.#clock.monotonic())
  }

  /** Counts one silence; true when it opens the breaker. */
  failed(): boolean {
    this.#failures += 1
    if (this.#failures < FAILURES_MAX) return false
    this.#openUntil = this.#clock.monotonic() + Math.min(OPEN_MS_MAX, OPEN_MS * 2 ** (this.#failures - FAILURES_MAX))
    return true
  }

  worked(): void {
    this.#failures = 0
    this.#openUntil = -Infinity
  }
}
