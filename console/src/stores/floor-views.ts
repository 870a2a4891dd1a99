import type { Home, Unit } from '@hm-gateway/client/src/browser.ts'
import { unitsOf } from '../lib/house-units.ts'
import { words } from '../words/home.ts'

type House = NonNullable<Home['house']>

/** A room of the home page. */
export interface RoomView {
  readonly id: string
  readonly name: string
  /** Units and gangs. A module has no tile; its gangs stand in their own rooms. */
  readonly devices: readonly DeviceView[]
  /** Units and modules mounted here; their sensors measure the room. */
  readonly units: readonly Unit[]
}

export interface DeviceView {
  readonly id: string
  readonly name: string
}

export interface FloorView {
  readonly id: string
  readonly name: string
  readonly rooms: readonly RoomView[]
}

/** Id of the view for rooms and devices without a floor. */
export const NO_FLOOR = 'no-floor'
const NO_ROOM = 'no-room'

/** Floors and rooms as the home page shows them, without rooms that have no device. */
export function floorsOf(home: House): readonly FloorView[] {
  const devicesByRoom = Map.groupBy(devicesOf(home), ({ room }) => room ?? NO_ROOM)
  const viewOf = ({ id, name, units }: { id: string; name: string; units: readonly Unit[] }): RoomView => ({
    id,
    name,
    devices: devicesByRoom.get(id) ?? [],
    units,
  })
  const floorsWithRooms = home.floors.map(({ id, name, rooms }) => ({ id, name, rooms: rooms.map(viewOf) }))
  const roomsWithoutFloor = [
    ...home.rooms.map(viewOf),
    viewOf({ id: NO_ROOM, name: words.withoutRoom, units: home.units }),
  ]
  return [...floorsWithRooms, { id: NO_FLOOR, name: '', rooms: roomsWithoutFloor }].flatMap(({ id, name, rooms }) => {
    const furnished = rooms.filter(({ devices }) => devices.length > 0)
    if (furnished.length === 0) return []
    return [{ id, name: id === NO_FLOOR ? nameWithoutFloor(furnished) : name, rooms: furnished }]
  })
}

/** A single room without a floor, such as a garden, gives its name to the tab. */
function nameWithoutFloor(rooms: readonly RoomView[]): string {
  const named = rooms.filter(({ id }) => id !== NO_ROOM)
  return named.length === 1 ? (named[0]?.name ?? '') : words.otherRooms
}

interface PlacedDevice extends DeviceView {
  readonly room: string | null
}

const devicesOf = (home: House): readonly PlacedDevice[] =>
  unitsOf(home).flatMap((unit): readonly PlacedDevice[] => unit.gangs ?? [unit])
