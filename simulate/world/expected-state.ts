import type { CoreDb } from '../../src/db/core/core-db.ts'
import type { PhysicalUnit, PhysicalUnits } from './physical-units.ts'

interface CredentialFact {
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

/** Last author of a rule or scene; null for an administrator. */
export type AuthorFact = { readonly integration: string; readonly link: string } | null

interface RuleFact {
  readonly kind: 'automation' | 'schedule' | 'scene'
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly revision: number
  readonly author: AuthorFact
  /** As stored. */
  readonly definition: string
}

/** A unit as the house has it. */
interface UnitFact {
  readonly id: string
  readonly address: number
  readonly class: string
  /** Class of each gang by its position. */
  readonly gangs: ReadonlyMap<number, string>
}

/** The stored state, read from the tables and not through the gateway's stores. */
export interface Facts {
  readonly integrations: ReadonlyMap<string, IntegrationFact>
  readonly credentials: ReadonlyMap<string, CredentialFact>
  /** By `kind:id`. */
  readonly rules: ReadonlyMap<string, RuleFact>
  readonly units: ReadonlyMap<string, UnitFact>
}

interface Row {
  readonly [column: string]: string | number | null
}

/** Tables that change on their own, or without promises about their rows. */
const VOLATILE = [
  ...['activity_outbox', 'steady_time', 'rule_runs', 'rule_claims', 'rule_holds', 'sqlite_sequence'],
  ...['messages', 'deliveries'],
]
/** Columns that change with time. */
const BY_TIME = ['last_used_at', 'last_used_via', 'steady_used_at', 'expired_at']
/** Tables of agents' requests, which expire. */
const EXPIRING = ['agent_requests', 'confirmations', 'pairing_blocks', 'idempotency_keys']

export const factsOf = untilChanged(readFacts)

/** The whole configuration as one text, with every acknowledged change. */
export const configurationOf = untilChanged(configurationIn)

/** Caches `read` until the tables are written. */
function untilChanged<T>(read: (core: CoreDb) => T): (core: CoreDb) => T {
  const known = new WeakMap<CoreDb, { readonly writes: number | undefined; readonly value: T }>()
  return (core) => {
    // A rollback does not count as a write.
    if (core.db.inTransaction) return read(core)
    const writes = core.db.prepare<[], number>('SELECT total_changes()').pluck().get()
    const last = known.get(core)
    if (last !== undefined && last.writes === writes) return last.value
    const value = read(core)
    known.set(core, { writes, value })
    return value
  }
}

function readFacts({ db }: CoreDb): Facts {
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
  const gangs = rows('SELECT * FROM gangs ORDER BY unit, gang')
  const units = rows('SELECT * FROM units ORDER BY id').map((row): UnitFact => ({
    id: String(row['id']),
    address: Number(row['address']),
    class: String(row['class']),
    gangs: new Map(
      gangs.filter(({ unit }) => unit === row['id']).map((gang) => [Number(gang['gang']), String(gang['class'])]),
    ),
  }))
  return {
    units: new Map(units.map((unit) => [unit.id, unit])),
    integrations: new Map(integrations.map((integration) => [integration.id, integration])),
    credentials: new Map(credentials.map((credential) => [credential.link, credential])),
    rules: new Map(rules.map((rule) => [`${rule.kind}:${rule.id}`, rule])),
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

/** The configuration of any copy, with each row as JSON: `["table","rooms","id","hall","position",1]`. */
export function configurationIn({ db }: Pick<CoreDb, 'db'>): string {
  // All copies are made by this version, so their tables are the same.
  allRows ??= selectAllRows(db)
  const rows = db.prepare<[], { readonly row: string }>(allRows).all()
  return rows
    .map(({ row }) => row)
    .sort()
    .join('\n')
}

/** One statement for all tables. */
let allRows: string | null = null

function selectAllRows(db: CoreDb['db']): string {
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck()
    .all()
    .filter((name) => !VOLATILE.includes(name) && !EXPIRING.includes(name) && !name.startsWith('sqlite_'))
  return tables.map((table) => selectRows(db, table)).join(' UNION ALL ')
}

interface Column {
  readonly name: string
  /** Declared type. Tables are strict, so each cell has it. */
  readonly type: string
}

function selectRows(db: CoreDb['db'], table: string): string {
  const columns = db.prepare<[string], Column>('SELECT name, type FROM pragma_table_info(?)').all(table)
  const cells = columns
    .filter(({ name }) => !BY_TIME.includes(name))
    .map((column) => `'${column.name}', ${valueOf(column)}`)
  return `SELECT json_array('table', '${table}', ${cells.join(', ')}) AS row FROM ${table}`
}

/** An expression for a cell: numbers with all digits, bytes as hexadecimal text. */
function valueOf({ name, type }: Column): string {
  if (name === 'revoked_at') return 'revoked_at IS NOT NULL'
  if (type === 'BLOB') return `hex(${name})`
  return type === 'REAL' ? `quote(${name})` : name
}

/** A period in which an id of the house names one physical unit. */
export interface Tenure {
  readonly id: string
  readonly fact: UnitFact
  /** Null while no unit is at the address. */
  readonly physical: PhysicalUnit | null
  /** Monotonic milliseconds. */
  readonly from: number
  /** `from` by the wall clock, epoch ms. */
  readonly fromWall: number
  until: number
  /** Address, class, gangs and listed model of the unit, as text. */
  readonly identity: string
  /** How the gateway can detect the new tenure: by an `edit` of the house, or by another `unit`; null if it cannot. */
  readonly begunBy: 'edit' | 'unit' | null
  /** Counts up over all tenures. */
  readonly order: number
}

interface Now {
  /** Monotonic milliseconds. */
  readonly now: number
  /** Epoch ms. */
  readonly wall: number
}

/** Tenures of all ids of the house, from the stored tables and the physical house. */
export class Tenures {
  readonly #physical: PhysicalUnits
  readonly #byId = new Map<string, Tenure[]>()
  #order = 0

  constructor(physical: PhysicalUnits) {
    this.#physical = physical
  }

  /** The order of the newest tenure. */
  get order(): number {
    return this.#order
  }

  /** The tenures of an id, the newest first. */
  of(id: string): readonly Tenure[] {
    return this.#byId.get(id) ?? []
  }

  ids(): readonly string[] {
    return [...this.#byId.keys()]
  }

  /** The current tenure, or undefined if the house has no such unit. */
  current(id: string): Tenure | undefined {
    const [newest] = this.of(id)
    return newest?.until === Infinity ? newest : undefined
  }

  /** Compares the house and the physical units with the current tenures. */
  look({ units }: Facts, { now, wall }: Now): void {
    for (const [id, [newest]] of this.#byId)
      if (newest !== undefined && newest.until === Infinity && !units.has(id)) newest.until = now
    for (const fact of units.values()) this.#lookAt(fact, now, wall)
  }

  #lookAt(fact: UnitFact, now: number, wall: number): void {
    const tenures = this.#byId.get(fact.id) ?? []
    const [before] = tenures
    const physical = this.#physical.at(fact.address) ?? null
    const edited = `${fact.address} ${fact.class} ${[...fact.gangs].join(';')}`
    const [editedBefore, listedBefore] = before?.identity.split(' | ') ?? []
    const sameAddress = before?.fact.address === fact.address
    // The adapter's listing of an address is valid until the next one.
    const listing = physical?.listing ?? (sameAddress ? listedBefore : undefined) ?? ''
    const identity = `${edited} | ${listing}`
    if (before?.until === Infinity && before.physical === physical && before.identity === identity) return
    if (before?.until === Infinity) before.until = now
    const isAnother = listing !== listedBefore && listing !== '' && (listedBefore ?? '') !== ''
    const begunBy = before === undefined ? null : edited !== editedBefore ? 'edit' : isAnother ? 'unit' : null
    const order = ++this.#order
    tenures.unshift({
      id: fact.id,
      fact,
      physical,
      identity,
      begunBy,
      order,
      from: now,
      fromWall: wall,
      until: Infinity,
    })
    this.#byId.set(fact.id, tenures)
  }
}
