import type { DiskState } from './disk.ts'

/** The first key of a new home. */
export interface ShownKey {
  readonly integration: string
  readonly token: string
  readonly connectionCode: string
}

export interface BannerFacts {
  readonly homeName: string
  /** Addresses of the gateway, most reliable first. */
  readonly origins: readonly string[]
  readonly fingerprint: string
  /** Path of the CA file, relative to the working directory. */
  readonly caFile: string
  readonly dataDir: string
  readonly line: string
  /** Unacknowledged incidents of the configuration, each a sentence. */
  readonly incidents: readonly string[]
  readonly disk: DiskState
  /** Place of the command line's socket file, in words; null if no disk can hold one. */
  readonly socket: string | null
  /** One-time link to the console, until the home has an administrator with an account; or null. */
  readonly consoleLink: string | null
  /** True if the home has no administrator with an account and serves a console. */
  readonly needsLink: boolean
  /** Folder with backups of a home, at the very first start; else null. */
  readonly backupsFound: string | null
  /** Present only at the very first start. */
  readonly firstKey: ShownKey | null
}

/** Output of `npm start`: the gateway's addresses, its CA, and, once, a first request. */
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
    return ['  The console, with this one-time link for ten minutes (later: bin/hm console):', '', consoleLink, '']
  return needsLink ? ['  The console: bin/hm console creates a one-time link.', ''] : []
}

function incidentLines(incidents: readonly string[]): string[] {
  if (incidents.length === 0) return []
  return ['  Needs attention (bin/hm acknowledge ends this):', ...incidents.map((incident) => `  ${incident}`), '']
}

const DISK_WORDS = {
  low: 'The disk under the data folder is nearly full: free space before it is.',
  full: 'The disk under the data folder is full: the history leaves entries out until there is space.',
  failing: 'The disk under the data folder accepts no writes: changes are refused until it does.',
} as const satisfies Record<Exclude<DiskState, 'ok'>, string>

function diskLines({ disk, socket }: BannerFacts): string[] {
  if (disk === 'ok' && socket !== null) return []
  return [
    ...(disk === 'ok' ? [] : [`  ${DISK_WORDS[disk]}`]),
    socket === null
      ? '  The command line cannot reach this gateway: no disk can hold its socket file.'
      : `  Its socket for the command line is ${socket}.`,
    '',
  ]
}

function offerLines({ backupsFound }: BannerFacts): string[] {
  if (backupsFound === null) return []
  return [
    `  ${backupsFound} has backups of a home: bin/hm restore FILE restores it here.`,
    '  The new data is then moved aside (docs/backup.md).',
    '',
  ]
}

function firstRequest(facts: BannerFacts, key: ShownKey, address: string): string[] {
  return [
    `  First request (the key of the integration "${key.integration}"; it is shown once):`,
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

/** The path as a shell argument, quoted only if needed. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
