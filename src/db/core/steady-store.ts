import type { SteadyMark, SteadyStore } from '../../auth/steady-time.ts'
import type { CoreDb } from './core-db.ts'

/** The one kept moment of steady time in core.db. */
export class SqliteSteady implements SteadyStore {
  readonly #core: CoreDb

  constructor(core: CoreDb) {
    this.#core = core
  }

  read(): SteadyMark | null {
    return (
      (this.#core.db.prepare('SELECT steady, wall, boot, uptime FROM steady_time').get() as SteadyMark | undefined) ??
      null
    )
  }

  write({ steady, wall, boot, uptime }: SteadyMark): void {
    this.#core.db
      .prepare('INSERT OR REPLACE INTO steady_time (one, steady, wall, boot, uptime) VALUES (1, ?, ?, ?, ?)')
      .run(steady, wall, boot, uptime)
  }
}
