import { type Cause, GATEWAY_CAUSE } from '../../home/model/events.ts'
import type { PresenceState } from '../../home/model/presence.ts'
import type { PresenceStore, StoredPresence } from '../../home/ports/house-store.ts'
import { readCell } from '../database.ts'
import { CoreStore } from './columns.ts'

interface PresenceRow {
  readonly person: string
  readonly state: PresenceState
  readonly since: number
  readonly cause: string
}

/** The last reported presence of persons in core.db, deleted with them. */
export class SqlitePresence extends CoreStore implements PresenceStore {
  load(): readonly StoredPresence[] {
    const rows = this.db.prepare<[], PresenceRow>('SELECT person, state, since, cause FROM presence').all()
    return rows.map(({ state: is, cause, ...row }) => ({ ...row, is, cause: readCell<Cause>(cause, GATEWAY_CAUSE) }))
  }

  save({ person, is, since, cause }: StoredPresence): void {
    this.db
      .prepare('INSERT OR REPLACE INTO presence (person, state, since, cause) VALUES (?, ?, ?, ?)')
      .run(person, is, since, JSON.stringify(cause))
  }
}
