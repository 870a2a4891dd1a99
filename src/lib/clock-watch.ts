import type { Clock } from './clock.ts'

/** A difference between wall clock and monotonic clock that only setting the clock (or sleep) explains. */
export const JUMP_MS = 300_000

/** Time without clock changes before the wall clock may decide irreversible actions. */
export const STEADY_MS = 3_600_000

/** Detects changes of the wall clock: machines without a battery, or with a wrong time server, jump by years. */
export class ClockWatch {
  readonly #clock: Clock
  #steadySince: number
  #wall: number
  #monotonic: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#wall = clock.now()
    this.#monotonic = this.#steadySince = clock.monotonic()
  }

  /** Call about every minute. Returns true if the wall clock has run for an hour without being set. */
  steady(): boolean {
    const wall = this.#clock.now()
    const monotonic = this.#clock.monotonic()
    const jump = wall - this.#wall - (monotonic - this.#monotonic)
    if (Math.abs(jump) > JUMP_MS) this.#steadySince = monotonic
    this.#wall = wall
    this.#monotonic = monotonic
    return monotonic - this.#steadySince >= STEADY_MS
  }
}
