import type { SteadyMark, SteadyStore } from '../../auth/credentials/steady-time.ts'
import type { Db } from '../database.ts'

/** The last stored mark of steady time, one row of core.db. */
export class SqliteSteady implements SteadyStore {
  readonly #db: Db

  constructor(core: { readonly db: Db }) {
    this.#db = core.db
  }

  read(): SteadyMark | null {
    return this.#db.prepare<[], SteadyMark>('SELECT steady, wall, boot, uptime FROM steady_time').get() ?? null
  }

  write({ steady, wall, boot, uptime }: SteadyMark): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO steady_time (one, steady, wall, boot, uptime) VALUES (1, ?, ?, ?, ?)')
      .run(steady, wall, boot, uptime)
  }
}
