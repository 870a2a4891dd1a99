import type { Clock } from './clock.ts'
import { HOUR_MS } from './durations.ts'

const HOURS = 24

/** Number of events in the last 24 hours, to the hour, by steady time. */
export class LastDay {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** Counts by number of the hour. */
  readonly #hours = new Map<number, number>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  add(count: number): void {
    const hour = this.#forgotten()
    this.#hours.set(hour, (this.#hours.get(hour) ?? 0) + count)
  }

  get count(): number {
    this.#forgotten()
    return [...this.#hours.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Deletes older hours; returns the present one. */
  #forgotten(): number {
    const now = Math.floor(this.#clock.monotonic() / HOUR_MS)
    for (const hour of this.#hours.keys()) if (hour < now - HOURS) this.#hours.delete(hour)
    return now
  }
}
