import { AddressLimits } from '../../src/lib/address-limits.ts'
import type { Clock } from '../../src/lib/clock.ts'
import type { Random } from '../../src/lib/random.ts'
import { fail, ok, type Result } from '../../src/lib/result.ts'
import type { Store } from '../store/store.ts'
import { hashedId, Table } from '../store/table.ts'
import {
  Account,
  accountId,
  earlierAccountId,
  isEmail,
  normalEmail,
  passwordProblem,
  Reset,
  Session,
} from './account.ts'
import { Invites, type Limited } from './invites.ts'
import type { Passwords } from './passwords.ts'
import { SignInLimits } from './sign-in-limits.ts'

/** Accounts that one address makes. */
export const SIGN_UPS = { perSecond: 5 / 3_600, burst: 5 }
/** Accounts that all addresses make at this node: the store keeps each of them. */
export const SIGN_UPS_ALL = { perSecond: 1_000 / 86_400, burst: 1_000 }
/** A session that is used is written anew this often, which keeps it from ending. */
const SEEN_EACH_MS = 86_400_000
const SECRET_BYTES = 32
const EPOCH_BYTES = 6

export type SignInFailure = Limited | { readonly kind: 'wrong' | 'busy' }
export type NewPasswordFailure =
  | { readonly kind: 'busy' | 'changed' }
  | { readonly kind: 'invalid'; readonly message: string }
export type SignUpFailure =
  | Limited
  | { readonly kind: 'busy' | 'no_invite' | 'email_taken' }
  | { readonly kind: 'invalid'; readonly message: string }

export interface AccountsParts {
  readonly store: Store
  readonly passwords: Passwords
  readonly clock: Clock
  readonly random: Random
  /** Who may make an account: those with an invite, or everyone. */
  readonly signUp: 'invite' | 'open'
}

export interface SignUp {
  readonly email: string
  readonly password: string
  readonly invite: string
}

export interface SignedIn {
  readonly account: Account
  /** For the cookie; the store has its hash alone. */
  readonly session: string
}

/** Accounts, their sessions and invites. What is wrong with a name or a password is told apart nowhere. */
export class Accounts {
  readonly #parts: AccountsParts
  readonly #accounts: Table<Account>
  readonly #sessions: Table<Session>
  readonly #resets: Table<Reset>
  readonly #signIns: SignInLimits
  readonly #signUps: AddressLimits
  readonly #invites: Invites

  constructor(parts: AccountsParts) {
    this.#parts = parts
    this.#accounts = new Table(parts.store, 'accounts', Account)
    this.#sessions = new Table(parts.store, 'sessions', Session)
    this.#resets = new Table(parts.store, 'resets', Reset)
    this.#signIns = new SignInLimits(parts.clock)
    this.#signUps = new AddressLimits(parts.clock, { ...SIGN_UPS, all: SIGN_UPS_ALL })
    this.#invites = new Invites(parts)
  }

  get needsInvite(): boolean {
    return this.#parts.signUp === 'invite'
  }

  get(id: string): Promise<Account | null> {
    return this.#accounts.get(id)
  }

  change(id: string, change: (account: Account) => Account | null): Promise<Account | null> {
    return this.#accounts.change(id, change)
  }

  async signIn(email: string, password: string, peer: string): Promise<Result<SignedIn, SignInFailure>> {
    const id = accountId(email)
    const retryAfter = this.#signIns.takeFrom(peer, id)
    if (retryAfter > 0) return fail({ kind: 'limited', retryAfter })
    const account = await this.#byEmail(email)
    const matches = await this.#parts.passwords.matches(password, account?.password ?? null, peer)
    if (!matches.ok) return fail({ kind: 'busy' })
    if (account === null || !matches.value) return fail({ kind: 'wrong' })
    return ok(await this.#begin(account))
  }

  /** The account of a cookie, or null where it is none or has ended. */
  async signedIn(session: string): Promise<Account | null> {
    const id = hashedId(session)
    const found = await this.#sessions.get(id)
    const account = found === null ? null : await this.#accounts.get(found.account)
    if (found === null || account === null || account.epoch !== found.epoch) return null
    const now = this.#parts.clock.now()
    if (now - found.seenAt >= SEEN_EACH_MS) await this.#sessions.change(id, (value) => ({ ...value, seenAt: now }))
    return account
  }

  async signOut(session: string): Promise<void> {
    await this.#sessions.delete(hashedId(session))
  }

  /** Whether this invite would make an account. */
  async isInvited(invite: string): Promise<boolean> {
    return !this.needsInvite || (await this.#invites.isUnused(invite))
  }

  /** Makes an account. Sent twice, it signs in the second time: whoever knows an account's password is its owner. */
  async signUp(given: SignUp, peer: string): Promise<Result<SignedIn, SignUpFailure>> {
    const made = await this.#signUp(given, peer)
    if (made.ok || (made.error.kind !== 'no_invite' && made.error.kind !== 'email_taken')) return made
    const known = await this.signIn(given.email, given.password, peer)
    if (known.ok) return known
    return known.error.kind === 'limited' ? fail(known.error) : made
  }

  async #signUp({ email, password, invite }: SignUp, peer: string): Promise<Result<SignedIn, SignUpFailure>> {
    const retryAfter = this.#signUps.take(peer)
    if (retryAfter > 0) return fail({ kind: 'limited', retryAfter })
    if (!isEmail(email)) return fail({ kind: 'invalid', message: 'That is no e-mail address.' })
    const problem = passwordProblem(password, email)
    if (problem !== null) return fail({ kind: 'invalid', message: problem })
    if (this.needsInvite && !(await this.#invites.isFor(invite, accountId(email)))) return fail({ kind: 'no_invite' })
    const hash = await this.#parts.passwords.hash(password, peer)
    if (!hash.ok) return fail({ kind: 'busy' })
    return this.#make(email, hash.value, invite)
  }

  /** The secret of a link for one more account. */
  invite(account: Account): Promise<Result<string, Limited>> {
    return this.#invites.give(account.id)
  }

  /** The same for the relay's operator. */
  operatorInvite(): Promise<string> {
    return this.#invites.ofOperator()
  }

  /** The invite for the first account, for the relay's operator; null once there is an account. */
  firstInvite(): Promise<string | null> {
    return this.#invites.first()
  }

  /** Ends all sessions of the account, and begins one for whoever changed it. */
  async changePassword(
    account: Account,
    { current, next }: { readonly current: string; readonly next: string },
  ): Promise<Result<SignedIn, SignInFailure | NewPasswordFailure>> {
    const problem = passwordProblem(next, account.email)
    if (problem !== null) return fail({ kind: 'invalid', message: problem })
    const proved = await this.proves(account, current)
    if (!proved.ok) return proved
    const changed = await this.#changePassword(account, next)
    return changed.ok ? ok(await this.#begin(changed.value)) : changed
  }

  /**
   * A link by which the password of an account is set anew, for the relay's operator; null where there is no such
   * account.
   */
  async reset(email: string): Promise<string | null> {
    const account = await this.#byEmail(email)
    if (account === null) return null
    const secret = this.#secret()
    await this.#resets.create(hashedId(secret), { account: account.id, epoch: account.epoch })
    return secret
  }

  /** The account whose password this link sets; null where it was used, is over, or the password was changed since. */
  async resettable(secret: string): Promise<Account | null> {
    const found = await this.#resets.get(hashedId(secret))
    const account = found === null ? null : await this.#accounts.get(found.account)
    return found !== null && account?.epoch === found.epoch ? account : null
  }

  /** Sets the password by such a link, ends all sessions of the account, and begins one. */
  async setPassword(secret: string, next: string): Promise<Result<SignedIn, NewPasswordFailure>> {
    const account = await this.resettable(secret)
    if (account === null) return fail({ kind: 'changed' })
    const changed = await this.#changePassword(account, next)
    if (!changed.ok) return changed
    await this.#resets.delete(hashedId(secret))
    return ok(await this.#begin(changed.value))
  }

  /** Whether this is the account's password; each question counts as a sign-in. */
  async proves(account: Account, password: string): Promise<Result<void, SignInFailure>> {
    const retryAfter = this.#signIns.takeSignedIn(account.id)
    if (retryAfter > 0) return fail({ kind: 'limited', retryAfter })
    const matches = await this.#parts.passwords.matches(password, account.password, account.id)
    if (!matches.ok) return fail({ kind: 'busy' })
    return matches.value ? ok(undefined) : fail({ kind: 'wrong' })
  }

  /** The account as it was last; it and all its sessions are gone. */
  async take(id: string): Promise<Account | null> {
    let taken: Account | null = null
    // Another change may come in between.
    while ((await this.#accounts.get(id)) !== null && taken === null) taken = await this.#accounts.take(id)
    return taken
  }

  /** `changed`: another was faster. */
  async #changePassword(account: Account, next: string): Promise<Result<Account, NewPasswordFailure>> {
    const problem = passwordProblem(next, account.email)
    if (problem !== null) return fail({ kind: 'invalid', message: problem })
    const hash = await this.#parts.passwords.hash(next, account.id)
    if (!hash.ok) return fail({ kind: 'busy' })
    const changed = await this.change(account.id, (now) =>
      now.epoch === account.epoch ? { ...now, password: hash.value, epoch: now.epoch + 1 } : null,
    )
    return changed === null ? fail({ kind: 'changed' }) : ok(changed)
  }

  async #make(email: string, password: string, invite: string): Promise<Result<SignedIn, SignUpFailure>> {
    const account: Account = {
      id: accountId(email),
      email: normalEmail(email),
      password,
      gateways: [],
      epoch: this.#parts.random.bytes(EPOCH_BYTES).readUIntBE(0, EPOCH_BYTES),
      createdAt: this.#parts.clock.now(),
    }
    if ((await this.#byEmail(email)) !== null) return fail({ kind: 'email_taken' })
    if (this.needsInvite && !(await this.#invites.claim(invite, account.id))) return fail({ kind: 'no_invite' })
    if (!(await this.#accounts.create(account.id, account))) return fail({ kind: 'email_taken' })
    await this.#invites.used(invite, account.id)
    return ok(await this.#begin(account))
  }

  /** The account of an address; one from earlier is found by its address as it was typed then. */
  async #byEmail(email: string): Promise<Account | null> {
    const ids = new Set([earlierAccountId(email), accountId(email)])
    for (const id of ids) {
      const account = await this.#accounts.get(id)
      if (account !== null) return account
    }
    return null
  }

  async #begin(account: Account): Promise<SignedIn> {
    const session = this.#secret()
    const seenAt = this.#parts.clock.now()
    await this.#sessions.create(hashedId(session), { account: account.id, epoch: account.epoch, seenAt })
    return { account, session }
  }

  #secret(): string {
    return this.#parts.random.bytes(SECRET_BYTES).toString('base64url')
  }
}
