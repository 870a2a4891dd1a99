import type { PersonSession, ConsoleSessions } from './persons/console-sessions.ts'
import { type Result, fail, ok } from '../lib/result.ts'
import type { Cause } from '../home/model/events.ts'
import type { Integration, IntegrationReader } from '../exposure/integration.ts'
import type { ClosedRecord, RecordTimes } from '../exposure/record-times.ts'
import {
  type Credential,
  type CredentialReader,
  type Via,
  boundIntegration,
  type TokenAudience,
  type Token,
  hashSecret,
  isSecretOf,
  parseToken,
} from './credentials/credentials.ts'
import type { HostedTokens } from './hosted/hosted-tokens.ts'
import type { LastUsed } from './credentials/last-used.ts'
import { recordIdOf, type StoredSession } from './persons/console-session.ts'
import { OWNER } from './persons/person.ts'
import type { TabletPins } from './persons/tablet-pins.ts'

/**
 * Credentials of a request: a bearer token, a person's session, or null for none. A session is an object, so no request
 * text can forge one.
 */
export type RequestCredentials = string | PersonSession | null

export interface Identity {
  readonly credential: Credential
  readonly integration: Integration
  /** Cause of changes by a person in a console session; undefined for programs and agents. */
  readonly person?: Cause
  /**
   * True for a person whose last password, passkey or link is too long ago for dangerous actions, and for a wall tablet
   * whose PIN is too long ago for openings.
   */
  readonly isStale?: boolean
}

/** A valid token with another audience, which is named. */
export type WrongAudience = `for ${TokenAudience}`

/**
 * Reason why a caller is refused before its request is read (Spec 3, 5 and 7). `token_expired`: an access token of a
 * hosted platform is older than an hour. `ClosedRecord`: it is outside its hours, or past its end.
 */
export type AuthFailure =
  | 'unauthorized'
  | 'token_expired'
  | WrongAudience
  | 'session_expired'
  | 'record_disabled'
  | 'agent_access_disabled'
  | 'cloud_access_disabled'
  | ClosedRecord

/**
 * Most verified tokens in the cache. Their secrets are not hashed again while the stored credential is the same object.
 */
const VERIFIED_MAX = 512

/** A verified token with its identity, which is valid until the next commit, in the hours of its record. */
interface Verified {
  readonly credential: Credential
  readonly token: Token
  cached: {
    readonly version: number
    readonly via: Via
    readonly audience: TokenAudience
    readonly identity: Result<Identity, never>
  } | null
}

interface AuthenticatorParts {
  /** The gateway's serial, which is part of its tokens. */
  readonly gateway: string
  readonly integrations: Pick<IntegrationReader, 'get' | 'version'>
  readonly times: Pick<RecordTimes, 'closedNow'>
  readonly credentials: Pick<CredentialReader, 'get'>
  readonly lastUsed: Pick<LastUsed, 'used' | 'sessionOver'>
  readonly hosted: Pick<HostedTokens, 'accessState'>
  readonly sessions: Pick<ConsoleSessions, 'state' | 'causeOf' | 'isFresh' | 'used'>
  readonly pins: Pick<TabletPins, 'isProved'>
}

/**
 * Identifies callers by their credentials. A failure reveals nothing about an integration unless the secret matched.
 */
export class Authenticator {
  readonly #parts: AuthenticatorParts
  readonly #verified = new Map<string, Verified>()

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts
  }

  /** Identifies the sender of a request and counts this as a use of the credential. */
  authenticate(
    credentials: RequestCredentials,
    via: Via,
    audience: TokenAudience = 'api',
  ): Result<Identity, AuthFailure> {
    const identity = this.check(credentials, via, audience)
    if (credentials !== null && typeof credentials !== 'string') this.#parts.sessions.used(credentials)
    else if (identity.ok) this.#parts.lastUsed.used(identity.value.credential.link, via)
    return identity
  }

  /** Like `authenticate`, without counting a use: an open socket that only listens does not use its credential. */
  check(credentials: RequestCredentials, via: Via, audience: TokenAudience = 'api'): Result<Identity, AuthFailure> {
    if (credentials === null) return fail('unauthorized')
    if (typeof credentials !== 'string') return this.#person(credentials, via, audience)
    const { version } = this.#parts.integrations
    const cached = this.#verified.get(credentials)?.cached
    if (cached && cached.version === version && cached.via === via && cached.audience === audience)
      return this.#inTime(cached.identity)
    const identity = this.#program(credentials, via, audience)
    this.#cacheIdentity(credentials, identity, { version, via, audience })
    return identity
  }

  #program(credentials: string, via: Via, audience: TokenAudience): Result<Identity, AuthFailure> {
    const verified = this.#verify(credentials)
    if (!verified.ok) return verified
    const credential = verified.value
    if (credential.revokedAt !== null) return fail('unauthorized')
    const audienceOfToken = otherAudience(credential, via, audience)
    if (audienceOfToken !== null) return fail(`for ${audienceOfToken}` as const)
    const integration = this.#parts.integrations.get(credential.integration)
    if (!integration) return fail('unauthorized')
    if (this.#parts.lastUsed.sessionOver(credential)) return fail('session_expired')
    const closed = this.#closed(integration)
    if (closed !== null) return fail(closed)
    if (credential.kind !== 'key' && integration.knobs.agent_access === 'off') return fail('agent_access_disabled')
    if (via === 'cloud' && integration.knobs.cloud_access === 'off') return fail('cloud_access_disabled')
    return ok({ credential, integration })
  }

  /** Reason why nobody may use a record now, or null. */
  #closed(integration: Integration): 'record_disabled' | ClosedRecord | null {
    return integration.enabled ? this.#parts.times.closedNow(integration) : 'record_disabled'
  }

  /** An identity that holds in the hours of its record. */
  #inTime(identity: Result<Identity, never>): Result<Identity, ClosedRecord> {
    const closed = identity.ok ? this.#parts.times.closedNow(identity.value.integration) : null
    return closed === null ? identity : fail(closed)
  }

  /** Caches the identity, except for an agent's session, which expires without a commit. */
  #cacheIdentity(
    credentials: string,
    identity: Result<Identity, AuthFailure>,
    by: { readonly version: number; readonly via: Via; readonly audience: TokenAudience },
  ): void {
    const verified = this.#verified.get(credentials)
    if (!verified) return
    verified.cached = identity.ok && verified.credential.kind !== 'session' ? { ...by, identity } : null
  }

  /** Console sessions are valid only in the home network and for the API, not at the MCP server. */
  #person(session: PersonSession, via: Via, audience: TokenAudience): Result<Identity, AuthFailure> {
    const state = via === 'home' && audience === 'api' ? this.#parts.sessions.state(session) : null
    if (state === null) return fail('unauthorized')
    const { sessions, integrations } = this.#parts
    const record = recordIdOf(state)
    const integration = record === null ? OWNER : integrations.get(record)
    if (integration === undefined) return fail('unauthorized')
    const closed = record === null ? null : this.#closed(integration)
    if (closed !== null) return fail(closed)
    const isFresh =
      integration.kind === 'tablet' ? this.#parts.pins.isProved(session, integration.id) : sessions.isFresh(session)
    const [person, isStale] = [sessions.causeOf(state.stored), !isFresh]
    return ok({ credential: personCredential(state.stored, integration), integration, person, isStale })
  }

  #verify(text: string): Result<Credential, 'unauthorized' | 'token_expired'> {
    const known = this.#verified.get(text)
    if (known) {
      const stored = this.#parts.credentials.get(known.token.link)
      if (stored === known.credential) return ok(stored)
      this.#verified.delete(text)
    }
    const token = parseToken(text)
    if (!token) return fail('unauthorized')
    const stored = this.#parts.credentials.get(token.link)
    const matches = isSecretOf(token.secret, stored?.secretSha256)
    if (!stored || !this.#belongs(token, stored)) return fail('unauthorized')
    if (stored.secretSha256 === null) return this.#checkAccessToken(stored, hashSecret(token.secret))
    if (!matches) return fail('unauthorized')
    this.#cacheToken(text, token, stored)
    return ok(stored)
  }

  /** Checks an access token of a hosted platform. It is not cached, because it expires without a commit. */
  #checkAccessToken(stored: Credential, sha256: Buffer): Result<Credential, 'unauthorized' | 'token_expired'> {
    switch (this.#parts.hosted.accessState(sha256, stored)) {
      case 'good':
        return ok(stored)
      case 'over':
        return fail('token_expired')
      case 'unknown':
        return fail('unauthorized')
    }
  }

  #belongs(token: Token, stored: Credential): boolean {
    return (
      token.gateway === this.#parts.gateway && token.integration === stored.integration && token.kind === stored.kind
    )
  }

  /** Caches a verified token, and removes tokens whose credentials have changed or ended. */
  #cacheToken(text: string, token: Token, credential: Credential): void {
    for (const [text, known] of this.#verified)
      if (this.#parts.credentials.get(known.token.link) !== known.credential) this.#verified.delete(text)
    if (this.#verified.size >= VERIFIED_MAX) this.#verified.clear()
    this.#verified.set(text, { credential, token, cached: null })
  }
}

/** Represents a person's session as a key. */
function personCredential(stored: StoredSession, { id: integration }: Integration): Credential {
  return {
    link: stored.id,
    integration,
    kind: 'key',
    name: '',
    platform: '',
    secretSha256: null,
    hosted: null,
    createdAt: stored.createdAt,
    revokedAt: null,
    lastUsedAt: stored.usedAt,
    lastUsedVia: 'home',
    steadyCreatedAt: stored.steadyCreatedAt,
    steadyUsedAt: stored.steadyUsedAt,
    expiredAt: null,
  }
}

/**
 * The audience of a credential that is not valid here, or null if it is valid. Tokens of a hosted platform are valid
 * only through the cloud and for their own audience. No token is valid for another integration's audience.
 */
function otherAudience({ hosted, integration }: Credential, via: Via, audience: TokenAudience): TokenAudience | null {
  if (hosted !== null && (via !== 'cloud' || audience !== hosted.audience)) return hosted.audience
  return (boundIntegration(audience) ?? integration) === integration ? null : `mcp/r/${integration}`
}
