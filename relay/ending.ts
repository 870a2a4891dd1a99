import type { Relay } from './relay.ts'
import type { RelayParts } from './store/relay-parts.ts'

/** Open requests may finish within this time after a stop. */
const GRACE_MS = 30_000
/** Timeout for closing the relay's parts afterwards; the service manager waits a little longer. */
const CLOSING_MS = 6_000
/** Timeout for writing the last lines of the log. */
const LOG_FLUSH_MS = 1_000

interface EndingParts extends Pick<RelayParts, 'clock' | 'log'> {
  readonly flushLog: (done: () => void) => void
  readonly exit: (code: number) => void
  /** Ends the process immediately. */
  readonly kill: () => void
}

/**
 * Ends the process in bounded time, even if a part of it hangs. `process.exit` would wait forever for a log that is
 * not read, so a timeout kills the process.
 */
export class Ending {
  readonly #parts: EndingParts
  #isStopping = false
  #isEnding = false

  constructor(parts: EndingParts) {
    this.#parts = parts
  }

  /** Stops gracefully at the first call, immediately at the second. */
  stop(relay: Pick<Relay, 'stop'>): void {
    if (this.#isStopping) return this.end(1)
    this.#isStopping = true
    const { clock, log } = this.#parts
    clock.after(GRACE_MS + CLOSING_MS, () => {
      log.error({}, 'The relay did not stop in time. The process ends now.')
      this.end(1)
    })
    relay.stop(GRACE_MS).then(
      () => this.end(0),
      (error: unknown) => {
        log.error({ err: error }, 'The relay did not stop cleanly.')
        this.end(1)
      },
    )
  }

  end(code: number): void {
    if (this.#isEnding) return
    this.#isEnding = true
    const { clock, flushLog, exit, kill } = this.#parts
    const cancel = clock.after(LOG_FLUSH_MS, kill)
    flushLog(() => {
      cancel()
      exit(code)
    })
  }
}
