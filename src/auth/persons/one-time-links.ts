import type { Random } from '../../lib/random.ts'
import type { SteadyTime } from '../steady-time.ts'
import { hashSecret } from '../token.ts'
import type { LinkMaker } from './console-session.ts'

/** A link ends after this, used or not. */
export const LINK_MS = 10 * 60_000
/** 144 bits: nobody guesses one. */
const CODE_BYTES = 18
/** Links that wait at once; the oldest goes first. */
const LINKS_MAX = 20

/** A link that waits for its use. */
export interface WaitingLink {
  /** Of whom it is; null: of nobody yet. */
  readonly person: string | null
  /** Null: it was made over the socket file. */
  readonly maker: LinkMaker | null
}

/**
 * Codes that open the console once. They are made for whoever is an administrator already, by the socket file or a
 * session, and live in memory alone: none outlives the process, and no copy of the configuration brings one back.
 */
export class OneTimeLinks {
  readonly #random: Random
  readonly #steady: Pick<SteadyTime, 'now'>
  /** By the hash of their codes; `until` is steady time in ms. */
  readonly #waiting = new Map<string, WaitingLink & { readonly until: number }>()

  constructor({ random, steady }: { readonly random: Random; readonly steady: Pick<SteadyTime, 'now'> }) {
    this.#random = random
    this.#steady = steady
  }

  /** A new code, for a person or for nobody by name. */
  make(person: string | null, maker: LinkMaker | null = null): string {
    const code = this.#random.bytes(CODE_BYTES).toString('base64url')
    this.#waiting.set(keyOf(code), { person, maker, until: this.#steady.now() + LINK_MS })
    const [oldest] = this.#waiting.keys()
    if (this.#waiting.size > LINKS_MAX && oldest !== undefined) this.#waiting.delete(oldest)
    return code
  }

  /** The link of a code that still opens; null: it is unknown, used or too old. */
  find(code: string): WaitingLink | null {
    const waiting = this.#waiting.get(keyOf(code))
    return waiting === undefined || this.#steady.now() >= waiting.until ? null : waiting
  }

  /** A code was used: it opens nothing any more. */
  used(code: string): void {
    this.#waiting.delete(keyOf(code))
  }

  /** Drops what waits of those who lost their access: what these sessions made, and what a person made or was given. */
  drop(sessions: readonly string[], person: string | null): void {
    for (const [key, { person: of, maker }] of this.#waiting) {
      const isTheirs = person !== null && (of === person || maker?.person === person)
      if (isTheirs || (maker !== null && sessions.includes(maker.session))) this.#waiting.delete(key)
    }
  }
}

const keyOf = (code: string): string => hashSecret(code).toString('base64')
