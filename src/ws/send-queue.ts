import type { StreamEvent } from './stream-event.ts'

/**
 * Events that wait for a slow reader. Only the newest state of each device and the newest readings of each sensor wait,
 * so memory is bounded by the number of devices and no final state is lost. Events are sent in the order of their
 * numbers.
 */
export class SendQueue {
  /**
   * A newer event replaces the older one in place, because moving it to the end would create garbage with each event.
   */
  readonly #events = new Map<string, StreamEvent>()

  get size(): number {
    return this.#events.size
  }

  /** Adds an event; true if it replaced an older one. */
  put(event: StreamEvent): boolean {
    const replaced = this.#events.get(event.collapse)
    if (!replaced) {
      this.#events.set(event.collapse, event)
      return false
    }
    const otherIntents = replaced.intents.filter((intent) => !event.intents.includes(intent))
    this.#events.set(
      event.collapse,
      otherIntents.length > 0 && event.naming ? event.naming([...otherIntents, ...event.intents]) : event,
    )
    return true
  }

  /** Removes the oldest frames, at least one and about `bytes` in total, as one piece; null if the queue is empty. */
  take(bytes: number): Buffer | null {
    const frames: Buffer[] = []
    let taken = 0
    for (const [key, event] of [...this.#events].toSorted(([, a], [, b]) => a.seq - b.seq)) {
      if (taken >= bytes) break
      frames.push(event.frame)
      taken += event.frame.length
      this.#events.delete(key)
    }
    return frames.length === 0 ? null : Buffer.concat(frames)
  }

  /** Drops events that are no longer allowed. */
  keep(allowed: (event: StreamEvent) => boolean): void {
    for (const [key, event] of this.#events) if (!allowed(event)) this.#events.delete(key)
  }

  clear(): void {
    this.#events.clear()
  }
}
