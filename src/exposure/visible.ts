import type { Device, House } from '../home/house/house.ts'
import type { DeviceKey } from '../home/model/device.ts'
import type { Exposure } from './integration.ts'

/**
 * Visible things of an exposure, in local ids (docs/decisions/exposure.md). Pure: the whole visibility rule is in this
 * file.
 */
export interface Visible {
  readonly floors: ReadonlySet<string>
  readonly rooms: ReadonlySet<string>
  /** Units, modules and gangs. A module with only some exposed gangs is included. */
  readonly devices: ReadonlySet<DeviceKey>
  /** Modules that are included only because of their gangs. */
  readonly onlyGangs: ReadonlySet<DeviceKey>
  readonly scenes: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly calendars: ReadonlySet<string>
  /** True for the mode of the home and the list of modes. */
  readonly mode: boolean
}

export function visibleIn(house: House, exposure: Exposure): Visible {
  return exposure.expose === 'All' ? everything(house) : picked(house, exposure.picks)
}

function everything(house: House): Visible {
  return {
    floors: new Set(house.floors.keys()),
    rooms: new Set(house.rooms.keys()),
    devices: new Set(house.devices.keys()),
    onlyGangs: new Set(),
    scenes: new Set(house.scenes.keys()),
    groups: new Set(house.groups.keys()),
    calendars: new Set(house.calendars.keys()),
    mode: true,
  }
}

function picked(house: House, picks: Extract<Exposure, { expose: 'Selected' }>['picks']): Visible {
  const chosen = {
    floor: new Set<string>(),
    room: new Set<string>(),
    unit: new Set<string>(),
    gang: new Set<string>(),
    scene: new Set<string>(),
    group: new Set<string>(),
    mode: new Set<string>(),
    calendar: new Set<string>(),
  }
  for (const pick of picks) chosen[pick.kind].add(pick.kind === 'gang' ? `${pick.id}:${pick.gang}` : pick.id)

  const floors = new Set([...chosen.floor].filter((id) => house.floors.has(id)))
  const rooms = new Set<string>()
  for (const room of house.rooms.values()) {
    // A picked floor shows its present rooms; a room that moves to another floor is hidden at once.
    if (chosen.room.has(room.id) || (room.floor !== null && floors.has(room.floor))) rooms.add(room.id)
  }
  const devices = new Set<DeviceKey>()
  const onlyGangs = new Set<DeviceKey>()
  for (const device of house.devices.values()) {
    if (isVisible(device, chosen, rooms)) devices.add(device.key)
  }
  for (const key of devices) {
    const device = house.devices.get(key)
    if (device?.gang && !devices.has(device.unit.id)) onlyGangs.add(device.unit.id)
  }
  for (const key of onlyGangs) devices.add(key)
  const scenes = new Set([...chosen.scene].filter((id) => house.scenes.has(id)))
  const groups = new Set([...chosen.group].filter((id) => house.groups.has(id)))
  const calendars = new Set([...chosen.calendar].filter((id) => house.calendars.has(id)))
  return { floors, rooms, devices, onlyGangs, scenes, groups, calendars, mode: chosen.mode.size > 0 }
}

function isVisible(device: Device, chosen: { unit: Set<string>; gang: Set<string> }, rooms: Set<string>): boolean {
  if (device.room !== null && rooms.has(device.room)) return true
  if (chosen.unit.has(device.unit.id)) return true
  return device.gang !== null && chosen.gang.has(device.key)
}
