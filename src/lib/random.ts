import { randomBytes, randomUUID } from 'node:crypto'

/** Randomness as an argument, so that a run can be repeated from its seed. */
export interface Random {
  bytes(count: number): Buffer
  /** A version 4 UUID in lower case. */
  uuid(): string
}

export const systemRandom: Random = { bytes: (count) => randomBytes(count), uuid: () => randomUUID() }

/** Letters and digits without look-alikes (no 0, 1, i, l, o). */
const PLAIN_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'

/** A random identifier of `length` lower-case letters and digits that people can read to each other. */
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
