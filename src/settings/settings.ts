import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { LOG_LEVELS, type LogLevel } from '../lib/log.ts'

/** Connection to the units: the simulated house inside, a serial line, or a TCP line. */
export type HmhcSetting =
  | { readonly kind: 'sim'; readonly units: number | null; readonly seed: number; readonly speed: number }
  | { readonly kind: 'serial'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }

export interface GatewaySettings {
  readonly dataDir: string
  readonly host: string
  readonly port: number
  readonly hmhc: HmhcSetting
  /** Rate limit of each credential (a second, at once); null for none. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number } | null
  readonly logLevel: LogLevel
  /** Audience of the console: everybody who reaches the port, this machine only, or nobody. */
  readonly console: ConsoleReach
  /**
   * Set-up code on the label of an appliance, which opens the console until the first administrator exists; or null.
   */
  readonly setupCode: string | null
  /** Folder of backups; null for one in the data folder. */
  readonly backupDir: string | null
  /** False (`HM_FAST_PATH=off`): fastify routes requests to service endpoints too. */
  readonly fastPath?: boolean
}

const CONSOLE_REACHES = ['on', 'loopback', 'off'] as const
export type ConsoleReach = (typeof CONSOLE_REACHES)[number]
/** Shorter codes could be guessed within the allowed attempts. */
const SETUP_CODE_LENGTH_MIN = 8

/** An invalid setting; the message names it, the reason and valid values. */
export class SettingsError extends Error {}

const DEFAULTS = {
  HM_DATA_DIR: './data',
  HM_HOST: '::',
  HM_PORT: '8490',
  HM_HMHC: 'sim:',
  HM_RATE_LIMIT: '200/500',
  HM_LOG_LEVEL: 'warn',
  HM_CONSOLE: 'on',
  HM_BACKUP_DIR: '',
} as const
type Name = keyof typeof DEFAULTS

const FLAGS = {
  'data-dir': 'HM_DATA_DIR',
  host: 'HM_HOST',
  port: 'HM_PORT',
  hmhc: 'HM_HMHC',
  'rate-limit': 'HM_RATE_LIMIT',
  'log-level': 'HM_LOG_LEVEL',
  console: 'HM_CONSOLE',
  'backup-dir': 'HM_BACKUP_DIR',
} as const satisfies Record<string, Name>

export const SIM_UNITS_MAX = 10_000
export const SIM_SPEED_MAX = 1_000
export const SIM_SEED_MAX = 999_999_999

export const USAGE = `Usage: npm start -- [flags]            (or the environment variable)
  --data-dir DIR      HM_DATA_DIR       folder of all data             default ./data
  --host HOST         HM_HOST           address to listen on            default :: (all)
  --port PORT         HM_PORT           port to listen on               default 8490
  --hmhc LINE         HM_HMHC           sim:  sim:units=300,seed=7,speed=10  /dev/ttyUSB0  tcp://host:port
  --rate-limit N/M    HM_RATE_LIMIT     requests a second / at once for each credential, or off   default 200/500
  --log-level LEVEL   HM_LOG_LEVEL      silent, error, warn, info, debug   default warn
  --console WHERE     HM_CONSOLE        on, loopback (this machine alone), off   default on
  --backup-dir DIR    HM_BACKUP_DIR     backup folder                  default backups/ in the data folder`

/** Reads settings from flags, then the environment, then defaults; throws a SettingsError for the first invalid one. */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): GatewaySettings {
  const flags = parseFlags(args)
  const value = (name: Name): string => flags.get(name) ?? (env[name] || DEFAULTS[name])
  return {
    dataDir: value('HM_DATA_DIR'),
    host: value('HM_HOST'),
    port: wholeNumber('HM_PORT', value('HM_PORT'), 0, 65_535),
    hmhc: parseHmhc(value('HM_HMHC')),
    rateLimit: parseRateLimit(value('HM_RATE_LIMIT')),
    logLevel: parseLogLevel(value('HM_LOG_LEVEL')),
    console: parseConsole(value('HM_CONSOLE')),
    setupCode: parseSetupCode(env['HM_SETUP_CODE'] || null),
    backupDir: value('HM_BACKUP_DIR') === '' ? null : resolve(value('HM_BACKUP_DIR')),
    ...(isFastPathOff(env['HM_FAST_PATH'] || 'on') ? { fastPath: false } : {}),
  }
}

function parseFlags(args: readonly string[]): ReadonlyMap<Name, string> {
  try {
    const options = Object.fromEntries(Object.keys(FLAGS).map((flag) => [flag, { type: 'string' as const }]))
    const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false })
    return new Map(
      Object.entries(FLAGS).flatMap(([flag, name]) =>
        typeof values[flag] === 'string' ? [[name, values[flag]] as const] : [],
      ),
    )
  } catch (error) {
    throw new SettingsError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
  }
}

/** Parses a number of the user; throws a SettingsError unless it is from `min` to `max`. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(number >= min && number <= max))
    throw new SettingsError(`${name} is "${text}": it must be a whole number from ${min} to ${max}.`)
  return number
}

/**
 * An adapter on the network, also as pyserial writes it (`socket://`). The zone of a link-local address stands behind
 * `%25` (RFC 6874) or `%`. An adapter has no user, so an address with user information is refused.
 */
const TCP_HOST = String.raw`\[(?<v6>[\da-f:.]+)(?:%(?:25)?(?<zone>[\w.~-]+))?\]|(?<name>[^\s:/@?#[\]]+)`
const TCP_LINE = new RegExp(String.raw`^(?:tcp|socket)://(?:${TCP_HOST}):(?<port>\d{1,5})/?$`, 'i')

function parseHmhc(text: string): HmhcSetting {
  if (text === 'sim' || text.startsWith('sim:')) return parseSim(text.slice(4))
  const tcp = TCP_LINE.exec(text)?.groups
  if (tcp?.['port'] !== undefined)
    return {
      kind: 'tcp',
      host: tcp['v6'] === undefined ? (tcp['name'] ?? '') : `${tcp['v6']}${tcp['zone'] ? `%${tcp['zone']}` : ''}`,
      port: wholeNumber('The port in HM_HMHC', tcp['port'], 1, 65_535),
    }
  if (text.startsWith('/') || /^COM\d+$/i.test(text)) return { kind: 'serial', path: text }
  throw new SettingsError(
    `HM_HMHC is "${text}": it must be sim:, sim:units=300,seed=7,speed=10, a serial device such as /dev/ttyUSB0, or tcp://host:port.`,
  )
}

function parseSim(text: string): HmhcSetting {
  const found: { units: number | null; seed: number; speed: number } = { units: null, seed: 1, speed: 1 }
  for (const part of text.split(',').filter(Boolean)) {
    const [name = '', value = ''] = part.split('=', 2)
    if (name === 'units') found.units = wholeNumber('units in HM_HMHC', value, 1, SIM_UNITS_MAX)
    else if (name === 'seed') found.seed = wholeNumber('seed in HM_HMHC', value, 0, SIM_SEED_MAX)
    else if (name === 'speed') found.speed = wholeNumber('speed in HM_HMHC', value, 1, SIM_SPEED_MAX)
    else throw new SettingsError(`HM_HMHC has "${part}": the simulated house knows units, seed and speed.`)
  }
  return { kind: 'sim', ...found }
}

function parseRateLimit(text: string): GatewaySettings['rateLimit'] {
  if (text === 'off') return null
  const match = /^(\d{1,7})\/(\d{1,7})$/.exec(text)
  const [perSecond, burst] = [Number(match?.[1]), Number(match?.[2])]
  if (!(perSecond >= 1 && burst >= 1))
    throw new SettingsError(
      `HM_RATE_LIMIT is "${text}": it must be two whole numbers such as 200/500 (a second / at once), or off.`,
    )
  return { perSecond, burst }
}

function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((logLevel) => logLevel === text)
  if (!level) throw new SettingsError(`HM_LOG_LEVEL is "${text}": it must be one of ${LOG_LEVELS.join(', ')}.`)
  return level
}

function parseConsole(text: string): ConsoleReach {
  const reach = CONSOLE_REACHES.find((consoleReach) => consoleReach === text)
  if (!reach) throw new SettingsError(`HM_CONSOLE is "${text}": it must be one of ${CONSOLE_REACHES.join(', ')}.`)
  return reach
}

function isFastPathOff(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new SettingsError(`HM_FAST_PATH is "${text}": it must be on or off.`)
  return text === 'off'
}

/** The code is a secret, so the error message does not contain it. */
function parseSetupCode(text: string | null): string | null {
  if (text !== null && (text.length < SETUP_CODE_LENGTH_MIN || text.length > 100))
    throw new SettingsError(`HM_SETUP_CODE must have ${SETUP_CODE_LENGTH_MIN} to 100 characters.`)
  return text
}

/** True if only this machine reaches a gateway that listens on `host`; it is not announced then. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

/** The administrators' socket file inside the data folder. */
export const ADMIN_SOCKET = 'admin.sock'
