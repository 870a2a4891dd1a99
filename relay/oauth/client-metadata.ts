import { createHash } from 'node:crypto'
import { redirectKind } from './clients.ts'
import { SCOPE } from './protected-resources.ts'

/** The supported metadata of a client. RFC 7591 section 3.2.1 allows a server to drop the rest. */
export interface ClientMetadata {
  readonly client_name?: string
  readonly redirect_uris: readonly string[]
  readonly grant_types: readonly string[]
  readonly response_types: readonly string[]
  readonly token_endpoint_auth_method: string
  readonly scope: string
}

export interface MetadataProblem {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata'
  readonly message: string
}

export const REDIRECTS_MAX = 20
/** Scopes of every client. */
export const SCOPES: readonly string[] = [SCOPE, 'offline_access']
const GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token']
const RESPONSE_TYPES: readonly string[] = ['code']
export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const

/**
 * Keeps the supported part of a client's metadata. Unknown members, empty members and values that are not supported
 * are dropped. A list without one supported value is a problem, since the client could not work.
 */
export function supportedMetadata(sent: object): ClientMetadata | MetadataProblem {
  const members = sent as Readonly<Record<string, unknown>>
  const redirects = supportedRedirects(members['redirect_uris'])
  if (!Array.isArray(redirects)) return redirects
  const grants = supportedValues(members['grant_types'], GRANT_TYPES)
  const responses = supportedValues(members['response_types'], RESPONSE_TYPES)
  if (grants.length === 0) return unsupported('grant_types', GRANT_TYPES)
  if (responses.length === 0) return unsupported('response_types', RESPONSE_TYPES)
  const { client_name: name, token_endpoint_auth_method: method } = members
  return {
    ...(typeof name === 'string' && name.trim() !== '' ? { client_name: name } : {}),
    redirect_uris: redirects,
    grant_types: grants.includes('authorization_code') ? grants : ['authorization_code', ...grants],
    response_types: responses,
    // PKCE binds every code, so a client without a supported method is a public one.
    token_endpoint_auth_method: AUTH_METHODS.find((supported) => supported === method) ?? 'none',
    scope: SCOPES.join(' '),
  }
}

/** Hash of the metadata; ignores the port of a loopback redirect. */
export function metadataId(metadata: ClientMetadata): string {
  const { client_name: name, redirect_uris: redirects, grant_types: grants } = metadata
  const parts = [name, redirects.map(withoutLoopbackPort).toSorted(), grants, metadata.token_endpoint_auth_method]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

function supportedRedirects(sent: unknown): string[] | MetadataProblem {
  const uris = listOf(sent)
  const problem = (message: string): MetadataProblem => ({ error: 'invalid_redirect_uri', message })
  if (uris.length === 0 || uris.length > REDIRECTS_MAX)
    return problem(`redirect_uris must be a list of 1 to ${REDIRECTS_MAX} addresses`)
  const kinds = uris.map((uri) => (typeof uri === 'string' ? redirectKind(uri) : NO_TEXT))
  const supported = uris.filter((uri, index) => typeof uri === 'string' && typeof kinds[index] === 'string')
  const [first] = kinds
  if (supported.length === 0 && typeof first === 'object') return problem(first.problem)
  return [...new Set(supported as string[])]
}

const NO_TEXT = { problem: 'redirect_uris must be text' }

/** The supported values among those sent; all supported values if none was sent. */
function supportedValues(sent: unknown, supported: readonly string[]): string[] {
  const values = listOf(sent)
  return supported.filter((value) => values.length === 0 || values.includes(value))
}

/** The non-empty values of a list or of a single value. */
function listOf(sent: unknown): unknown[] {
  return (Array.isArray(sent) ? sent : [sent]).filter((value) => value !== undefined && value !== null && value !== '')
}

const unsupported = (member: string, supported: readonly string[]): MetadataProblem => ({
  error: 'invalid_client_metadata',
  message: `${member} must contain ${supported.join(' or ')}`,
})

function withoutLoopbackPort(uri: string): string {
  if (redirectKind(uri) !== 'loopback') return uri
  const url = new URL(uri)
  url.port = ''
  return url.href
}
