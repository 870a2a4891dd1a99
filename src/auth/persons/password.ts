import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Random } from '../../lib/random.ts'

/** In characters. */
export const PASSWORD_LENGTH = { min: 10, max: 256 } as const
/** KiB of memory, and how often they are gone over. */
interface Cost {
  readonly memory: number
  readonly passes: number
}

/** What one guess costs: 19 MiB, twice over (docs/console.md#why). */
const COST: Cost = { memory: 19_456, passes: 2 }
const SALT_BYTES = 16
const HASH_BYTES = 32
/** Hashes that are made at once: each takes memory and a core. */
const AT_ONCE_MAX = 2
/** Further ones that wait for a turn. */
const WAITING_MAX = 8

const STORED = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/
/** Costs of a stored hash; a damaged one must not take all memory. */
const STORED_COST_MAX = { memory: 65_536, passes: 10 }

const derive = promisify(argon2)

/** Hashes and compares passwords, a few at a time. */
export class Passwords {
  readonly #random: Random
  readonly #cost: Cost
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** @param cost of new hashes; another only where a test makes many. */
  constructor(random: Random, cost: Cost = COST) {
    this.#random = random
    this.#cost = cost
  }

  /** Whether one more would have to wait for too many others. */
  get busy(): boolean {
    return this.#waiting.length >= WAITING_MAX
  }

  /** What is stored in the place of a password: its hash with salt and costs. */
  async hash(password: string): Promise<string> {
    const salt = this.#random.bytes(SALT_BYTES)
    const hash = await this.#inTurn(() => derived(password, salt, this.#cost))
    return `$argon2id$v=19$m=${this.#cost.memory},t=${this.#cost.passes},p=1$${base64(salt)}$${base64(hash)}`
  }

  /** Whether a password is the stored one; where there is none to compare with, it takes as long. */
  async matches(password: string, stored: string | null): Promise<boolean> {
    const known = partsOf(stored)
    const { salt, cost } = known ?? { salt: Buffer.alloc(SALT_BYTES), cost: this.#cost }
    const hash = await this.#inTurn(() => derived(password, salt, cost))
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

interface Parts {
  readonly salt: Buffer
  readonly hash: Buffer
  readonly cost: Cost
}

/** Null where there is no password, or its hash was damaged: nobody's then. */
function partsOf(stored: string | null): Parts | null {
  const [, memory = '', passes = '', salt = '', hash = ''] = STORED.exec(stored ?? '') ?? []
  const cost = { memory: Number(memory), passes: Number(passes) }
  if (salt === '' || cost.memory > STORED_COST_MAX.memory || cost.passes > STORED_COST_MAX.passes) return null
  if (cost.memory < 8 || cost.passes < 1) return null
  return { salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64'), cost }
}

/** The same text however it was composed on the keyboard. */
function derived(password: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFKC'))
  return derive('argon2id', { message, nonce, parallelism: 1, tagLength: HASH_BYTES, ...cost })
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
