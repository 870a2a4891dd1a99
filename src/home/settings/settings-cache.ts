import type { DeviceKey, RegisterName, RegisterValues, UnitSchedule } from '../model/device.ts'
import type { SettingsStore, UnitScheduleStore } from '../ports/house-store.ts'

/** Writes to the store. Memory goes on without a write that failed; a later read stores the value again. */
type Keep = (store: () => void) => void

interface CachedSetting {
  readonly value: number
  /** Epoch ms at which the unit last confirmed it. */
  readonly asOf: number
}

export type DeviceSettings = ReadonlyMap<RegisterName, CachedSetting>

const NONE: DeviceSettings = new Map()

/**
 * The last confirmed registers of every device, kept across restarts. Reading never sends a frame (Spec 1 point 6).
 * What no unit confirmed yet is not here.
 */
export class SettingsCache {
  readonly #store: SettingsStore
  readonly #keep: Keep
  readonly #devices = new Map<DeviceKey, Map<RegisterName, CachedSetting>>()
  readonly #versions = new Map<DeviceKey, number>()

  constructor(store: SettingsStore, keep: Keep) {
    this.#store = store
    this.#keep = keep
    for (const { device, name, value, asOf } of store.load()) this.#of(device).set(name, { value, asOf })
  }

  /** Devices that something is known of. */
  devices(): readonly DeviceKey[] {
    return [...this.#devices.keys()]
  }

  get(device: DeviceKey): DeviceSettings {
    return this.#devices.get(device) ?? NONE
  }

  /** Counts up with everything confirmed, so that a read which began before knows that it is out of date. */
  version(device: DeviceKey): number {
    return this.#versions.get(device) ?? 0
  }

  /** Takes some values that the unit confirmed; answers those that were known before and differ. */
  confirm(device: DeviceKey, values: RegisterValues, asOf: number): RegisterValues {
    this.#versions.set(device, this.version(device) + 1)
    this.#keep(() => this.#store.save(device, values, asOf))
    return this.#take(this.#of(device), values, asOf)
  }

  /** Takes all values of a device: a register that is not among them is no longer known. */
  replace(device: DeviceKey, values: RegisterValues, asOf: number): RegisterValues {
    this.#versions.set(device, this.version(device) + 1)
    this.#keep(() => this.#store.replace(device, values, asOf))
    const known = this.#of(device)
    for (const name of known.keys()) if (!Object.hasOwn(values, name)) known.delete(name)
    return this.#take(known, values, asOf)
  }

  /** Forgets devices that the house no longer has. */
  keepOnly(has: (device: DeviceKey) => boolean): void {
    for (const device of this.#devices.keys()) {
      if (has(device)) continue
      this.forget(device)
      this.#versions.delete(device)
    }
  }

  /** Forgets all of one device. Its version goes on, so that what was made of the old values is known to be old. */
  forget(device: DeviceKey): void {
    if (!this.#devices.delete(device)) return
    this.#versions.set(device, this.version(device) + 1)
    this.#keep(() => this.#store.forget(device))
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
  readonly #keep: Keep
  readonly #units = new Map<string, CachedSchedules>()

  /** @param onStoreError gets the error of a write that failed; memory goes on without it. */
  constructor(store: UnitScheduleStore, keep: Keep) {
    this.#store = store
    this.#keep = keep
    for (const { unit, schedules, asOf } of store.load()) this.#units.set(unit, { schedules, asOf })
  }

  /** All schedules of a unit, or undefined until they were read once. */
  get(unit: string): CachedSchedules | undefined {
    return this.#units.get(unit)
  }

  /** Those that concern one gang, or with null the unit as a whole and all of its gangs. */
  of(unit: string, gang: number | null): CachedSchedules | undefined {
    const cached = this.#units.get(unit)
    if (cached === undefined || gang === null) return cached
    return {
      ...cached,
      schedules: cached.schedules.filter((schedule) => schedule.gang === gang || schedule.gang === null),
    }
  }

  confirm(unit: string, schedules: readonly UnitSchedule[], asOf: number): void {
    this.#keep(() => this.#store.save(unit, schedules, asOf))
    this.#units.set(unit, { schedules, asOf })
  }

  /** Forgets units that the house no longer has. */
  keepOnly(has: (unit: string) => boolean): void {
    for (const unit of this.#units.keys()) {
      if (has(unit)) continue
      this.#units.delete(unit)
      this.#keep(() => this.#store.forget(unit))
    }
  }
}
