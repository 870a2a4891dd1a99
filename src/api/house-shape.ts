import type { ExposedDevice, ExposedFloor, ExposedHouse, ExposedRoom, ExposedUnit } from '../exposure/exposed-house.ts'
import { houseUnitOf, type LiveFields, stateEntryOf } from './device-json.ts'
import type { Refuse } from './errors.ts'

/** What `GET /v1/house` shows of a view: all of it, or what a filter left. */
export type HouseTree = Pick<
  ExposedHouse,
  'name' | 'timeZone' | 'currency' | 'gateway' | 'floors' | 'rooms' | 'units' | 'scenes'
>

/** The house (Spec 2.3) with states as values, or as places that are filled in later. */
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
  }
}

/** The list of states (Spec 2.6) of some devices of a view. */
export function stateShape<S>(
  view: ExposedHouse,
  devices: Iterable<ExposedDevice>,
  live: Pick<LiveFields<S, unknown>, 'state'>,
): object {
  return { house: view.name, devices: [...devices].map((device) => stateEntryOf(device, live)) }
}

/**
 * The house cut to what fits: a module that does not fit itself stays with those gangs that do, an empty room or floor
 * goes.
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
    scenes: view.scenes.filter(({ room }) => fits({ room, class: 'scene' })),
  }
}

/** What a list was asked to hold (docs/api.md#filters): what lies in one room, what is of one class, or both. */
export interface DeviceQuery {
  readonly room?: string | undefined
  readonly class?: string | undefined
}

/**
 * Whether something in a list is what was asked for; `room` is an id of the view, and null where it lies in no room.
 */
export type DeviceFilter = (thing: { readonly room: string | null; readonly class: string }) => boolean

/** The filter of a query, or null where it asks for everything. A hidden room is refused like one that never was. */
export function deviceFilter(query: DeviceQuery, view: ExposedHouse, refuse: Refuse<'not_found'>): DeviceFilter | null {
  const { room, class: wanted } = query
  if (room !== undefined && !view.room(room)) refuse('not_found', { field: 'room' })
  if (room === undefined && wanted === undefined) return null
  return (thing) => (room === undefined || thing.room === room) && (wanted === undefined || thing.class === wanted)
}
