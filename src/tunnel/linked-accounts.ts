import type { z } from 'zod'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { TokenBucket, TokenBuckets } from '../lib/token-bucket.ts'
import type { RelaySettingsFile } from './settings-file.ts'
import { plainTextOf } from '../lib/plain-text.ts'
import { ACCOUNTS_OF_HOME_MAX, type notices } from '../wire/control.ts'

/** Accounts that were linked or unlinked and are told one by one: a relay could fill the home’s record otherwise. */
export const LINKS_TOLD = { perSecond: 1 / 60, burst: 64 }
/** How often it is told, beyond that, that the relay names others again and again. */
export const LINKS_SUMMED_UP = { perSecond: 1 / 3_600, burst: 1 }

export interface LinkedAccountsParts {
  readonly file: RelaySettingsFile
  /** Tells the home's record that an account may choose this home from now on, or may not. */
  readonly enrolled: (account: string, linked: boolean) => void
  /** Tells it once of many such changes; `linked` is how many accounts may choose it now. */
  readonly unsettled: (linked: number) => void
  readonly clock: Clock
  readonly log: Log
}

/** Which accounts may choose this home, as the relay says with each welcome. */
export class LinkedAccounts {
  readonly #parts: LinkedAccountsParts
  readonly #tells: TokenBucket
  readonly #sums: TokenBucket
  #work: Promise<unknown> = Promise.resolve()

  constructor(parts: LinkedAccountsParts) {
    this.#parts = parts
    this.#tells = new TokenBucket(parts.clock, LINKS_TOLD)
    this.#sums = new TokenBucket(parts.clock, LINKS_SUMMED_UP)
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
    const { file, log } = this.#parts
    const now = new Set(accounts)
    let before: ReadonlySet<string> = now
    const changes = (): readonly string[] => [...before, ...now].filter((each) => !(before.has(each) && now.has(each)))
    try {
      await file.replace((current) => {
        if (current?.url !== url) return current
        before = new Set(current.accounts)
        if (changes().length === 0) return current
        // Before it is stored: what could not be told is told by the next welcome, as long as the file has it not.
        this.#tell(changes(), now)
        return { ...current, accounts: [...now] }
      })
      return accounts.some((account) => !before.has(account))
    } catch (error) {
      log.error({ err: error }, 'Which accounts are linked could not be stored.')
      return false
    }
  }

  /** What fails to be told takes nothing of what may be. */
  #tell(changes: readonly string[], now: ReadonlySet<string>): void {
    const { enrolled, unsettled } = this.#parts
    if (this.#tells.waitSeconds === 0) {
      for (const account of changes) enrolled(account, now.has(account))
      this.#tells.charge(changes.length)
    } else if (this.#sums.waitSeconds === 0) {
      unsettled(now.size)
      this.#sums.charge(1)
    }
  }
}

export type Notice = z.output<typeof notices.ask>['notices'][number]

/** Notices of one account that the home records one by one: a relay or an account could fill its record otherwise. */
export const NOTICES_OF_ACCOUNT = { perSecond: 1 / 3_600, burst: 6, keysMax: 2 * ACCOUNTS_OF_HOME_MAX }
/** Records beyond that: that there are more. */
export const NOTICES_SUMMED_UP = { perSecond: 1 / 86_400, burst: 1 }
const BROWSER_LENGTH_MAX = 80

export interface AccountNoticesParts {
  /** Accounts that are linked to the home. */
  readonly accounts: () => readonly string[]
  /** Records one notice; `late` is how long ago it was. */
  readonly record: (notice: Notice, lateMs: number) => void
  /** Records that there were too many to record each. */
  readonly tooMany: (account: string) => void
  readonly clock: Clock
}

/** News of linked accounts, as the relay sends it: a stranger's words, so their number and length are bounded. */
export class AccountNotices {
  readonly #parts: AccountNoticesParts
  readonly #ofAccount: TokenBuckets
  readonly #sums: TokenBucket

  constructor(parts: AccountNoticesParts) {
    this.#parts = parts
    this.#ofAccount = new TokenBuckets(parts.clock, NOTICES_OF_ACCOUNT)
    this.#sums = new TokenBucket(parts.clock, NOTICES_SUMMED_UP)
  }

  take(all: readonly Notice[]): void {
    const { accounts, record, tooMany, clock } = this.#parts
    for (const notice of all) {
      if (!accounts().includes(notice.account)) continue
      if (this.#ofAccount.take(notice.account) === 0) {
        const [browser, place] = [notice.browser, notice.place].map((text) => plainTextOf(text, BROWSER_LENGTH_MAX))
        record({ ...notice, browser: browser ?? '', place: place ?? '' }, Math.max(0, clock.now() - notice.at))
      } else if (this.#sums.take()) tooMany(notice.account)
    }
  }
}
