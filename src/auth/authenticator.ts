import type { PersonSession, ConsoleSessions } from './persons/console-sessions.ts'
import { type Result, fail, ok } from '../lib/result.ts'
import type { Cause } from '../home/model/events.ts'
import type { Integration, IntegrationReader } from '../exposure/integration.ts'
import {
  type Credential,
  type CredentialReader,
  type Via,
  boundTo,
  type Door,
  type Token,
  hashSecret,
  isSecretOf,
  parseToken,
} from './credentials/credentials.ts'
import type { HostedTokens } from './hosted/hosted-tokens.ts'
import type { LastUsed } from './credentials/last-used.ts'
import type { StoredSession } from './persons/console-session.ts'
import { OWNER } from './persons/person.ts'

/**
 * What a request shows of who sends it: the text of a bearer token, a person's session, or nothing. A session is never
 * a text, so that none can be made up by sending one.
 */
export type Presented = string | PersonSession | null

export interface Identity {
  readonly credential: Credential
  readonly integration: Integration
  /** The cause of what a person does in a session of the console; of programs and agents there is none. */
  readonly person?: Cause
  /** True for a person whose session showed no password, passkey or link lately. */
  readonly isStale?: boolean
}

/** A good token at another door than its own, which is named. */
export type WrongDoor = `for ${Door}`

/**
 * Why a caller is turned away before anything is looked at (Spec 3, 5 and 7). `token_expired`: the hour of a hosted
 * platform's access token is over.
 */
export type AuthFailure =
  | 'unauthorized'
  | 'token_expired'
  | WrongDoor
  | 'session_expired'
  | 'record_disabled'
  | 'agent_access_disabled'
  | 'cloud_access_disabled'

/**
 * Tokens verified lately: their secret need not be hashed again while the stored credential is the very same record.
 */
const VERIFIED_MAX = 512

/** A token that was verified, and whom it let in by which way: that holds until anything is committed. */
interface Verified {
  readonly credential: Credential
  readonly token: Token
  letIn: {
    readonly version: number
    readonly via: Via
    readonly door: Door
    readonly identity: Result<Identity, never>
  } | null
}

interface AuthenticatorParts {
  /** The gateway's serial, which is part of its tokens. */
  readonly gateway: string
  readonly integrations: Pick<IntegrationReader, 'get' | 'version'>
  readonly credentials: Pick<CredentialReader, 'get'>
  readonly lastUsed: Pick<LastUsed, 'used' | 'sessionOver'>
  readonly hosted: Pick<HostedTokens, 'accessState'>
  readonly sessions: Pick<ConsoleSessions, 'state' | 'causeOf' | 'isFresh' | 'used'>
}

/** Turns a token into who is asking; an answer says nothing about an integration before the secret matched. */
export class Authenticator {
  readonly #parts: AuthenticatorParts
  readonly #verified = new Map<string, Verified>()

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts
  }

  /** Who sends a request: this counts as a use of the credential. */
  authenticate(presented: Presented, via: Via, door: Door = 'api'): Result<Identity, AuthFailure> {
    const identity = this.check(presented, via, door)
    if (presented !== null && typeof presented !== 'string') this.#parts.sessions.used(presented)
    else if (identity.ok) this.#parts.lastUsed.used(identity.value.credential.link, via)
    return identity
  }

  /** Whether a token would be let in now. An open socket that merely listens does not use its credential. */
  check(presented: Presented, via: Via, door: Door = 'api'): Result<Identity, AuthFailure> {
    if (presented === null) return fail('unauthorized')
    if (typeof presented !== 'string') return this.#person(presented, via, door)
    const { version } = this.#parts.integrations
    const letIn = this.#verified.get(presented)?.letIn
    if (letIn && letIn.version === version && letIn.via === via && letIn.door === door) return letIn.identity
    const identity = this.#program(presented, via, door)
    this.#keep(presented, identity, { version, via, door })
    return identity
  }

  #program(presented: string, via: Via, door: Door): Result<Identity, AuthFailure> {
    const verified = this.#verify(presented)
    if (!verified.ok) return verified
    const credential = verified.value
    if (credential.revokedAt !== null) return fail('unauthorized')
    const own = ownDoor(credential, via, door)
    if (own !== null) return fail(`for ${own}` as const)
    const integration = this.#parts.integrations.get(credential.integration)
    if (!integration) return fail('unauthorized')
    if (this.#parts.lastUsed.sessionOver(credential)) return fail('session_expired')
    if (!integration.enabled) return fail('record_disabled')
    if (credential.kind !== 'key' && integration.knobs.agent_access === 'off') return fail('agent_access_disabled')
    if (via === 'cloud' && integration.knobs.cloud_access === 'off') return fail('cloud_access_disabled')
    return ok({ credential, integration })
  }

  /** Not of a session, which ends by itself. */
  #keep(
    presented: string,
    identity: Result<Identity, AuthFailure>,
    by: { readonly version: number; readonly via: Via; readonly door: Door },
  ): void {
    const verified = this.#verified.get(presented)
    if (!verified) return
    verified.letIn = identity.ok && verified.credential.kind !== 'session' ? { ...by, identity } : null
  }

  /** A session holds at home alone, and at no door of agents. */
  #person(session: PersonSession, via: Via, door: Door): Result<Identity, AuthFailure> {
    const state = via === 'home' && door === 'api' ? this.#parts.sessions.state(session) : null
    if (state === null) return fail('unauthorized')
    const { stored } = state
    const { sessions } = this.#parts
    const [person, isStale] = [sessions.causeOf(stored), !sessions.isFresh(session)]
    return ok({ credential: personCredential(stored), integration: OWNER, person, isStale })
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
    if (stored.secretSha256 === null) return this.#ofFamily(stored, hashSecret(token.secret))
    if (!matches) return fail('unauthorized')
    this.#remember(text, token, stored)
    return ok(stored)
  }

  /** An access token of a hosted platform; it is not remembered, because it ends by itself. */
  #ofFamily(stored: Credential, sha256: Buffer): Result<Credential, 'unauthorized' | 'token_expired'> {
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

  /** Whoever comes newly sees to it that nothing is kept of those who have ended. */
  #remember(text: string, token: Token, credential: Credential): void {
    for (const [other, known] of this.#verified)
      if (this.#parts.credentials.get(known.token.link) !== known.credential) this.#verified.delete(other)
    if (this.#verified.size >= VERIFIED_MAX) this.#verified.clear()
    this.#verified.set(text, { credential, token, letIn: null })
  }
}

/** A person's session as the credential that it stands for: with nobody to confirm what it does, as a key has not. */
function personCredential(stored: StoredSession): Credential {
  return {
    link: stored.id,
    integration: OWNER.id,
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
 * The door of a credential that may not come in here, or null if it may: a hosted platform's comes in only through the
 * cloud and by the one door that its tokens are for, and none by a door that is bound to another integration.
 */
function ownDoor({ hosted, integration }: Credential, via: Via, door: Door): Door | null {
  if (hosted !== null && (via !== 'cloud' || door !== hosted.door)) return hosted.door
  return (boundTo(door) ?? integration) === integration ? null : `mcp/r/${integration}`
}
