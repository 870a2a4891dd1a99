import type { UnitIdentity } from '../../home/model/house.ts'
import type { StoredIdentity, UnitIdentityStore } from '../../home/ports/house-store.ts'
import { isObject } from '../../lib/json.ts'
import { readCell } from '../database.ts'
import type { HistoryParts } from './history-parts.ts'

/** Stored with the history, because it says which rows of the history are about a unit that is no longer there. */
export class SqliteUnitIdentityStore implements UnitIdentityStore {
  readonly #parts: HistoryParts
  readonly #put

  constructor(parts: HistoryParts) {
    this.#parts = parts
    this.#put = parts.db.prepare<[number, string, number]>(
      'INSERT OR REPLACE INTO unit_identities (unit, identity, since) VALUES (?, ?, ?)',
    )
  }

  load(): readonly StoredIdentity[] {
    this.#parts.writer.flush()
    const rows = this.#parts.db.prepare<[], { key: string; identity: string; since: number }>(
      'SELECT s.key, t.identity, t.since FROM unit_identities t JOIN subjects s ON s.id = t.unit ORDER BY s.key',
    )
    return rows.all().flatMap(({ key, identity, since }) => {
      const read = readCell<UnitIdentity | null>(identity, null, isIdentity)
      return read === null ? [] : [{ unit: key.slice('device:'.length), identity: read, since }]
    })
  }

  save({ unit, identity, since }: StoredIdentity): void {
    this.#parts.writer.add(() =>
      this.#put.run(this.#parts.names.number(`device:${unit}`), JSON.stringify(identity), since),
    )
  }
}

function isIdentity(value: unknown): boolean {
  return isObject(value) && typeof value['address'] === 'number' && Array.isArray(value['gangs'])
}
