import type { Clock } from '../../lib/clock.ts'

/** Air time for what nobody waits for: so many radio requests a second, with a reserve to begin with. */
export class DutyBudget {
  readonly #clock: Clock
  readonly #perSecond: number
  readonly #reserve: number
  #tokens: number
  #at: number

  constructor(clock: Clock, perSecond: number, reserve: number) {
    this.#clock = clock
    this.#perSecond = perSecond
    this.#reserve = reserve
    this.#tokens = reserve
    this.#at = clock.monotonic()
  }

  /** Milliseconds until one more request may go; 0 when it may go now. */
  get waitMs(): number {
    this.#fill()
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) * 1_000) / this.#perSecond)
  }

  take(): void {
    this.#fill()
    this.#tokens -= 1
  }

  /** The radio asks for quiet: nothing for this long, and no reserve after it. */
  pause(ms: number): void {
    this.#fill()
    this.#tokens = Math.min(this.#tokens, 0, 1 - (ms * this.#perSecond) / 1_000)
  }

  #fill(): void {
    const now = this.#clock.monotonic()
    this.#tokens = Math.min(this.#reserve, this.#tokens + ((now - this.#at) * this.#perSecond) / 1_000)
    this.#at = now
  }
}
