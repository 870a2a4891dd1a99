import { z } from 'zod'
import { NOTICES_MAX } from '@hm-gateway/wire/relay-messages.ts'
import { randomId } from '@hm-gateway/lib/random.ts'
import { Table } from '../store/table.ts'
import type { Account } from './account.ts'
import { browserWords, placeOf, type Visitor } from './visitor.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** Pending notices of one account for one home, so that an account cannot displace the notices of others. */
export const NOTICES_OF_ACCOUNT_MAX = 4
const ID_LETTERS = 12

const Notice = z.object({
  id: z.string(),
  kind: z.literal('signed_in'),
  /** E-mail address. */
  account: z.string(),
  browser: z.string(),
  place: z.string(),
  at: z.int(),
})
export type Notice = z.infer<typeof Notice>
const PendingNotices = z.object({ notices: z.array(Notice).max(NOTICES_MAX) })
type PendingNotices = z.infer<typeof PendingNotices>

export type NoticesParts = Pick<RelayParts, 'store' | 'clock' | 'random'>

/** Notices of accounts to their linked homes, stored until the gateway receives them. */
export class Notices {
  readonly #parts: NoticesParts
  readonly #pending: Table<PendingNotices>

  constructor(parts: NoticesParts) {
    this.#parts = parts
    this.#pending = new Table(parts.store, 'notices', PendingNotices)
  }

  /** Adds a notice of a sign-in to the account from an unknown device. */
  async signedIn(serial: string, account: Account, visitor: Visitor): Promise<void> {
    const { clock, random } = this.#parts
    const notice: Notice = {
      id: randomId(random, ID_LETTERS),
      kind: 'signed_in',
      account: account.email,
      browser: browserWords(visitor.agent),
      place: placeOf(visitor.peer),
      at: clock.now(),
    }
    if (await this.#pending.create(serial, { notices: [notice] })) return
    await this.#pending.change(serial, ({ notices }) => {
      const own = notices.filter(({ account: email }) => email === notice.account)
      const oldest = own.slice(0, Math.max(0, own.length + 1 - NOTICES_OF_ACCOUNT_MAX))
      return { notices: [...notices.filter((stored) => !oldest.includes(stored)), notice].slice(-NOTICES_MAX) }
    })
  }

  async pending(serial: string): Promise<readonly Notice[]> {
    return (await this.#pending.get(serial))?.notices ?? []
  }

  /** Removes the notices of an account that is no longer linked to the home. */
  async forget(serial: string, account: string): Promise<void> {
    await this.#pending.change(serial, ({ notices }) => ({
      notices: notices.filter((notice) => notice.account !== account),
    }))
  }

  /** Removes notices that were delivered or can never be. */
  async remove(serial: string, notices: readonly Notice[]): Promise<void> {
    const ids = new Set(notices.map(({ id }) => id))
    await this.#pending.change(serial, (stored) => ({ notices: stored.notices.filter(({ id }) => !ids.has(id)) }))
  }
}
