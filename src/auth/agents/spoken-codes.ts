import type { Random } from '../../lib/random.ts'

/** A matching code as people see it: `XXXX-XXXX`. */
export function shownCode(userCode: string): string {
  return `${userCode.slice(0, 4)}-${userCode.slice(4)}`
}

/** Converts a typed matching code to its stored form. */
export function typedCode(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z]/g, '')
}

/** Consonants without look-alikes (RFC 8628 section 6.1), which never spell a word by chance. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
/** Larger bytes are drawn again, so that all letters are equally likely. */
const BYTE_LIMIT = Math.floor(256 / LETTERS.length) * LETTERS.length
/** Number of codes of six digits. */
const CODES = 1_000_000
/** Larger numbers are drawn again, so that all codes are equally likely. */
const CODE_LIMIT = Math.floor(2 ** 32 / CODES) * CODES

/** Letters that people can read aloud; all are equally likely. */
export function randomLetters(random: Random, length: number): string {
  let letters = ''
  while (letters.length < length) {
    const [byte = BYTE_LIMIT] = random.bytes(1)
    if (byte < BYTE_LIMIT) letters += LETTERS[byte % LETTERS.length]
  }
  return letters
}

/** Like `randomLetters`, but without those in `taken`: a spoken code names one request. */
export function unusedLetters(random: Random, length: number, taken: readonly string[]): string {
  for (;;) {
    const letters = randomLetters(random, length)
    if (!taken.includes(letters)) return letters
  }
}

/** Six random digits; all codes are equally likely. */
export function randomCode(random: Random): string {
  for (;;) {
    const drawn = random.bytes(4).readUInt32BE()
    if (drawn < CODE_LIMIT) return String(drawn % CODES).padStart(6, '0')
  }
}
