import { isIP } from 'node:net'

/** What a client says of itself is the sentence of a stranger: it is cut, cleaned and shown beside where answers go. */

const NAME_LENGTH_MAX = 60
const REDIRECT_LENGTH_MAX = 2_000
const LOOPBACKS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
/** Schemes of agents' apps without a domain in them. Others follow RFC 8252 section 7.1 and have a dot. */
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

/** Whom an answer goes to by this address, or why it may not be one. */
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

/** Metadata that would make the relay fetch more or speak OpenID Connect. */
const UNWANTED = ['jwks_uri', 'sector_identifier_uri', 'default_max_age', 'default_acr_values', 'require_auth_time']

/** Settles what the engine makes of a client: `native` if an answer goes to an app or to this computer. */
export function settle(metadata: Record<string, unknown>, scopes: readonly string[]): void {
  const { redirect_uris: uris } = metadata
  const isWeb = !Array.isArray(uris) || uris.every((uri) => typeof uri === 'string' && redirectKind(uri) === 'web')
  Object.assign(metadata, {
    application_type: isWeb ? 'web' : 'native',
    scope: scopes.join(' '),
    response_modes: ['query'],
    id_token_signed_response_alg: 'ES256',
  })
  for (const name of UNWANTED) delete metadata[name]
}

/** How sure a client's name is. */
export type Proof =
  /** Its own domain says the name and takes the answer. */
  | 'proved'
  /** A domain says the name, yet the answer goes to a program on the person's computer: any could ask so. */
  | 'local'
  /** A domain says the name, yet the answer goes to another one. */
  | 'elsewhere'
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
  const proof = domain === null ? 'claimed' : kind !== 'web' ? 'local' : url.host === domain ? 'proved' : 'elsewhere'
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
