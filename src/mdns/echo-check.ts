import type { Clock } from '../lib/clock.ts'

export const ECHO_CHECK_MS = 60_000
/** Several attempts, because a busy machine may lose a packet. */
const QUERIES = 3
const QUERY_GAP_MS = 1000

export interface EchoCheckParts {
  readonly clock: Clock
  /** Sends a query to the group. */
  readonly query: () => void
  /** Called once when no query of a check came back; the checks then end. */
  readonly onUnheard: () => void
}

/**
 * Checks each minute that the group still receives the gateway's packets. The system returns them to the sender while
 * its socket is a member and the interface exists. Losing either causes no error.
 */
export class EchoCheck {
  readonly #parts: EchoCheckParts
  #hasEcho = false
  #cancel: () => void = () => {}

  constructor(parts: EchoCheckParts) {
    this.#parts = parts
  }

  /** Starts or restarts the checks; the first one is after a minute. */
  start(): void {
    this.stop()
    this.#wait()
  }

  stop(): void {
    this.#cancel()
  }

  /** Reports that one of the gateway's own packets came back. */
  received(): void {
    this.#hasEcho = true
  }

  #wait(): void {
    this.#cancel = this.#parts.clock.after(ECHO_CHECK_MS, () => {
      this.#hasEcho = false
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
      if (this.#hasEcho) this.#wait()
      else this.#query(turn + 1)
    })
  }
}
