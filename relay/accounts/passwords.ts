import { type BinaryLike, randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Random } from '../../src/lib/random.ts'
import { fail, ok, type Result } from '../../src/lib/result.ts'
import { FairPlaces } from '../fair-places.ts'

/** scrypt with N = 2^16, r = 8 takes 64 MiB and about 0.2 s of a core. */
const COST_LOG2 = 16
const BLOCK_SIZE = 8
const KEY_BYTES = 32
const SALT_BYTES = 16
/** At once, since each takes 64 MiB. */
export const HASHES_AT_ONCE_MAX = 2
/** Beyond it the sender with the most is asked to come back. */
export const HASHES_WAITING_MAX = 32

const derive: (password: BinaryLike, salt: BinaryLike, keyBytes: number, options: ScryptOptions) => Promise<Buffer> =
  promisify(scrypt)

/** What is compared against where there is no account, so that a wrong address takes as long as a wrong password. */
const NOBODY = randomBytes(SALT_BYTES)

/** A password that somebody types. */
interface Tried {
  readonly password: string
  readonly sender: string
}

/** Passwords as scrypt hashes: `scrypt$16$<salt>$<key>`, the latter two in base64url. */
export class Passwords {
  readonly #random: Random
  readonly #costLog2: number
  #running = 0
  /** Each is called with whether it may begin, or has to give its place to another sender. */
  readonly #waiting = new FairPlaces<(mayBegin: boolean) => void>()

  constructor(random: Random, costLog2 = COST_LOG2) {
    this.#random = random
    this.#costLog2 = costLog2
  }

  /** @param sender the address it is from, or the account of a person who is signed in. */
  async hash(password: string, sender: string): Promise<Result<string, 'busy'>> {
    const salt = this.#random.bytes(SALT_BYTES)
    const key = await this.#derive({ password, sender }, salt, this.#costLog2)
    if (key === null) return fail('busy')
    return ok(`scrypt$${this.#costLog2}$${salt.toString('base64url')}$${key.toString('base64url')}`)
  }

  /** Takes as long where `hash` is null: there is no such account. */
  async matches(password: string, hash: string | null, sender: string): Promise<Result<boolean, 'busy'>> {
    const [, cost = this.#costLog2, salt = null, stored = ''] = hash?.split('$') ?? []
    const salted = salt === null ? NOBODY : Buffer.from(salt, 'base64url')
    const key = await this.#derive({ password, sender }, salted, Number(cost))
    if (key === null) return fail('busy')
    const expected = Buffer.from(stored, 'base64url')
    return ok(expected.length === key.length && timingSafeEqual(expected, key))
  }

  async #derive({ password, sender }: Tried, salt: Buffer, costLog2: number): Promise<Buffer | null> {
    if (!(await this.#mayBegin(sender))) return null
    try {
      const N = 2 ** costLog2
      return await derive(password.normalize('NFKC'), salt, KEY_BYTES, {
        N,
        r: BLOCK_SIZE,
        p: 1,
        maxmem: 256 * N * BLOCK_SIZE,
      })
    } finally {
      // The place goes to the next, so that none who comes later is faster.
      const next = this.#waiting.takeOldest()
      if (next === null) this.#running -= 1
      else next(true)
    }
  }

  /** Waits for a place; false if too many wait, and this sender has as many of them as any other. */
  async #mayBegin(sender: string): Promise<boolean> {
    if (this.#running < HASHES_AT_ONCE_MAX) {
      this.#running += 1
      return true
    }
    if (this.#waiting.size >= HASHES_WAITING_MAX) {
      const rival = this.#waiting.rivalOf(sender)
      if (rival === null) return false
      this.#waiting.delete(rival)
      rival(false)
    }
    return new Promise((resolve) => this.#waiting.add(resolve, sender))
  }
}
