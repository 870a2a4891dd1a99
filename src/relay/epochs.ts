import type { Clock } from '../lib/clock.ts'

/** Later ones than the relay can still speak of. */
const KEPT_MAX = 64

/** The numbers of this gateway's tunnels: each is greater than those before, as the clock is also after a restart. */
export class Epochs {
  readonly #clock: Clock
  #own: readonly number[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  next(): number {
    const epoch = Math.max(this.#clock.now(), (this.#own.at(-1) ?? 0) + 1)
    this.#own = [...this.#own, epoch].slice(-KEPT_MAX)
    return epoch
  }

  /** Whether a tunnel of this number is one of this gateway's. */
  isOwn(epoch: number): boolean {
    return this.#own.includes(epoch)
  }
}
