import type { GuessWait, GuessWaitStore } from './confirmation.ts'
import type { SteadyTime } from './steady-time.ts'

/** After the first decline by wrong codes none is looked at for so long, after each further one for twice as long. */
const WAIT_MS = 5 * 60_000
const WAIT_MS_MAX = 24 * 60 * 60_000

/**
 * How long each credential waits with its next code: the wait ends by time, its growth once a person confirms. It is
 * stored, so that a restart resets neither.
 */
export class GuessWaits {
  readonly #store: GuessWaitStore
  readonly #steady: Pick<SteadyTime, 'now'>

  constructor(store: GuessWaitStore, steady: Pick<SteadyTime, 'now'>) {
    this.#store = store
    this.#steady = steady
  }

  /** Seconds until a code of this credential is looked at; 0 when it is at once. */
  of(link: string): number {
    const left = (this.#store.wait(link)?.until ?? 0) - this.#steady.now()
    return left > 0 ? Math.max(1, Math.ceil(left / 1_000)) : 0
  }

  /** Three wrong codes declined a call; joins the transaction that stores this. */
  declined(link: string): void {
    const declines = (this.#store.wait(link)?.declines ?? 0) + 1
    const wait: GuessWait = {
      declines,
      until: this.#steady.now() + Math.min(WAIT_MS_MAX, WAIT_MS * 2 ** (declines - 1)),
    }
    this.#store.setWait(link, wait)
  }

  /** A person confirmed a call of this credential; joins the transaction that stores this. */
  confirmed(link: string): void {
    this.#store.endWait(link)
  }
}
