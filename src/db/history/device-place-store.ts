import type { DeviceKey } from '../../home/model/device.ts'
import type { DevicePlace, DevicePlaceStore } from '../../home/ports/house-store.ts'
import type { HistoryParts } from './history-parts.ts'

/** Last known names and rooms of devices in history.db, all of them in memory too. */
export class SqliteDevicePlaceStore implements DevicePlaceStore {
  readonly #parts: HistoryParts
  readonly #places = new Map<DeviceKey, DevicePlace>()

  constructor(parts: HistoryParts) {
    this.#parts = parts
    this.#reload()
    parts.db.onReset(() => this.#reload())
  }

  all(): ReadonlyMap<DeviceKey, DevicePlace> {
    return this.#places
  }

  save(device: DeviceKey, place: DevicePlace, at: number): void {
    this.#places.set(device, place)
    this.#parts.writer.add(() =>
      this.#parts.db
        .prepare(
          'INSERT INTO device_places (device, name, room, at) VALUES (?, ?, ?, ?) ON CONFLICT (device) DO UPDATE SET name = excluded.name, room = excluded.room, at = excluded.at',
        )
        .run(this.#parts.names.number(`device:${device}`), place.name, place.room, at),
    )
  }

  forget(device: DeviceKey): void {
    this.#places.delete(device)
    this.#parts.writer.add(() =>
      this.#parts.db
        .prepare('DELETE FROM device_places WHERE device = ?')
        .run(this.#parts.names.number(`device:${device}`)),
    )
  }

  #reload(): void {
    this.#places.clear()
    const rows = this.#parts.db
      .prepare<[], { key: string; name: string; room: string | null }>(
        'SELECT s.key, p.name, p.room FROM device_places p JOIN subjects s ON s.id = p.device ORDER BY p.at, p.device',
      )
      .all()
    for (const { key, name, room } of rows) this.#places.set(key.slice('device:'.length), { name, room })
  }
}
