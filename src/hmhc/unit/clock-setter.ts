import type { Clock } from '../../lib/clock.ts'
import { every } from '../../lib/clock.ts'

const CHECK_MS = 60_000
const SET_AGAIN_MS = 6 * 3_600_000

/** Minutes that local time is ahead of UTC, at a moment in epoch milliseconds. */
export type UtcOffset = (epochMs: number) => number

/** The machine's own zone. */
export const machineUtcOffset: UtcOffset = (epochMs) => -new Date(epochMs).getTimezoneOffset()

/** Sets the time of the units: after each connect, when local time jumps, and every few hours. */
export class ClockSetter {
  readonly #clock: Clock
  readonly #utcOffset: UtcOffset
  readonly #send: (epochSeconds: number, offsetMinutes: number) => void
  #offset: number | null = null
  #setAt = -Infinity
  #stop = (): void => {}

  constructor(clock: Clock, utcOffset: UtcOffset, send: (epochSeconds: number, offsetMinutes: number) => void) {
    this.#clock = clock
    this.#utcOffset = utcOffset
    this.#send = send
  }

  start(): void {
    this.#stop()
    this.#stop = every(this.#clock, CHECK_MS, () => {
      const due = this.#clock.monotonic() - this.#setAt >= SET_AGAIN_MS
      if (due || this.#utcOffset(this.#clock.now()) !== this.#offset) this.set()
    })
  }

  stop(): void {
    this.#stop()
  }

  set(): void {
    const now = this.#clock.now()
    this.#offset = this.#utcOffset(now)
    this.#setAt = this.#clock.monotonic()
    this.#send(Math.max(0, Math.floor(now / 1_000)), this.#offset)
  }
}
