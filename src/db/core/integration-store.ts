import { DEFAULT_KNOBS, type Knobs } from '../../exposure/knobs.ts'
import type {
  Exposure,
  HeldIntegration,
  Integration,
  IntegrationReader,
  IntegrationWriter,
  Pick,
} from '../../exposure/integration.ts'
import { type Db, readCell } from '../database.ts'
import type { WeeklyWindow } from '../../exposure/hours.ts'
import { isObject } from '../../lib/json.ts'
import type { CoreDb } from './core-db.ts'
import { Columns } from './columns.ts'
import { EpochCache } from './cached-rows.ts'

const COLUMNS = new Columns(
  ...[
    'id',
    'name',
    'enabled',
    'expose',
    'knobs',
    'people',
    'reports',
    'until',
    'hours',
    'kind',
    'opening',
    'created_at',
  ],
)
const SELECT = `SELECT ${COLUMNS.fields} FROM integrations`
type IntegrationRow = ReturnType<typeof integrationValues>

interface PickRow {
  integration: string
  kind: Pick['kind']
  id: string
  gang: number
}

/** Integrations in core.db: cached in parsed form, read again after any commit. */
export class SqliteIntegrations implements IntegrationReader, IntegrationWriter {
  readonly #core: CoreDb
  readonly #db: Db
  /** Changes that the disk refused, by id. */
  readonly #held = new Map<string, HeldIntegration>()
  readonly #byId: EpochCache<ReadonlyMap<string, Integration>>

  constructor(core: CoreDb) {
    this.#core = core
    this.#db = core.db
    this.#byId = new EpochCache(core, (before) => this.#read(before))
  }

  get version(): number {
    return this.#core.epoch()
  }

  get(id: string): Integration | undefined {
    return this.#byId.get().get(id)
  }

  list(): readonly Integration[] {
    return [...this.#byId.get().values()]
  }

  insert(integration: Integration): void {
    this.#db.prepare(`INSERT INTO integrations ${COLUMNS.values}`).run(integrationValues(integration))
    this.#savePicks(integration)
  }

  update(integration: Integration): void {
    const before = this.#storedRow(integration.id)
    if (before !== undefined && narrows(before, integration)) this.#core.narrows(integration.id)
    // An administrator has enabled it again.
    if (integration.enabled) this.#db.prepare('DELETE FROM doubts WHERE integration = ?').run(integration.id)
    this.#db
      .prepare(
        `UPDATE integrations SET name = @name, enabled = @enabled, expose = @expose, knobs = @knobs, people = @people,
        reports = @reports, until = @until, hours = @hours, opening = @opening WHERE id = @id`,
      )
      .run(integrationValues(integration))
    this.#savePicks(integration)
  }

  remove(id: string): void {
    this.#core.narrows(id)
    this.#db.prepare('DELETE FROM integrations WHERE id = ?').run(id)
  }

  /** The stored row, without held changes and doubts. */
  #storedRow(id: string): Integration | undefined {
    const row = this.#db.prepare<[string], IntegrationRow>(`${SELECT} WHERE id = ?`).get(id)
    const picks = this.#db.prepare<[string], PickRow>('SELECT * FROM picks WHERE integration = ?').all(id)
    return row && fromRow(row, picks)
  }

  hold(id: string, less: HeldIntegration): void {
    const before = this.#held.get(id)
    this.#held.set(id, { ...before, ...less, knobs: { ...before?.knobs, ...less.knobs } })
    this.#core.invalidate()
  }

  isHeld(id: string): boolean {
    return this.#held.has(id)
  }

  letGo(id: string): HeldIntegration | null {
    const less = this.#held.get(id) ?? null
    if (this.#held.delete(id)) this.#core.invalidate()
    return less
  }

  #savePicks(integration: Integration): void {
    this.#db.prepare('DELETE FROM picks WHERE integration = ?').run(integration.id)
    if (integration.exposure.expose === 'All') return
    const insert = this.#db.prepare('INSERT INTO picks (integration, kind, id, gang) VALUES (?, ?, ?, ?)')
    for (const pick of integration.exposure.picks)
      insert.run(integration.id, pick.kind, pick.id, pick.kind === 'gang' ? pick.gang : -1)
  }

  /** Keeps the object of an unchanged integration, because exposed views are cached by that object. */
  #read(before: ReadonlyMap<string, Integration> | null): ReadonlyMap<string, Integration> {
    const picks = Map.groupBy(
      this.#db.prepare<[], PickRow>('SELECT integration, kind, id, gang FROM picks').all(),
      (row) => row.integration,
    )
    const rows = this.#db.prepare<[], IntegrationRow>(`${SELECT} ORDER BY created_at, id`).all()
    const doubted = new Set(this.#db.prepare<[], string>('SELECT integration FROM doubts').pluck().all())
    return new Map(
      rows.flatMap((row) => {
        const less = this.#held.get(row.id)
        if (less?.deleted) return []
        const stored = fromRow(row, picks.get(row.id) ?? [])
        const read = held(doubted.has(row.id) ? { ...stored, enabled: false } : stored, less)
        const known = before?.get(row.id)
        return [[row.id, known && JSON.stringify(known) === JSON.stringify(read) ? known : read]]
      }),
    )
  }
}

function integrationValues({ exposure, enabled, knobs, reports = [], hours = [], ...rest }: Integration) {
  const { people = 'none', until = null, kind = 'programs', opening = 'yes' } = rest
  const texts = { knobs: JSON.stringify(knobs), reports: JSON.stringify(reports), hours: JSON.stringify(hours) }
  return { ...rest, enabled: Number(enabled), expose: exposure.expose, people, until, kind, opening, ...texts }
}

function fromRow(row: IntegrationRow, picks: readonly PickRow[]): Integration {
  const knobs = readCell<Partial<Knobs> | null>(row.knobs, null, isObject)
  const hours = readCell<readonly WeeklyWindow[] | null>(row.hours, null, Array.isArray)
  return {
    id: row.id,
    name: row.name,
    // With unreadable knobs or hours its permissions are unknown.
    enabled: row.enabled === 1 && knobs !== null && hours !== null,
    exposure: row.expose === 'All' ? { expose: 'All' } : { expose: 'Selected', picks: picks.map(pickFromRow) },
    knobs: { ...DEFAULT_KNOBS, ...knobs },
    people: row.people,
    reports: readCell<readonly string[]>(row.reports, [], Array.isArray),
    until: row.until,
    hours: hours ?? [],
    kind: row.kind,
    opening: row.opening,
    createdAt: row.createdAt,
  }
}

/** True if a change may take access away: any change except a new name or more picks. */
function narrows(before: Integration, now: Integration): boolean {
  const keyOf = (pick: Pick): string => JSON.stringify([pick.kind, pick.id, pick.kind === 'gang' ? pick.gang : null])
  const remaining = new Set(now.exposure.expose === 'All' ? [] : now.exposure.picks.map(keyOf))
  const isWithin = (exposure: Exposure): boolean =>
    exposure.expose === 'Selected' && exposure.picks.every((pick) => remaining.has(keyOf(pick)))
  return (
    (now.exposure.expose === 'Selected' && !isWithin(before.exposure)) ||
    JSON.stringify(rightsOf(before)) !== JSON.stringify(rightsOf(now))
  )
}

const rightsOf = ({ people = 'none', reports = [], until = null, hours = [], ...rest }: Integration): object => ({
  rights: [rest.enabled, rest.knobs, people, reports, until, hours, rest.opening ?? 'yes'],
})

function held(integration: Integration, less: HeldIntegration | undefined): Integration {
  return less === undefined ? integration : { ...integration, ...less, knobs: { ...integration.knobs, ...less.knobs } }
}

function pickFromRow(row: PickRow): Pick {
  return row.kind === 'gang' ? { kind: 'gang', id: row.id, gang: row.gang } : { kind: row.kind, id: row.id }
}
