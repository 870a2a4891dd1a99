import { fail, ok, type Result } from '@hm-gateway/lib/result.ts'
import { TokenBuckets } from '@hm-gateway/lib/token-bucket.ts'
import { hashedId, Table } from '../store/table.ts'
import { FirstAccount, Invite } from './account.ts'
import type { RelayParts } from '../store/parts.ts'

/** Invites that one account gives. */
export const INVITES = { perSecond: 10 / 86_400, burst: 10, keysMax: 20_000 }
const SECRET_BYTES = 32
const FIRST_ACCOUNT = 'first-account'
/** In place of an account that invites. */
const OPERATOR = 'operator'

export type Limited = { readonly kind: 'limited'; readonly retryAfter: number }

export type InvitesParts = Pick<RelayParts, 'store' | 'clock' | 'random'>

/** Links that make one account each. */
export class Invites {
  readonly #parts: InvitesParts
  readonly #invites: Table<Invite>
  readonly #facts: Table<FirstAccount>
  readonly #given: TokenBuckets

  constructor(parts: InvitesParts) {
    this.#parts = parts
    this.#invites = new Table(parts.store, 'invites', Invite)
    this.#facts = new Table(parts.store, 'facts', FirstAccount)
    this.#given = new TokenBuckets(parts.clock, INVITES)
  }

  /** The secret of a link for one more account. */
  async give(account: string): Promise<Result<string, Limited>> {
    const retryAfter = this.#given.take(account)
    return retryAfter > 0 ? fail({ kind: 'limited', retryAfter }) : ok(await this.#make(account))
  }

  /** The same for the relay's operator. */
  ofOperator(): Promise<string> {
    return this.#make(OPERATOR)
  }

  /** The invite for the first account, for the relay's operator; null once there is an account. */
  async first(): Promise<string | null> {
    return (await this.#facts.get(FIRST_ACCOUNT)) === null ? this.#make(null) : null
  }

  async isUnused(invite: string): Promise<boolean> {
    return (await this.#invites.get(hashedId(invite)))?.usedBy === null
  }

  /** True also for the account that is being made with it: the same form may come twice at once. */
  async isFor(invite: string, account: string): Promise<boolean> {
    const found = await this.#invites.get(hashedId(invite))
    return found !== null && (found.usedBy ?? account) === account
  }

  /** Keeps an invite for the account that is being made with it; false if it is another's, or there is none. */
  async claim(invite: string, account: string): Promise<boolean> {
    const claimed = await this.#invites.change(hashedId(invite), (found) =>
      (found.usedBy ?? account) === account ? { ...found, usedBy: account } : null,
    )
    if (claimed === null) return false
    // Each node of a relay prints a link for the first account; one of them makes it.
    if (claimed.by !== null || (await this.#facts.create(FIRST_ACCOUNT, { at: this.#parts.clock.now(), account })))
      return true
    return (await this.#facts.get(FIRST_ACCOUNT))?.account === account
  }

  /** The account was made: the invite is over, and there is a first account from now on. */
  async used(invite: string, account: string): Promise<void> {
    await this.#facts.create(FIRST_ACCOUNT, { at: this.#parts.clock.now(), account })
    await this.#invites.delete(hashedId(invite))
  }

  /** The first account may be a deleted one, of which nothing else is stored. */
  async forget(account: string): Promise<void> {
    await this.#facts.change(FIRST_ACCOUNT, ({ at, account: first }) => (first === account ? { at } : null))
  }

  async #make(by: string | null): Promise<string> {
    const invite = this.#parts.random.bytes(SECRET_BYTES).toString('base64url')
    await this.#invites.create(hashedId(invite), { by, at: this.#parts.clock.now(), usedBy: null })
    return invite
  }
}
