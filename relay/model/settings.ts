import { keysOf } from '@hm-gateway/lib/keys.ts'

/** How a relay is run: everything that it would otherwise have to ask its environment. */
export interface RelaySettings {
  /** The public origin, `https://host[:port]`. */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** The operator's certificate and key; null: the relay signs its own. */
  readonly tls: { readonly certificate: string; readonly key: string } | null
  readonly signUp: 'invite' | 'open'
  /** Whether agents may be known by a document at their own address; null: where the relay's own name is public. */
  readonly metadataDocuments: boolean | null
  /** The port on loopback where metrics are read; null: none. */
  readonly metricsPort: number | null
  /** Where weaknesses are reported (RFC 9116), as a URI; null: there is no security.txt. */
  readonly securityContact: string | null
  /** What this node shares with others; null: it is the only one, and keeps all in its data folder. */
  readonly nats: NatsSettings | null
  /** Where other nodes reach this one; null: at the address by which NATS does, on any port. */
  readonly inner: { readonly host: string; readonly port: number } | null
  readonly logLevel: LogLevel
}

/** Where NATS is, and by which credentials this node may use it. */
export interface NatsSettings {
  readonly servers: readonly string[]
  /** A file of credentials, or null where NATS asks for none. */
  readonly creds: string | null
  /** On how many servers each entry of the store lies. */
  readonly replicas: number
}

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const
type LogLevel = (typeof LOG_LEVELS)[number]
const CIMD = { auto: null, on: true, off: false } as const
const REPLICAS = ['1', '3', '5'] as const
const SIGN_UPS = ['invite', 'open'] as const

/** Whether each request is written to the log. */
export const logsRequests = ({ logLevel }: Pick<RelaySettings, 'logLevel'>): boolean =>
  logLevel === 'info' || logLevel === 'debug'

/** A setting that cannot be used; the message says which, why and what would do. */
export class SettingsError extends Error {}

const PORT = 8_443

/** Reads the settings; throws a SettingsError for the first that is wrong. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): RelaySettings {
  const port = portOf('HM_RELAY_PORT', env['HM_RELAY_PORT']) ?? PORT
  const nats = natsOf(env)
  if (nats !== null && !env['HM_RELAY_URL'])
    throw new SettingsError('HM_RELAY_NATS makes this one node of several: set HM_RELAY_URL to the one address of all.')
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

/** A Contact of RFC 9116 is a URI, and a web page is one by https. */
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
  const servers = text.split(',').map((each) => each.trim())
  for (const server of servers)
    if (!/^(?:nats|tls):\/\/[^/@]+\/?$/.test(server) || !URL.canParse(server))
      throw new SettingsError(
        `HM_RELAY_NATS is "${text}": it must be addresses such as nats://127.0.0.1:4222, with commas between them.`,
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
    `HM_RELAY_INNER_ADDRESS is "${text}": it must be this machine's address and port as other nodes reach them, such as 10.0.0.5:8543.`,
  )
}

function certificateOf(certificate: string | undefined, key: string | undefined): RelaySettings['tls'] {
  if (!certificate && !key) return null
  if (certificate && key) return { certificate, key }
  throw new SettingsError('HM_RELAY_TLS_CERT and HM_RELAY_TLS_KEY name two files: set both of them, or neither.')
}

function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === text)
  if (found !== undefined) return found
  throw new SettingsError(`${name} is "${text}": it must be one of ${allowed.join(', ')}.`)
}
