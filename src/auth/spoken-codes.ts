import type { Random } from '../lib/random.ts'

/** Consonants without look-alikes, as RFC 8628 section 6.1 offers them: they spell no words by chance. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
/** Bytes from here on would make some letters likelier than others. */
const BYTE_LIMIT = Math.floor(256 / LETTERS.length) * LETTERS.length
const CODES = 1_000_000
const CODE_LIMIT = Math.floor(2 ** 32 / CODES) * CODES

/** Letters that people can read to each other, each equally likely. */
export function randomLetters(random: Random, length: number): string {
  let letters = ''
  while (letters.length < length) {
    const [byte = BYTE_LIMIT] = random.bytes(1)
    if (byte < BYTE_LIMIT) letters += LETTERS[byte % LETTERS.length]
  }
  return letters
}

/** As `randomLetters`, but none of `taken`: two people who say the same letters speak of the same request. */
export function unusedLetters(random: Random, length: number, taken: readonly string[]): string {
  for (;;) {
    const letters = randomLetters(random, length)
    if (!taken.includes(letters)) return letters
  }
}

/** Six digits, each code equally likely. */
export function randomCode(random: Random): string {
  for (;;) {
    const drawn = random.bytes(4).readUInt32BE()
    if (drawn < CODE_LIMIT) return String(drawn % CODES).padStart(6, '0')
  }
}
