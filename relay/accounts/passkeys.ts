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
import type { SignedIn } from './account-sessions.ts'
import { aboutOf, type Visitor } from './visitor.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** Rate of challenges for one site (an IPv6 /48) or account; the store keeps each until it is used or expires. */
export const CHALLENGES = { perSecond: 1, burst: 60, keysMax: 20_000 }
/** Timeout of the browser's dialogue. */
const TIMEOUT_MS = 120_000
const CHALLENGE_BYTES = 32
/** EdDSA, ES256 and RS256 (RFC 9053, RFC 8812): every authenticator supports one of them. */
const ALGORITHMS = [-8, -7, -257]
const KEY = 'public-key'
/** Further members that the library requires. */
const FIXED_MEMBERS = { type: KEY, clientExtensionResults: {} } as const

const text = z.string().min(1).max(4_096)
/** The browser's response when a passkey is used (WebAuthn: AuthenticationResponseJSON). */
const AuthenticationResponse = z.object({
  id: text,
  rawId: text,
  response: z.object({ clientDataJSON: text, authenticatorData: text, signature: text }),
})
type AuthenticationResponse = z.infer<typeof AuthenticationResponse>
/** The browser's response when a passkey is created (WebAuthn: RegistrationResponseJSON). */
const RegistrationResponse = z.object({
  id: text,
  rawId: text,
  response: z.object({ clientDataJSON: text, attestationObject: text }),
})

/** `not_taken`: the passkey could not be verified. `known`: it already belongs to an account. */
export type PasskeyFailure = Limited | { readonly kind: 'not_taken' | 'too_many' | 'known' | 'no_site' }

export interface PasskeysParts extends Pick<RelayParts, 'origin' | 'store' | 'clock' | 'random'> {
  readonly accounts: Accounts
}

/** Passkeys of accounts (WebAuthn). */
export class Passkeys {
  readonly #parts: PasskeysParts
  readonly #owners: Table<PasskeyOwner>
  readonly #challenges: Table<Challenge>
  readonly #limit: TokenBuckets
  readonly #site: string
  /** False for a relay with only an IP address, because passkeys belong to a host name. */
  readonly isOffered: boolean

  constructor(parts: PasskeysParts) {
    this.#parts = parts
    this.#owners = new Table(parts.store, 'passkeys', PasskeyOwner)
    this.#challenges = new Table(parts.store, 'challenges', Challenge)
    this.#limit = new TokenBuckets(parts.clock, CHALLENGES)
    this.#site = new URL(parts.origin).hostname
    this.isOffered = isIP(this.#site.replaceAll(/^\[|\]$/g, '')) === 0
  }

  /** Options for creating a passkey (`PublicKeyCredentialCreationOptionsJSON`). */
  async creationOptions(account: Account): Promise<Result<object, PasskeyFailure>> {
    if (!this.isOffered) return fail({ kind: 'no_site' })
    if (account.passkeys.length >= PASSKEYS_MAX) return fail({ kind: 'too_many' })
    const challenge = await this.#challenge(creationBy(account), account.id)
    if (!challenge.ok) return challenge
    return ok({
      rp: { id: this.#site, name: 'Home Control relay' },
      user: { id: handleOf(account), name: account.email, displayName: account.email },
      challenge: challenge.value,
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: KEY, alg })),
      timeout: TIMEOUT_MS,
      excludeCredentials: account.passkeys.map(({ credential: id }) => ({ type: KEY, id })),
      // A discoverable passkey contains its account, so that signing in needs no e-mail address.
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    })
  }

  /** Stores a new passkey. @param responseJson the browser's response to `creationOptions`. */
  async add(account: Account, name: string, responseJson: string): Promise<Result<Account, PasskeyFailure>> {
    const response = parsedAs(RegistrationResponse, responseJson)
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
    const checked =
      response &&
      (await verifyRegistrationResponse({
        response: { ...response, ...FIXED_MEMBERS },
        expectedChallenge: (challenge) => this.#useChallenge(challenge, creationBy(account)),
        expectedOrigin: this.#parts.origin,
        expectedRPID: this.#site,
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch(toInvalid))
    if (!checked?.verified) return fail({ kind: 'not_taken' })
    const { id: credential, publicKey, counter } = checked.registrationInfo.credential
    if (!(await this.#owners.create(hashedId(credential), { account: account.id }))) return fail({ kind: 'known' })
    const key = Buffer.from(publicKey).toString('base64url')
    const createdAt = this.#parts.clock.now()
    const passkey = { credential, key, counter, name: shortened(name), createdAt, usedAt: null }
    const changed = await this.#parts.accounts.change(account.id, (stored) =>
      stored.passkeys.length < PASSKEYS_MAX ? { ...stored, passkeys: [...stored.passkeys, passkey] } : null,
    )
    if (changed !== null) {
      await this.#parts.accounts.events.record('passkey_added', account.id)
      return ok(changed)
    }
    await this.#owners.delete(hashedId(credential))
    return fail({ kind: 'too_many' })
  }

  /**
   * Options for using a passkey (`PublicKeyCredentialRequestOptionsJSON`).
   * @param account restricts them to its own passkeys; null for a sign-in.
   */
  async requestOptions(account: Account | null, { peer }: Visitor): Promise<Result<object, PasskeyFailure>> {
    if (!this.isOffered) return fail({ kind: 'no_site' })
    const purpose = account === null ? SIGN_IN : reauthenticationOf(account)
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

  /** Has no rate limit per account, because a passkey cannot be guessed. */
  async signIn(responseJson: string, visitor: Visitor): Promise<Result<SignedIn, PasskeyFailure>> {
    const response = parsedAs(AuthenticationResponse, responseJson)
    const owner = response && (await this.#owners.get(hashedId(response.id)))
    const account = owner && (await this.#parts.accounts.get(owner.account))
    const used = response && account && (await this.#verify(response, account, SIGN_IN))
    if (!account || !used) return this.#refuse(account, visitor)
    await this.#parts.accounts.events.record('signed_in', account.id, `${aboutOf(visitor)}, passkey`)
    return ok(await this.#parts.accounts.sessions.begin(account, visitor, passkeyId(used)))
  }

  /** Authenticates a signed-in person again with a passkey of the account. */
  async check(
    account: Account,
    responseJson: string,
    visitor: Visitor,
  ): Promise<Result<void, { readonly kind: 'not_taken' }>> {
    const response = parsedAs(AuthenticationResponse, responseJson)
    const used = response && (await this.#verify(response, account, reauthenticationOf(account)))
    return used ? ok(undefined) : this.#refuse(account, visitor)
  }

  async rename(account: Account, id: string, name: string): Promise<void> {
    await this.#parts.accounts.change(account.id, (stored) => ({
      ...stored,
      passkeys: stored.passkeys.map((passkey) =>
        passkeyId(passkey) === id ? { ...passkey, name: shortened(name) } : passkey,
      ),
    }))
  }

  /** Removes a passkey and ends the sessions that it began, except the current one. */
  async remove(account: Account, id: string, session: string | null): Promise<void> {
    const { accounts } = this.#parts
    await accounts.change(account.id, (stored) => ({
      ...stored,
      passkeys: stored.passkeys.filter((passkey) => passkeyId(passkey) !== id),
    }))
    if (!account.passkeys.some((passkey) => passkeyId(passkey) === id)) return
    await this.#owners.delete(id)
    await accounts.events.record('passkey_removed', account.id)
    for (const { id: sessionId, passkey, isThis } of await accounts.sessions.list(account, session))
      if (passkey === id && !isThis) await accounts.sessions.endOne(account, sessionId)
  }

  #refuse(account: Account | null, { peer }: Visitor): Result<never, { readonly kind: 'not_taken' }> {
    this.#parts.accounts.events.count('sign_in_failed', account?.id ?? null, peer)
    return fail({ kind: 'not_taken' })
  }

  /** Verifies a response and returns its passkey, or null. */
  async #verify(response: AuthenticationResponse, account: Account, purpose: string): Promise<Passkey | null> {
    const known = account.passkeys.find(({ credential }) => credential === response.id)
    if (known === undefined) return null
    const { credential: id, key, counter } = known
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
    const checked = await verifyAuthenticationResponse({
      response: { ...response, ...FIXED_MEMBERS },
      expectedChallenge: (challenge) => this.#useChallenge(challenge, purpose),
      expectedOrigin: this.#parts.origin,
      expectedRPID: this.#site,
      credential: { id, publicKey: new Uint8Array(Buffer.from(key, 'base64url')), counter },
    }).catch(toInvalid)
    if (!checked?.verified) return null
    const use = { counter: checked.authenticationInfo.newCounter, usedAt: this.#parts.clock.now() }
    // The passkey may have been used again or removed meanwhile.
    const isUnchanged = (passkey: Passkey): boolean => passkey.credential === id && passkey.counter === counter
    const changed = await this.#parts.accounts.change(account.id, (stored) =>
      stored.passkeys.some(isUnchanged)
        ? { ...stored, passkeys: stored.passkeys.map((old) => (isUnchanged(old) ? { ...old, ...use } : old)) }
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

  /** Uses up a challenge; true if it was made for this purpose. */
  async #useChallenge(challenge: string, purpose: string): Promise<boolean> {
    return (await this.#challenges.take(hashedId(challenge)))?.purpose === purpose
  }
}

const SIGN_IN = 'sign in'
const creationBy = ({ id }: Account): string => `make ${id}`
const reauthenticationOf = ({ id }: Account): string => `prove ${id}`

/** Id of a passkey in forms and in the table of owners. */
export const passkeyId = ({ credential }: Passkey): string => hashedId(credential)

/** User handle of an account: the same for all its passkeys, and without personal data (WebAuthn section 14.6.1). */
const handleOf = ({ id, createdAt }: Account): string => hashedId(`passkeys of ${id} ${createdAt}`)

const shortened = (name: string): string => name.trim().slice(0, PASSKEY_NAME_LENGTH_MAX) || 'Passkey'

/** Turns the library's error for an invalid response into null; an unavailable store stays an error. */
function toInvalid(error: unknown): null {
  if (error instanceof RelayUnavailable) throw error
  return null
}
