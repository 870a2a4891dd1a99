import type { Log } from '../lib/log.ts'
import type { RelaySettingsFile } from './settings-file.ts'

export interface LinkedAccountsParts {
  readonly file: RelaySettingsFile
  /** Tells the home's record that an account may choose this home from now on, or may not. */
  readonly enrolled: (account: string, linked: boolean) => void
  readonly log: Log
}

/** Which accounts may choose this home, as the relay says with each welcome. */
export class LinkedAccounts {
  readonly #parts: LinkedAccountsParts
  #work: Promise<unknown> = Promise.resolve()

  constructor(parts: LinkedAccountsParts) {
    this.#parts = parts
  }

  /**
   * The relay at `url` named all of them; one that is chosen no more names them in vain. Answers whether there is one
   * that was not there before. What could not be stored is told again by the next welcome.
   */
  welcomed(url: string, accounts: readonly string[]): Promise<boolean> {
    const done = this.#welcomed(url, accounts)
    this.#work = done
    return done
  }

  /** Resolves when what was named so far is stored, or could not be. */
  async settled(): Promise<void> {
    await this.#work
  }

  async #welcomed(url: string, accounts: readonly string[]): Promise<boolean> {
    const { file, enrolled, log } = this.#parts
    const now = new Set(accounts)
    let before: ReadonlySet<string> = now
    const changes = (): readonly string[] => [...before, ...now].filter((each) => !(before.has(each) && now.has(each)))
    try {
      await file.replace((current) => {
        if (current?.url !== url) return current
        before = new Set(current.accounts)
        if (changes().length === 0) return current
        // Before it is stored: what could not be told is told by the next welcome, as long as the file has it not.
        for (const account of changes()) enrolled(account, now.has(account))
        return { ...current, accounts: [...now] }
      })
      return accounts.some((account) => !before.has(account))
    } catch (error) {
      log.error({ err: error }, 'Which accounts are linked could not be stored.')
      return false
    }
  }
}
