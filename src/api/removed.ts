import type { ExposedHouse } from '../exposure/exposed-house.ts'
import type { DeviceKey } from '../home/model/device.ts'
import type { RemovedDevice, RemovedDevices } from '../home/record/removed-devices.ts'

/**
 * Devices that left the house, for an integration that exposes everything. To a selection they do not exist, like
 * anything that is not picked.
 */
export function removedFor(view: ExposedHouse, removed: Pick<RemovedDevices, 'list'>): readonly RemovedDevice[] {
  return view.integration.exposure.expose === 'All' ? removed.list() : []
}

/** A removed device by its id, with its removed gangs; null where the id is none of a removed device. */
export function removedById(
  id: string,
  view: ExposedHouse,
  removed: Pick<RemovedDevices, 'list'>,
): readonly DeviceKey[] | null {
  const all = removedFor(view, removed)
  const device = all.find(({ key }) => view.ids.device(key) === id)
  return device === undefined ? null : [device.key, ...removedGangs(device.key, all)]
}

/** The removed gangs of a unit, also of one that is in the house. */
export function removedGangs(unit: DeviceKey, removed: readonly RemovedDevice[]): readonly DeviceKey[] {
  return removed.filter(({ key }) => key.startsWith(`${unit}:`)).map(({ key }) => key)
}
