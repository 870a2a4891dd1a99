/** Which timers are those of a gateway that has nothing to do, and whether any other waits. */
export class Pulse {
  /** Timers that wait less those of the pulse, by delay; zero is left out. */
  readonly #others = new Map<number, number>()
  readonly #waiting = new Map<number, number>()

  /** Whether the timers that wait are the pulse and nothing else. */
  get alone(): boolean {
    return this.#others.size === 0
  }

  /** A timer of this delay was set (1) or is over (-1). */
  count(delayMs: number, by: number): void {
    add(this.#waiting, delayMs, by)
    add(this.#others, delayMs, by)
  }

  /** What waits now is the pulse. */
  take(): void {
    this.#others.clear()
  }

  /** None waits any more: the pulse is missing. */
  stop(): void {
    for (const [delayMs, count] of this.#waiting) add(this.#others, delayMs, -count)
    this.#waiting.clear()
  }
}

function add(counts: Map<number, number>, delayMs: number, by: number): void {
  const left = (counts.get(delayMs) ?? 0) + by
  if (left === 0) counts.delete(delayMs)
  else counts.set(delayMs, left)
}
