import { DEFAULT_KNOBS, type Knobs } from '../../exposure/knobs.ts'
import type { Integration, IntegrationReader, IntegrationWriter, Pick } from '../../exposure/integration.ts'
import type { CoreDb } from './core-db.ts'

interface IntegrationRow {
  id: string
  name: string
  enabled: number
  expose: 'All' | 'Selected'
  knobs: string
  created_at: number
}

interface PickRow {
  integration: string
  kind: Pick['kind']
  id: string
  gang: number
}

/** Integrations in core.db: parsed once, read again as soon as anything was committed. */
export class SqliteIntegrations implements IntegrationReader, IntegrationWriter {
  readonly #core: CoreDb
  #epoch = -1
  #byId: ReadonlyMap<string, Integration> = new Map()

  constructor(core: CoreDb) {
    this.#core = core
  }

  get(id: string): Integration | undefined {
    return this.#fresh().get(id)
  }

  list(): readonly Integration[] {
    return [...this.#fresh().values()]
  }

  insert(integration: Integration): void {
    this.#core.db
      .prepare('INSERT INTO integrations (id, name, enabled, expose, knobs, created_at) VALUES (?, ?, ?, ?, ?, ?)')
      .run(
        integration.id,
        integration.name,
        Number(integration.enabled),
        integration.exposure.expose,
        JSON.stringify(integration.knobs),
        integration.createdAt,
      )
    this.#savePicks(integration)
  }

  update(integration: Integration): void {
    this.#core.db
      .prepare('UPDATE integrations SET name = ?, enabled = ?, expose = ?, knobs = ? WHERE id = ?')
      .run(
        integration.name,
        Number(integration.enabled),
        integration.exposure.expose,
        JSON.stringify(integration.knobs),
        integration.id,
      )
    this.#savePicks(integration)
  }

  remove(id: string): void {
    this.#core.db.prepare('DELETE FROM integrations WHERE id = ?').run(id)
  }

  #savePicks(integration: Integration): void {
    this.#core.db.prepare('DELETE FROM picks WHERE integration = ?').run(integration.id)
    if (integration.exposure.expose === 'All') return
    const insert = this.#core.db.prepare('INSERT INTO picks (integration, kind, id, gang) VALUES (?, ?, ?, ?)')
    for (const pick of integration.exposure.picks)
      insert.run(integration.id, pick.kind, pick.id, pick.kind === 'gang' ? pick.gang : -1)
  }

  #fresh(): ReadonlyMap<string, Integration> {
    const epoch = this.#core.epoch()
    if (epoch !== this.#epoch) {
      this.#byId = this.#read()
      this.#epoch = epoch
    }
    return this.#byId
  }

  /** An integration that did not change keeps its object, so that what was derived from it stays good. */
  #read(): ReadonlyMap<string, Integration> {
    const picks = Map.groupBy(
      this.#core.db.prepare('SELECT integration, kind, id, gang FROM picks').all() as PickRow[],
      (row) => row.integration,
    )
    const rows = this.#core.db.prepare('SELECT * FROM integrations ORDER BY created_at, id').all() as IntegrationRow[]
    return new Map(
      rows.map((row) => {
        const read = fromRow(row, picks.get(row.id) ?? [])
        const known = this.#byId.get(row.id)
        return [row.id, known && JSON.stringify(known) === JSON.stringify(read) ? known : read]
      }),
    )
  }
}

function fromRow(row: IntegrationRow, picks: readonly PickRow[]): Integration {
  return {
    id: row.id,
    name: row.name,
    enabled: row.enabled === 1,
    exposure: row.expose === 'All' ? { expose: 'All' } : { expose: 'Selected', picks: picks.map(pickFromRow) },
    knobs: { ...DEFAULT_KNOBS, ...(JSON.parse(row.knobs) as Partial<Knobs>) },
    createdAt: row.created_at,
  }
}

function pickFromRow(row: PickRow): Pick {
  return row.kind === 'gang' ? { kind: 'gang', id: row.id, gang: row.gang } : { kind: row.kind, id: row.id }
}
