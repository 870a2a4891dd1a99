import { createHash } from 'node:crypto'

/** Token form (Spec 5 point 2): `hm_{kind}_{gateway}.{integration}.{link}.{secret}`. */
export const CREDENTIAL_KINDS = ['key', 'agent', 'session'] as const
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number]
/** Of a hosted platform: exchanged for access tokens, and no credential anywhere else (docs/agents.md#hosted). */
const REFRESH = 'refresh'

export interface TokenOf<K> {
  readonly kind: K
  readonly gateway: string
  readonly integration: string
  readonly link: string
  /** 32 random bytes as base64url; never stored, only its SHA-256 is. */
  readonly secret: string
}
export type Token = TokenOf<CredentialKind>

export const SECRET_BYTES = 32
/** A real token has about 115 characters; longer strings are refused before they are looked at. */
const TOKEN_LENGTH_MAX = 200
const TOKEN = /^hm_(key|agent|session|refresh)_([a-z0-9]{12})\.([0-9a-f-]{36})\.([a-z0-9]{10})\.([A-Za-z0-9_-]{43})$/

/** The token of a credential, or null. */
export function parseToken(text: string): Token | null {
  return parsed(text, CREDENTIAL_KINDS)
}

/** A token of a hosted platform's family, access (`agent`) or `refresh`, or null. */
export function parseHosted(text: string): TokenOf<'agent' | typeof REFRESH> | null {
  return parsed(text, ['agent', REFRESH])
}

function parsed<K extends string>(text: string, kinds: readonly K[]): TokenOf<K> | null {
  if (text.length > TOKEN_LENGTH_MAX) return null
  const match = TOKEN.exec(text)
  if (!match) return null
  const [, named, gateway = '', integration = '', link = '', secret = ''] = match
  const kind = kinds.find((each) => each === named)
  return kind === undefined ? null : { kind, gateway, integration, link, secret }
}

export function formatToken(token: TokenOf<CredentialKind | typeof REFRESH>): string {
  return `hm_${token.kind}_${token.gateway}.${token.integration}.${token.link}.${token.secret}`
}

/** 32 bytes: what is stored instead of the secret. A random secret of 256 bits needs no slow hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
