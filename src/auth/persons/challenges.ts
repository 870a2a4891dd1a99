import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from '../../lib/random.ts'
import type { SteadyTime } from '../steady-time.ts'

/** Whoever is asked for a passkey has so long to show it. */
export const CHALLENGE_MS = 5 * 60_000
/** Answered ones that are remembered until they end; when there are so many, none is taken until one ends. */
const ANSWERED_MAX = 1_000

const [NONCE_BYTES, UNTIL_BYTES, MAC_BYTES] = [16, 6, 16]
const KEY_BYTES = 32

/**
 * What a passkey signs, so that an answer opens once and for one purpose alone. A challenge carries its end and the
 * gateway's mark, and nothing is kept of it before it is answered rightly: strangers who ask for many use up nothing.
 */
export class Challenges {
  readonly #random: Random
  readonly #steady: Pick<SteadyTime, 'now'>
  /** Of this process alone: no challenge outlives it. */
  readonly #key: Buffer
  /** Answered ones, with their end in steady time. */
  readonly #answered = new Map<string, number>()

  constructor({ random, steady }: { readonly random: Random; readonly steady: Pick<SteadyTime, 'now'> }) {
    this.#random = random
    this.#steady = steady
    this.#key = random.bytes(KEY_BYTES)
  }

  /** A new one, base64url, for a purpose such as `enter`. */
  make(purpose: string): string {
    const said = Buffer.alloc(NONCE_BYTES + UNTIL_BYTES)
    this.#random.bytes(NONCE_BYTES).copy(said)
    said.writeUIntBE(Math.ceil(this.#steady.now()) + CHALLENGE_MS, NONCE_BYTES, UNTIL_BYTES)
    return Buffer.concat([said, this.#markOf(said, purpose)]).toString('base64url')
  }

  /** Whether it was made for this purpose, has not ended and was not answered yet. */
  holds(challenge: string, purpose: string): boolean {
    const bytes = Buffer.from(challenge, 'base64url')
    // One text for each: another one of the same bytes would not be known as answered.
    if (bytes.length !== NONCE_BYTES + UNTIL_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge)
      return false
    const said = bytes.subarray(0, NONCE_BYTES + UNTIL_BYTES)
    const isOurs = timingSafeEqual(bytes.subarray(said.length), this.#markOf(said, purpose))
    return isOurs && this.#steady.now() < untilOf(said) && !this.#answered.has(challenge)
  }

  /** It was answered rightly; false where it was before, meanwhile. */
  answered(challenge: string): boolean {
    const now = this.#steady.now()
    for (const [each, until] of this.#answered) if (now >= until) this.#answered.delete(each)
    if (this.#answered.has(challenge) || this.#answered.size >= ANSWERED_MAX) return false
    this.#answered.set(challenge, untilOf(Buffer.from(challenge, 'base64url')))
    return true
  }

  #markOf(said: Buffer, purpose: string): Buffer {
    return createHmac('sha256', this.#key).update(said).update(purpose).digest().subarray(0, MAC_BYTES)
  }
}

const untilOf = (said: Buffer): number => said.readUIntBE(NONCE_BYTES, UNTIL_BYTES)
