import type { Clock } from '../../lib/clock.ts'
import type { House } from '../house/house.ts'
import type { DeviceKey } from '../model/device.ts'
import type { HomeEvent } from '../model/events.ts'
import type { DevicePlaceStore } from '../ports/house-store.ts'
import type { EnergyStore } from '../ports/energy-store.ts'

/** Removed devices whose names are kept; those that left longest ago go first. */
export const REMOVED_NAMES_MAX = 2_000

/** A device that left the house: the name and the room that it had last, null where they are not known. */
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

/** Devices that left the house and have a past in it (docs/energy.md#removed-devices). */
export class RemovedDevices {
  readonly #parts: RemovedDevicesParts
  #kept: { readonly of: string; readonly list: readonly RemovedDevice[] } | null = null

  constructor(parts: RemovedDevicesParts) {
    this.#parts = parts
    this.#remember()
  }

  onHomeEvent(event: HomeEvent): void {
    if (event.kind === 'structure') this.#remember()
  }

  /** Known by their names, or by energy alone where they left before names were kept. */
  list(): readonly RemovedDevice[] {
    const { house, places, energy } = this.#parts
    const of = `${house.revision} ${places.all().size} ${energy.devices().size}`
    if (this.#kept?.of === of) return this.#kept.list
    const keys = new Set([...places.all().keys(), ...energy.devices()])
    const list = [...keys]
      .filter((key) => !house.devices.has(key))
      .map((key) => ({ key, ...(places.all().get(key) ?? { name: null, room: null }) }))
    this.#kept = { of, list }
    return list
  }

  get(key: DeviceKey): RemovedDevice | undefined {
    return this.list().find((each) => each.key === key)
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
