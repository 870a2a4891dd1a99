import { scrypt } from 'node:crypto'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import type { Random } from '../../lib/random.ts'
import { BackupProblem } from './problem.ts'

/** 128 bits by chance; the last word also tells a mistake. */
const PHRASE_BYTES = 16
export const PHRASE_WORDS = 12
/** Of these, somebody who wrote the phrase down types two again. */
export const WORDS_ASKED = 2

/** Key that a recovery phrase gives: it opens and makes backups without the phrase. */
export interface BackupKey {
  readonly salt: Buffer
  /** Cost of the derivation: 2 to the power of it KiB of memory. */
  readonly log2: number
  /** 64 bytes. */
  readonly secret: Buffer
}

/** Finds the key of a backup by its salt and cost; null where nobody has it. */
export type KeyFinder = (salt: Buffer, log2: number) => Promise<BackupKey | null>

/** The phrase has 128 bits by chance, so a guess need not cost much: 32 MiB. */
const LOG2 = 15
export const LOG2_MAX = 18
export const SALT_BYTES = 16
const SECRET_BYTES = 64

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** The key of a phrase in the form that `typedPhrase` returns. */
export async function keyOf(phrase: string, salt: Buffer, log2 = LOG2): Promise<BackupKey> {
  const cost = { N: 2 ** log2, r: 8, p: 1, maxmem: 2 ** log2 * 2048 }
  return { salt, log2, secret: await derive(phrase, salt, SECRET_BYTES, cost) }
}

/**
 * Opens what this home's key opens; where somebody typed a phrase, what that opens alone, so that a wrong one is never
 * called right.
 */
export function keyFinder(own: BackupKey | null, typed: string | null): KeyFinder {
  if (typed === null) return async (salt) => (own?.salt.equals(salt) === true ? own : null)
  const phrase = typedPhrase(typed)
  return (salt, log2) => keyOf(phrase, salt, log2)
}

const load = createRequire(import.meta.url)

/** The words and what is reckoned with them, loaded by the first phrase that is made or typed: most starts see none. */
const bip39 = (): typeof import('@scure/bip39') => load('@scure/bip39') as typeof import('@scure/bip39')
const words = (): string[] => (load('@scure/bip39/wordlists/english.js') as { wordlist: string[] }).wordlist

/** Twelve words of the BIP 39 list, which differ in their first four letters. */
export function newPhrase(random: Random): string {
  return bip39().entropyToMnemonic(random.bytes(PHRASE_BYTES), words())
}

export const wordsOf = (phrase: string): readonly string[] => phrase.split(' ')

/**
 * The phrase that somebody typed, in the form that keys are made of: one space between words, lower case.
 * @throws BackupProblem where it cannot be one, with the word that is wrong.
 */
export function typedPhrase(text: string): string {
  const known = new Set(words())
  const typed = text.normalize('NFKD').toLowerCase().trim().split(/\s+/)
  const wrong = typed.findIndex((word) => !known.has(word))
  if (wrong >= 0)
    throw new BackupProblem(
      'wrong_phrase',
      `Word ${wrong + 1} of the recovery phrase is not one that a phrase can have: look at how it is spelled.`,
    )
  if (typed.length !== PHRASE_WORDS)
    throw new BackupProblem(
      'wrong_phrase',
      `A recovery phrase has ${PHRASE_WORDS} words, and these are ${typed.length}.`,
    )
  const phrase = typed.join(' ')
  if (!bip39().validateMnemonic(phrase, words()))
    throw new BackupProblem(
      'wrong_phrase',
      'These words are no recovery phrase in this order: one of them is another, or two have changed places.',
    )
  return phrase
}

/** The places of the words to be typed again, from 1, in rising order. */
export function placesToAsk(random: Random): readonly number[] {
  const places = Array.from({ length: PHRASE_WORDS }, (_, index) => index + 1)
  const picked = new Set<number>()
  while (picked.size < WORDS_ASKED) picked.add(places[(random.bytes(1)[0] ?? 0) % PHRASE_WORDS] ?? 1)
  return [...picked].toSorted((one, other) => one - other)
}
