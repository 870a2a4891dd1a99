import { keyOf, newPhrase, confirmationPositions, SALT_BYTES, wordsOf } from '../format/phrase.ts'
import { BackupRefused } from './backup-folder.ts'
import type { BackupsParts } from './backups.ts'

/** An unconfirmed phrase is forgotten after this time. The former phrase stays valid. */
export const PHRASE_WAITS_MS = 30 * 60_000

export interface UnconfirmedPhrase {
  readonly words: readonly string[]
  /** Positions, from 1, of the words that confirm the phrase. */
  readonly asked: readonly number[]
  /** Epoch ms. */
  readonly expiresAt: number
}

type PhraseParts = Pick<BackupsParts, 'settings' | 'clock' | 'random'>

/** A new recovery phrase, until a person confirms that it is on paper. It is only in memory. */
export class NewPhrase {
  readonly #parts: PhraseParts
  #waiting: { readonly phrase: string; readonly positions: readonly number[]; readonly until: number } | null = null

  constructor(parts: PhraseParts) {
    this.#parts = parts
  }

  /** Makes a phrase. An unconfirmed earlier one is dropped. */
  create(): UnconfirmedPhrase {
    const { clock, random } = this.#parts
    const phrase = newPhrase(random)
    const positions = confirmationPositions(random)
    this.#waiting = { phrase, positions, until: clock.monotonic() + PHRASE_WAITS_MS }
    return { words: wordsOf(phrase), asked: positions, expiresAt: clock.now() + PHRASE_WAITS_MS }
  }

  /** Makes the phrase valid for later backups. @throws BackupRefused */
  async confirm(words: readonly string[]): Promise<void> {
    const { settings, clock, random } = this.#parts
    const waiting = this.#waiting
    if (waiting === null || clock.monotonic() > waiting.until) {
      this.#waiting = null
      throw new BackupRefused('No recovery phrase waits for its confirmation: create a new one.')
    }
    const all = wordsOf(waiting.phrase)
    const typed = words.map((word) => word.trim().toLowerCase())
    const isRight = waiting.positions.every((position, index) => all[position - 1] === typed[index])
    if (!isRight || typed.length !== waiting.positions.length)
      throw new BackupRefused(
        `These are not words ${waiting.positions.join(' and ')} of the phrase: compare them with your paper.`,
      )
    await settings.setKey(await keyOf(waiting.phrase, random.bytes(SALT_BYTES)), clock.now())
    // If storing fails, the person may type the same words again.
    this.#waiting = null
  }
}
