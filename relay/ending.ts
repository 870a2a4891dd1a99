import type { Relay } from './relay.ts'
import type { RelayParts } from './store/parts.ts'

/** What is under way when the relay is stopped may go on so long. */
const GRACE_MS = 30_000
/** After it the parts of the relay are closed within so long; the service manager waits a little longer. */
const CLOSING_MS = 6_000
/** The last lines of the log are taken by their reader within so long. */
const LOG_TAKEN_MS = 1_000

interface EndingParts extends Pick<RelayParts, 'clock' | 'log'> {
  /** Calls back when all lines of the log were taken, or never will be. */
  readonly logTaken: (done: () => void) => void
  readonly exit: (code: number) => void
  /** Ends the process without another word. */
  readonly kill: () => void
}

/**
 * The end of the process, which comes whatever hangs. Lines that nobody takes would hold it for ever: an exit writes
 * them first, and waits for their reader.
 */
export class Ending {
  readonly #parts: EndingParts
  #isStopping = false
  #isEnding = false

  constructor(parts: EndingParts) {
    this.#parts = parts
  }

  /** Stops in order at the first call, at once at a second one. */
  stop(relay: Pick<Relay, 'stop'>): void {
    if (this.#isStopping) return this.end(1)
    this.#isStopping = true
    const { clock, log } = this.#parts
    clock.after(GRACE_MS + CLOSING_MS, () => {
      log.error({}, 'The relay did not stop in time and is ended.')
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
    const { clock, logTaken, exit, kill } = this.#parts
    const cancel = clock.after(LOG_TAKEN_MS, kill)
    logTaken(() => {
      cancel()
      exit(code)
    })
  }
}
