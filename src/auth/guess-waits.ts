import type { SteadyTime } from './steady-time.ts'

/** After the first decline by wrong codes none is looked at for so long, after each further one for twice as long. */
const WAIT_MS = 5 * 60_000
const WAIT_MS_MAX = 24 * 60 * 60_000
/** Credentials that are remembered. */
const KEYS_MAX = 1_000

/** How long each credential waits with its next code: the wait ends by time, its growth once a person confirms. */
export class GuessWaits {
  readonly #steady: Pick<SteadyTime, 'now'>
  /** By link; the longest ago declined first. */
  readonly #waits = new Map<string, { readonly declines: number; readonly until: number }>()

  constructor(steady: Pick<SteadyTime, 'now'>) {
    this.#steady = steady
  }

  /** Seconds until a code of this credential is looked at; 0 when it is at once. */
  of(link: string): number {
    const left = (this.#waits.get(link)?.until ?? 0) - this.#steady.now()
    return left > 0 ? Math.max(1, Math.ceil(left / 1_000)) : 0
  }

  /** Three wrong codes declined a call. */
  declined(link: string): void {
    const declines = (this.#waits.get(link)?.declines ?? 0) + 1
    const wait = Math.min(WAIT_MS_MAX, WAIT_MS * 2 ** (declines - 1))
    this.#waits.delete(link)
    this.#waits.set(link, { declines, until: this.#steady.now() + wait })
    const [oldest] = this.#waits.keys()
    if (this.#waits.size > KEYS_MAX && oldest !== undefined) this.#waits.delete(oldest)
  }

  /** A person confirmed a call of this credential. */
  confirmed(link: string): void {
    this.#waits.delete(link)
  }
}
