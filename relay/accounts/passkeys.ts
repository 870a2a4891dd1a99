import { isIP } from 'node:net'
import { z } from 'zod'
import { parsedAs } from '@hm-gateway/lib/json.ts'
import { siteOf } from '@hm-gateway/lib/network-of.ts'
import { fail, ok, type Result } from '@hm-gateway/lib/result.ts'
import { TokenBuckets } from '@hm-gateway/lib/token-bucket.ts'
import { RelayUnavailable } from '../model/unavailable.ts'
import { hashedId, Table } from '../store/table.ts'
import {
  type Account,
  Challenge,
  type Passkey,
  PASSKEY_NAME_LENGTH_MAX,
  PASSKEYS_MAX,
  PasskeyOwner,
} from './account.ts'
import type { Accounts } from './accounts.ts'
import type { Limited } from './invites.ts'
import type { SignedIn } from './sessions.ts'
import { aboutOf, type Visitor } from './visitor.ts'
import type { RelayParts } from '../store/parts.ts'

/** Challenges that one site (an IPv6 /48) or account asks for: each is stored until it is answered or over. */
export const CHALLENGES = { perSecond: 1, burst: 60, keysMax: 20_000 }
/** How long a browser shows its question. */
const TIMEOUT_MS = 120_000
const CHALLENGE_BYTES = 32
/** EdDSA, ES256 and RS256 (RFC 9053, RFC 8812): every authenticator knows one of them. */
const ALGORITHMS = [-8, -7, -257]
const KEY = 'public-key'
/** The members that the library takes besides. */
const ANY = { type: KEY, clientExtensionResults: {} } as const

const text = z.string().min(1).max(4_096)
/** A passkey as a browser shows it (WebAuthn: AuthenticationResponseJSON). */
const Shown = z.object({
  id: text,
  rawId: text,
  response: z.object({ clientDataJSON: text, authenticatorData: text, signature: text }),
})
type Shown = z.infer<typeof Shown>
/** A passkey as a browser made it (WebAuthn: RegistrationResponseJSON). */
const Made = z.object({ id: text, rawId: text, response: z.object({ clientDataJSON: text, attestationObject: text }) })

/** `not_taken`: it could not be checked. `known`: an account has it already. */
export type PasskeyFailure = Limited | { readonly kind: 'not_taken' | 'too_many' | 'known' | 'no_site' }

export interface PasskeysParts extends Pick<RelayParts, 'origin' | 'store' | 'clock' | 'random'> {
  readonly accounts: Accounts
}

/** Passkeys of accounts (WebAuthn): made, renamed, removed, and verified when they are used. */
export class Passkeys {
  readonly #parts: PasskeysParts
  readonly #owners: Table<PasskeyOwner>
  readonly #challenges: Table<Challenge>
  readonly #limit: TokenBuckets
  readonly #site: string
  /** Passkeys belong to a host name; a relay under a bare address has none. */
  readonly isOffered: boolean

  constructor(parts: PasskeysParts) {
    this.#parts = parts
    this.#owners = new Table(parts.store, 'passkeys', PasskeyOwner)
    this.#challenges = new Table(parts.store, 'challenges', Challenge)
    this.#limit = new TokenBuckets(parts.clock, CHALLENGES)
    this.#site = new URL(parts.origin).hostname
    this.isOffered = isIP(this.#site.replaceAll(/^\[|\]$/g, '')) === 0
  }

  /** The options with which a browser makes a passkey (`PublicKeyCredentialCreationOptionsJSON`). */
  async creation(account: Account): Promise<Result<object, PasskeyFailure>> {
    if (!this.isOffered) return fail({ kind: 'no_site' })
    if (account.passkeys.length >= PASSKEYS_MAX) return fail({ kind: 'too_many' })
    const challenge = await this.#challenge(makingBy(account), account.id)
    if (!challenge.ok) return challenge
    return ok({
      rp: { id: this.#site, name: 'Home Control relay' },
      user: { id: handleOf(account), name: account.email, displayName: account.email },
      challenge: challenge.value,
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: KEY, alg })),
      timeout: TIMEOUT_MS,
      excludeCredentials: account.passkeys.map(({ credential: id }) => ({ type: KEY, id })),
      // A discoverable passkey names its account, so nobody types an address to sign in.
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    })
  }

  /** Stores the passkey that a browser made by `creation`. */
  async add(account: Account, name: string, answer: string): Promise<Result<Account, PasskeyFailure>> {
    const made = parsedAs(Made, answer)
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
    const checked =
      made &&
      (await verifyRegistrationResponse({
        response: { ...made, ...ANY },
        expectedChallenge: (challenge) => this.#answered(challenge, makingBy(account)),
        expectedOrigin: this.#parts.origin,
        expectedRPID: this.#site,
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch(noVerdict))
    if (!checked?.verified) return fail({ kind: 'not_taken' })
    const { id: credential, publicKey, counter } = checked.registrationInfo.credential
    if (!(await this.#owners.create(hashedId(credential), { account: account.id }))) return fail({ kind: 'known' })
    const key = Buffer.from(publicKey).toString('base64url')
    const createdAt = this.#parts.clock.now()
    const passkey = { credential, key, counter, name: shortened(name), createdAt, usedAt: null }
    const changed = await this.#parts.accounts.change(account.id, (now) =>
      now.passkeys.length < PASSKEYS_MAX ? { ...now, passkeys: [...now.passkeys, passkey] } : null,
    )
    if (changed !== null) {
      await this.#parts.accounts.events.record('passkey_added', account.id)
      return ok(changed)
    }
    await this.#owners.delete(hashedId(credential))
    return fail({ kind: 'too_many' })
  }

  /**
   * The options with which a browser uses a passkey (`PublicKeyCredentialRequestOptionsJSON`): any for a sign-in, one of
   * the account's own for a proof.
   */
  async request(account: Account | null, { peer }: Visitor): Promise<Result<object, PasskeyFailure>> {
    if (!this.isOffered) return fail({ kind: 'no_site' })
    const purpose = account === null ? SIGN_IN : provingBy(account)
    const challenge = await this.#challenge(purpose, account?.id ?? siteOf(peer))
    if (!challenge.ok) return challenge
    return ok({
      rpId: this.#site,
      challenge: challenge.value,
      timeout: TIMEOUT_MS,
      userVerification: 'required',
      allowCredentials: account?.passkeys.map(({ credential: id }) => ({ type: KEY, id })) ?? [],
    })
  }

  /** Strangers' tries at the password have no effect on it: nobody guesses a passkey. */
  async signIn(answer: string, visitor: Visitor): Promise<Result<SignedIn, PasskeyFailure>> {
    const shown = parsedAs(Shown, answer)
    const owner = shown && (await this.#owners.get(hashedId(shown.id)))
    const account = owner && (await this.#parts.accounts.get(owner.account))
    const used = shown && account && (await this.#verified(shown, account, SIGN_IN))
    if (!account || !used) return this.#refused(account, visitor)
    await this.#parts.accounts.events.record('signed_in', account.id, `${aboutOf(visitor)}, passkey`)
    return ok(await this.#parts.accounts.sessions.begin(account, visitor, passkeyId(used)))
  }

  /** Whether the person who is signed in has just used a passkey of the account. */
  async proves(
    account: Account,
    answer: string,
    visitor: Visitor,
  ): Promise<Result<void, { readonly kind: 'not_taken' }>> {
    const shown = parsedAs(Shown, answer)
    const used = shown && (await this.#verified(shown, account, provingBy(account)))
    return used ? ok(undefined) : this.#refused(account, visitor)
  }

  async rename(account: Account, id: string, name: string): Promise<void> {
    await this.#parts.accounts.change(account.id, (now) => ({
      ...now,
      passkeys: now.passkeys.map((each) => (passkeyId(each) === id ? { ...each, name: shortened(name) } : each)),
    }))
  }

  /** Removes a passkey and ends the sessions that it began, but the one that asks. */
  async remove(account: Account, id: string, session: string | null): Promise<void> {
    const { accounts } = this.#parts
    await accounts.change(account.id, (now) => ({
      ...now,
      passkeys: now.passkeys.filter((each) => passkeyId(each) !== id),
    }))
    if (!account.passkeys.some((each) => passkeyId(each) === id)) return
    await this.#owners.delete(id)
    await accounts.events.record('passkey_removed', account.id)
    for (const each of await accounts.sessions.list(account, session))
      if (each.passkey === id && !each.isThis) await accounts.sessions.endOne(account, each.id)
  }

  #refused(account: Account | null, { peer }: Visitor): Result<never, { readonly kind: 'not_taken' }> {
    this.#parts.accounts.events.count('sign_in_failed', account?.id ?? null, peer)
    return fail({ kind: 'not_taken' })
  }

  /** The passkey that was used rightly for this purpose, or null. */
  async #verified(shown: Shown, account: Account, purpose: string): Promise<Passkey | null> {
    const known = account.passkeys.find(({ credential }) => credential === shown.id)
    if (known === undefined) return null
    const { credential: id, key, counter } = known
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
    const checked = await verifyAuthenticationResponse({
      response: { ...shown, ...ANY },
      expectedChallenge: (challenge) => this.#answered(challenge, purpose),
      expectedOrigin: this.#parts.origin,
      expectedRPID: this.#site,
      credential: { id, publicKey: new Uint8Array(Buffer.from(key, 'base64url')), counter },
    }).catch(noVerdict)
    if (!checked?.verified) return null
    const used = { counter: checked.authenticationInfo.newCounter, usedAt: this.#parts.clock.now() }
    const isUsed = (each: Passkey): boolean => each.credential === id && each.counter === counter
    // Another use, or its removal, may have come in between.
    const changed = await this.#parts.accounts.change(account.id, (now) =>
      now.passkeys.some(isUsed)
        ? { ...now, passkeys: now.passkeys.map((each) => (isUsed(each) ? { ...each, ...used } : each)) }
        : null,
    )
    return changed === null ? null : known
  }

  async #challenge(purpose: string, key: string): Promise<Result<string, Limited>> {
    const retryAfter = this.#limit.take(key)
    if (retryAfter > 0) return fail({ kind: 'limited', retryAfter })
    const challenge = this.#parts.random.bytes(CHALLENGE_BYTES).toString('base64url')
    await this.#challenges.create(hashedId(challenge), { purpose })
    return ok(challenge)
  }

  /** A challenge is answered once, for the purpose that it was made for. */
  async #answered(challenge: string, purpose: string): Promise<boolean> {
    return (await this.#challenges.take(hashedId(challenge)))?.purpose === purpose
  }
}

const SIGN_IN = 'sign in'
const makingBy = ({ id }: Account): string => `make ${id}`
const provingBy = ({ id }: Account): string => `prove ${id}`

/** Names a passkey in forms and in the table of owners. */
export const passkeyId = ({ credential }: Passkey): string => hashedId(credential)

/** Says nothing of the person (WebAuthn section 14.6.1), and is the same for all passkeys of an account. */
const handleOf = ({ id, createdAt }: Account): string => hashedId(`passkeys of ${id} ${createdAt}`)

const shortened = (name: string): string => name.trim().slice(0, PASSKEY_NAME_LENGTH_MAX) || 'Passkey'

/** The library throws for whatever is wrong with an answer; a store that is away is another matter. */
function noVerdict(error: unknown): null {
  if (error instanceof RelayUnavailable) throw error
  return null
}
