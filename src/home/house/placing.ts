import { type Result, fail, ok } from '../../lib/result.ts'
import { type DeviceClass, type GangClass, switchesAnyLoad } from '../model/device.ts'
import { type Gang, type Light, lightField, type Unit } from '../model/house.ts'
import type { BusUnit } from '../ports/unit-bus.ts'
import type { House } from './house.ts'

/** What an administrator says about a unit's place; what is left out stays as it is. */
export interface Placing {
  readonly unit?: string | undefined
  readonly address?: number | undefined
  readonly name?: string | undefined
  readonly room?: string | null | undefined
  /** Whether it feeds a lamp; null where that is not to be said any more. */
  readonly light?: Light | null | undefined
  readonly gangs?: readonly GangPlacing[] | undefined
}

interface GangPlacing {
  readonly gang: number
  readonly name?: string | undefined
  readonly class?: GangClass | undefined
  readonly room?: string | null | undefined
  readonly light?: Light | null | undefined
}

/** Why a unit cannot be placed so; the message is one sentence. */
export interface WrongPlacing {
  readonly kind: 'not_there' | 'no_switch'
  readonly message: string
}

/** Units that answer on the bus and have no place in the house yet. */
export function unplaced(house: House, bus: ReadonlyMap<number, BusUnit>): BusUnit[] {
  return [...bus.values()].filter((unit) => !house.unitAt(unit.address))
}

/** The unit as it will be: one of the house moved or renamed, or one of the bus taken in. */
export function placedUnit(
  house: House,
  bus: ReadonlyMap<number, BusUnit>,
  placing: Placing,
): Result<Unit, WrongPlacing> {
  const known = placing.unit === undefined ? house.unitAt(placing.address ?? 0) : house.units.get(placing.unit)
  const found = bus.get(placing.address ?? 0)
  const base = known ?? (found && newUnit(found, house, placing.unit))
  if (!base) return notThere('No such unit: name one of the house by its id, or one on the bus by its address.')
  const rooms = [placing.room, ...(placing.gangs ?? []).map((gang) => gang.room)]
  const missing = rooms.find((room) => typeof room === 'string' && !house.rooms.has(room))
  if (missing !== undefined) return notThere(`The house has no room ${String(missing)}.`)
  if (isNoLight(placing, base.class)) return noLight(base.id)
  const gangs = placedGangs(base, placing)
  if (!gangs.ok) return gangs
  const { light, ...rest } = base
  return ok({
    ...rest,
    ...lightField(placing.light === undefined ? light : placing.light),
    name: placing.name ?? base.name,
    room: placing.room === undefined ? base.room : placing.room,
    gangs: gangs.value,
  })
}

function placedGangs(unit: Unit, placing: Placing): Result<readonly Gang[], WrongPlacing> {
  const byPosition = new Map(unit.gangs.map((gang) => [gang.gang, gang]))
  for (const change of placing.gangs ?? []) {
    const gang = byPosition.get(change.gang)
    if (!gang) return notThere(`Unit ${unit.id} has no gang ${change.gang}.`)
    const { light, ...rest } = gang
    const gangClass = change.class ?? gang.class
    if (isNoLight(change, gangClass)) return noLight(`${unit.id}:${change.gang}`)
    byPosition.set(change.gang, {
      ...rest,
      name: change.name ?? gang.name,
      class: gangClass,
      room: change.room === undefined ? gang.room : change.room,
      ...lightField(change.light === undefined && switchesAnyLoad(gangClass) ? light : change.light),
    })
  }
  return ok([...byPosition.values()])
}

function isNoLight({ light }: Pick<GangPlacing, 'light'>, deviceClass: DeviceClass): boolean {
  return typeof light === 'boolean' && !switchesAnyLoad(deviceClass)
}

function notThere(message: string): Result<never, WrongPlacing> {
  return fail({ kind: 'not_there', message })
}

function noLight(id: string): Result<never, WrongPlacing> {
  return fail({ kind: 'no_switch', message: `${id} is no switch, so it has no light.` })
}

function newUnit(found: BusUnit, house: House, wantedId: string | undefined): Unit {
  const id = wantedId ?? `unit-${found.address.toString(16)}`
  return {
    id,
    name: id,
    address: found.address,
    model: found.model,
    class: found.class,
    room: null,
    position: Math.max(-1, ...[...house.units.values()].map((unit) => unit.position)) + 1,
    gangs: found.gangs.map(({ gang, class: gangClass }) => ({
      gang,
      name: `${id} ${gang + 1}`,
      class: gangClass,
      room: null,
    })),
  }
}
