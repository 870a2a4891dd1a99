import { timingSafeEqual } from 'node:crypto'
import { type Result, fail, ok } from '../lib/result.ts'
import type { Integration, IntegrationReader } from '../exposure/integration.ts'
import type { Credential, CredentialReader, Via } from './credential.ts'
import type { LastUsed } from './last-used.ts'
import { type Token, hashSecret, parseToken } from './token.ts'

export interface Identity {
  readonly credential: Credential
  readonly integration: Integration
}

/** Why a caller is turned away before anything is looked at (Spec 3, 5 and 7). */
export type AuthFailure =
  | 'unauthorized'
  | 'session_expired'
  | 'record_disabled'
  | 'agent_access_disabled'
  | 'cloud_access_disabled'

/**
 * Tokens verified lately: their secret need not be hashed again while the stored credential is the very same record.
 */
const VERIFIED_MAX = 512
/** Compared with when the link is unknown, so that an unknown link and a wrong secret cost the same. */
const NOBODY = hashSecret('nobody')

export interface AuthenticatorParts {
  /** The gateway's serial, which is part of its tokens. */
  readonly gateway: string
  readonly integrations: Pick<IntegrationReader, 'get'>
  readonly credentials: Pick<CredentialReader, 'get'>
  readonly lastUsed: Pick<LastUsed, 'used' | 'sessionOver'>
}

/** Turns a token into who is asking; an answer says nothing about an integration before the secret matched. */
export class Authenticator {
  readonly #parts: AuthenticatorParts
  readonly #verified = new Map<string, { readonly credential: Credential; readonly token: Token }>()

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts
  }

  /** Who sends a request: this counts as a use of the credential. */
  authenticate(text: string | null, via: Via): Result<Identity, AuthFailure> {
    const identity = this.check(text, via)
    if (identity.ok) this.#parts.lastUsed.used(identity.value.credential.link, via)
    return identity
  }

  /** Whether a token would be let in now. An open socket that merely listens does not use its credential. */
  check(text: string | null, via: Via): Result<Identity, AuthFailure> {
    const credential = text === null ? undefined : this.#verify(text)
    if (!credential || credential.revokedAt !== null) return fail('unauthorized')
    const integration = this.#parts.integrations.get(credential.integration)
    if (!integration) return fail('unauthorized')
    if (this.#parts.lastUsed.sessionOver(credential)) return fail('session_expired')
    if (!integration.enabled) return fail('record_disabled')
    if (credential.kind !== 'key' && integration.knobs.agent_access === 'off') return fail('agent_access_disabled')
    if (via === 'cloud' && integration.knobs.cloud_access === 'off') return fail('cloud_access_disabled')
    return ok({ credential, integration })
  }

  #verify(text: string): Credential | undefined {
    const known = this.#verified.get(text)
    if (known) {
      const stored = this.#parts.credentials.get(known.token.link)
      if (stored === known.credential) return stored
      this.#verified.delete(text)
    }
    const token = parseToken(text)
    if (!token) return undefined
    const stored = this.#parts.credentials.get(token.link)
    const matches = timingSafeEqual(hashSecret(token.secret), stored?.secretSha256 ?? NOBODY)
    if (!matches || !stored || !this.#belongs(token, stored)) return undefined
    this.#remember(text, token, stored)
    return stored
  }

  #belongs(token: Token, stored: Credential): boolean {
    return (
      token.gateway === this.#parts.gateway && token.integration === stored.integration && token.kind === stored.kind
    )
  }

  #remember(text: string, token: Token, credential: Credential): void {
    if (this.#verified.size >= VERIFIED_MAX) this.#verified.clear()
    this.#verified.set(text, { credential, token })
  }
}
