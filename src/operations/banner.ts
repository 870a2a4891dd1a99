import type { DiskState } from './disk.ts'

/** The first key of a new home, as it is printed. */
export interface ShownKey {
  readonly integration: string
  readonly token: string
  readonly connectionCode: string
}

export interface BannerFacts {
  readonly homeName: string
  /** Where it listens, the surest first for whoever is at the machine. */
  readonly origins: readonly string[]
  readonly fingerprint: string
  /** The CA file as the user can name it from where the gateway was started. */
  readonly caFile: string
  readonly dataDir: string
  readonly line: string
  /** What befell the configuration, each a sentence, until somebody takes note. */
  readonly incidents: readonly string[]
  readonly disk: DiskState
  /** Where the command line's socket file is, in words; null where no disk takes one. */
  readonly socket: string | null
  /** Opens the console once, until the home has an administrator by name; null where nothing is to be said. */
  readonly consoleLink: string | null
  /** Whether the home has no administrator by name yet, and serves a console. */
  readonly needsLink: boolean
  /** The folder that has backups of a home, at the very first start; else null. */
  readonly backupsFound: string | null
  /** Only at the very first start. */
  readonly firstKey: ShownKey | null
}

/** What `npm start` prints: where the gateway is, whom to trust, and, once, how to make the first request. */
export function banner(facts: BannerFacts): string {
  const [address = '', ...others] = facts.origins
  const lines = [
    '',
    `  ${facts.homeName} is up`,
    '',
    `  address      ${address}`,
    ...others.map((other) => `               ${other}`),
    `  units        ${facts.line}`,
    `  data         ${facts.dataDir}`,
    `  CA           ${facts.caFile}`,
    `  fingerprint  ${facts.fingerprint.slice(0, 47)}`,
    `               ${facts.fingerprint.slice(48)}`,
    '',
    ...incidentLines(facts.incidents),
    ...diskLines(facts),
    ...offerLines(facts),
    ...consoleLines(facts),
    ...(facts.firstKey
      ? firstRequest(facts, facts.firstKey, address)
      : ['  Keys: bin/hm key list · new: bin/hm key create --integration ID · everything: bin/hm --help']),
    '',
    '  Ctrl-C stops it.',
    '',
  ]
  return lines.join('\n')
}

function consoleLines({ consoleLink, needsLink }: BannerFacts): string[] {
  if (consoleLink !== null)
    return ['  The console, for the next ten minutes and once (then: bin/hm console):', '', consoleLink, '']
  return needsLink ? ['  The console: bin/hm console makes a link that opens it once.', ''] : []
}

function incidentLines(incidents: readonly string[]): string[] {
  if (incidents.length === 0) return []
  return ['  Needs attention (bin/hm acknowledge ends this):', ...incidents.map((incident) => `  ${incident}`), '']
}

const DISK_WORDS = {
  low: 'The disk under the data folder is nearly full: make room before it is.',
  full: 'The disk under the data folder is full: the history leaves entries out until there is room.',
  failing: 'The disk under the data folder takes no writes: changes are refused until it does.',
} as const satisfies Record<Exclude<DiskState, 'ok'>, string>

function diskLines({ disk, socket }: BannerFacts): string[] {
  if (disk === 'ok' && socket !== null) return []
  return [
    ...(disk === 'ok' ? [] : [`  ${DISK_WORDS[disk]}`]),
    socket === null
      ? '  The command line cannot reach this gateway: no disk takes its socket file.'
      : `  Its socket for the command line is ${socket}.`,
    '',
  ]
}

function offerLines({ backupsFound }: BannerFacts): string[] {
  if (backupsFound === null) return []
  return [
    `  Backups of a home lie in ${backupsFound}: bin/hm restore FILE brings it back here.`,
    '  What begins now is kept aside then (docs/backup.md).',
    '',
  ]
}

function firstRequest(facts: BannerFacts, key: ShownKey, address: string): string[] {
  return [
    `  First request (the key of the integration "${key.integration}"; it is shown this once):`,
    '',
    `curl --cacert ${quoted(facts.caFile)} -H 'Authorization: Bearer ${key.token}' ${address}/v1/house`,
    '',
    '  The same key as a connection code, for clients (docs/client.md):',
    '',
    key.connectionCode,
    '',
    '  More: README.md, docs/, /openapi.json · administration: bin/hm --help',
  ]
}

/** The path as a shell argument, quoted only where it has to be. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
