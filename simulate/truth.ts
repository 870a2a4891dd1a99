import type { CoreDb } from '../src/db/core/core-db.ts'

export interface CredentialFact {
  readonly link: string
  readonly integration: string
  readonly kind: 'key' | 'agent' | 'session'
  readonly alive: boolean
}

export interface IntegrationFact {
  readonly id: string
  readonly enabled: boolean
  readonly all: boolean
  /** `room:hall`, `gang:u23:1`. */
  readonly picks: ReadonlySet<string>
  readonly knobs: Readonly<Record<string, string>>
}

/** Who saved a rule or scene last; null for an administrator. */
export type AuthorFact = { readonly integration: string; readonly link: string } | null

export interface RuleFact {
  readonly kind: 'automation' | 'schedule' | 'scene'
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly revision: number
  readonly author: AuthorFact
  /** As stored. */
  readonly definition: string
}

/** What is stored, read from the tables themselves and not through the gateway's own stores. */
export interface Facts {
  readonly integrations: ReadonlyMap<string, IntegrationFact>
  readonly credentials: ReadonlyMap<string, CredentialFact>
  /** By `kind:id`. */
  readonly rules: ReadonlyMap<string, RuleFact>
}

interface Row {
  readonly [column: string]: string | number | null
}

/** Tables that change by themselves, or whose rows nobody was promised. */
const VOLATILE = ['activity_outbox', 'steady_time', 'rule_runs', 'rule_claims', 'rule_holds', 'sqlite_sequence']
/** Columns that time changes. */
const BY_TIME = ['last_used_at', 'last_used_via', 'steady_used_at', 'expired_at']
/** What agents ask for ends by itself. */
const EXPIRING = ['agent_requests', 'confirmations', 'pairing_blocks', 'idempotency_keys']

export function factsOf({ db }: CoreDb): Facts {
  const rows = (sql: string): Row[] => db.prepare<[], Row>(sql).all()
  const picks = rows('SELECT * FROM picks')
  const integrations = rows('SELECT * FROM integrations').map((row): IntegrationFact => ({
    id: String(row['id']),
    enabled: row['enabled'] === 1,
    all: row['expose'] === 'All',
    picks: new Set(picks.filter((pick) => pick['integration'] === row['id']).map(pickText)),
    knobs: JSON.parse(String(row['knobs'])) as Record<string, string>,
  }))
  const credentials = rows('SELECT * FROM credentials').map((row): CredentialFact => ({
    link: String(row['link']),
    integration: String(row['integration']),
    kind: row['kind'] as CredentialFact['kind'],
    alive: row['revoked_at'] === null && row['expired_at'] === null,
  }))
  const rules = [
    ...rows('SELECT * FROM rules').map((row) => ruleOf(row, row['kind'] as RuleFact['kind'], row['definition'])),
    ...rows('SELECT * FROM scenes').map((row) => ruleOf({ ...row, enabled: 1 }, 'scene', row['steps'])),
  ]
  return {
    integrations: new Map(integrations.map((each) => [each.id, each])),
    credentials: new Map(credentials.map((each) => [each.link, each])),
    rules: new Map(rules.map((each) => [`${each.kind}:${each.id}`, each])),
  }
}

function pickText(row: Row): string {
  return row['kind'] === 'gang' ? `gang:${row['id']}:${row['gang']}` : `${row['kind']}:${row['id']}`
}

function ruleOf(row: Row, kind: RuleFact['kind'], definition: Row[string] | undefined): RuleFact {
  const integration = row['author_integration'] ?? null
  return {
    kind,
    id: String(row['id']),
    name: String(row['name']),
    enabled: row['enabled'] === 1,
    revision: Number(row['revision']),
    author: integration === null ? null : { integration: String(integration), link: String(row['author_link']) },
    definition: String(definition),
  }
}

/** Everything that was configured, as one text: what an acknowledged change made is in it. */
export function configurationOf({ db }: CoreDb): string {
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all()
    .filter((name) => !VOLATILE.includes(name) && !EXPIRING.includes(name) && !name.startsWith('sqlite_'))
  const texts = tables.map((table) => {
    const rows = db.prepare<[], Row>(`SELECT * FROM ${table}`).all().map(withoutTimes)
    return `${table}\n${rows.sort().join('\n')}`
  })
  return texts.join('\n\n')
}

function withoutTimes(row: Row): string {
  const kept = Object.entries(row).filter(([column]) => !BY_TIME.includes(column))
  return JSON.stringify(kept.map(([column, value]) => [column, column === 'revoked_at' ? value !== null : value]))
}
