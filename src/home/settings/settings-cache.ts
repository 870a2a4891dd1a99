import type { DeviceKey, RegisterName, RegisterValues, UnitSchedule } from '../model/device.ts'
import type { SettingsStore, UnitScheduleStore } from '../ports/house-store.ts'

/** Writes to the store. After a failed write, memory stays ahead of it until a later read stores the value again. */
type Persist = (store: () => void) => void

interface CachedSetting {
  readonly value: number
  /** Epoch ms at which the unit last confirmed it. */
  readonly asOf: number
}

export type DeviceSettings = ReadonlyMap<RegisterName, CachedSetting>

const NONE: DeviceSettings = new Map()

/**
 * The last confirmed registers of every device, stored across restarts. Reading never sends a frame (Spec 1 point 6).
 * Unconfirmed values are not here.
 */
export class SettingsCache {
  readonly #store: SettingsStore
  readonly #persist: Persist
  readonly #devices = new Map<DeviceKey, Map<RegisterName, CachedSetting>>()
  readonly #versions = new Map<DeviceKey, number>()

  constructor(store: SettingsStore, persist: Persist) {
    this.#store = store
    this.#persist = persist
    for (const { device, name, value, asOf } of store.load()) this.#of(device).set(name, { value, asOf })
  }

  /** Devices with known settings. */
  devices(): readonly DeviceKey[] {
    return [...this.#devices.keys()]
  }

  get(device: DeviceKey): DeviceSettings {
    return this.#devices.get(device) ?? NONE
  }

  /** Counts confirmations, so that an earlier read can detect that it is outdated. */
  version(device: DeviceKey): number {
    return this.#versions.get(device) ?? 0
  }

  /** Takes some values that the unit confirmed. Returns those that replace a different known value. */
  confirm(device: DeviceKey, values: RegisterValues, asOf: number): RegisterValues {
    this.#versions.set(device, this.version(device) + 1)
    this.#persist(() => this.#store.save(device, values, asOf))
    return this.#take(this.#of(device), values, asOf)
  }

  /** Takes all values of a device: a register that is missing is no longer known. */
  replace(device: DeviceKey, values: RegisterValues, asOf: number): RegisterValues {
    this.#versions.set(device, this.version(device) + 1)
    this.#persist(() => this.#store.replace(device, values, asOf))
    const known = this.#of(device)
    for (const name of known.keys()) if (!Object.hasOwn(values, name)) known.delete(name)
    return this.#take(known, values, asOf)
  }

  /** Forgets devices that the house no longer has. */
  keepOnly(isKnown: (device: DeviceKey) => boolean): void {
    for (const device of this.#devices.keys()) {
      if (isKnown(device)) continue
      this.forget(device)
      this.#versions.delete(device)
    }
  }

  /**
   * Deletes all settings of a device. Its version continues, so that data built from the old values counts as outdated.
   */
  forget(device: DeviceKey): void {
    if (!this.#devices.delete(device)) return
    this.#versions.set(device, this.version(device) + 1)
    this.#persist(() => this.#store.forget(device))
  }

  #of(device: DeviceKey): Map<RegisterName, CachedSetting> {
    const known = this.#devices.get(device) ?? new Map<RegisterName, CachedSetting>()
    this.#devices.set(device, known)
    return known
  }

  #take(known: Map<RegisterName, CachedSetting>, values: RegisterValues, asOf: number): RegisterValues {
    const changed: Record<RegisterName, number> = {}
    for (const [name, value] of Object.entries(values)) {
      const before = known.get(name)
      if (before !== undefined && before.value !== value) changed[name] = value
      known.set(name, { value, asOf })
    }
    return changed
  }
}

export interface CachedSchedules {
  readonly schedules: readonly UnitSchedule[]
  /** Epoch ms at which they were read. */
  readonly asOf: number
}

/** The units' own schedules as last read (Spec 4 rule 8): shown and explained from here, never written. */
export class UnitScheduleCache {
  readonly #store: UnitScheduleStore
  readonly #persist: Persist
  readonly #units = new Map<string, CachedSchedules>()

  constructor(store: UnitScheduleStore, persist: Persist) {
    this.#store = store
    this.#persist = persist
    for (const { unit, schedules, asOf } of store.load()) this.#units.set(unit, { schedules, asOf })
  }

  /** All schedules of a unit, or undefined before the first read. */
  get(unit: string): CachedSchedules | undefined {
    return this.#units.get(unit)
  }

  /** Schedules of one gang; null for the whole unit and its gangs. */
  of(unit: string, gang: number | null): CachedSchedules | undefined {
    const cached = this.#units.get(unit)
    if (cached === undefined || gang === null) return cached
    return {
      ...cached,
      schedules: cached.schedules.filter((schedule) => schedule.gang === gang || schedule.gang === null),
    }
  }

  confirm(unit: string, schedules: readonly UnitSchedule[], asOf: number): void {
    this.#persist(() => this.#store.save(unit, schedules, asOf))
    this.#units.set(unit, { schedules, asOf })
  }

  /** Forgets units that the house no longer has. */
  keepOnly(isKnown: (unit: string) => boolean): void {
    for (const unit of this.#units.keys()) {
      if (isKnown(unit)) continue
      this.#units.delete(unit)
      this.#persist(() => this.#store.forget(unit))
    }
  }
}
