import type { Home, Unit } from '@hm-gateway/client/src/browser.ts'
import { devicePath, localIdOf } from '../lib/addresses.ts'
import type { Attention } from '../lib/admin-contract.ts'
import { unitsOf } from '../lib/house-units.ts'
import { words } from '../words/home.ts'

type House = NonNullable<Home['house']>

/** A room as it is shown: what can be looked at in it, and what measures there. */
export interface RoomView {
  readonly id: string
  readonly name: string
  /** Units and gangs, by id. A module does nothing itself: its gangs do, each in its own room. */
  readonly devices: readonly DeviceView[]
  /** Units and modules that hang here. */
  readonly units: readonly Unit[]
}

/** A device by its name. */
export interface DeviceView {
  readonly id: string
  readonly name: string
}

export interface FloorView {
  readonly id: string
  readonly name: string
  readonly rooms: readonly RoomView[]
}

/** The view of what is on no floor. */
export const NO_FLOOR = 'no-floor'
const NO_ROOM = 'no-room'

export function floorsOf(home: House): readonly FloorView[] {
  const placed = Map.groupBy(devicesOf(home), ({ room }) => room ?? NO_ROOM)
  const viewOf = ({ id, name, units }: { id: string; name: string; units: readonly Unit[] }): RoomView => ({
    id,
    name,
    devices: placed.get(id) ?? [],
    units,
  })
  const floorsWithRooms = home.floors.map(({ id, name, rooms }) => ({ id, name, rooms: rooms.map(viewOf) }))
  const others = [...home.rooms.map(viewOf), viewOf({ id: NO_ROOM, name: words.withoutRoom, units: home.units })]
  return [...floorsWithRooms, { id: NO_FLOOR, name: '', rooms: others }].flatMap(({ id, name, rooms }) => {
    const furnished = rooms.filter(({ devices }) => devices.length > 0)
    if (furnished.length === 0) return []
    return [{ id, name: id === NO_FLOOR ? nameOfOthers(furnished) : name, rooms: furnished }]
  })
}

/** Rooms on no floor stand under the name of the first of them, as a garden does. */
function nameOfOthers(rooms: readonly RoomView[]): string {
  const named = rooms.filter(({ id }) => id !== NO_ROOM)
  return named.length === 1 ? (named[0]?.name ?? '') : words.otherRooms
}

interface PlacedDevice extends DeviceView {
  readonly room: string | null
}

const devicesOf = (home: House): readonly PlacedDevice[] =>
  unitsOf(home).flatMap((unit): readonly PlacedDevice[] => unit.gangs ?? [unit])

const SYSTEM = '/console/system'
const ROOMS = '/console/rooms'

/** Where a person can do something about it, where that is another page than the status. */
const PLACES: Readonly<Partial<Record<Attention['kind'], string>>> = {
  certificate: `${SYSTEM}/certificates`,
  ca: `${SYSTEM}/certificates`,
  relay: `${SYSTEM}/relay`,
  turned_away: `${SYSTEM}/failures`,
  unit_silent: ROOMS,
  unit_without_place: ROOMS,
  unit_class: ROOMS,
  battery: ROOMS,
}

/**
 * The page for something that needs attention: that of the device, where it is about one that a page shows. A jump is
 * answered beside its sentence on the status page.
 */
export function attentionPath({ kind, device, jump }: Attention, floors: readonly FloorView[]): string {
  if (jump !== undefined) return SYSTEM
  const shown = floors.flatMap(({ rooms }) => rooms.flatMap((room) => [...room.units, ...room.devices]))
  const known = device === null ? undefined : shown.find(({ id }) => localIdOf(id) === device)
  return known ? devicePath(known.id) : (PLACES[kind] ?? SYSTEM)
}
