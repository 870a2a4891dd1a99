import type { DeviceKey, ReadingKind } from '../../home/model/device.ts'
import type { DevicePlace, DevicePlaceStore, StoredIdentity, UnitIdentityStore } from '../../home/ports/house-store.ts'
import { type HistoryParts, HistoryStore } from './history-parts.ts'
import { DEVICE } from './subject-numbers.ts'
import type { LastReading, LastReadingStore } from '../../home/ports/history-store.ts'
import type { UnitIdentity } from '../../home/model/house.ts'
import { isObject } from '../../lib/json.ts'
import { readCell } from '../database.ts'

/** Last known names and rooms of devices in history.db, all cached in memory. */
export class SqliteDevicePlaceStore extends HistoryStore implements DevicePlaceStore {
  readonly #places = new Map<DeviceKey, DevicePlace>()

  constructor(parts: HistoryParts) {
    super(parts)
    this.#reload()
    parts.db.onReset(() => this.#reload())
  }

  all(): ReadonlyMap<DeviceKey, DevicePlace> {
    return this.#places
  }

  save(device: DeviceKey, place: DevicePlace, at: number): void {
    this.#places.set(device, place)
    this.parts.writer.add(() =>
      this.parts.db
        .prepare(
          'INSERT INTO device_places (device, name, room, at) VALUES (?, ?, ?, ?) ON CONFLICT (device) DO UPDATE SET name = excluded.name, room = excluded.room, at = excluded.at',
        )
        .run(this.parts.names.device(device), place.name, place.room, at),
    )
  }

  forget(device: DeviceKey): void {
    this.#places.delete(device)
    this.parts.writer.add(() =>
      this.parts.db.prepare('DELETE FROM device_places WHERE device = ?').run(this.parts.names.device(device)),
    )
  }

  #reload(): void {
    this.#places.clear()
    const rows = this.parts.db
      .prepare<[], DevicePlace & { readonly device: DeviceKey }>(
        `SELECT ${DEVICE} AS device, p.name, p.room FROM device_places p JOIN subjects s ON s.id = p.device ORDER BY p.at, p.device`,
      )
      .all()
    for (const { device, ...place } of rows) this.#places.set(device, place)
  }
}

/** The last reported value of each reading, exempt from thinning and the size limit. */
export class SqliteLastReadingStore extends HistoryStore implements LastReadingStore {
  set(device: DeviceKey, kind: ReadingKind, at: number, value: number): boolean {
    return this.parts.writer.add(() =>
      this.parts.db
        .prepare('INSERT OR REPLACE INTO last_readings (device, kind, at, value) VALUES (?, ?, ?, ?)')
        .run(this.parts.names.device(device), kind, at, value),
    )
  }

  forget(unit: string): void {
    // The keys of a module's gangs start with the module's own and a colon; ';' follows ':' in ASCII.
    const own = `device:${unit}`
    this.parts.writer.add(() =>
      this.parts.db
        .prepare(
          'DELETE FROM last_readings WHERE device IN (SELECT id FROM subjects WHERE key = @own OR (key >= @first AND key < @end))',
        )
        .run({ own, first: `${own}:`, end: `${own};` }),
    )
  }

  all(): readonly LastReading[] {
    this.parts.writer.flush()
    return this.parts.db
      .prepare<[], LastReading>(
        `SELECT ${DEVICE} AS device, r.kind, r.at, r.value FROM last_readings r JOIN subjects s ON s.id = r.device`,
      )
      .all()
  }
}

/** Part of history.db, because it says which rows are about a replaced unit. */
export class SqliteUnitIdentityStore extends HistoryStore implements UnitIdentityStore {
  load(): readonly StoredIdentity[] {
    this.parts.writer.flush()
    const rows = this.parts.db.prepare<[], { unit: string; identity: string; since: number }>(
      `SELECT ${DEVICE} AS unit, t.identity, t.since FROM unit_identities t JOIN subjects s ON s.id = t.unit ORDER BY s.key`,
    )
    return rows.all().flatMap(({ unit, identity, since }) => {
      const read = readCell<UnitIdentity | null>(identity, null, isIdentity)
      return read === null ? [] : [{ unit, identity: read, since }]
    })
  }

  save({ unit, identity, since }: StoredIdentity): void {
    this.parts.writer.add(() =>
      this.parts.db
        .prepare('INSERT OR REPLACE INTO unit_identities (unit, identity, since) VALUES (?, ?, ?)')
        .run(this.parts.names.device(unit), JSON.stringify(identity), since),
    )
  }
}

function isIdentity(value: unknown): boolean {
  return isObject(value) && typeof value['address'] === 'number' && Array.isArray(value['gangs'])
}
