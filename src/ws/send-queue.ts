import type { StreamEvent } from './stream-event.ts'

/**
 * Events that wait for a slow reader. Of one device only the newest state waits, and of one sensor the newest readings,
 * so that the memory is bounded by the number of devices and nothing final is lost. What waits keeps the order of its
 * numbers.
 */
export class SendQueue {
  /** A newer event stands where the older one stood: to move it to the end would leave garbage with each event. */
  readonly #events = new Map<string, StreamEvent>()

  get size(): number {
    return this.#events.size
  }

  /** Takes an event; answers whether it took the place of an older one. */
  put(event: StreamEvent): boolean {
    const older = this.#events.get(event.collapse)
    if (!older) {
      this.#events.set(event.collapse, event)
      return false
    }
    const more = older.intents.filter((intent) => !event.intents.includes(intent))
    this.#events.set(
      event.collapse,
      more.length > 0 && event.naming ? event.naming([...more, ...event.intents]) : event,
    )
    return true
  }

  /**
   * Takes out the oldest frames, at least one and about `bytes` of them, as one piece to write; null when nothing
   * waits.
   */
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

  /** Drops events that are not allowed any more. */
  keep(allowed: (event: StreamEvent) => boolean): void {
    for (const [key, event] of this.#events) if (!allowed(event)) this.#events.delete(key)
  }

  clear(): void {
    this.#events.clear()
  }
}
