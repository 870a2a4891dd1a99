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
import { knownDevice, AccountSessions, type SignedIn } from './account-sessions.ts'
import { type SignInLimits, signInLimits } from './sign-in-limits.ts'
import { aboutOf, type Visitor } from './visitor.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** Rate of new accounts from one address. */
export const SIGN_UPS = { perSecond: 5 / 3_600, burst: 5 }
/** Rate of new accounts at this node. */
export const SIGN_UPS_ALL = { perSecond: 1_000 / 86_400, burst: 1_000 }
const SECRET_BYTES = 32
const EPOCH_BYTES = 6

/** `not_taken`: the passkey could not be verified. */
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
  /** Creating an account requires an invite, or is open to everyone. */
  readonly signUp: 'invite' | 'open'
  /** Called when there is a notice for a gateway. */
  readonly onNotice?: (serial: string) => void
}

export interface PasswordChange {
  readonly reauthenticate: () => Promise<Result<void, SignInFailure>>
  readonly next: string
}

export interface SignUp {
  readonly email: string
  readonly password: string
  readonly invite: string
}

/** Accounts with their sessions and invites. Sign-in failures do not reveal whether an account exists. */
export class Accounts {
  readonly #parts: AccountsParts
  readonly #accounts: Table<Account>
  readonly sessions: AccountSessions
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
    const onNewDevice = (account: Account, visitor: Visitor): Promise<void> => this.#notifyHomes(account, visitor)
    this.sessions = new AccountSessions({ ...parts, accounts: this.#accounts, onNewDevice })
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

  /** Known devices have their own limits, so that strangers cannot lock the owner out. */
  async signIn(email: string, password: string, visitor: Visitor): Promise<Result<SignedIn, SignInFailure>> {
    const account = await this.byEmail(email)
    const device = knownDevice(account, visitor)
    const retryAfter =
      device === null ? this.#signIns.takeFrom(visitor.peer, accountId(email)) : this.#signIns.takeOfDevice(device)
    const urgency = device === null ? 'usual' : 'first'
    const checked = await this.#check(account, password, { retryAfter, urgency, peer: visitor.peer })
    if (!checked.ok) return checked
    if (account === null) return fail({ kind: 'wrong' })
    await this.events.record('signed_in', account.id, aboutOf(visitor))
    return ok(await this.sessions.begin(account, visitor))
  }

  /** True if an account can be created with this invite. */
  async isInvited(invite: string): Promise<boolean> {
    return !this.needsInvite || (await this.invites.isUnused(invite))
  }

  /** Creates an account. A repeated form signs in. A form without a valid invite counts as a sign-in. */
  async signUp(form: SignUp, visitor: Visitor): Promise<Result<SignedIn, SignUpFailure>> {
    const created = await this.#signUp(form, visitor)
    if (created.ok || (created.error.kind !== 'no_invite' && created.error.kind !== 'email_taken')) return created
    const signedIn = await this.signIn(form.email, form.password, visitor)
    if (signedIn.ok) return signedIn
    return signedIn.error.kind === 'limited' ? fail(signedIn.error) : created
  }

  async #signUp({ email, password, invite }: SignUp, visitor: Visitor): Promise<Result<SignedIn, SignUpFailure>> {
    if (this.needsInvite && !(await this.invites.isFor(invite, accountId(email)))) return fail({ kind: 'no_invite' })
    if (!isEmail(email)) return fail({ kind: 'invalid', message: 'This is not an e-mail address. Check it.' })
    const problem = passwordProblem(password, email)
    if (problem !== null) return fail({ kind: 'invalid', message: problem })
    // Only valid forms count, so that others cannot keep invited people at this address out.
    const retryAfter = this.#signUps.take(visitor.peer)
    if (retryAfter > 0) return fail({ kind: 'limited', retryAfter })
    const hash = await this.#parts.passwords.hash(password, 'usual', visitor.peer)
    if (!hash.ok) return fail({ kind: 'busy' })
    return this.#create({ email, password: hash.value, invite }, visitor)
  }

  /** Changes the password, ends all sessions of the account, and begins a new one for the visitor. */
  async changePassword(
    account: Account,
    { reauthenticate, next }: PasswordChange,
    visitor: Visitor,
  ): Promise<Result<SignedIn, SignInFailure | NewPasswordFailure>> {
    const problem = passwordProblem(next, account.email)
    if (problem !== null) return fail({ kind: 'invalid', message: problem })
    const authenticated = await reauthenticate()
    if (!authenticated.ok) return authenticated
    const changed = await this.#changePassword(account, next)
    if (!changed.ok) return changed
    await this.events.record('password_changed', account.id, aboutOf(visitor))
    return ok(await this.sessions.begin(changed.value, visitor))
  }

  /** Secret of a link for resetting the password, for the relay's operator; null if there is no such account. */
  async reset(email: string): Promise<string | null> {
    const account = await this.byEmail(email)
    if (account === null) return null
    const secret = this.#parts.random.bytes(SECRET_BYTES).toString('base64url')
    await this.#resets.create(hashedId(secret), { account: account.id, epoch: account.epoch })
    await this.events.record('reset_link_made', account.id)
    return secret
  }

  /** Account of a reset link; null if the link was used, has expired, or the password has changed since. */
  async resettable(secret: string): Promise<Account | null> {
    const found = await this.#resets.get(hashedId(secret))
    const account = found === null ? null : await this.#accounts.get(found.account)
    return found !== null && account?.epoch === found.epoch ? account : null
  }

  /** Resets the password, ends all sessions, forgets all devices, and begins a new session. */
  async setPassword(secret: string, next: string, visitor: Visitor): Promise<Result<SignedIn, NewPasswordFailure>> {
    const account = await this.resettable(secret)
    if (account === null) return fail({ kind: 'changed' })
    const changed = await this.#changePassword(account, next, { devices: [] })
    if (!changed.ok) return changed
    await this.#resets.delete(hashedId(secret))
    await this.events.record('password_reset', account.id, aboutOf(visitor))
    return ok(await this.sessions.begin(changed.value, visitor))
  }

  /** Checks the password of a signed-in account. */
  async checkPassword(account: Account, password: string, { peer }: Visitor): Promise<Result<void, SignInFailure>> {
    const retryAfter = this.#signIns.takeSignedIn(account.id)
    return this.#check(account, password, { retryAfter, urgency: 'first', peer })
  }

  /** Compares a password; the event log counts each refusal. */
  async #check(
    account: Account | null,
    password: string,
    { retryAfter, urgency, peer }: { readonly retryAfter: number; readonly urgency: Urgency; readonly peer: string },
  ): Promise<Result<void, SignInFailure>> {
    const id = account?.id ?? null
    if (retryAfter > 0) this.events.count('limit_reached', id, peer)
    if (retryAfter > 0) return fail({ kind: 'limited', retryAfter })
    const matches = await this.#parts.passwords.matches(password, account?.password ?? null, urgency, peer)
    if (!matches.ok) return fail({ kind: 'busy' })
    if (account !== null && matches.value) return ok(undefined)
    this.events.count('sign_in_failed', id, peer)
    return fail({ kind: 'wrong' })
  }

  /** Deletes the account with its sessions and passkeys, and returns its last state. */
  async take(id: string): Promise<Account | null> {
    let deleted: Account | null = null
    // A concurrent change makes `take` return null.
    while ((await this.#accounts.get(id)) !== null && deleted === null) deleted = await this.#accounts.take(id)
    await this.sessions.forget(deleted?.sessions ?? [])
    for (const { credential } of deleted?.passkeys ?? []) await this.#passkeys.delete(hashedId(credential))
    await this.invites.forget(id)
    return deleted
  }

  /** `changed`: another change of the password was faster. */
  async #changePassword(
    account: Account,
    next: string,
    otherChanges: Partial<Account> = {},
  ): Promise<Result<Account, NewPasswordFailure>> {
    const problem = passwordProblem(next, account.email)
    if (problem !== null) return fail({ kind: 'invalid', message: problem })
    // The person is signed in or has a link, so the hash is computed before those of strangers.
    const hash = await this.#parts.passwords.hash(next, 'first')
    if (!hash.ok) return fail({ kind: 'busy' })
    const changed = await this.change(account.id, (stored) =>
      stored.epoch === account.epoch
        ? { ...stored, ...otherChanges, password: hash.value, epoch: stored.epoch + 1, sessions: [] }
        : null,
    )
    if (changed === null) return fail({ kind: 'changed' })
    await this.sessions.forget(account.sessions)
    return ok(changed)
  }

  /** @param form with the hash instead of the password. */
  async #create({ email, password, invite }: SignUp, visitor: Visitor): Promise<Result<SignedIn, SignUpFailure>> {
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
    await this.invites.complete(invite, account.id)
    await this.events.record('signed_up', account.id, aboutOf(visitor))
    return ok(await this.sessions.begin(account, visitor))
  }

  /** Finds an account by its address, also an account of earlier versions. */
  async byEmail(email: string): Promise<Account | null> {
    const ids = new Set([earlierAccountId(email), accountId(email)])
    for (const id of ids) {
      const account = await this.#accounts.get(id)
      if (account !== null) return account
    }
    return null
  }

  /** Sends a notice to all linked homes; offline ones receive it later. */
  async #notifyHomes(account: Account, visitor: Visitor): Promise<void> {
    for (const serial of account.gateways) {
      await this.notices.signedIn(serial, account, visitor)
      this.#parts.onNotice?.(serial)
    }
  }
}
