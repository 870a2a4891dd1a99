import type { Passkey, PasskeyStore } from '../../auth/persons/passkeys.ts'
import { RowsById } from './cached-rows.ts'
import { Columns } from './columns.ts'
import type { CoreDb } from './core-db.ts'

const COLUMNS = new Columns(
  ...['id', 'person', 'name', 'site', 'credential', 'public_key', 'counter', 'created_at', 'used_at'],
)
const ALL = `SELECT ${COLUMNS.fields} FROM passkeys ORDER BY created_at, id`

/** The passkeys of persons, in core.db. */
export class SqlitePasskeys extends RowsById<Passkey> implements PasskeyStore {
  constructor(core: CoreDb) {
    super(core, 'passkeys', () => core.db.prepare<[], Passkey>(ALL).all())
  }

  byCredential(credential: string): Passkey | undefined {
    return this.list().find((passkey) => passkey.credential === credential)
  }

  insert(passkey: Passkey): void {
    // A passkey that was removed may be made known anew.
    this.removeHeld()
    this.db.prepare(`INSERT INTO passkeys ${COLUMNS.values}`).run(passkey)
  }

  used(id: string, counter: number, at: number): void {
    this.db.prepare('UPDATE passkeys SET counter = ?, used_at = ? WHERE id = ?').run(counter, at, id)
  }
}
