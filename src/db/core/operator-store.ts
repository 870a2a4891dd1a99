import type { Operator, OperatorScope, OperatorStore } from '../../auth/operators/operators.ts'
import type { Db } from '../database.ts'
import type { CoreDb } from './core-db.ts'
import { EpochCache } from './epoch-cache.ts'
import { GoneRows } from './gone-rows.ts'

interface OperatorRow {
  id: string
  name: string
  scopes: string
  secret_sha256: Buffer
  created_at: number
  used_at: number | null
}

/** The programs that look after the gateway, in core.db. */
export class SqliteOperators implements OperatorStore {
  readonly #db: Db
  readonly #gone: GoneRows
  readonly #byId: EpochCache<ReadonlyMap<string, Operator>>

  constructor(core: CoreDb) {
    this.#db = core.db
    this.#gone = new GoneRows(core)
    this.#byId = new EpochCache(core, () => this.#read())
  }

  get(id: string): Operator | undefined {
    return this.#byId.get().get(id)
  }

  list(): readonly Operator[] {
    return [...this.#byId.get().values()]
  }

  insert({ scopes, ...operator }: Operator): void {
    this.#db
      .prepare(
        `INSERT INTO operators (id, name, scopes, secret_sha256, created_at, used_at)
        VALUES (@id, @name, @scopes, @secretSha256, @createdAt, @usedAt)`,
      )
      .run({ ...operator, scopes: scopes.join(' ') })
  }

  used(id: string, at: number): void {
    this.#db.prepare('UPDATE operators SET used_at = ? WHERE id = ?').run(at, id)
  }

  remove(id: string): void {
    this.#db.prepare('DELETE FROM operators WHERE id = ?').run(id)
  }

  hold(ids: readonly string[]): void {
    this.#gone.hold(ids)
  }

  #read(): ReadonlyMap<string, Operator> {
    const rows = this.#db.prepare<[], OperatorRow>('SELECT * FROM operators ORDER BY created_at, id').all()
    return new Map(this.#gone.left(rows).map((row) => [row.id, fromRow(row)]))
  }
}

/** A scope that this program does not know lets do nothing. */
function fromRow({ id, name, scopes, ...row }: OperatorRow): Operator {
  return {
    id,
    name,
    scopes: scopes.split(' ') as OperatorScope[],
    secretSha256: row.secret_sha256,
    createdAt: row.created_at,
    usedAt: row.used_at,
  }
}
