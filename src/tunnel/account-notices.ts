import type { z } from 'zod'
import type { Clock } from '../lib/clock.ts'
import { plainTextOf } from '../lib/plain-text.ts'
import { TokenBucket, TokenBuckets } from '../lib/token-bucket.ts'
import { ACCOUNTS_OF_HOME_MAX, type notices } from '../wire/relay-messages.ts'

/** Notice about a linked account, such as a sign-in on a new device. */
export type Notice = z.output<typeof notices.request>['notices'][number]

/** Rate limit of activity entries per account, so that no relay or account can fill the home's activity. */
export const NOTICE_RATE = { perSecond: 1 / 3_600, burst: 6, keysMax: 2 * ACCOUNTS_OF_HOME_MAX }
/** Rate limit of entries that say that further notices were left out. */
export const NOTICE_SUMMARY_RATE = { perSecond: 1 / 86_400, burst: 1 }
const BROWSER_LENGTH_MAX = 80

export interface AccountNoticesParts {
  /** Accounts that are linked to the home. */
  readonly accounts: () => readonly string[]
  /** Records one notice; `lateMs` is its age. */
  readonly record: (notice: Notice, lateMs: number) => void
  /** Records that further notices were left out. */
  readonly recordOmitted: (account: string) => void
  readonly clock: Clock
}

/** Notices about linked accounts from the relay. They are not trusted, so their number and length are bounded. */
export class AccountNotices {
  readonly #parts: AccountNoticesParts
  readonly #accountLimits: TokenBuckets
  readonly #summaryLimit: TokenBucket

  constructor(parts: AccountNoticesParts) {
    this.#parts = parts
    this.#accountLimits = new TokenBuckets(parts.clock, NOTICE_RATE)
    this.#summaryLimit = new TokenBucket(parts.clock, NOTICE_SUMMARY_RATE)
  }

  /** Records the notices of linked accounts within the rate limits. */
  handle(all: readonly Notice[]): void {
    const { accounts, record, recordOmitted, clock } = this.#parts
    for (const notice of all) {
      if (!accounts().includes(notice.account)) continue
      if (this.#accountLimits.take(notice.account) === 0) {
        const [browser, place] = [notice.browser, notice.place].map((text) => plainTextOf(text, BROWSER_LENGTH_MAX))
        record({ ...notice, browser: browser ?? '', place: place ?? '' }, Math.max(0, clock.now() - notice.at))
      } else if (this.#summaryLimit.take()) recordOmitted(notice.account)
    }
  }
}
