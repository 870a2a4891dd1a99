import { Columns, CoreStore } from './columns.ts'
import type { CoreDb } from './core-db.ts'

/** A cached result from core.db, read again after any commit, by this process or another (Spec 1 point 3). */
export class EpochCache<T extends object> {
  readonly #core: Pick<CoreDb, 'epoch'>
  readonly #read: (before: T | null) => T
  #epoch: number | null = null
  #value: T | null = null

  /** `read` gets its previous result, or null. */
  constructor(core: Pick<CoreDb, 'epoch'>, read: (before: T | null) => T) {
    this.#core = core
    this.#read = read
  }

  get(): T {
    const epoch = this.#core.epoch()
    if (this.#value !== null && epoch === this.#epoch) return this.#value
    const value = this.#read(this.#value)
    this.#value = value
    this.#epoch = epoch
    return value
  }
}

/**
 * The rows of a table by their ids. Rows that are held count as gone from then on, although the disk has not let go of
 * them (`auth/pending-revocations.ts`).
 */
export class RowsById<Row extends { readonly id: string }, Stored = Row> extends CoreStore {
  readonly #core: CoreDb
  readonly #table: string
  readonly #columns: Columns
  readonly #held = new Set<string>()
  readonly #byId: EpochCache<ReadonlyMap<string, Row>>

  constructor(core: CoreDb, table: string, columns: readonly string[], fromRow: (row: Stored) => Row) {
    super(core)
    this.#core = core
    this.#table = table
    this.#columns = new Columns(...columns)
    const all = `SELECT ${this.#columns.fields} FROM ${table} ORDER BY created_at, id`
    this.#byId = new EpochCache<ReadonlyMap<string, Row>>(core, () => {
      const rows = this.db.prepare<[], Stored>(all).all().map(fromRow)
      return new Map(this.#withoutHeld(rows).map((row) => [row.id, row]))
    })
  }

  get(id: string): Row | undefined {
    return this.#byId.get().get(id)
  }

  list(): readonly Row[] {
    return [...this.#byId.get().values()]
  }

  protected insertRow(row: Stored): void {
    this.db.prepare(`INSERT INTO ${this.#table} ${this.#columns.values}`).run(row)
  }

  remove(id: string): void {
    this.db.prepare(`DELETE FROM ${this.#table} WHERE id = ?`).run(id)
  }

  hold(ids: readonly string[]): void {
    for (const id of ids) this.#held.add(id)
    this.#core.invalidate()
  }

  /** Deletes held rows, so that their names can be used again. */
  protected removeHeld(): void {
    for (const id of this.#held) this.remove(id)
  }

  /** A row that is no longer stored need not be held. */
  #withoutHeld(rows: readonly Row[]): readonly Row[] {
    if (this.#held.size === 0) return rows
    const stored = new Set(rows.map(({ id }) => id))
    // A deletion that the disk refuses brings the row back.
    if (!this.db.inTransaction) for (const id of this.#held) if (!stored.has(id)) this.#held.delete(id)
    return rows.filter(({ id }) => !this.#held.has(id))
  }
}
