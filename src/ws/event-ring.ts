import type { StreamEvent } from './stream-event.ts'

/** The last events of one integration, for sockets that come back. Numbers are consecutive, so a number is a place. */
export class EventRing {
  readonly #base: number
  readonly #size: number
  readonly #events: (StreamEvent | undefined)[] = []
  #last: number

  /**
   * @param base the number before the first event: larger than any that was given out by an earlier ring, so that those
   * are a gap.
   */
  constructor(base: number, size: number) {
    this.#base = base
    this.#last = base
    this.#size = size
  }

  /** The number of the latest event. */
  get last(): number {
    return this.#last
  }

  /** Takes the event that has the number `last + 1`. */
  push(event: StreamEvent): void {
    this.#last += 1
    this.#events[(this.#last - this.#base) % this.#size] = event
  }

  /** Drops the events that are not allowed any more; the numbers of the others stay. */
  keep(allowed: (event: StreamEvent) => boolean): void {
    for (const [place, event] of this.#events.entries())
      if (event !== undefined && !allowed(event)) this.#events[place] = undefined
  }

  /**
   * The events after `seq`, oldest first, or null where some of them are no longer held or the number is none of ours.
   */
  since(seq: number): readonly StreamEvent[] | null {
    if (seq < this.#base || seq > this.#last || seq < this.#last - this.#size) return null
    const missed: StreamEvent[] = []
    for (let each = seq + 1; each <= this.#last; each += 1) {
      const event = this.#events[(each - this.#base) % this.#size]
      if (event) missed.push(event)
    }
    return missed
  }
}
