import type { Random } from '../../lib/random.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'

/** Life of an unused code. */
export const SIGN_IN_CODE_MS = 5 * 60_000
/** Wrong codes that a person's code bears. */
const TRIES_MAX = 5
const DIGITS = 6
const CODES = 10 ** DIGITS
/** Numbers of four bytes from here on are drawn again, so that every code is equally likely. */
const DRAWN_MAX = Math.floor(2 ** 32 / CODES) * CODES

/**
 * Codes of six digits for people whose account needs two factors: a signed-in browser shows one, and another browser
 * needs it beside the password. They are in memory only, one for each person.
 */
export class SignInCodes {
  readonly #parts: { readonly random: Random; readonly steady: Pick<SteadyTime, 'now'> }
  /** By person; `until` is steady time in ms. */
  readonly #codes = new Map<string, { readonly code: string; readonly until: number; tries: number }>()

  constructor(parts: { readonly random: Random; readonly steady: Pick<SteadyTime, 'now'> }) {
    this.#parts = parts
  }

  /** Makes a person's code, in place of an earlier one. */
  make(person: string): string {
    const code = String(this.#drawn() % CODES).padStart(DIGITS, '0')
    this.#codes.set(person, { code, until: this.#parts.steady.now() + SIGN_IN_CODE_MS, tries: 0 })
    return code
  }

  /** Takes a typed code; true once, if it is the person's. */
  take(person: string, typed: string): boolean {
    const known = this.#codes.get(person)
    if (known === undefined) return false
    known.tries += 1
    const isRight = known.code === typed.replaceAll(/\s/g, '') && this.#parts.steady.now() < known.until
    if (isRight || known.tries >= TRIES_MAX) this.#codes.delete(person)
    return isRight
  }

  #drawn(): number {
    for (;;) {
      const drawn = this.#parts.random.bytes(4).readUInt32BE()
      if (drawn < DRAWN_MAX) return drawn
    }
  }
}
