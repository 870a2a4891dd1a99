import { z } from 'zod'
import { NOTICES_MAX } from '@hm-gateway/wire/control.ts'
import { randomId } from '@hm-gateway/lib/random.ts'
import { Table } from '../store/table.ts'
import type { Account } from './account.ts'
import { browserWords, placeOf, type Visitor } from './visitor.ts'
import type { RelayParts } from '../store/parts.ts'

/** Notices of one account that wait for one home: an account cannot push out those of others. */
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
const Waiting = z.object({ notices: z.array(Notice).max(NOTICES_MAX) })
type Waiting = z.infer<typeof Waiting>

export type NoticesParts = Pick<RelayParts, 'store' | 'clock' | 'random'>

/** News of accounts for the homes that they are linked to, until the gateway has taken it. */
export class Notices {
  readonly #parts: NoticesParts
  readonly #waiting: Table<Waiting>

  constructor(parts: NoticesParts) {
    this.#parts = parts
    this.#waiting = new Table(parts.store, 'notices', Waiting)
  }

  /** Somebody signed in to the account from a device that it did not know. */
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
    if (await this.#waiting.create(serial, { notices: [notice] })) return
    await this.#waiting.change(serial, ({ notices }) => {
      const own = notices.filter((each) => each.account === notice.account)
      const tooMany = own.slice(0, Math.max(0, own.length + 1 - NOTICES_OF_ACCOUNT_MAX))
      return { notices: [...notices.filter((each) => !tooMany.includes(each)), notice].slice(-NOTICES_MAX) }
    })
  }

  /** Notices that wait for a home. */
  async of(serial: string): Promise<readonly Notice[]> {
    return (await this.#waiting.get(serial))?.notices ?? []
  }

  /** The account is not linked to the home any more. */
  async forget(serial: string, account: string): Promise<void> {
    const left = (notices: readonly Notice[]): Notice[] => notices.filter((each) => each.account !== account)
    await this.#waiting.change(serial, ({ notices }) => ({ notices: left(notices) }))
  }

  /** The gateway has these, or never will. */
  async taken(serial: string, taken: readonly Notice[]): Promise<void> {
    const ids = new Set(taken.map(({ id }) => id))
    await this.#waiting.change(serial, ({ notices }) => ({ notices: notices.filter(({ id }) => !ids.has(id)) }))
  }
}
