import { isIP } from 'node:net'

/** What a client says of itself is the sentence of a stranger: it is cut, cleaned and shown beside where answers go. */

const NAME_LENGTH_MAX = 60
export const REDIRECTS_MAX = 20
const REDIRECT_LENGTH_MAX = 2_000
const LOOPBACKS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
/** Schemes that a browser or the system itself acts on; an app's own has none of these names. */
const NO_APP_SCHEMES =
  /^(?:javascript|vbscript|data|blob|file|about|ftp|ws|wss|mailto|tel|sms|view-source|filesystem|intent):$/

type Redirect = 'web' | 'loopback' | 'app'

/** Whom an answer goes to by this address, or why it may not be one. */
export function redirectKind(uri: string): Redirect | { readonly problem: string } {
  const url = uri.length > REDIRECT_LENGTH_MAX ? null : URL.parse(uri)
  if (url === null) return { problem: 'redirect_uris must be absolute addresses' }
  if (uri.includes('#')) return { problem: 'redirect_uris must have no fragment' }
  if (url.username !== '' || url.password !== '') return { problem: 'redirect_uris must have no user name' }
  if (url.protocol === 'https:') return 'web'
  if (url.protocol !== 'http:')
    return NO_APP_SCHEMES.test(url.protocol) ? { problem: `redirect_uris must not use ${url.protocol}` } : 'app'
  return LOOPBACKS.includes(url.hostname)
    ? 'loopback'
    : { problem: 'redirect_uris must use https, except on this computer (localhost, 127.0.0.1, [::1])' }
}

/** The metadata of a client that registers or whose document was fetched; what follows is set in it. */
export interface SettledMetadata {
  redirect_uris?: unknown
  application_type?: unknown
  response_modes?: unknown
  id_token_signed_response_alg?: unknown
  jwks_uri?: unknown
  sector_identifier_uri?: unknown
  default_max_age?: unknown
  default_acr_values?: unknown
  require_auth_time?: unknown
}

/**
 * Settles what a client may be: where its answers may go, `native` where that is an app or this computer, and nothing
 * that would make the relay fetch more or speak OpenID Connect. Answers why it may be none, or null.
 */
export function settle(metadata: SettledMetadata): string | null {
  const { redirect_uris: uris } = metadata
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > REDIRECTS_MAX)
    return `redirect_uris must be a list of 1 to ${REDIRECTS_MAX} addresses`
  const kinds = uris.map((uri) =>
    typeof uri === 'string' ? redirectKind(uri) : { problem: 'redirect_uris must be text' },
  )
  for (const kind of kinds) if (typeof kind === 'object') return kind.problem
  metadata.application_type = kinds.every((kind) => kind === 'web') ? 'web' : 'native'
  metadata.response_modes = ['query']
  metadata.id_token_signed_response_alg = 'ES256'
  delete metadata.jwks_uri
  delete metadata.sector_identifier_uri
  delete metadata.default_max_age
  delete metadata.default_acr_values
  delete metadata.require_auth_time
  return null
}

/** How sure a client's name is. */
export type Proof =
  /** Its own domain says the name and takes the answer. */
  | 'proved'
  /** A domain says the name, yet the answer goes to a program on the person's computer: any could ask so. */
  | 'local'
  /** It calls itself so. */
  | 'claimed'

export interface ClientFacts {
  /** For people: at least one character, none that hides or turns others. */
  readonly name: string
  /** Where the answer goes: a host, `localhost`, or an app's scheme as `cursor:`. */
  readonly redirectHost: string
  /** The domain of the client's own document, or null where it registered. */
  readonly domain: string | null
  readonly proof: Proof
}

export function clientFacts(client: {
  readonly clientId: string
  readonly clientName?: string | undefined
  readonly redirectUri: string
}): ClientFacts {
  const url = new URL(client.redirectUri)
  const kind = redirectKind(client.redirectUri)
  const redirectHost = kind === 'app' ? url.protocol : url.host.replace(/:\d+$/, '')
  const domain = client.clientId.startsWith('https://') ? new URL(client.clientId).host : null
  const proof = domain === null ? 'claimed' : kind === 'web' ? 'proved' : 'local'
  return { name: cleanName(client.clientName ?? '') || redirectHost, redirectHost, domain, proof }
}

/** One line of letters that show: no control, no invisible, no direction marks. */
export function cleanName(text: string): string {
  const shown = text
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return Array.from(shown).slice(0, NAME_LENGTH_MAX).join('').trim()
}

/** Whether a name could be one of the public internet: no address, no name of a home or of this computer. */
export function isPublicHost(hostname: string): boolean {
  const bare = hostname.toLowerCase().replace(/\.$/, '')
  if (isIP(bare.replaceAll(/[[\]]/g, '')) !== 0 || !bare.includes('.')) return false
  return !/\.(?:localhost|local|internal|lan|home|intranet|corp|test|invalid|onion|home\.arpa|arpa)$/.test(bare)
}
