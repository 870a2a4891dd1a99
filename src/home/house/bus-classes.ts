import type { Emitter } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import type { HomeEvent } from '../model/home-event.ts'
import type { House } from './house.ts'
import { type DeviceClass, deviceKey, type DeviceKey } from '../model/device.ts'
import type { Gang, Unit } from '../model/house.ts'
import type { UnitBus } from '../ports/unit-bus.ts'

/** A device that is of another class on the bus than in the house. */
export interface ClassConflict {
  readonly device: DeviceKey
  readonly house: DeviceClass
  /** Null for a gang that the unit on the bus does not have. */
  readonly bus: DeviceClass | null
}

type BusUnits = UnitBus['units']

/**
 * The class that the bus says of a device, where it is not the house's; null where they agree or the bus does not know
 * the device. Such a device is not controlled, and its states are not taken (docs/devices.md#classes).
 */
export function otherClass(
  { unit, gang }: { readonly unit: Unit; readonly gang: Gang | null },
  bus: BusUnits,
): DeviceClass | null {
  const found = bus.get(unit.address)
  const said = gang === null ? found?.class : found?.gangs.find((each) => each.gang === gang.gang)?.class
  return said === undefined || said === (gang ?? unit).class ? null : said
}

/** All of a house, or of a house file, in its order. */
export function classConflicts(units: Iterable<Unit>, bus: BusUnits): readonly ClassConflict[] {
  return [...units].flatMap((unit) =>
    [null, ...unit.gangs].flatMap((gang) => {
      const busClass = otherClass({ unit, gang }, bus)
      const device = deviceKey({ unit: unit.id, gang: gang?.gang ?? null })
      return busClass !== null || isMissing(unit, gang, bus)
        ? [{ device, house: (gang ?? unit).class, bus: busClass }]
        : []
    }),
  )
}

/** Whether the unit on the bus is a module, and has fewer gangs than the house says. */
function isMissing(unit: Unit, gang: Gang | null, bus: BusUnits): boolean {
  const found = bus.get(unit.address)
  return found?.class === 'gang_module' && gang !== null && !found.gangs.some((listed) => listed.gang === gang.gang)
}

/** One sentence for an administrator; `place` is the house, or a file. */
export function conflictWords({ device, house, bus }: ClassConflict, place: 'house' | 'file'): string {
  if (bus === null)
    return `${device} is ${house} in the ${place}, but the module on the bus has no such gang: it cannot be controlled until the ${place} has the gangs of that module.`
  return `${device} is ${bus} on the bus and ${house} in the ${place}: it is not controlled and its states are not taken until the ${place} says ${bus}.`
}

/** Why a command is refused, as the end of a sentence. */
export function conflictDetail(house: DeviceClass, bus: DeviceClass): string {
  return `on the bus it is ${bus} and in the house ${house}, which an administrator has to mend`
}

/** Tells the log of each conflict, once while it lasts. */
export function watchClasses({
  house,
  bus,
  events,
  log,
}: {
  readonly house: Pick<House, 'units'>
  readonly bus: Pick<UnitBus, 'units' | 'onReport'>
  readonly events: Emitter<HomeEvent>
  readonly log: Log
}): () => void {
  let told = new Set<string>()
  const look = (): void => {
    const conflicts = classConflicts(house.units.values(), bus.units)
    const now = new Map(conflicts.map((each) => [JSON.stringify(each), each]))
    for (const [key, conflict] of now) {
      if (!told.has(key))
        log.warn({ ...conflict }, 'A device is of another class on the bus than in the house: it is left alone.')
    }
    told = new Set(now.keys())
  }
  const stops = [
    bus.onReport(({ kind }) => {
      if (kind === 'link' || kind === 'unit') look()
    }),
    events.on(({ kind }) => {
      if (kind === 'structure') look()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
