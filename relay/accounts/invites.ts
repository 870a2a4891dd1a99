import { fail, ok, type Result } from '@hm-gateway/lib/result.ts'
import { TokenBuckets } from '@hm-gateway/lib/token-bucket.ts'
import { hashedId, Table } from '../store/table.ts'
import { FirstAccount, Invite } from './account.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** Rate of invites of one account. */
export const INVITES = { perSecond: 10 / 86_400, burst: 10, keysMax: 20_000 }
const SECRET_BYTES = 32
const FIRST_ACCOUNT = 'first-account'
/** Stands for the account that invites. */
const OPERATOR = 'operator'

export type Limited = { readonly kind: 'limited'; readonly retryAfter: number }

export type InvitesParts = Pick<RelayParts, 'store' | 'clock' | 'random'>

/** Links for creating one account each. */
export class Invites {
  readonly #parts: InvitesParts
  readonly #invites: Table<Invite>
  readonly #facts: Table<FirstAccount>
  readonly #limit: TokenBuckets

  constructor(parts: InvitesParts) {
    this.#parts = parts
    this.#invites = new Table(parts.store, 'invites', Invite)
    this.#facts = new Table(parts.store, 'facts', FirstAccount)
    this.#limit = new TokenBuckets(parts.clock, INVITES)
  }

  /** Creates an invite of an account and returns its secret. */
  async give(account: string): Promise<Result<string, Limited>> {
    const retryAfter = this.#limit.take(account)
    return retryAfter > 0 ? fail({ kind: 'limited', retryAfter }) : ok(await this.#create(account))
  }

  /** Creates an invite of the relay's operator. */
  ofOperator(): Promise<string> {
    return this.#create(OPERATOR)
  }

  /** Creates an invite for the first account; null once there is one. */
  async first(): Promise<string | null> {
    return (await this.#facts.get(FIRST_ACCOUNT)) === null ? this.#create(null) : null
  }

  async isUnused(invite: string): Promise<boolean> {
    return (await this.#invites.get(hashedId(invite)))?.usedBy === null
  }

  /** True if the invite is unused, or used by this account, because the same form may arrive twice. */
  async isFor(invite: string, account: string): Promise<boolean> {
    const found = await this.#invites.get(hashedId(invite))
    return found !== null && (found.usedBy ?? account) === account
  }

  /** Reserves an invite for the account that is being created; false if it is unknown or reserved for another. */
  async claim(invite: string, account: string): Promise<boolean> {
    const claimed = await this.#invites.change(hashedId(invite), (found) =>
      (found.usedBy ?? account) === account ? { ...found, usedBy: account } : null,
    )
    if (claimed === null) return false
    // Each node prints a link for the first account, but only one of these links may create it.
    if (claimed.by !== null || (await this.#facts.create(FIRST_ACCOUNT, { at: this.#parts.clock.now(), account })))
      return true
    return (await this.#facts.get(FIRST_ACCOUNT))?.account === account
  }

  /** Deletes the invite after the account was created. */
  async complete(invite: string, account: string): Promise<void> {
    await this.#facts.create(FIRST_ACCOUNT, { at: this.#parts.clock.now(), account })
    await this.#invites.delete(hashedId(invite))
  }

  /** Removes a deleted account from the record of the first account. */
  async forget(account: string): Promise<void> {
    await this.#facts.change(FIRST_ACCOUNT, ({ at, account: first }) => (first === account ? { at } : null))
  }

  async #create(by: string | null): Promise<string> {
    const invite = this.#parts.random.bytes(SECRET_BYTES).toString('base64url')
    await this.#invites.create(hashedId(invite), { by, at: this.#parts.clock.now(), usedBy: null })
    return invite
  }
}
