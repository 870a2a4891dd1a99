import type { Clock } from '../lib/clock.ts'

export const ECHO_CHECK_MS = 60_000
/** A packet may get lost on a busy machine. */
const QUERIES = 3
const QUERY_GAP_MS = 1000

export interface EchoCheckParts {
  readonly clock: Clock
  /** Sends a query to the group. */
  readonly query: () => void
  /** No query of one check was heard. Called once, then the check has ended. */
  readonly onUnheard: () => void
}

/**
 * Checks each minute that the group still hears the gateway. The system sends every packet to the group also to its
 * sender, as long as the socket is a member there and the interface exists; neither fails with an error when it ends.
 */
export class EchoCheck {
  readonly #parts: EchoCheckParts
  #heard = false
  #cancel: () => void = () => {}

  constructor(parts: EchoCheckParts) {
    this.#parts = parts
  }

  /** Begins the checks, or begins anew: the first one comes after a minute. */
  start(): void {
    this.stop()
    this.#wait()
  }

  stop(): void {
    this.#cancel()
  }

  /** One of the gateway's own packets came back. */
  heard(): void {
    this.#heard = true
  }

  #wait(): void {
    this.#cancel = this.#parts.clock.after(ECHO_CHECK_MS, () => {
      this.#heard = false
      this.#query(1)
    })
  }

  #query(turn: number): void {
    const { clock, query, onUnheard } = this.#parts
    if (turn > QUERIES) {
      onUnheard()
      return
    }
    query()
    this.#cancel = clock.after(QUERY_GAP_MS, () => {
      if (this.#heard) this.#wait()
      else this.#query(turn + 1)
    })
  }
}
