import type { DeviceKey } from '../model/device.ts'
import type { RegisterName, RegisterValues, UnitSchedule } from '../model/register.ts'

export interface StoredSetting {
  readonly device: DeviceKey
  readonly name: RegisterName
  readonly value: number
  /** Epoch ms at which the unit last confirmed it. */
  readonly asOf: number
}

/**
 * Keeps what units confirmed across restarts. No client was promised any of it: what is lost is read from the unit
 * again.
 */
export interface SettingsStore {
  load(): Iterable<StoredSetting>
  /** Inserts or replaces the named values of a device; its others stay. */
  save(device: DeviceKey, values: RegisterValues, asOf: number): void
  /** Replaces everything that is kept of a device: it was read as a whole. */
  replace(device: DeviceKey, values: RegisterValues, asOf: number): void
  forget(device: DeviceKey): void
}

/** The units' own schedules as last read, one list for each unit (a module has one for all of its gangs). */
export interface UnitScheduleStore {
  load(): Iterable<{ readonly unit: string; readonly schedules: readonly UnitSchedule[]; readonly asOf: number }>
  save(unit: string, schedules: readonly UnitSchedule[], asOf: number): void
  forget(unit: string): void
}
