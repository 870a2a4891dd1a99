import { timingSafeEqual } from 'node:crypto'
import type { Random } from '../../lib/random.ts'
import { HASHING, type Hashing, hashed, hashText, SALT_BYTES, storedHash } from './password-hash.ts'

/** In characters. */
export const PASSWORD_LENGTH = { min: 10, max: 256 } as const
/** Hashes that are made at once: each takes memory and a core. */
const AT_ONCE_MAX = 2
/** Further ones that wait for a turn. */
const WAITING_MAX = 8

/** Hashes and compares passwords, a few at a time. */
export class Passwords {
  readonly #random: Random
  readonly #hashing: Hashing
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** @param hashing of new ones; another only where a test makes many. */
  constructor(random: Random, hashing: Hashing = HASHING) {
    this.#random = random
    this.#hashing = hashing
  }

  /** Whether one more would have to wait for too many others. */
  get busy(): boolean {
    return this.#waiting.length >= WAITING_MAX
  }

  /** What is stored in the place of a password: its hash with salt and costs. */
  async hash(password: string): Promise<string> {
    const salt = this.#random.bytes(SALT_BYTES)
    return hashText(await this.#inTurn(() => hashed(password, salt, this.#hashing)))
  }

  /** Whether a password is the stored one; where there is none to compare with, it takes as long. */
  async matches(password: string, stored: string | null): Promise<boolean> {
    const known = storedHash(stored)
    const { salt, hashing } = known ?? { salt: Buffer.alloc(SALT_BYTES), hashing: this.#hashing }
    const { hash } = await this.#inTurn(() => hashed(password, salt, hashing))
    return known !== null && timingSafeEqual(hash, known.hash)
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}
