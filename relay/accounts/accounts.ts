import { AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import { fail, ok, type Result } from '@hm-gateway/lib/result.ts'
import { hashedId, Table } from '../store/table.ts'
import {
  Account,
  accountId,
  earlierAccountId,
  isEmail,
  normalEmail,
  passwordProblem,
  PasskeyOwner,
  Reset,
} from './account.ts'
import { EventLog } from './event-log.ts'
import { Invites, type Limited } from './invites.ts'
import { Notices } from './notices.ts'
import type { Passwords, Urgency } from './passwords.ts'
import { knownDevice, Sessions, type SignedIn } from './sessions.ts'
import { type SignInLimits, signInLimits } from './sign-in-limits.ts'
import { aboutOf, type Visitor } from './visitor.ts'
import type { RelayParts } from '../store/parts.ts'

/** Accounts that one address makes. */
export const SIGN_UPS = { perSecond: 5 / 3_600, burst: 5 }
/** Accounts that all addresses make at this node: the store keeps each of them. */
export const SIGN_UPS_ALL = { perSecond: 1_000 / 86_400, burst: 1_000 }
const SECRET_BYTES = 32
const EPOCH_BYTES = 6

/** `not_taken`: a passkey could not be checked. */
export type SignInFailure = Limited | { readonly kind: 'wrong' | 'busy' | 'not_taken' }
export type NewPasswordFailure =
  | { readonly kind: 'busy' | 'changed' }
  | { readonly kind: 'invalid'; readonly message: string }
export type SignUpFailure =
  | Limited
  | { readonly kind: 'busy' | 'no_invite' | 'email_taken' }
  | { readonly kind: 'invalid'; readonly message: string }

export interface AccountsParts extends Pick<RelayParts, 'store' | 'clock' | 'random'> {
  readonly passwords: Passwords
  /** Who may make an account: those with an invite, or everyone. */
  readonly signUp: 'invite' | 'open'
  /** Notices wait for the gateway of a home. */
  readonly noticed?: (serial: string) => void
}

export interface SignUp {
  readonly email: string
  readonly password: string
  readonly invite: string
}

/** Accounts, their sessions and invites. What is wrong with a name or a password is told apart nowhere. */
export class Accounts {
  readonly #parts: AccountsParts
  readonly #accounts: Table<Account>
  readonly sessions: Sessions
  readonly notices: Notices
  readonly events: EventLog
  readonly invites: Invites
  readonly #resets: Table<Reset>
  readonly #passkeys: Table<PasskeyOwner>
  readonly #signIns: SignInLimits
  readonly #signUps: AddressLimits

  constructor(parts: AccountsParts) {
    this.#parts = parts
    this.#accounts = new Table(parts.store, 'accounts', Account)
    this.notices = new Notices(parts)
    this.events = new EventLog(parts)
    const newDevice = (account: Account, visitor: Visitor): Promise<void> => this.#newDevice(account, visitor)
    this.sessions = new Sessions({ ...parts, accounts: this.#accounts, newDevice })
    this.#resets = new Table(parts.store, 'resets', Reset)
    this.#passkeys = new Table(parts.store, 'passkeys', PasskeyOwner)
    this.#signIns = signInLimits(parts.clock)
    this.#signUps = new AddressLimits(parts.clock, { ...SIGN_UPS, all: SIGN_UPS_ALL })
    this.invites = new Invites(parts)
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

  /** A device that the account knows has limits of its own, so that strangers cannot lock its owner out. */
  async signIn(email: string, password: string, visitor: Visitor): Promise<Result<SignedIn, SignInFailure>> {
    const account = await this.byEmail(email)
    const device = knownDevice(account, visitor)
    const retryAfter =
      device === null ? this.#signIns.takeFrom(visitor.peer, accountId(email)) : this.#signIns.takeOfDevice(device)
    const urgency = device === null ? 'usual' : 'first'
    const checked = await this.#checked(account, password, { retryAfter, urgency, peer: visitor.peer })
    if (!checked.ok) return checked
    if (account === null) return fail({ kind: 'wrong' })
    await this.events.record('signed_in', account.id, aboutOf(visitor))
    return ok(await this.sessions.begin(account, visitor))
  }

  /** Whether this invite would make an account. */
  async isInvited(invite: string): Promise<boolean> {
    return !this.needsInvite || (await this.invites.isUnused(invite))
  }

  /**
   * Makes an account. A form that is sent twice signs in the second time. Forms without a valid invite count as
   * sign-ins.
   */
  async signUp(given: SignUp, visitor: Visitor): Promise<Result<SignedIn, SignUpFailure>> {
    const made = await this.#signUp(given, visitor)
    if (made.ok || (made.error.kind !== 'no_invite' && made.error.kind !== 'email_taken')) return made
    const known = await this.signIn(given.email, given.password, visitor)
    if (known.ok) return known
    return known.error.kind === 'limited' ? fail(known.error) : made
  }

  async #signUp({ email, password, invite }: SignUp, visitor: Visitor): Promise<Result<SignedIn, SignUpFailure>> {
    if (this.needsInvite && !(await this.invites.isFor(invite, accountId(email)))) return fail({ kind: 'no_invite' })
    if (!isEmail(email)) return fail({ kind: 'invalid', message: 'That is no e-mail address.' })
    const problem = passwordProblem(password, email)
    if (problem !== null) return fail({ kind: 'invalid', message: problem })
    // Only a form that can make an account counts: others must not keep invited people at this address out.
    const retryAfter = this.#signUps.take(visitor.peer)
    if (retryAfter > 0) return fail({ kind: 'limited', retryAfter })
    const hash = await this.#parts.passwords.hash(password, 'usual', visitor.peer)
    if (!hash.ok) return fail({ kind: 'busy' })
    return this.#make({ email, password: hash.value, invite }, visitor)
  }

  /** Ends all sessions of the account, and begins one for whoever changed it. */
  async changePassword(
    account: Account,
    { prove, next }: { readonly prove: () => Promise<Result<void, SignInFailure>>; readonly next: string },
    visitor: Visitor,
  ): Promise<Result<SignedIn, SignInFailure | NewPasswordFailure>> {
    const problem = passwordProblem(next, account.email)
    if (problem !== null) return fail({ kind: 'invalid', message: problem })
    const proved = await prove()
    if (!proved.ok) return proved
    const changed = await this.#changePassword(account, next)
    if (!changed.ok) return changed
    await this.events.record('password_changed', account.id, aboutOf(visitor))
    return ok(await this.sessions.begin(changed.value, visitor))
  }

  /**
   * A link by which the password of an account is set anew, for the relay's operator; null where there is no such
   * account.
   */
  async reset(email: string): Promise<string | null> {
    const account = await this.byEmail(email)
    if (account === null) return null
    const secret = this.#parts.random.bytes(SECRET_BYTES).toString('base64url')
    await this.#resets.create(hashedId(secret), { account: account.id, epoch: account.epoch })
    await this.events.record('reset_link_made', account.id)
    return secret
  }

  /** The account whose password this link sets; null where it was used, is over, or the password was changed since. */
  async resettable(secret: string): Promise<Account | null> {
    const found = await this.#resets.get(hashedId(secret))
    const account = found === null ? null : await this.#accounts.get(found.account)
    return found !== null && account?.epoch === found.epoch ? account : null
  }

  /** Sets the password by such a link, ends all sessions of the account, begins one, and forgets its devices. */
  async setPassword(secret: string, next: string, visitor: Visitor): Promise<Result<SignedIn, NewPasswordFailure>> {
    const account = await this.resettable(secret)
    if (account === null) return fail({ kind: 'changed' })
    const changed = await this.#changePassword(account, next, { devices: [] })
    if (!changed.ok) return changed
    await this.#resets.delete(hashedId(secret))
    await this.events.record('password_reset', account.id, aboutOf(visitor))
    return ok(await this.sessions.begin(changed.value, visitor))
  }

  /** Whether this is the account's password; each question counts as a sign-in. */
  async proves(account: Account, password: string, { peer }: Visitor): Promise<Result<void, SignInFailure>> {
    const retryAfter = this.#signIns.takeSignedIn(account.id)
    return this.#checked(account, password, { retryAfter, urgency: 'first', peer })
  }

  /** Compares a password; the event log counts each refusal. */
  async #checked(
    account: Account | null,
    password: string,
    { retryAfter, urgency, peer }: { readonly retryAfter: number; readonly urgency: Urgency; readonly peer: string },
  ): Promise<Result<void, SignInFailure>> {
    const whose = account?.id ?? null
    if (retryAfter > 0) this.events.count('limit_reached', whose, peer)
    if (retryAfter > 0) return fail({ kind: 'limited', retryAfter })
    const matches = await this.#parts.passwords.matches(password, account?.password ?? null, urgency, peer)
    if (!matches.ok) return fail({ kind: 'busy' })
    if (account !== null && matches.value) return ok(undefined)
    this.events.count('sign_in_failed', whose, peer)
    return fail({ kind: 'wrong' })
  }

  /** The account as it was last; it and all its sessions are gone. */
  async take(id: string): Promise<Account | null> {
    let taken: Account | null = null
    // Another change may come in between.
    while ((await this.#accounts.get(id)) !== null && taken === null) taken = await this.#accounts.take(id)
    await this.sessions.forget(taken?.sessions ?? [])
    for (const { credential } of taken?.passkeys ?? []) await this.#passkeys.delete(hashedId(credential))
    await this.invites.forget(id)
    return taken
  }

  /** `changed`: another was faster. */
  async #changePassword(
    account: Account,
    next: string,
    besides: Partial<Account> = {},
  ): Promise<Result<Account, NewPasswordFailure>> {
    const problem = passwordProblem(next, account.email)
    if (problem !== null) return fail({ kind: 'invalid', message: problem })
    // Only people who are signed in or have a link get here: strangers' tries must not keep them waiting.
    const hash = await this.#parts.passwords.hash(next, 'first')
    if (!hash.ok) return fail({ kind: 'busy' })
    const changed = await this.change(account.id, (now) =>
      now.epoch === account.epoch
        ? { ...now, ...besides, password: hash.value, epoch: now.epoch + 1, sessions: [] }
        : null,
    )
    if (changed === null) return fail({ kind: 'changed' })
    await this.sessions.forget(account.sessions)
    return ok(changed)
  }

  /** @param given with the hash of the password. */
  async #make({ email, password, invite }: SignUp, visitor: Visitor): Promise<Result<SignedIn, SignUpFailure>> {
    const account: Account = {
      id: accountId(email),
      email: normalEmail(email),
      password,
      gateways: [],
      epoch: this.#parts.random.bytes(EPOCH_BYTES).readUIntBE(0, EPOCH_BYTES),
      createdAt: this.#parts.clock.now(),
      sessions: [],
      devices: [],
      passkeys: [],
    }
    if ((await this.byEmail(email)) !== null) return fail({ kind: 'email_taken' })
    if (this.needsInvite && !(await this.invites.claim(invite, account.id))) return fail({ kind: 'no_invite' })
    if (!(await this.#accounts.create(account.id, account))) return fail({ kind: 'email_taken' })
    await this.invites.used(invite, account.id)
    await this.events.record('signed_up', account.id, aboutOf(visitor))
    return ok(await this.sessions.begin(account, visitor))
  }

  /** The account of an address; one from earlier is found by its address as it was typed then. */
  async byEmail(email: string): Promise<Account | null> {
    const ids = new Set([earlierAccountId(email), accountId(email)])
    for (const id of ids) {
      const account = await this.#accounts.get(id)
      if (account !== null) return account
    }
    return null
  }

  /** The homes of the account are told, now or when they are connected. */
  async #newDevice(account: Account, visitor: Visitor): Promise<void> {
    for (const serial of account.gateways) {
      await this.notices.signedIn(serial, account, visitor)
      this.#parts.noticed?.(serial)
    }
  }
}
