import type { Clock } from '../lib/clock.ts'

/** A clock that runs `speed` times as fast as another one, from the moment it is made. */
export class ScaledClock implements Clock {
  readonly #base: Clock
  readonly #speed: number
  readonly #wallStart: number
  readonly #monoStart: number

  constructor(base: Clock, speed: number) {
    if (!(speed > 0)) throw new RangeError(`speed must be above 0, not ${speed}`)
    this.#base = base
    this.#speed = speed
    this.#wallStart = base.now()
    this.#monoStart = base.monotonic()
  }

  now(): number {
    return this.#wallStart + (this.#base.now() - this.#wallStart) * this.#speed
  }

  monotonic(): number {
    return this.#monoStart + (this.#base.monotonic() - this.#monoStart) * this.#speed
  }

  after(delayMs: number, run: () => void): () => void {
    return this.#base.after(delayMs / this.#speed, run)
  }

  boot(): ReturnType<Clock['boot']> {
    return this.#base.boot()
  }
}
