import type { DeviceKey, RegisterValues, UnitSchedule } from '../../home/model/device.ts'
import type { SettingsStore, StoredSetting, UnitScheduleStore } from '../../home/ports/house-store.ts'
import { isObject } from '../../lib/json.ts'
import { readCell } from '../database.ts'
import { HistoryStore } from './history-parts.ts'
import { DEVICE } from './subject-numbers.ts'

/**
 * Unit settings as last confirmed. They are committed with the history: after a power cut the lost ones are read from
 * the unit again.
 */
export class SqliteSettingsStore extends HistoryStore implements SettingsStore {
  load(): Iterable<StoredSetting> {
    this.parts.writer.flush()
    const rows = this.parts.db.prepare<[], StoredSetting>(
      `SELECT ${DEVICE} AS device, t.name, t.value, t.as_of AS asOf FROM settings t JOIN subjects s ON s.id = t.device ORDER BY s.key, t.name`,
    )
    return rows.all()
  }

  save(device: DeviceKey, values: RegisterValues, asOf: number): void {
    this.parts.writer.add(() => this.#putAll(device, values, asOf))
  }

  replace(device: DeviceKey, values: RegisterValues, asOf: number): void {
    this.parts.writer.add(() => {
      this.#drop(device)
      this.#putAll(device, values, asOf)
    })
  }

  forget(device: DeviceKey): void {
    this.parts.writer.add(() => this.#drop(device))
  }

  #drop(device: DeviceKey): void {
    this.parts.db.prepare('DELETE FROM settings WHERE device = ?').run(this.parts.names.device(device))
  }

  #putAll(device: DeviceKey, values: RegisterValues, asOf: number): void {
    const number = this.parts.names.device(device)
    for (const [name, value] of Object.entries(values))
      this.parts.db
        .prepare('INSERT OR REPLACE INTO settings (device, name, value, as_of) VALUES (?, ?, ?, ?)')
        .run(number, name, value, asOf)
  }
}

/** The units' own schedules as last read. */
export class SqliteUnitScheduleStore extends HistoryStore implements UnitScheduleStore {
  load(): Iterable<{ readonly unit: string; readonly schedules: readonly UnitSchedule[]; readonly asOf: number }> {
    this.parts.writer.flush()
    const rows = this.parts.db.prepare<[], { unit: string; schedules: string; asOf: number }>(
      `SELECT ${DEVICE} AS unit, t.schedules, t.as_of AS asOf FROM unit_schedules t JOIN subjects s ON s.id = t.unit ORDER BY s.key`,
    )
    return rows.all().flatMap(({ unit, schedules, asOf }) => {
      const read = readCell<readonly UnitSchedule[] | null>(schedules, null, areSchedules)
      return read === null ? [] : [{ unit, schedules: read, asOf }]
    })
  }

  save(unit: string, schedules: readonly UnitSchedule[], asOf: number): void {
    this.parts.writer.add(() =>
      this.parts.db
        .prepare('INSERT OR REPLACE INTO unit_schedules (unit, schedules, as_of) VALUES (?, ?, ?)')
        .run(this.parts.names.device(unit), JSON.stringify(schedules), asOf),
    )
  }

  forget(unit: string): void {
    this.parts.writer.add(() =>
      this.parts.db.prepare('DELETE FROM unit_schedules WHERE unit = ?').run(this.parts.names.device(unit)),
    )
  }
}

function areSchedules(value: unknown): boolean {
  return Array.isArray(value) && value.every((schedule) => isObject(schedule) && Array.isArray(schedule['days']))
}
