import { type BinaryLike, randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Random } from '@hm-gateway/lib/random.ts'
import { fail, ok, type Result } from '@hm-gateway/lib/result.ts'
import { FairShares } from '../limits/fair-shares.ts'

/** scrypt with N = 2^16, r = 8 takes 64 MiB and about 0.2 s of a core. */
const COST_LOG2 = 16
const BLOCK_SIZE = 8
const KEY_BYTES = 32
const SALT_BYTES = 16
/** At once, since each takes 64 MiB. */
export const HASHES_AT_ONCE_MAX = 2
/** In each queue; beyond it the address with the most is asked to come back. */
export const HASHES_WAITING_MAX = 32

const derive: (password: BinaryLike, salt: BinaryLike, keyBytes: number, options: ScryptOptions) => Promise<Buffer> =
  promisify(scrypt)

/** What is compared against where there is no account, so that a wrong address takes as long as a wrong password. */
const NOBODY = randomBytes(SALT_BYTES)

/** `first`: people who have shown that they are no strangers; those of strangers never fill their queue. */
export type Urgency = 'first' | 'usual'

interface Derivation {
  readonly password: string
  readonly salt: Buffer
  readonly costLog2: number
  readonly urgency: Urgency
  /** The address that it is from. */
  readonly peer: string
}

/** Passwords as scrypt hashes: `scrypt$16$<salt>$<key>`, the latter two in base64url. */
export class Passwords {
  readonly #random: Random
  readonly #costLog2: number
  #running = 0
  /** Each is called with whether it may begin; otherwise another address has its place. */
  readonly #queues: Readonly<Record<Urgency, FairShares<(mayBegin: boolean) => void>>> = {
    first: new FairShares(),
    usual: new FairShares(),
  }

  constructor(random: Random, costLog2 = COST_LOG2) {
    this.#random = random
    this.#costLog2 = costLog2
  }

  async hash(password: string, urgency: Urgency = 'usual', peer = ''): Promise<Result<string, 'busy'>> {
    const salt = this.#random.bytes(SALT_BYTES)
    const key = await this.#derive({ password, salt, costLog2: this.#costLog2, urgency, peer })
    if (key === null) return fail('busy')
    return ok(`scrypt$${this.#costLog2}$${salt.toString('base64url')}$${key.toString('base64url')}`)
  }

  /** Takes as long where `hash` is null: there is no such account. */
  async matches(
    password: string,
    hash: string | null,
    urgency: Urgency = 'usual',
    peer = '',
  ): Promise<Result<boolean, 'busy'>> {
    const [, cost = this.#costLog2, text = null, stored = ''] = hash?.split('$') ?? []
    const salt = text === null ? NOBODY : Buffer.from(text, 'base64url')
    const key = await this.#derive({ password, salt, costLog2: Number(cost), urgency, peer })
    if (key === null) return fail('busy')
    const expected = Buffer.from(stored, 'base64url')
    return ok(expected.length === key.length && timingSafeEqual(expected, key))
  }

  async #derive({ password, salt, costLog2, urgency, peer }: Derivation): Promise<Buffer | null> {
    if (!(await this.#waitForTurn(urgency, peer))) return null
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
      const next = this.#queues.first.takeOldest() ?? this.#queues.usual.takeOldest()
      if (next === null) this.#running -= 1
      else next(true)
    }
  }

  /** Waits for a place; false if too many wait, and no address has more of them than this one. */
  async #waitForTurn(urgency: Urgency, peer: string): Promise<boolean> {
    if (this.#running < HASHES_AT_ONCE_MAX) {
      this.#running += 1
      return true
    }
    const queue = this.#queues[urgency]
    if (queue.size >= HASHES_WAITING_MAX) {
      const rival = queue.victimFor(peer)
      if (rival === null) return false
      queue.delete(rival)
      rival(false)
    }
    return new Promise((resolve) => queue.add(resolve, peer))
  }
}
