import type { Person, PersonStore } from '../../auth/persons/person.ts'
import { RowsById } from './cached-rows.ts'
import { Columns } from './columns.ts'
import type { CoreDb } from './core-db.ts'

const COLUMNS = new Columns('id', 'name', 'password', 'created_at')
const ALL = `SELECT ${COLUMNS.fields} FROM persons ORDER BY created_at, id`

/** The persons who administer the home, in core.db; of a password only its hash. */
export class SqlitePersons extends RowsById<Person> implements PersonStore {
  readonly #narrows: CoreDb['narrows']

  constructor(core: CoreDb) {
    super(core, 'persons', () => core.db.prepare<[], Person>(ALL).all())
    this.#narrows = (id) => core.narrows(id)
  }

  insert(person: Person): void {
    // A name that is free again may be taken anew.
    this.removeHeld()
    this.db.prepare(`INSERT INTO persons ${COLUMNS.values}`).run(person)
  }

  setPassword(id: string, password: string): void {
    this.#narrows(id)
    this.db.prepare('UPDATE persons SET password = ? WHERE id = ?').run(password, id)
  }
}
