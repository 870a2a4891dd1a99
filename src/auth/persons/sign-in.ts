import { AddressLimits } from '../../lib/address-limits.ts'
import type { Clock } from '../../lib/clock.ts'
import { plainAddress } from '../../lib/network-of.ts'
import { TokenBucket, TokenBuckets } from '../../lib/token-bucket.ts'
import { SESSIONS_MAX, type Beginning, type SessionSecrets, type OneTimeLinks } from './console-session.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { hashSecret, isSecretOf } from '../credentials/credentials.ts'
import type { ConsoleSessions, PersonSession } from './console-sessions.ts'
import {
  type Passkey,
  type PasskeyRequest,
  type ShownPasskey,
  type PasskeySite,
  ENTER,
  type Passkeys,
} from './passkeys.ts'
import type { Passwords } from './password.ts'
import type { Persons } from './persons.ts'
import type { SignInCodes } from './sign-in-codes.ts'

/**
 * Rate limits of sign-in attempts (docs/limits.md#console): per address, and per known address or for all strangers
 * together.
 */
const PER_ADDRESS = { perSecond: 5 / 60, burst: 5 }
const TOTAL = { perSecond: 30 / 3_600, burst: 30 }
/** Most addresses and sessions counted separately: as many as sessions. */
const KNOWN = { keysMax: SESSIONS_MAX }

/** Rate limit of attempts with one kind of secret. Strangers cannot use up the attempts of people at home. */
class GuessLimits {
  readonly #perStranger: AddressLimits
  readonly #allStrangers: TokenBucket
  readonly #perKnown: ProofLimits
  readonly #isKnown: (address: string) => boolean

  /** @param isKnown true if a valid session started at an address (`plainAddress`) */
  constructor(clock: Clock, isKnown: (address: string) => boolean) {
    this.#perStranger = new AddressLimits(clock, PER_ADDRESS)
    this.#allStrangers = new TokenBucket(clock, TOTAL)
    this.#perKnown = new ProofLimits(clock)
    this.#isKnown = isKnown
  }

  /** Takes one attempt of an address. Returns 0, or the seconds until the next one. */
  take(peer: string): number {
    const address = plainAddress(peer)
    // Guests share the home's IPv6 /64 network, so only the exact address counts as known.
    if (this.#isKnown(address)) return this.#perKnown.take(address)
    const wait = this.#perStranger.take(address)
    if (wait > 0) return wait
    return this.#allStrangers.take() ? 0 : Math.ceil(this.#allStrangers.waitSeconds)
  }
}

/** Rate limit of attempts in one session or from one known address, which strangers cannot use up. */
class ProofLimits {
  readonly #perMinute: TokenBuckets
  readonly #perHour: TokenBuckets

  constructor(clock: Clock) {
    this.#perMinute = new TokenBuckets(clock, { ...PER_ADDRESS, ...KNOWN })
    this.#perHour = new TokenBuckets(clock, { ...TOTAL, ...KNOWN })
  }

  /** Takes one attempt of a session or known address. Returns 0, or the seconds until the next one. */
  take(key: string): number {
    return this.#perMinute.take(key) || this.#perHour.take(key)
  }
}

/** Rate limits of the set-up code, which is short: per address and in total. */
const SETUP_PER_ADDRESS = { perSecond: 5 / 3_600, burst: 5 }
const SETUP_TOTAL = { perSecond: 60 / 3_600, burst: 60 }
/** Retry-After in seconds while the queue of hashes is full. */
const BUSY_RETRY_S = 5

/** Reason for a failed sign-in; `retryAfter` in seconds. */
export type SignInFailure =
  | 'link_unknown'
  | 'wrong'
  | 'passkey_unknown'
  | 'code_needed'
  | 'code_wrong'
  | { readonly retryAfter: number }
export type Entered = SessionSecrets & { readonly session: PersonSession; readonly isTablet?: boolean }

interface SignInParts {
  readonly clock: Clock
  readonly persons: Persons
  readonly passwords: Passwords
  readonly sessions: ConsoleSessions
  readonly links: OneTimeLinks
  readonly passkeys: Passkeys
  readonly codes: Pick<SignInCodes, 'take'>
  /** True for an address in the networks of the home. */
  readonly isAtHome: (peer: string) => boolean
  /** `HM_SETUP_CODE`. */
  readonly setupCode: string | null
  /** True if the set-up code ended, according to the list stored outside the configuration. */
  readonly setupOver: () => boolean
  /** Receives the address of every failed attempt. */
  readonly failed: (peer: string) => void
}

type SignInOrigin = Omit<Beginning, 'person'>

/**
 * Sign-in to the console (docs/console.md#getting-in). Attempts are limited, but a fresh one-time link always works, so
 * nobody can lock an administrator out.
 */
export class SignIn {
  readonly #parts: SignInParts
  readonly #passwords: GuessLimits
  /** Separate from passwords, so that a passkey works after too many wrong passwords. */
  readonly #passkeys: GuessLimits
  readonly #proofs: ProofLimits
  readonly #setupPerAddress: AddressLimits
  readonly #setupTotal: TokenBucket

  constructor(parts: SignInParts) {
    this.#parts = parts
    const isKnown = (address: string): boolean =>
      parts.sessions.list().some(({ stored }) => plainAddress(stored.peer) === address)
    this.#passwords = new GuessLimits(parts.clock, isKnown)
    this.#passkeys = new GuessLimits(parts.clock, isKnown)
    this.#proofs = new ProofLimits(parts.clock)
    this.#setupPerAddress = new AddressLimits(parts.clock, SETUP_PER_ADDRESS)
    this.#setupTotal = new TokenBucket(parts.clock, SETUP_TOTAL)
  }

  byLink(code: string, origin: SignInOrigin): Result<Entered, SignInFailure> {
    const { links, sessions } = this.#parts
    const link = links.find(code)
    if (link === null) return this.#refused(origin.peer, 'link_unknown')
    const { person, maker, integration } = link
    if (integration !== null && !this.#parts.isAtHome(origin.peer)) return this.#refused(origin.peer, 'link_unknown')
    // A wall tablet keeps its session when the browser closes.
    const ownDevice = origin.ownDevice || integration !== null
    const entered = sessions.begin({ ...origin, ownDevice, person, maker, integration })
    // Used only after the session is stored, so that the link survives a failed write.
    links.used(code)
    return ok({ ...entered, isTablet: integration !== null })
  }

  /** Signs in by the code on the appliance's label, until the first administrator exists. */
  bySetupCode(code: string, origin: SignInOrigin): Result<Entered, SignInFailure> {
    const { setupCode, setupOver, persons, sessions } = this.#parts
    // Limited before anything else, so that no response reveals whether the home has an administrator.
    const wait = this.#setupPerAddress.take(origin.peer) || this.#setupTotalWait()
    if (wait > 0) return this.#refused(origin.peer, { retryAfter: wait })
    const isOpen = setupCode !== null && persons.administrators().length === 0 && !setupOver()
    return isOpen && isSecretOf(code, hashSecret(setupCode))
      ? ok(sessions.begin({ ...origin, person: null }))
      : this.#refused(origin.peer, 'link_unknown')
  }

  /** Signs in by a password, and a `code` of a signed-in browser if the account needs two factors. */
  async byPassword(
    name: string,
    password: string,
    origin: SignInOrigin,
    code: string | null = null,
  ): Promise<Result<Entered, SignInFailure>> {
    const wait = this.#passwords.take(origin.peer)
    if (wait > 0) return this.#refused(origin.peer, { retryAfter: wait })
    const checked = await this.#checkPassword(this.#parts.persons.byName(name)?.id ?? null, password)
    if (!checked.ok) return this.#refused(origin.peer, checked.error)
    const person = checked.value
    const needsCode = this.#parts.persons.get(person)?.twoFactors === true
    if (needsCode && code === null) return fail('code_needed')
    if (needsCode && !this.#parts.codes.take(person, code ?? '')) return this.#refused(origin.peer, 'code_wrong')
    return ok(this.#parts.sessions.begin({ ...origin, person }))
  }

  /** Checks the password of the session's person again, which allows dangerous actions for a while. */
  async prove(session: PersonSession, password: string): Promise<Result<null, SignInFailure>> {
    const state = this.#parts.sessions.state(session)
    if (state === null) return fail('wrong')
    const wait = this.#proofs.take(session.id)
    if (wait > 0) return fail({ retryAfter: wait })
    const checked = await this.#checkPassword(state.person?.id ?? null, password)
    if (!checked.ok) return this.#refused(state.stored.peer, checked.error)
    // The session may have ended during the comparison.
    if (this.#parts.sessions.state(session) === null) return fail('wrong')
    this.#parts.sessions.proved(session)
    return ok(null)
  }

  /** Signs in by a passkey, which identifies its person. */
  async byPasskey(
    response: ShownPasskey,
    site: PasskeySite,
    origin: SignInOrigin,
  ): Promise<Result<Entered, SignInFailure>> {
    const { passkeys, persons, sessions } = this.#parts
    // An unknown passkey costs no computation and no attempt, so junk from strangers uses up nothing.
    if (!passkeys.knows(response, site)) return this.#refused(origin.peer, 'passkey_unknown')
    const wait = this.#passkeys.take(origin.peer)
    if (wait > 0) return this.#refused(origin.peer, { retryAfter: wait })
    const passkey = await passkeys.verify(response, site, ENTER)
    if (passkey === null || persons.get(passkey.person) === undefined)
      return this.#refused(origin.peer, 'passkey_unknown')
    return ok(sessions.begin({ ...origin, person: passkey.person }))
  }

  /** Options for requesting a passkey of the session's person; null if this site has none. */
  proofRequest(session: PersonSession, site: PasskeySite): PasskeyRequest | null {
    const own = this.#ownPasskeys(session, site)
    return own.length === 0 ? null : this.#parts.passkeys.request(site, provingIn(session), own)
  }

  /** Like `prove`, with a passkey of the session's person. */
  async proveByPasskey(
    session: PersonSession,
    response: ShownPasskey,
    site: PasskeySite,
  ): Promise<Result<null, SignInFailure>> {
    const wait = this.#proofs.take(session.id)
    if (wait > 0) return fail({ retryAfter: wait })
    const passkey = await this.#parts.passkeys.verify(response, site, provingIn(session))
    const state = this.#parts.sessions.state(session)
    if (state === null) return fail('passkey_unknown')
    if (passkey === null || passkey.person !== state.person?.id)
      return this.#refused(state.stored.peer, 'passkey_unknown')
    this.#parts.sessions.proved(session)
    return ok(null)
  }

  #ownPasskeys(session: PersonSession, site: PasskeySite): readonly Passkey[] {
    const person = this.#parts.sessions.state(session)?.person?.id ?? null
    return this.#parts.passkeys.of(person, site)
  }

  /** Checks a person's password; an unknown name takes as long as a wrong password. */
  async #checkPassword(id: string | null, password: string): Promise<Result<string, SignInFailure>> {
    const { persons, passwords } = this.#parts
    if (passwords.busy) return fail({ retryAfter: BUSY_RETRY_S })
    const stored = id === null ? undefined : persons.get(id)
    const matches = await passwords.matches(password, stored?.password ?? null)
    // The person may have been removed or got a new password during the comparison.
    const isUnchanged = id !== null && persons.get(id)?.password === stored?.password
    return matches && isUnchanged && id !== null ? ok(id) : fail('wrong')
  }

  #refused(peer: string, failure: SignInFailure): { readonly ok: false; readonly error: SignInFailure } {
    this.#parts.failed(peer)
    return fail(failure)
  }

  #setupTotalWait(): number {
    return this.#setupTotal.take() ? 0 : Math.ceil(this.#setupTotal.waitSeconds)
  }
}

const provingIn = ({ id }: PersonSession): string => `prove:${id}`
