import { isIP } from 'node:net'

/** A client's own name is untrusted: pages shorten and clean it, and show the redirect host next to it. */

const NAME_LENGTH_MAX = 60
const REDIRECT_LENGTH_MAX = 2_000
const LOOPBACKS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
/** Known app schemes without a domain. Other apps follow RFC 8252 section 7.1, so their scheme contains a dot. */
const APP_SCHEMES: readonly string[] = [
  'claude:',
  'cursor:',
  'grokbot:',
  'jetbrains:',
  'vscode:',
  'vscode-insiders:',
  'windsurf:',
  'zed:',
]

type Redirect = 'web' | 'loopback' | 'app'

/** Classifies a redirect address, or names its problem. */
export function redirectKind(uri: string): Redirect | { readonly problem: string } {
  const url = uri.length > REDIRECT_LENGTH_MAX ? null : URL.parse(uri)
  if (url === null) return { problem: 'redirect_uris must be absolute addresses' }
  if (uri.includes('#')) return { problem: 'redirect_uris must have no fragment' }
  if (url.username !== '' || url.password !== '') return { problem: 'redirect_uris must have no user name' }
  if (url.protocol === 'https:') return 'web'
  if (url.protocol !== 'http:')
    return url.protocol.includes('.') || APP_SCHEMES.includes(url.protocol)
      ? 'app'
      : {
          problem: `redirect_uris must not use ${url.protocol} An app's own scheme has its domain in it, as com.example.app:`,
        }
  return LOOPBACKS.includes(url.hostname)
    ? 'loopback'
    : { problem: 'redirect_uris must use https, except on this computer (localhost, 127.0.0.1, [::1])' }
}

/** Metadata that would make the relay fetch further documents or use OpenID Connect. */
const DROPPED_MEMBERS = [
  'jwks_uri',
  'sector_identifier_uri',
  'default_max_age',
  'default_acr_values',
  'require_auth_time',
]

/** Completes the engine's metadata of a client: it is `native` if a redirect goes to an app or to this computer. */
export function settle(metadata: Record<string, unknown>, scopes: readonly string[]): void {
  const { redirect_uris: uris } = metadata
  const isWeb = !Array.isArray(uris) || uris.every((uri) => typeof uri === 'string' && redirectKind(uri) === 'web')
  Object.assign(metadata, {
    application_type: isWeb ? 'web' : 'native',
    scope: scopes.join(' '),
    response_modes: ['query'],
    id_token_signed_response_alg: 'ES256',
  })
  for (const name of DROPPED_MEMBERS) delete metadata[name]
}

/** Reliability of a client's name. */
export type Proof =
  /** The name comes from a domain, and the redirect goes to the same domain. */
  | 'proved'
  /** The name comes from a domain, but the redirect goes to a program on the person's computer, which may be any. */
  | 'local'
  /** The name comes from a domain, but the redirect goes to another one. */
  | 'elsewhere'
  /** The client chose the name itself. */
  | 'claimed'

export interface ClientFacts {
  /** Display name: not empty, without invisible characters. */
  readonly name: string
  /** Target of the redirect: a host, `localhost`, or an app's scheme such as `cursor:`. */
  readonly redirectHost: string
  /** Domain of the client's metadata document; null for a registered client. */
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
  const proof = domain === null ? 'claimed' : kind !== 'web' ? 'local' : url.host === domain ? 'proved' : 'elsewhere'
  return { name: cleanName(client.clientName ?? '') || redirectHost, redirectHost, domain, proof }
}

/** Reduces a text to one line without control, invisible and direction characters. */
export function cleanName(text: string): string {
  const visible = text
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return Array.from(visible).slice(0, NAME_LENGTH_MAX).join('').trim()
}

/** True for a possible host name of the public internet: no IP address, and no local name. */
export function isPublicHost(hostname: string): boolean {
  const bare = hostname.toLowerCase().replace(/\.$/, '')
  if (isIP(bare.replaceAll(/[[\]]/g, '')) !== 0 || !bare.includes('.')) return false
  return !/\.(?:localhost|local|internal|lan|home|intranet|corp|test|invalid|onion|home\.arpa|arpa)$/.test(bare)
}
