import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { TokenBucket } from '../lib/token-bucket.ts'
import type { RelaySettingsFile } from './settings-file.ts'

/** Rate limit of activity entries for linked and unlinked accounts, so that a relay cannot fill the home's activity. */
export const LINK_ENTRY_RATE = { perSecond: 1 / 60, burst: 64 }
/** Rate limit of summary entries beyond that. */
export const LINK_SUMMARY_RATE = { perSecond: 1 / 3_600, burst: 1 }

export interface LinkedAccountsParts {
  readonly file: RelaySettingsFile
  /** Records in the activity that an account was linked or unlinked. */
  readonly recordLinkChange: (account: string, linked: boolean) => void
  /** Records many such changes in one entry; `linked` is the current number of linked accounts. */
  readonly recordManyLinkChanges: (linked: number) => void
  readonly clock: Clock
  readonly log: Log
}

/** Accounts linked to this home, from the relay's welcome messages. */
export class LinkedAccounts {
  readonly #parts: LinkedAccountsParts
  readonly #entryLimit: TokenBucket
  readonly #summaryLimit: TokenBucket
  #work: Promise<unknown> = Promise.resolve()

  constructor(parts: LinkedAccountsParts) {
    this.#parts = parts
    this.#entryLimit = new TokenBucket(parts.clock, LINK_ENTRY_RATE)
    this.#summaryLimit = new TokenBucket(parts.clock, LINK_SUMMARY_RATE)
  }

  /**
   * Stores the accounts in a welcome from the relay at `url`; ignores a relay that is no longer chosen. Resolves with
   * true if an account is new. The next welcome repeats accounts that could not be stored.
   */
  welcomed(url: string, accounts: readonly string[]): Promise<boolean> {
    const done = this.#welcomed(url, accounts)
    this.#work = done
    return done
  }

  /** Resolves when all welcomes so far are stored, or could not be. */
  async settled(): Promise<void> {
    await this.#work
  }

  async #welcomed(url: string, accounts: readonly string[]): Promise<boolean> {
    const { file, log } = this.#parts
    const now = new Set(accounts)
    let before: ReadonlySet<string> = now
    const changes = (): readonly string[] =>
      [...before, ...now].filter((account) => !(before.has(account) && now.has(account)))
    try {
      await file.replace((current) => {
        if (current?.url !== url) return current
        before = new Set(current.accounts)
        if (changes().length === 0) return current
        // Recorded before storing: if recording fails, the next welcome finds the same change again.
        this.#recordChanges(changes(), now)
        return { ...current, accounts: [...now] }
      })
      return accounts.some((account) => !before.has(account))
    } catch (error) {
      log.error({ err: error }, 'The linked accounts could not be stored.')
      return false
    }
  }

  /** Records changes within the rate limits. A failed entry does not count. */
  #recordChanges(changes: readonly string[], now: ReadonlySet<string>): void {
    const { recordLinkChange, recordManyLinkChanges } = this.#parts
    if (this.#entryLimit.waitSeconds === 0) {
      for (const account of changes) recordLinkChange(account, now.has(account))
      this.#entryLimit.charge(changes.length)
    } else if (this.#summaryLimit.waitSeconds === 0) {
      recordManyLinkChanges(now.size)
      this.#summaryLimit.charge(1)
    }
  }
}
