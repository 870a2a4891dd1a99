import { type Clock, every } from './clock.ts'

/** Number of groups per interval. */
const GROUPS = 10

/**
 * Runs many functions at the same interval with one timer. Thousands of nearly empty timers cost more than their work.
 * Functions added at about the same time run together.
 */
export class SharedTimer {
  readonly #clock: Clock
  readonly #intervalMs: number
  readonly #turnMs: number
  readonly #groups = Array.from({ length: GROUPS }, () => new Set<() => void>())
  #latest = 0
  /** Time of the next group, by the monotonic clock. */
  #dueAt = 0
  #size = 0
  #stop: (() => void) | null = null

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock
    this.#intervalMs = intervalMs
    this.#turnMs = intervalMs / GROUPS
  }

  /** Runs the function each interval, first within `intervalMs`, until the returned function is called. */
  add(run: () => void): () => void {
    const group = this.#group(this.#latest)
    group.add(run)
    this.#size += 1
    this.#stop ??= this.#start()
    return () => {
      if (!group.delete(run)) return
      this.#size -= 1
      if (this.#size > 0) return
      this.#stop?.()
      this.#stop = null
    }
  }

  #start(): () => void {
    this.#dueAt = this.#clock.monotonic() + this.#turnMs
    return every(this.#clock, this.#turnMs, () => this.#catchUp())
  }

  /** Timers of a busy process are late, and delays add up. The due time does not depend on them. */
  #catchUp(): void {
    const now = this.#clock.monotonic()
    // An entry with several missed intervals runs once.
    this.#dueAt = Math.max(this.#dueAt, now - this.#intervalMs + this.#turnMs)
    while (this.#dueAt <= now) {
      this.#dueAt += this.#turnMs
      this.#next()
    }
  }

  #next(): void {
    this.#latest = (this.#latest + 1) % GROUPS
    for (const run of this.#group(this.#latest)) run()
  }

  #group(at: number): Set<() => void> {
    return this.#groups[at] ?? new Set()
  }
}
