import { CoreStore } from './columns.ts'

/** Something that befell the configuration and that an administrator should know of. */
export interface Incident {
  readonly id: number
  /** Epoch ms. */
  readonly at: number
  /** One sentence. */
  readonly what: string
}

/** Incidents kept; the oldest go first. */
export const INCIDENTS_MAX = 100

/** What befell the configuration, in core.db: told at each start and by `bin/hm status` until somebody takes note. */
export class SqliteIncidents extends CoreStore {
  /** The oldest first. */
  list(): readonly Incident[] {
    return this.db.prepare<[], Incident>('SELECT id, at, what FROM incidents ORDER BY id').all()
  }

  /** Stored at once, also where the home is served from a copy that takes no changes; answers its id. */
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

  /** Forgets those up to `id`, and enables the integrations that they kept disabled. */
  forget(id: number): void {
    this.db.prepare('DELETE FROM incidents WHERE id <= ?').run(id)
  }
}
