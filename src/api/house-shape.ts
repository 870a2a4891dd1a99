import type {
  ExposedDevice,
  ExposedFloor,
  ExposedGroup,
  ExposedHouse,
  ExposedRoom,
  ExposedScene,
  ExposedUnit,
} from '../exposure/exposed-house.ts'
import { groupNow } from '../exposure/operations.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import { isGroupWord } from '../home/model/groups.ts'
import { houseUnitOf, type LiveFields, stateEntryOf } from './device-json.ts'
import type { Refuse } from './errors.ts'

/** Content of `GET /v1/house`: the whole view, or the part that a filter left. */
export type HouseTree = Pick<
  ExposedHouse,
  'name' | 'timeZone' | 'currency' | 'gateway' | 'floors' | 'rooms' | 'units' | 'scenes' | 'groups'
>

/** The house (Spec 2.3) with states as values, or as slots to fill in later. */
export function houseShape<S, O>(tree: HouseTree, live: LiveFields<S, O>): object {
  const roomShape = ({ id, name, floor, units }: ExposedRoom): object => ({
    id,
    name,
    floor,
    units: units.map((unit) => houseUnitOf(unit, live)),
  })
  return {
    house: tree.name,
    timeZone: tree.timeZone,
    currency: tree.currency,
    gateway: tree.gateway,
    floors: tree.floors.map(({ id, name, rooms }) => ({ id, name, rooms: rooms.map(roomShape) })),
    rooms: tree.rooms.map(roomShape),
    units: tree.units.map((unit) => houseUnitOf(unit, live)),
    scenes: tree.scenes.map(({ id, name, room, floor }) => ({ id, name, room, floor })),
    groups: tree.groups.map(({ id, name, members }) => ({ id, name, members: members.map((device) => device.id) })),
  }
}

/** The list of states (Spec 2.6) of the given devices. */
export function stateShape<S>(
  view: ExposedHouse,
  devices: Iterable<ExposedDevice>,
  live: Pick<LiveFields<S, unknown>, 'state'>,
): object {
  return { house: view.name, devices: [...devices].map((device) => stateEntryOf(device, live)) }
}

/**
 * Filters the house. A module that does not match stays with its matching gangs; empty rooms and floors are left out.
 */
export function fittingHouse(view: ExposedHouse, fits: DeviceFilter): HouseTree {
  const fitting = (units: readonly ExposedUnit[]): ExposedUnit[] =>
    units.flatMap((unit) => {
      if (fits(unit)) return [unit]
      const gangs = unit.gangs.filter(fits)
      return gangs.length === 0 ? [] : [{ ...unit, gangs }]
    })
  const inhabited = (rooms: readonly ExposedRoom[]): ExposedRoom[] =>
    rooms.map((room) => ({ ...room, units: fitting(room.units) })).filter(({ units }) => units.length > 0)
  const { name, timeZone, currency, gateway } = view
  return {
    name,
    timeZone,
    currency,
    gateway,
    floors: view.floors
      .map((floor): ExposedFloor => ({ ...floor, rooms: inhabited(floor.rooms) }))
      .filter(({ rooms }) => rooms.length > 0),
    rooms: inhabited(view.rooms),
    units: fitting(view.units),
    scenes: view.scenes.filter(fits),
    groups: view.groups.filter(fits),
  }
}

/** Filters of a list (docs/api.md#filters): a room, a class or group, or both. */
export interface DeviceQuery {
  readonly room?: string | undefined
  readonly class?: string | undefined
}

/** True for things that match a query. */
export type DeviceFilter = (thing: ExposedDevice | ExposedScene | ExposedGroup) => boolean

/** Filter of a query, or null without filters. A hidden room is refused like an unknown one. */
export function deviceFilter(
  query: DeviceQuery,
  view: ExposedHouse,
  live: Pick<LiveHome, 'states' | 'capabilities'>,
  refuse: Refuse<'not_found'>,
): DeviceFilter | null {
  const { room, class: wanted } = query
  if (room !== undefined && !view.room(room)) refuse('not_found', { field: 'room' })
  if (room === undefined && wanted === undefined) return null
  return (thing) =>
    (room === undefined || (thing.type !== 'group' && thing.room === room)) &&
    (wanted === undefined || isOfClass(thing, wanted, live))
}

function isOfClass(
  thing: Parameters<DeviceFilter>[0],
  wanted: string,
  live: Pick<LiveHome, 'states' | 'capabilities'>,
): boolean {
  if (thing.type === 'scene' || thing.type === 'group') return wanted === thing.type
  return isGroupWord(wanted) ? groupNow(thing, live) === wanted : thing.class === wanted
}
