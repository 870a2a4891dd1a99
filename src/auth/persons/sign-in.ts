import { AddressLimits } from '../../lib/address-limits.ts'
import type { Clock } from '../../lib/clock.ts'
import { plainAddress } from '../../lib/network-of.ts'
import { TokenBucket, TokenBuckets } from '../../lib/token-bucket.ts'
import { SESSIONS_MAX, type Beginning, type Halves, type OneTimeLinks } from './console-session.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { hashSecret, isSecretOf } from '../credentials/credentials.ts'
import type { ConsoleSessions, PersonSession } from './console-sessions.ts'
import { type Passkey, type PasskeyRequest, type ShownPasskey, type Site, ENTER, type Passkeys } from './passkeys.ts'
import type { Passwords } from './password.ts'
import type { Persons } from './persons.ts'

/** docs/limits.md#console: tries from one address, and in all by strangers, or from one known address. */
const PER_ADDRESS = { perSecond: 5 / 60, burst: 5 }
const IN_ALL = { perSecond: 30 / 3_600, burst: 30 }
/** Addresses and sessions that are counted one by one: as many as there are sessions. */
const KNOWN = { keysMax: SESSIONS_MAX }

/** How often one kind of secret may be tried. Strangers use up the tries of nobody at home. */
class GuessLimits {
  readonly #perStranger: AddressLimits
  readonly #ofStrangers: TokenBucket
  readonly #perKnown: ProofLimits
  readonly #isKnown: (address: string) => boolean

  /** @param isKnown whether a session that holds began at an address (`plainAddress`) */
  constructor(clock: Clock, isKnown: (address: string) => boolean) {
    this.#perStranger = new AddressLimits(clock, PER_ADDRESS)
    this.#ofStrangers = new TokenBucket(clock, IN_ALL)
    this.#perKnown = new ProofLimits(clock)
    this.#isKnown = isKnown
  }

  /** Takes one try of an address; answers the seconds until there is one, 0 where there is one now. */
  take(peer: string): number {
    const address = plainAddress(peer)
    // A guest is in the same /64 network of IPv6 as the home: only the very address is known.
    if (this.#isKnown(address)) return this.#perKnown.take(address)
    const wait = this.#perStranger.take(address)
    if (wait > 0) return wait
    return this.#ofStrangers.take() ? 0 : Math.ceil(this.#ofStrangers.waitSeconds)
  }
}

/** Tries of one session that proves itself again, or of one known address. Strangers use up none of them. */
class ProofLimits {
  readonly #perMinute: TokenBuckets
  readonly #perHour: TokenBuckets

  constructor(clock: Clock) {
    this.#perMinute = new TokenBuckets(clock, { ...PER_ADDRESS, ...KNOWN })
    this.#perHour = new TokenBuckets(clock, { ...IN_ALL, ...KNOWN })
  }

  /** Takes one try of a session or known address; answers the seconds until there is one, 0 for none. */
  take(key: string): number {
    return this.#perMinute.take(key) || this.#perHour.take(key)
  }
}

/** The code on the label of an appliance is short: it may be tried so often from one address, and in all. */
const SETUP_PER_ADDRESS = { perSecond: 5 / 3_600, burst: 5 }
const SETUP_IN_ALL = { perSecond: 60 / 3_600, burst: 60 }
/** While so many hashes wait, whoever comes next is asked to come again. */
const BUSY_RETRY_S = 5

/** Why nobody is let in; `retryAfter` in seconds. */
export type SignInFailure = 'link_unknown' | 'wrong' | 'passkey_unknown' | { readonly retryAfter: number }
export type Entered = Halves & { readonly session: PersonSession }

interface SignInParts {
  readonly clock: Clock
  readonly persons: Persons
  readonly passwords: Passwords
  readonly sessions: ConsoleSessions
  readonly links: OneTimeLinks
  readonly passkeys: Passkeys
  /** `HM_SETUP_CODE`. */
  readonly setupCode: string | null
  /** Whether the set-up code ended, as what is remembered beside the configuration says. */
  readonly setupOver: () => boolean
  /** Told the address of each try that let nobody in. */
  readonly failed: (peer: string) => void
}

type From = Omit<Beginning, 'person'>

/**
 * The ways into the console (docs/console.md#getting-in). Guessing is bounded; a fresh one-time link always works, so
 * that nobody can lock an administrator out.
 */
export class SignIn {
  readonly #parts: SignInParts
  readonly #passwords: GuessLimits
  /** Apart from those of passwords: the right passkey still enters where too many passwords were tried. */
  readonly #passkeys: GuessLimits
  readonly #proofs: ProofLimits
  readonly #setupPerAddress: AddressLimits
  readonly #setupInAll: TokenBucket

  constructor(parts: SignInParts) {
    this.#parts = parts
    const isKnown = (address: string): boolean =>
      parts.sessions.list().some(({ stored }) => plainAddress(stored.peer) === address)
    this.#passwords = new GuessLimits(parts.clock, isKnown)
    this.#passkeys = new GuessLimits(parts.clock, isKnown)
    this.#proofs = new ProofLimits(parts.clock)
    this.#setupPerAddress = new AddressLimits(parts.clock, SETUP_PER_ADDRESS)
    this.#setupInAll = new TokenBucket(parts.clock, SETUP_IN_ALL)
  }

  byLink(code: string, from: From): Result<Entered, SignInFailure> {
    const { links, sessions } = this.#parts
    const link = links.find(code)
    if (link === null) return this.#refused(from.peer, 'link_unknown')
    const entered = sessions.begin({ ...from, person: link.person, maker: link.maker })
    // Not before: while the disk takes no writes nobody comes in, and the link is for the next try.
    links.used(code)
    return ok(entered)
  }

  /** The code of an appliance's label, until the first administrator exists. */
  bySetupCode(code: string, from: From): Result<Entered, SignInFailure> {
    const { setupCode, setupOver, persons, sessions } = this.#parts
    // Before anything else, so that no answer says whether the home has an administrator.
    const wait = this.#setupPerAddress.take(from.peer) || this.#setupWaitInAll()
    if (wait > 0) return this.#refused(from.peer, { retryAfter: wait })
    const isOpen = setupCode !== null && persons.list().length === 0 && !setupOver()
    return isOpen && isSecretOf(code, hashSecret(setupCode))
      ? ok(sessions.begin({ ...from, person: null }))
      : this.#refused(from.peer, 'link_unknown')
  }

  async byPassword(name: string, password: string, from: From): Promise<Result<Entered, SignInFailure>> {
    const wait = this.#passwords.take(from.peer)
    if (wait > 0) return this.#refused(from.peer, { retryAfter: wait })
    const tried = await this.#tried(this.#parts.persons.byName(name)?.id ?? null, password)
    if (!tried.ok) return this.#refused(from.peer, tried.error)
    return ok(this.#parts.sessions.begin({ ...from, person: tried.value }))
  }

  /** The password of the session's own person once more: what is dangerous may then be done for a while. */
  async prove(session: PersonSession, password: string): Promise<Result<null, SignInFailure>> {
    const state = this.#parts.sessions.state(session)
    if (state === null) return fail('wrong')
    const wait = this.#proofs.take(session.id)
    if (wait > 0) return fail({ retryAfter: wait })
    const tried = await this.#tried(state.person?.id ?? null, password)
    if (!tried.ok) return this.#refused(state.stored.peer, tried.error)
    // It may have ended while the password was compared.
    if (this.#parts.sessions.state(session) === null) return fail('wrong')
    this.#parts.sessions.proved(session)
    return ok(null)
  }

  /** A passkey, which says by itself whose it is. */
  async byPasskey(given: ShownPasskey, site: Site, from: From): Promise<Result<Entered, SignInFailure>> {
    const { passkeys, persons, sessions } = this.#parts
    // Nothing is computed for one that is not known, so it costs no try: strangers' junk uses up nobody's.
    if (!passkeys.knows(given, site)) return this.#refused(from.peer, 'passkey_unknown')
    const wait = this.#passkeys.take(from.peer)
    if (wait > 0) return this.#refused(from.peer, { retryAfter: wait })
    const shown = await passkeys.shown(given, site, ENTER)
    if (shown === null || persons.get(shown.person) === undefined) return this.#refused(from.peer, 'passkey_unknown')
    return ok(sessions.begin({ ...from, person: shown.person }))
  }

  /** What a browser takes to show a passkey of the session's own person; null where there is none for this site. */
  proofRequest(session: PersonSession, site: Site): PasskeyRequest | null {
    const own = this.#ownPasskeys(session, site)
    return own.length === 0 ? null : this.#parts.passkeys.request(site, provingIn(session), own)
  }

  /** A passkey of the session's own person: as `prove` with a password. */
  async proveByPasskey(session: PersonSession, given: ShownPasskey, site: Site): Promise<Result<null, SignInFailure>> {
    const wait = this.#proofs.take(session.id)
    if (wait > 0) return fail({ retryAfter: wait })
    const shown = await this.#parts.passkeys.shown(given, site, provingIn(session))
    const state = this.#parts.sessions.state(session)
    if (state === null) return fail('passkey_unknown')
    if (shown === null || shown.person !== state.person?.id) return this.#refused(state.stored.peer, 'passkey_unknown')
    this.#parts.sessions.proved(session)
    return ok(null)
  }

  #ownPasskeys(session: PersonSession, site: Site): readonly Passkey[] {
    const person = this.#parts.sessions.state(session)?.person?.id ?? null
    return this.#parts.passkeys.of(person, site)
  }

  /** Whether a password is a person's; that of nobody takes as long as a wrong one. */
  async #tried(id: string | null, password: string): Promise<Result<string, SignInFailure>> {
    const { persons, passwords } = this.#parts
    if (passwords.busy) return fail({ retryAfter: BUSY_RETRY_S })
    const stored = id === null ? undefined : persons.get(id)
    const matches = await passwords.matches(password, stored?.password ?? null)
    // Somebody may have been removed, or given another password, while it was compared.
    const still = id !== null && persons.get(id)?.password === stored?.password
    return matches && still && id !== null ? ok(id) : fail('wrong')
  }

  #refused(peer: string, failure: SignInFailure): { readonly ok: false; readonly error: SignInFailure } {
    this.#parts.failed(peer)
    return fail(failure)
  }

  #setupWaitInAll(): number {
    return this.#setupInAll.take() ? 0 : Math.ceil(this.#setupInAll.waitSeconds)
  }
}

const provingIn = ({ id }: PersonSession): string => `prove:${id}`
