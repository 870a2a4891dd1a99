import { keyOf, newPhrase, placesToAsk, SALT_BYTES, wordsOf } from '../format/phrase.ts'
import { BackupRefused } from './backup-folder.ts'
import type { BackupsParts } from './backups.ts'

/** A phrase that nobody confirmed by then is forgotten; what was encrypted before stays as it was. */
export const PHRASE_WAITS_MS = 30 * 60_000

export interface ShownPhrase {
  readonly words: readonly string[]
  /** The places, from 1, of the words that confirm it. */
  readonly asked: readonly number[]
  /** Epoch ms. */
  readonly expiresAt: number
}

type PhraseParts = Pick<BackupsParts, 'settings' | 'clock' | 'random'>

/** A recovery phrase from when it is shown until somebody shows that it was written down. It is in memory alone. */
export class NewPhrase {
  readonly #parts: PhraseParts
  #waiting: { readonly phrase: string; readonly asked: readonly number[]; readonly until: number } | null = null

  constructor(parts: PhraseParts) {
    this.#parts = parts
  }

  /** Makes one in place of one that still waits. */
  show(): ShownPhrase {
    const { clock, random } = this.#parts
    const phrase = newPhrase(random)
    const asked = placesToAsk(random)
    this.#waiting = { phrase, asked, until: clock.monotonic() + PHRASE_WAITS_MS }
    return { words: wordsOf(phrase), asked, expiresAt: clock.now() + PHRASE_WAITS_MS }
  }

  /** From now on backups are encrypted with it. @throws BackupRefused */
  async confirm(words: readonly string[]): Promise<void> {
    const { settings, clock, random } = this.#parts
    const waiting = this.#waiting
    if (waiting === null || clock.monotonic() > waiting.until) {
      this.#waiting = null
      throw new BackupRefused('No recovery phrase waits to be confirmed: make a new one.')
    }
    const all = wordsOf(waiting.phrase)
    const typed = words.map((word) => word.trim().toLowerCase())
    const isRight = waiting.asked.every((place, index) => all[place - 1] === typed[index])
    if (!isRight || typed.length !== waiting.asked.length)
      throw new BackupRefused(
        `These are not words ${waiting.asked.join(' and ')} of the phrase: look at what you wrote down.`,
      )
    await settings.setKey(await keyOf(waiting.phrase, random.bytes(SALT_BYTES)), clock.now())
    // Stored: until then the same words may be typed again.
    this.#waiting = null
  }
}
