import type { Clock } from '../lib/clock.ts'
import type { Epochs } from './epochs.ts'

/** Takeovers of one slot by another gateway after which it counts as found, and after which this one gives way. */
const TAKEOVERS = { found: 2, givesWay: 3 }
/** Takeovers are forgotten when so long nothing of another gateway was heard. */
const FORGOTTEN_MS = 10 * 60_000
/** Administrators see for this long that another gateway was found. */
const SHOWN_MS = 24 * 60 * 60_000

/** What a gateway does about a tunnel of another gateway that took the place of one of its own. */
export type ToTakeover = 'take_back' | 'give_way' | null

/**
 * Finds a second gateway with a copy of this one's data folder: the relay says which number took the place of a tunnel.
 * Both take their place back, so that both learn of the other and what an earlier process left at the relay does not
 * count. Then the one whose place was taken first gives way, which is the older one.
 */
export class RivalGateways {
  readonly #clock: Clock
  readonly #epochs: Pick<Epochs, 'isOwn' | 'passed'>
  readonly #found: () => void
  readonly #takeovers = new Map<number, Set<number>>()
  #heardAt = -Infinity
  #foundAt: { readonly at: number; readonly monotonic: number } | null = null

  /** @param found tells of each takeover by a gateway that counts as found */
  constructor(clock: Clock, epochs: Pick<Epochs, 'isOwn' | 'passed'>, found: () => void) {
    this.#clock = clock
    this.#epochs = epochs
    this.#found = found
  }

  /** When another gateway was found last, epoch ms; null if that is longer ago than `SHOWN_MS`. */
  get lately(): number | null {
    if (this.#foundAt === null) return null
    return this.#clock.monotonic() - this.#foundAt.monotonic < SHOWN_MS ? this.#foundAt.at : null
  }

  /** A tunnel of this number took the place of `own` in a slot. */
  replaced(slot: number, own: number, by: number): ToTakeover {
    // Two gateways can count the same; one gateway never does.
    if (this.#epochs.isOwn(by) && by !== own) return null
    const now = this.#clock.monotonic()
    if (now - this.#heardAt > FORGOTTEN_MS) this.#takeovers.clear()
    this.#heardAt = now
    const takeovers = (this.#takeovers.get(slot) ?? new Set()).add(by)
    this.#takeovers.set(slot, takeovers)
    this.#epochs.passed(by)
    if (takeovers.size < TAKEOVERS.found) return 'take_back'
    this.#foundAt = { at: this.#clock.now(), monotonic: now }
    this.#found()
    if (takeovers.size < TAKEOVERS.givesWay) return 'take_back'
    this.#takeovers.clear()
    return 'give_way'
  }
}
