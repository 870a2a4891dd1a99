import type { FirstKey } from './first-start.ts'

export interface BannerFacts {
  readonly homeName: string
  readonly port: number
  readonly serial: string
  readonly addresses: readonly string[]
  readonly fingerprint: string
  /** The CA file as the user can name it from where the gateway was started. */
  readonly caFile: string
  readonly dataDir: string
  readonly line: string
  /** What befell the configuration, each a sentence, until somebody takes note. */
  readonly incidents: readonly string[]
  /** Only at the very first start. */
  readonly firstKey: FirstKey | null
}

/** What `npm start` prints: where the gateway is, whom to trust, and, once, how to make the first request. */
export function banner(facts: BannerFacts): string {
  const address = `https://localhost:${facts.port}`
  const lines = [
    '',
    `  ${facts.homeName} is up`,
    '',
    `  address      ${address}`,
    `               https://hm-${facts.serial}.local:${facts.port}`,
    ...facts.addresses.map((each) => `               https://${each.includes(':') ? `[${each}]` : each}:${facts.port}`),
    `  units        ${facts.line}`,
    `  data         ${facts.dataDir}`,
    `  CA           ${facts.caFile}`,
    `  fingerprint  ${facts.fingerprint.slice(0, 47)}`,
    `               ${facts.fingerprint.slice(48)}`,
    '',
    ...incidentLines(facts.incidents),
    ...(facts.firstKey
      ? firstRequest(facts, facts.firstKey, address)
      : ['  Keys: bin/hm key list · new: bin/hm key create --integration ID · everything: bin/hm --help']),
    '',
    '  Ctrl-C stops it.',
    '',
  ]
  return lines.join('\n')
}

function incidentLines(incidents: readonly string[]): string[] {
  if (incidents.length === 0) return []
  return ['  Needs attention (bin/hm acknowledge ends this):', ...incidents.map((each) => `  ${each}`), '']
}

function firstRequest(facts: BannerFacts, key: FirstKey, address: string): string[] {
  return [
    `  First request (the key of the integration "${key.integration}"; it is shown this once):`,
    '',
    `curl --cacert ${quoted(facts.caFile)} -H 'Authorization: Bearer ${key.token}' ${address}/v1/house`,
    '',
    '  More: README.md, docs/, /openapi.json · administration: bin/hm --help',
  ]
}

/** The path as a shell argument, quoted only where it has to be. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
