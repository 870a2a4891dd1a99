import type { Clock } from '../../lib/clock.ts'
import type { House } from '../house/house.ts'
import type { DeviceKey } from '../model/device.ts'
import type { HomeEvent } from '../model/events.ts'
import type { DevicePlaceStore } from '../ports/house-store.ts'
import type { EnergyStore } from '../ports/energy-store.ts'

/** Most removed devices with a stored name; those that left longest ago are dropped first. */
export const REMOVED_NAMES_MAX = 2_000

/** A device that left the house, with its last name and room, null if unknown. */
export interface RemovedDevice {
  readonly key: DeviceKey
  readonly name: string | null
  /** Local id of a room, which may have left the house too. */
  readonly room: string | null
}

interface RemovedDevicesParts {
  readonly house: Pick<House, 'devices' | 'revision'>
  readonly places: DevicePlaceStore
  readonly energy: Pick<EnergyStore, 'devices'>
  readonly clock: Clock
}

/** Devices that left the house and have a history in it (docs/energy.md#removed-devices). */
export class RemovedDevices {
  readonly #parts: RemovedDevicesParts
  #cached: { readonly version: string; readonly list: readonly RemovedDevice[] } | null = null

  constructor(parts: RemovedDevicesParts) {
    this.#parts = parts
    this.#remember()
  }

  onHomeEvent(event: HomeEvent): void {
    if (event.kind === 'structure') this.#remember()
  }

  /** Removed devices by name; devices that left before names were stored are known by their energy only. */
  list(): readonly RemovedDevice[] {
    const { house, places, energy } = this.#parts
    const version = `${house.revision} ${places.all().size} ${energy.devices().size}`
    if (this.#cached?.version === version) return this.#cached.list
    const keys = new Set([...places.all().keys(), ...energy.devices()])
    const list = [...keys]
      .filter((key) => !house.devices.has(key))
      .map((key) => ({ key, ...(places.all().get(key) ?? { name: null, room: null }) }))
    this.#cached = { version, list }
    return list
  }

  get(key: DeviceKey): RemovedDevice | undefined {
    return this.list().find((device) => device.key === key)
  }

  #remember(): void {
    const { house, places, clock } = this.#parts
    const known = places.all()
    for (const { key, name, room } of house.devices.values()) {
      const place = known.get(key)
      if (place?.name !== name || place.room !== room) places.save(key, { name, room }, clock.now())
    }
    const removed = [...known.keys()].filter((key) => !house.devices.has(key))
    for (const key of removed.slice(0, Math.max(0, removed.length - REMOVED_NAMES_MAX))) places.forget(key)
  }
}
