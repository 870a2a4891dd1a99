import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { STREAMS_MAX } from '../wire/tunnel.ts'

/** A full tunnel is logged once in this time. */
const LOGGED_EACH_MS = 60_000
/** Administrators see for this long that a tunnel was full. */
const SHOWN_MS = 60 * 60_000

/** Remembers when all places of a tunnel were taken: the relay refuses further requests then. */
export class FullTunnels {
  readonly #clock: Clock
  readonly #log: Log
  #last: { readonly at: number; readonly monotonic: number } | null = null
  #loggedAt = -Infinity

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock
    this.#log = log
  }

  /** When a tunnel was full last, epoch ms; null if that is longer ago than `SHOWN_MS`. */
  get lately(): number | null {
    if (this.#last === null) return null
    return this.#clock.monotonic() - this.#last.monotonic < SHOWN_MS ? this.#last.at : null
  }

  full(slot: number): void {
    const monotonic = this.#clock.monotonic()
    this.#last = { at: this.#clock.now(), monotonic }
    if (monotonic - this.#loggedAt < LOGGED_EACH_MS) return
    this.#loggedAt = monotonic
    this.#log.warn({ slot, streams: STREAMS_MAX }, 'A connection to the relay is full: further requests are refused.')
  }
}
