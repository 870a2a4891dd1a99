import type { StreamEvent } from './stream-event.ts'

/**
 * Latest events of one integration, for sockets that reconnect. Numbers are consecutive, so a number gives the index.
 */
export class EventRing {
  readonly #base: number
  readonly #size: number
  readonly #events: (StreamEvent | undefined)[] = []
  #last: number

  /**
   * @param base number before the first event; larger than all numbers of earlier rings, so that those count as a gap
   */
  constructor(base: number, size: number) {
    this.#base = base
    this.#last = base
    this.#size = size
  }

  /** Number of the latest event. */
  get last(): number {
    return this.#last
  }

  /** Stores the event with the number `last + 1`. */
  push(event: StreamEvent): void {
    this.#last += 1
    this.#events[(this.#last - this.#base) % this.#size] = event
  }

  /** Drops events that are no longer allowed; the others stay with their numbers. */
  keep(allowed: (event: StreamEvent) => boolean): void {
    for (const [place, event] of this.#events.entries())
      if (event !== undefined && !allowed(event)) this.#events[place] = undefined
  }

  /** Events after `seq`, oldest first; null if some of them were dropped or the number is unknown. */
  since(seq: number): readonly StreamEvent[] | null {
    if (seq < this.#base || seq > this.#last || seq < this.#last - this.#size) return null
    const missed: StreamEvent[] = []
    for (let number = seq + 1; number <= this.#last; number += 1) {
      const event = this.#events[(number - this.#base) % this.#size]
      if (event) missed.push(event)
    }
    return missed
  }
}
