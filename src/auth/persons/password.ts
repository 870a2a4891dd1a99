import crypto, { scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Random } from '../../lib/random.ts'

/** Algorithm and cost of hashing a password. */
type Hashing =
  /** `memory` in KiB, with `passes` iterations (RFC 9106). */
  | { readonly by: 'argon2id'; readonly memory: number; readonly passes: number }
  /** 2 to the power of `log2` KiB of memory, `passes` times (RFC 7914, blocks of 8). */
  | { readonly by: 'scrypt'; readonly log2: number; readonly passes: number }

/** Hash of one password with its parameters. */
interface PasswordHash {
  readonly hashing: Hashing
  readonly salt: Buffer
  readonly hash: Buffer
}

const SALT_BYTES = 16
const HASH_BYTES = 32
const BLOCKS = 8
const KIB = 1024

/** Node has argon2 since 24.7; the registry has no older build with it for Macs with Apple chips. */
const argon2 = (crypto as Partial<Pick<typeof crypto, 'argon2'>>).argon2
const byArgon2 = argon2 === undefined ? null : promisify(argon2)
const byScrypt = promisify<Buffer, Buffer, number, object, Buffer>(scrypt)

/** Cost of a hash: 19 MiB with two passes; without argon2, 16 MiB with five (docs/console.md#why). */
const HASHING: Hashing =
  byArgon2 === null ? { by: 'scrypt', log2: 14, passes: 5 } : { by: 'argon2id', memory: 19_456, passes: 2 }

/** Largest accepted cost of a stored hash, so that a damaged one cannot take all memory or hours. */
const STORED_MAX = { memory: 65_536, log2: 16, passes: 10 }

const TAIL = String.raw`p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$`
const ARGON2ID = new RegExp(String.raw`^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),${TAIL}`)
const SCRYPT = new RegExp(String.raw`^\$scrypt\$ln=(\d{1,2}),r=8,t=(\d{1,2}),${TAIL}`)

/** Stored text of a hash. */
function hashText({ hashing, salt, hash }: PasswordHash): string {
  const cost =
    hashing.by === 'argon2id'
      ? `v=19$m=${hashing.memory},t=${hashing.passes}`
      : `ln=${hashing.log2},r=8,t=${hashing.passes}`
  return `$${hashing.by}$${cost},p=1$${base64(salt)}$${base64(hash)}`
}

/** Parses a stored hash; null if there is none, it is damaged, or this Node lacks its algorithm. */
function storedHash(stored: string | null): PasswordHash | null {
  const [, memory, ...ofArgon2id] = ARGON2ID.exec(stored ?? '') ?? []
  if (memory !== undefined && byArgon2 !== null)
    return hashOf({ by: 'argon2id', memory: Number(memory), passes: Number(ofArgon2id[0]) }, ofArgon2id)
  const [, log2, ...ofScrypt] = SCRYPT.exec(stored ?? '') ?? []
  return log2 === undefined ? null : hashOf({ by: 'scrypt', log2: Number(log2), passes: Number(ofScrypt[0]) }, ofScrypt)
}

function hashOf(hashing: Hashing, [, salt = '', hash = '']: readonly string[]): PasswordHash | null {
  if (hashing.passes < 1 || hashing.passes > STORED_MAX.passes) return null
  const isBounded =
    hashing.by === 'argon2id'
      ? hashing.memory >= 8 && hashing.memory <= STORED_MAX.memory
      : hashing.log2 >= 1 && hashing.log2 <= STORED_MAX.log2
  return isBounded ? { hashing, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') } : null
}

/** Hashes a password. Normalisation makes the hash independent of how the keyboard composes characters. */
async function hashPassword(password: string, salt: Buffer, hashing: Hashing): Promise<PasswordHash> {
  const message = Buffer.from(password.normalize('NFKC'))
  return { hashing, salt, hash: await deriveKey(message, salt, hashing) }
}

function deriveKey(message: Buffer, salt: Buffer, hashing: Hashing): Promise<Buffer> {
  const { passes } = hashing
  if (hashing.by === 'argon2id') {
    if (byArgon2 === null) throw new Error('This Node has no argon2.')
    return byArgon2('argon2id', {
      message,
      nonce: salt,
      parallelism: 1,
      tagLength: HASH_BYTES,
      memory: hashing.memory,
      passes,
    })
  }
  const rounds = 2 ** hashing.log2
  const maxmem = 2 * rounds * BLOCKS * 128 + KIB * KIB
  return byScrypt(message, salt, HASH_BYTES, { N: rounds, r: BLOCKS, p: passes, maxmem })
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** Length in characters. */
export const PASSWORD_LENGTH = { min: 10, max: 256 } as const
/** Most simultaneous hashes; each takes memory and a core. */
const AT_ONCE_MAX = 2
/** Most hashes in the queue. */
const WAITING_MAX = 8

/** Hashes and compares passwords with bounded concurrency. */
export class Passwords {
  readonly #random: Random
  readonly #hashing: Hashing
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** @param hashing cost of new hashes; lower in tests with many passwords */
  constructor(random: Random, hashing: Hashing = HASHING) {
    this.#random = random
    this.#hashing = hashing
  }

  /** True if the queue is full. */
  get busy(): boolean {
    return this.#waiting.length >= WAITING_MAX
  }

  /** Text to store instead of a password: its hash with salt and costs. */
  async hash(password: string): Promise<string> {
    const salt = this.#random.bytes(SALT_BYTES)
    return hashText(await this.#inTurn(() => hashPassword(password, salt, this.#hashing)))
  }

  /** Compares a password with the stored hash; takes equally long without one. */
  async matches(password: string, stored: string | null): Promise<boolean> {
    const known = storedHash(stored)
    const { salt, hashing } = known ?? { salt: Buffer.alloc(SALT_BYTES), hashing: this.#hashing }
    const { hash } = await this.#inTurn(() => hashPassword(password, salt, hashing))
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
