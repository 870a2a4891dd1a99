import type { DeviceKey, ReadingKind } from '../../home/model/device.ts'
import type { LastReading, LastReadingStore } from '../../home/ports/history-store.ts'
import type { HistoryParts } from './history-parts.ts'

const DEVICE = 'device:'

/** The last reported value of each reading. Thinning and the size limit of the history leave it alone. */
export class SqliteLastReadingStore implements LastReadingStore {
  readonly #parts: HistoryParts
  readonly #set
  readonly #forget
  readonly #all

  constructor(parts: HistoryParts) {
    const { db } = parts
    this.#parts = parts
    this.#set = db.prepare<[number, string, number, number]>(
      'INSERT OR REPLACE INTO last_readings (device, kind, at, value) VALUES (?, ?, ?, ?)',
    )
    // The keys of a module's gangs begin with its own and a colon; ';' follows ':' in ASCII.
    this.#forget = db.prepare<{ readonly own: string; readonly first: string; readonly end: string }>(
      'DELETE FROM last_readings WHERE device IN (SELECT id FROM subjects WHERE key = @own OR (key >= @first AND key < @end))',
    )
    this.#all = db.prepare<
      [],
      { readonly key: string; readonly kind: ReadingKind; readonly at: number; value: number }
    >('SELECT s.key, r.kind, r.at, r.value FROM last_readings r JOIN subjects s ON s.id = r.device')
  }

  set(device: DeviceKey, kind: ReadingKind, at: number, value: number): boolean {
    return this.#parts.writer.add(() => this.#set.run(this.#parts.names.number(`${DEVICE}${device}`), kind, at, value))
  }

  forget(unit: string): void {
    const own = `${DEVICE}${unit}`
    this.#parts.writer.add(() => this.#forget.run({ own, first: `${own}:`, end: `${own};` }))
  }

  all(): readonly LastReading[] {
    this.#parts.writer.flush()
    return this.#all.all().map(({ key, ...reading }) => ({ device: key.slice(DEVICE.length), ...reading }))
  }
}
