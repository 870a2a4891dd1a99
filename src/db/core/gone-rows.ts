import type { CoreDb } from './core-db.ts'

/** Rows that count as gone from now on although the disk has not let go of them (`auth/credentials/until-stored.ts`). */
export class GoneRows {
  readonly #core: CoreDb
  readonly #held = new Set<string>()

  constructor(core: CoreDb) {
    this.#core = core
  }

  get ids(): readonly string[] {
    return [...this.#held]
  }

  hold(ids: readonly string[]): void {
    for (const id of ids) this.#held.add(id)
    this.#core.readAgain()
  }

  /** What is left of all rows; those that are stored no more need not be held. */
  left<Row extends { readonly id: string }>(rows: readonly Row[]): readonly Row[] {
    if (this.#held.size === 0) return rows
    const stored = new Set(rows.map(({ id }) => id))
    // What a change has taken out is back where the disk does not take the change.
    if (!this.#core.db.inTransaction) for (const id of this.#held) if (!stored.has(id)) this.#held.delete(id)
    return rows.filter(({ id }) => !this.#held.has(id))
  }
}
