import type { Clock } from '../../../lib/clock.ts'
import type { NewClaim, RuleStore } from '../../ports/rule-store.ts'

/** Claims that the disk did not take are tried again after this. */
const STORE_AGAIN_MS = 30_000
/** Claims that wait for the disk; the oldest are given up. */
export const CLAIMS_WAITING_MAX = 1_000

/**
 * Occurrences that ran, or were left out, while the disk took no claim. They are stored as soon as it does, so that no
 * restart runs them again; until then the timetable remembers them.
 */
export class UnstoredClaims {
  readonly #parts: { readonly store: Pick<RuleStore, 'claim'>; readonly clock: Clock }
  readonly #claims = new Map<string, NewClaim>()
  #cancel: (() => void) | null = null

  constructor(parts: { readonly store: Pick<RuleStore, 'claim'>; readonly clock: Clock }) {
    this.#parts = parts
  }

  add(claim: NewClaim): void {
    this.#claims.set(keyOf(claim), claim)
    const [oldest] = this.#claims.keys()
    if (this.#claims.size > CLAIMS_WAITING_MAX && oldest !== undefined) this.#claims.delete(oldest)
    this.#cancel ??= this.#parts.clock.after(STORE_AGAIN_MS, () => this.#tryAgain())
  }

  /** Tries once more, for the last time. */
  stop(): void {
    this.#cancel?.()
    this.#store()
  }

  #tryAgain(): void {
    this.#cancel = this.#store() ? null : this.#parts.clock.after(STORE_AGAIN_MS, () => this.#tryAgain())
  }

  /** Whether all are stored; why not was said when the first was not. */
  #store(): boolean {
    for (const [key, claim] of this.#claims) {
      try {
        this.#parts.store.claim(claim, null)
      } catch {
        return false
      }
      this.#claims.delete(key)
    }
    return true
  }
}

function keyOf({ owner, slot, date }: NewClaim): string {
  return `${owner} ${slot} ${date}`
}
