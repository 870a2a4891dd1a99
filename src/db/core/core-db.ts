import type { Statement } from 'better-sqlite3'
import type { ActivityDraft } from '../../home/model/activity.ts'
import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import { type Db, openDatabase } from '../database.ts'

const MIGRATIONS = new URL('./migrations', import.meta.url).pathname

/**
 * core.db: what was acknowledged is there after a power cut. One connection; every change is one transaction with its
 * activity row in the outbox.
 */
export class CoreDb implements UnitOfWork {
  readonly db: Db
  readonly #dataVersion: Statement
  readonly #insertDraft: Statement
  #seenVersion = -1
  #ownWrites = 0
  #epoch = 0
  #onOutbox: () => void = () => {}

  constructor(file: string) {
    this.db = openDatabase(file, 'full', MIGRATIONS)
    this.#dataVersion = this.db.prepare('PRAGMA data_version').pluck()
    this.#insertDraft = this.db.prepare('INSERT INTO activity_outbox (draft) VALUES (?)')
  }

  /**
   * Counts up whenever anything was committed, by this connection or another: one cheap read of SQLite tells whether what was
   * read before is still the truth (Spec 1 point 3).
   */
  epoch(): number {
    const version = this.#dataVersion.get() as number
    if (version !== this.#seenVersion) {
      this.#seenVersion = version
      this.#epoch += 1
    }
    return this.#epoch + this.#ownWrites
  }

  change<T>(run: (record: (draft: ActivityDraft) => void) => T): T {
    let recorded = false
    const answer = this.db.transaction(() => run((draft) => {
      recorded = true
      this.#insertDraft.run(JSON.stringify(draft))
    })).immediate()
    this.#ownWrites += 1
    if (recorded) this.#onOutbox()
    return answer
  }

  /** Hears that the outbox has something to drain. */
  onOutbox(listener: () => void): void {
    this.#onOutbox = listener
  }

  /** Oldest first, at most `limit`. */
  outbox(limit: number): { id: number; draft: ActivityDraft }[] {
    const rows = this.db.prepare('SELECT id, draft FROM activity_outbox ORDER BY id LIMIT ?').all(limit) as { id: number; draft: string }[]
    return rows.map((row) => ({ id: row.id, draft: JSON.parse(row.draft) as ActivityDraft }))
  }

  /** Removes what was drained: everything up to and with `id`. */
  drained(id: number): void {
    this.db.prepare('DELETE FROM activity_outbox WHERE id <= ?').run(id)
  }

  close(): void {
    this.db.close()
  }
}
