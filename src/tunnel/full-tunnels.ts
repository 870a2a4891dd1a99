import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { STREAMS_MAX } from '../wire/tunnel.ts'

/** Least time between log entries about full tunnels. */
const LOG_EVERY_MS = 60_000
/** Time for which administrators see that a tunnel was full. */
const SHOWN_MS = 60 * 60_000

/** Remembers when a tunnel was last full, which means that the relay refuses further requests. */
export class FullTunnels {
  readonly #parts: { readonly clock: Clock; readonly log: Log }
  #last: { readonly at: number; readonly monotonic: number } | null = null
  #loggedAt = -Infinity

  constructor(parts: { readonly clock: Clock; readonly log: Log }) {
    this.#parts = parts
  }

  /** Epoch ms at which a tunnel was last full; null if that is longer ago than `SHOWN_MS`. */
  get lastFullAt(): number | null {
    if (this.#last === null) return null
    return this.#parts.clock.monotonic() - this.#last.monotonic < SHOWN_MS ? this.#last.at : null
  }

  /** Notes that the tunnel of this slot is full. */
  note(slot: number): void {
    const monotonic = this.#parts.clock.monotonic()
    this.#last = { at: this.#parts.clock.now(), monotonic }
    if (monotonic - this.#loggedAt < LOG_EVERY_MS) return
    this.#loggedAt = monotonic
    this.#parts.log.warn(
      { slot, streams: STREAMS_MAX },
      'A connection to the relay is full: further requests are refused.',
    )
  }
}
