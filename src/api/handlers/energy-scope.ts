import type { ExposedDevice, ExposedHouse } from '../../exposure/exposed-house.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import type { RemovedDevice, RemovedDevices } from '../../home/record/removed-devices.ts'
import type { Refuse } from '../errors.ts'

type Removed = Pick<RemovedDevices, 'list'>
const NO_REMOVED_DEVICES: Removed = { list: () => [] }

/**
 * Devices whose energy a scope sums (Spec 4, docs/energy.md#sums). A gang counts in its own room and a unit in its
 * room, so the house is the sum of its floors, its rooms on no floor, and devices in no room. Unexposed ids are not
 * found. A module exposed only by some gangs counts with the energy of those gangs.
 *
 * @param removed devices that left the house: they count in their last place, and only if everything is exposed
 */
export function energyScope(
  scope: string,
  view: ExposedHouse,
  refuse: Refuse<'not_found'>,
  removed: Removed = NO_REMOVED_DEVICES,
): readonly DeviceKey[] {
  const colon = scope.indexOf(':')
  const kind = colon < 0 ? scope : scope.slice(0, colon)
  const id = scope.slice(colon + 1)
  const all = [...view.devices()].filter((device) => !device.onlyGangs)
  const removedDevices = removedFor(view, removed)
  const removedIn = (rooms: readonly { readonly local: string }[]): readonly DeviceKey[] => {
    const local = new Set(rooms.map((room) => room.local))
    return removedDevices.filter(({ room }) => room !== null && local.has(room)).map(({ key }) => key)
  }
  switch (kind) {
    case 'house':
      if (colon >= 0) break
      return [...all, ...removedDevices].map((device) => device.key)
    case 'room': {
      const room = view.room(id) ?? refuse('not_found', { field: 'scope' })
      return [...all.filter((device) => device.room === room.id).map((device) => device.key), ...removedIn([room])]
    }
    case 'floor': {
      const floor = view.floor(id) ?? refuse('not_found', { field: 'scope' })
      return [
        ...all.filter((device) => device.floor === floor.id).map((device) => device.key),
        ...removedIn(floor.rooms),
      ]
    }
    case 'device': {
      const device = view.device(id)
      if (device === undefined) return removedById(id, view, removed) ?? refuse('not_found', { field: 'scope' })
      return [...withGangs(device), ...removedGangs(device.key, removedDevices)]
    }
  }
  return refuse('validation', { message: 'scope: must be house, room:<id>, floor:<id> or device:<id>.' })
}

/** A module's energy is its own plus the energy of its visible gangs. */
function withGangs(device: ExposedDevice): readonly DeviceKey[] {
  return [device, ...device.gangs].filter((part) => !part.onlyGangs).map((part) => part.key)
}

/** Devices that left the house, for an integration that exposes everything; for a selection they do not exist. */
export function removedFor(view: ExposedHouse, removed: Pick<RemovedDevices, 'list'>): readonly RemovedDevice[] {
  return view.integration.exposure.expose === 'All' ? removed.list() : []
}

/** A removed device with its removed gangs, by its id; null for other ids. */
export function removedById(
  id: string,
  view: ExposedHouse,
  removed: Pick<RemovedDevices, 'list'>,
): readonly DeviceKey[] | null {
  const all = removedFor(view, removed)
  const device = all.find(({ key }) => view.ids.device(key) === id)
  return device === undefined ? null : [device.key, ...removedGangs(device.key, all)]
}

/** The removed gangs of a unit, which may itself still be in the house. */
export function removedGangs(unit: DeviceKey, removed: readonly RemovedDevice[]): readonly DeviceKey[] {
  return removed.filter(({ key }) => key.startsWith(`${unit}:`)).map(({ key }) => key)
}
