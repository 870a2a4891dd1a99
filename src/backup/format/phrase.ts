import { scrypt } from 'node:crypto'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import type { Random } from '../../lib/random.ts'
import { BackupProblem } from './problem.ts'

/** 128 random bits. The last word also holds a checksum. */
const PHRASE_BYTES = 16
export const PHRASE_WORDS = 12
/** Number of words that a person types again to prove that the phrase is on paper. */
export const CONFIRMATION_WORDS = 2

/** Key derived from a recovery phrase. It makes and opens backups without the phrase. */
export interface BackupKey {
  readonly salt: Buffer
  /** Cost of the derivation: it takes 2 ** log2 KiB of memory. */
  readonly log2: number
  /** 64 bytes. */
  readonly secret: Buffer
}

/** Finds the key of a backup by its salt and cost; null if it is unknown. */
export type KeyFinder = (salt: Buffer, log2: number) => Promise<BackupKey | null>

/** 32 MiB: the phrase has 128 random bits, so a guess may be cheap. */
const LOG2 = 15
export const LOG2_MAX = 18
export const SALT_BYTES = 16
const SECRET_BYTES = 64

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** Derives the key of a phrase in the form that `normalisePhrase` returns. */
export async function keyOf(phrase: string, salt: Buffer, log2 = LOG2): Promise<BackupKey> {
  const cost = { N: 2 ** log2, r: 8, p: 1, maxmem: 2 ** log2 * 2048 }
  return { salt, log2, secret: await derive(phrase, salt, SECRET_BYTES, cost) }
}

/**
 * Finds the key of this home, or the key of a typed phrase. A typed phrase hides the key of the home: otherwise a wrong
 * phrase would seem right.
 */
export function keyFinder(own: BackupKey | null, typed: string | null): KeyFinder {
  if (typed === null) return async (salt) => (own?.salt.equals(salt) === true ? own : null)
  const phrase = normalisePhrase(typed)
  return (salt, log2) => keyOf(phrase, salt, log2)
}

const require = createRequire(import.meta.url)

/** Loads the libraries with the first phrase that is made or typed: most starts see none. */
const bip39 = (): typeof import('@scure/bip39') => require('@scure/bip39') as typeof import('@scure/bip39')
const words = (): string[] => (require('@scure/bip39/wordlists/english.js') as { wordlist: string[] }).wordlist

/** Twelve words of the BIP 39 list, which differ in their first four letters. */
export function newPhrase(random: Random): string {
  return bip39().entropyToMnemonic(random.bytes(PHRASE_BYTES), words())
}

export const wordsOf = (phrase: string): readonly string[] => phrase.split(' ')

/**
 * Brings a typed phrase into the form that keys are derived from: lower case, one space between words.
 * @throws BackupProblem with the wrong word, if the text cannot be a phrase.
 */
export function normalisePhrase(text: string): string {
  const known = new Set(words())
  const typed = text.normalize('NFKD').toLowerCase().trim().split(/\s+/)
  const wrong = typed.findIndex((word) => !known.has(word))
  if (wrong >= 0)
    throw new BackupProblem(
      'wrong_phrase',
      `Word ${wrong + 1} of the recovery phrase is not in the list of possible words: check its spelling.`,
    )
  if (typed.length !== PHRASE_WORDS)
    throw new BackupProblem(
      'wrong_phrase',
      `A recovery phrase has ${PHRASE_WORDS} words, but these are ${typed.length}.`,
    )
  const phrase = typed.join(' ')
  if (!bip39().validateMnemonic(phrase, words()))
    throw new BackupProblem(
      'wrong_phrase',
      'These words are not a recovery phrase: a word is wrong, or two words are swapped.',
    )
  return phrase
}

/** Positions of the words to type again, from 1, in rising order. */
export function confirmationPositions(random: Random): readonly number[] {
  const positions = Array.from({ length: PHRASE_WORDS }, (_, index) => index + 1)
  const picked = new Set<number>()
  while (picked.size < CONFIRMATION_WORDS) picked.add(positions[(random.bytes(1)[0] ?? 0) % PHRASE_WORDS] ?? 1)
  return [...picked].toSorted((one, other) => one - other)
}
