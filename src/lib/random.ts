import { randomBytes, randomUUID } from 'node:crypto'

/** Randomness as an argument, so that a seed repeats a run. */
export interface Random {
  bytes(count: number): Buffer
  /** A version 4 UUID in lower case. */
  uuid(): string
}

/** Random bytes drawn ahead of time, so that one system call serves many small requests. No byte is used twice. */
const POOL_BYTES = 2_048
let pool = Buffer.alloc(0)

function drawn(count: number): Buffer {
  if (count > POOL_BYTES / 8) return randomBytes(count)
  if (pool.length < count) pool = randomBytes(POOL_BYTES)
  const bytes = Buffer.from(pool.subarray(0, count))
  pool.fill(0, 0, count)
  pool = pool.subarray(count)
  return bytes
}

export const systemRandom: Random = { bytes: drawn, uuid: () => randomUUID() }

/** Letters and digits without look-alikes (no 0, 1, i, l, o). */
const PLAIN_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'

/** A random identifier of `length` lower-case letters and digits that people can read aloud. */
export function randomId(random: Random, length: number): string {
  let id = ''
  while (id.length < length) {
    for (const byte of random.bytes(length)) {
      // Bytes beyond the largest multiple are dropped, so that every letter is equally likely.
      if (byte < 248 && id.length < length) id += PLAIN_ALPHABET[byte % PLAIN_ALPHABET.length]
    }
  }
  return id
}
