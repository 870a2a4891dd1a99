import type { TariffStore } from '../../home/ports/energy-store.ts'
import { type Db, readCell } from '../database.ts'

/** The tariff in core.db: one row, or none. */
export class SqliteTariff implements TariffStore {
  readonly #db: Db

  constructor(core: { readonly db: Db }) {
    this.#db = core.db
  }

  load(): unknown {
    const row = this.#db.prepare<[], { content: string }>('SELECT content FROM tariff').get()
    return row === undefined ? null : readCell<unknown>(row.content, null)
  }

  save(content: unknown): void {
    this.#db.prepare('INSERT OR REPLACE INTO tariff (one, content) VALUES (1, ?)').run(JSON.stringify(content))
  }

  clear(): void {
    this.#db.prepare('DELETE FROM tariff').run()
  }
}
