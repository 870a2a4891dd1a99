import type { z } from 'zod'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { TokenBucket, TokenBuckets } from '../lib/token-bucket.ts'
import type { RelaySettingsFile } from './settings-file.ts'
import { plainTextOf } from '../lib/plain-text.ts'
import { ACCOUNTS_OF_HOME_MAX, type notices } from '../wire/control.ts'

/** Rate limit of activity entries for linked and unlinked accounts, so that a relay cannot fill the home's activity. */
export const LINK_ENTRIES = { perSecond: 1 / 60, burst: 64 }
/** Rate limit of summary entries beyond that. */
export const LINK_SUMMARIES = { perSecond: 1 / 3_600, burst: 1 }

export interface LinkedAccountsParts {
  readonly file: RelaySettingsFile
  /** Records in the activity that an account was linked or unlinked. */
  readonly enrolled: (account: string, linked: boolean) => void
  /** Records many such changes in one entry; `linked` is the current number of linked accounts. */
  readonly unsettled: (linked: number) => void
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
    this.#entryLimit = new TokenBucket(parts.clock, LINK_ENTRIES)
    this.#summaryLimit = new TokenBucket(parts.clock, LINK_SUMMARIES)
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
    const { enrolled, unsettled } = this.#parts
    if (this.#entryLimit.waitSeconds === 0) {
      for (const account of changes) enrolled(account, now.has(account))
      this.#entryLimit.charge(changes.length)
    } else if (this.#summaryLimit.waitSeconds === 0) {
      unsettled(now.size)
      this.#summaryLimit.charge(1)
    }
  }
}

export type Notice = z.output<typeof notices.ask>['notices'][number]

/** Rate limit of activity entries per account, so that no relay or account can fill the home's activity. */
export const NOTICES_OF_ACCOUNT = { perSecond: 1 / 3_600, burst: 6, keysMax: 2 * ACCOUNTS_OF_HOME_MAX }
/** Rate limit of entries about further notices. */
export const NOTICE_SUMMARIES = { perSecond: 1 / 86_400, burst: 1 }
const BROWSER_LENGTH_MAX = 80

export interface AccountNoticesParts {
  /** Accounts that are linked to the home. */
  readonly accounts: () => readonly string[]
  /** Records one notice; `lateMs` is its age. */
  readonly record: (notice: Notice, lateMs: number) => void
  /** Records that further notices were left out. */
  readonly tooMany: (account: string) => void
  readonly clock: Clock
}

/** Notices about linked accounts from the relay. They are not trusted, so their number and length are bounded. */
export class AccountNotices {
  readonly #parts: AccountNoticesParts
  readonly #accountLimits: TokenBuckets
  readonly #summaryLimit: TokenBucket

  constructor(parts: AccountNoticesParts) {
    this.#parts = parts
    this.#accountLimits = new TokenBuckets(parts.clock, NOTICES_OF_ACCOUNT)
    this.#summaryLimit = new TokenBucket(parts.clock, NOTICE_SUMMARIES)
  }

  take(all: readonly Notice[]): void {
    const { accounts, record, tooMany, clock } = this.#parts
    for (const notice of all) {
      if (!accounts().includes(notice.account)) continue
      if (this.#accountLimits.take(notice.account) === 0) {
        const [browser, place] = [notice.browser, notice.place].map((text) => plainTextOf(text, BROWSER_LENGTH_MAX))
        record({ ...notice, browser: browser ?? '', place: place ?? '' }, Math.max(0, clock.now() - notice.at))
      } else if (this.#summaryLimit.take()) tooMany(notice.account)
    }
  }
}
