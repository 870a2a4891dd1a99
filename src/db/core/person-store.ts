import type { Person, PersonStore } from '../../auth/persons/person.ts'
import type { Db } from '../database.ts'
import type { CoreDb } from './core-db.ts'
import { EpochCache } from './epoch-cache.ts'
import { GoneRows } from './gone-rows.ts'

interface PersonRow {
  id: string
  name: string
  password: string | null
  created_at: number
}

/** The persons who administer the home, in core.db; of a password only its hash. */
export class SqlitePersons implements PersonStore {
  readonly #core: CoreDb
  readonly #db: Db
  readonly #gone: GoneRows
  readonly #byId: EpochCache<ReadonlyMap<string, Person>>

  constructor(core: CoreDb) {
    this.#core = core
    this.#db = core.db
    this.#gone = new GoneRows(core)
    this.#byId = new EpochCache(core, () => this.#read())
  }

  get(id: string): Person | undefined {
    return this.#byId.get().get(id)
  }

  list(): readonly Person[] {
    return [...this.#byId.get().values()]
  }

  insert(person: Person): void {
    // A name that is free again may be taken anew.
    for (const id of this.#gone.ids) this.remove(id)
    this.#db
      .prepare('INSERT INTO persons (id, name, password, created_at) VALUES (@id, @name, @password, @createdAt)')
      .run(person)
  }

  setPassword(id: string, password: string): void {
    this.#core.narrows(id)
    this.#db.prepare('UPDATE persons SET password = ? WHERE id = ?').run(password, id)
  }

  remove(id: string): void {
    this.#db.prepare('DELETE FROM persons WHERE id = ?').run(id)
  }

  hold(ids: readonly string[]): void {
    this.#gone.hold(ids)
  }

  #read(): ReadonlyMap<string, Person> {
    const rows = this.#db.prepare<[], PersonRow>('SELECT * FROM persons ORDER BY created_at, id').all()
    return new Map(
      this.#gone
        .left(rows)
        .map(({ id, name, password, created_at: createdAt }) => [id, { id, name, password, createdAt }]),
    )
  }
}
