import { type Clock, every } from './clock.ts'

/** So many times in each interval a part of what was added is run. */
const GROUPS = 10

/**
 * Runs many things each so often by one timer: thousands of timers, of which each does next to nothing, take more time
 * than what they do. Those that were added at about the same time run together.
 */
export class Rounds {
  readonly #clock: Clock
  readonly #intervalMs: number
  readonly #groups = Array.from({ length: GROUPS }, () => new Set<() => void>())
  #latest = 0
  #size = 0
  #stop: (() => void) | null = null

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock
    this.#intervalMs = intervalMs
  }

  /** Runs it each interval, first within `intervalMs`, until the returned function is called. */
  add(run: () => void): () => void {
    const group = this.#group(this.#latest)
    group.add(run)
    this.#size += 1
    this.#stop ??= every(this.#clock, this.#intervalMs / GROUPS, () => this.#next())
    return () => {
      if (!group.delete(run)) return
      this.#size -= 1
      if (this.#size > 0) return
      this.#stop?.()
      this.#stop = null
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
