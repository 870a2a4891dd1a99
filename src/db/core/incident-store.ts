import { CoreStore } from './columns.ts'

/** An event about the configuration that an administrator should know. */
export interface Incident {
  readonly id: number
  /** Epoch ms. */
  readonly at: number
  /** One sentence. */
  readonly what: string
}

/** Number of stored incidents; the oldest are deleted first. */
export const INCIDENTS_MAX = 100

/** Incidents of the configuration, in core.db: reported at each start and by `bin/hm status` until acknowledged. */
export class SqliteIncidents extends CoreStore {
  /** Oldest first. */
  list(): readonly Incident[] {
    return this.db.prepare<[], Incident>('SELECT id, at, what FROM incidents ORDER BY id').all()
  }

  /** Stores an incident at once, even in a copy that accepts no changes. Returns its id. */
  add(at: number, what: string): number {
    const { lastInsertRowid } = this.db.prepare('INSERT INTO incidents (at, what) VALUES (?, ?)').run(at, what)
    this.db
      .prepare(`DELETE FROM incidents WHERE id NOT IN (SELECT id FROM incidents ORDER BY id DESC LIMIT ?)
        AND id NOT IN (SELECT incident FROM doubts)`)
      .run(INCIDENTS_MAX)
    return Number(lastInsertRowid)
  }

  reword(id: number, what: string): void {
    this.db.prepare('UPDATE incidents SET what = ? WHERE id = ?').run(what, id)
  }

  /** Integrations that are disabled until these incidents are acknowledged. */
  doubted(upTo: number): readonly string[] {
    return this.db.prepare<[number], string>('SELECT integration FROM doubts WHERE incident <= ?').pluck().all(upTo)
  }

  /** Deletes incidents up to `id`, and enables the integrations that they disabled. */
  forget(id: number): void {
    this.db.prepare('DELETE FROM incidents WHERE id <= ?').run(id)
  }
}
