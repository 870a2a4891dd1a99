import { keysOf } from '@hm-gateway/lib/keys-of.ts'

/** Settings of a relay, read from the environment. */
export interface RelaySettings {
  /** The public origin, `https://host[:port]`. */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** Files of the operator's certificate and key; null: the relay signs its own. */
  readonly tls: { readonly certificate: string; readonly key: string } | null
  readonly signUp: 'invite' | 'open'
  /** Accepts clients with a metadata document; null: only if the relay's own name is public. */
  readonly metadataDocuments: boolean | null
  /** Loopback port of the metrics; null: no metrics. */
  readonly metricsPort: number | null
  /** URI for reporting weaknesses (RFC 9116); null: there is no security.txt. */
  readonly securityContact: string | null
  /** NATS for several nodes; null: the relay is one process with all data in its data folder. */
  readonly nats: NatsSettings | null
  /** Address for other nodes; null: the node's address as NATS sees it, any port. */
  readonly inner: { readonly host: string; readonly port: number } | null
  readonly logLevel: LogLevel
}

export interface NatsSettings {
  readonly servers: readonly string[]
  /** File with credentials; null if NATS requires none. */
  readonly creds: string | null
  /** Number of servers that store each entry. */
  readonly replicas: number
}

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const
type LogLevel = (typeof LOG_LEVELS)[number]
const CIMD = { auto: null, on: true, off: false } as const
const REPLICAS = ['1', '3', '5'] as const
const SIGN_UPS = ['invite', 'open'] as const

/** True if each request is logged. */
export const logsRequests = ({ logLevel }: Pick<RelaySettings, 'logLevel'>): boolean =>
  logLevel === 'info' || logLevel === 'debug'

/** An invalid setting; the message names it, the problem and a valid value. */
export class SettingsError extends Error {}

const PORT = 8_443

/** @throws SettingsError for the first invalid setting. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): RelaySettings {
  const port = portOf('HM_RELAY_PORT', env['HM_RELAY_PORT']) ?? PORT
  const nats = natsOf(env)
  if (nats !== null && !env['HM_RELAY_URL'])
    throw new SettingsError('HM_RELAY_NATS is set for several nodes: set HM_RELAY_URL to their common address.')
  return {
    url: urlOf(env['HM_RELAY_URL'] || `https://localhost:${port}`),
    host: env['HM_RELAY_HOST'] || '::',
    port,
    dataDir: env['HM_RELAY_DATA_DIR'] || './relay-data',
    tls: certificateOf(env['HM_RELAY_TLS_CERT'], env['HM_RELAY_TLS_KEY']),
    signUp: oneOf('HM_RELAY_SIGNUP', env['HM_RELAY_SIGNUP'] || 'invite', SIGN_UPS),
    metadataDocuments: CIMD[oneOf('HM_RELAY_CIMD', env['HM_RELAY_CIMD'] || 'auto', keysOf(CIMD))],
    metricsPort: portOf('HM_RELAY_METRICS_PORT', env['HM_RELAY_METRICS_PORT']),
    securityContact: contactOf(env['HM_RELAY_SECURITY_CONTACT']),
    nats,
    inner: innerOf(env['HM_RELAY_INNER_ADDRESS']),
    logLevel: oneOf('HM_RELAY_LOG_LEVEL', env['HM_RELAY_LOG_LEVEL'] || 'info', LOG_LEVELS),
  }
}

function portOf(name: string, text: string | undefined): number | null {
  if (text === undefined || text === '') return null
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port >= 0 && port <= 65_535) return port
  throw new SettingsError(`${name} is "${text}": it must be a whole number from 0 to 65535.`)
}

function urlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && url.protocol === 'https:' && url.href === `${url.origin}/`) return url.origin
  throw new SettingsError(
    `HM_RELAY_URL is "${text}": it must be the relay's public address without a path, such as https://relay.example.`,
  )
}

/** RFC 9116 requires a URI, and https for a web page. */
function contactOf(text: string | undefined): string | null {
  if (!text) return null
  if (/^(?:mailto:[^\s@]+@|https:\/\/|tel:\+?\d)[\x21-\x7e]+$/.test(text) && URL.canParse(text)) return text
  throw new SettingsError(
    `HM_RELAY_SECURITY_CONTACT is "${text}": it must be an address such as mailto:security@relay.example or https://relay.example/security.`,
  )
}

function natsOf(env: Readonly<Record<string, string | undefined>>): NatsSettings | null {
  const text = env['HM_RELAY_NATS']
  if (!text) return null
  const servers = text.split(',').map((server) => server.trim())
  for (const server of servers)
    if (!/^(?:nats|tls):\/\/[^/@]+\/?$/.test(server) || !URL.canParse(server))
      throw new SettingsError(
        `HM_RELAY_NATS is "${text}": it must be a list of addresses such as nats://127.0.0.1:4222, separated by commas.`,
      )
  const replicas = oneOf('HM_RELAY_NATS_REPLICAS', env['HM_RELAY_NATS_REPLICAS'] || '3', REPLICAS)
  return { servers, creds: env['HM_RELAY_NATS_CREDS'] || null, replicas: Number(replicas) }
}

function innerOf(text: string | undefined): RelaySettings['inner'] {
  if (!text) return null
  const url = URL.canParse(`tcp://${text}`) ? new URL(`tcp://${text}`) : null
  if (url !== null && url.hostname !== '' && url.host === text)
    return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) }
  throw new SettingsError(
    `HM_RELAY_INNER_ADDRESS is "${text}": it must be an address of this machine that other nodes can reach, such as 10.0.0.5:8543.`,
  )
}

function certificateOf(certificate: string | undefined, key: string | undefined): RelaySettings['tls'] {
  if (!certificate && !key) return null
  if (certificate && key) return { certificate, key }
  throw new SettingsError('HM_RELAY_TLS_CERT and HM_RELAY_TLS_KEY belong together: set both or neither.')
}

function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text)
  if (found !== undefined) return found
  throw new SettingsError(`${name} is "${text}": it must be one of ${allowed.join(', ')}.`)
}
