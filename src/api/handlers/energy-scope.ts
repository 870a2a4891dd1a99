import type { ExposedDevice, ExposedHouse } from '../../exposure/exposed-house.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import type { Refuse } from '../errors.ts'

/**
 * The exposed devices that a scope sums over (Spec 4, docs/energy.md#sums). A gang counts in its own room; a unit in
 * its room; so the house is the sum of its floors, its rooms on no floor, and what lies in no room. What is not exposed
 * is not found; of a module that is shown only for some of its gangs their energy is.
 */
export function energyScope(scope: string, view: ExposedHouse, refuse: Refuse<'not_found'>): readonly DeviceKey[] {
  const colon = scope.indexOf(':')
  const kind = colon < 0 ? scope : scope.slice(0, colon)
  const id = scope.slice(colon + 1)
  const all = [...view.devices()].filter((device) => !device.onlyGangs)
  switch (kind) {
    case 'house':
      if (colon >= 0) break
      return all.map((device) => device.key)
    case 'room': {
      const room = view.room(id) ?? refuse('not_found')
      return all.filter((device) => device.room === room.id).map((device) => device.key)
    }
    case 'floor': {
      const floor = view.floor(id) ?? refuse('not_found')
      return all.filter((device) => device.floor === floor.id).map((device) => device.key)
    }
    case 'device':
      return withGangs(view.device(id) ?? refuse('not_found'))
  }
  return refuse('validation', { message: 'scope: must be house, room:<id>, floor:<id> or device:<id>.' })
}

/** A module's energy is its own and its visible gangs'. */
function withGangs(device: ExposedDevice): readonly DeviceKey[] {
  return [device, ...device.gangs].filter((each) => !each.onlyGangs).map((each) => each.key)
}
