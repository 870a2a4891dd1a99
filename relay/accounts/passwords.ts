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
/** Concurrent hashes, because each takes 64 MiB. */
export const HASHES_AT_ONCE_MAX = 2
/** Length of each queue; beyond it the address with the most waiting hashes loses one. */
export const HASHES_WAITING_MAX = 32

const derive: (password: BinaryLike, salt: BinaryLike, keyBytes: number, options: ScryptOptions) => Promise<Buffer> =
  promisify(scrypt)

/** Salt for an unknown account, so that a wrong address takes as long as a wrong password. */
const DUMMY_SALT = randomBytes(SALT_BYTES)

/** `first` is a separate queue for signed-in people and known devices, which strangers cannot fill. */
export type Urgency = 'first' | 'usual'

interface Derivation {
  readonly password: string
  readonly salt: Buffer
  readonly costLog2: number
  readonly urgency: Urgency
  /** Address of the visitor. */
  readonly peer: string
}

/** Hashes of passwords: `scrypt$16$<salt>$<key>`, with salt and key in base64url. */
export class Passwords {
  readonly #random: Random
  readonly #costLog2: number
  #running = 0
  /** Waiting hashes. A callback receives true when its turn comes, false when it is evicted. */
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

  /** Compares a password. A null hash, for an unknown account, takes the same time. */
  async matches(
    password: string,
    hash: string | null,
    urgency: Urgency = 'usual',
    peer = '',
  ): Promise<Result<boolean, 'busy'>> {
    const [, cost = this.#costLog2, text = null, stored = ''] = hash?.split('$') ?? []
    const salt = text === null ? DUMMY_SALT : Buffer.from(text, 'base64url')
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
      // The next in the queue takes over this place, so that a newcomer cannot overtake it.
      const next = this.#queues.first.takeOldest() ?? this.#queues.usual.takeOldest()
      if (next === null) this.#running -= 1
      else next(true)
    }
  }

  /** Waits for a turn; false if the queue is full and no address has more waiting hashes than this one. */
  async #waitForTurn(urgency: Urgency, peer: string): Promise<boolean> {
    if (this.#running < HASHES_AT_ONCE_MAX) {
      this.#running += 1
      return true
    }
    const queue = this.#queues[urgency]
    if (queue.size >= HASHES_WAITING_MAX) {
      const victim = queue.victimFor(peer)
      if (victim === null) return false
      queue.delete(victim)
      victim(false)
    }
    return new Promise((resolve) => queue.add(resolve, peer))
  }
}
