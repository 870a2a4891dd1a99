import type { z } from 'zod'
import type { Clock } from '../lib/clock.ts'
import { plainTextOf } from '../lib/plain-text.ts'
import { TokenBucket, TokenBuckets } from '../lib/token-bucket.ts'
import { ACCOUNTS_OF_HOME_MAX, type notices } from '../wire/control.ts'

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
