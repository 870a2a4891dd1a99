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
  readonly kind: 'not_there' | 'contradiction'
  readonly message: string
}

/** Units that answer on the bus and have no place in the house yet. */
export function unplaced(house: House, bus: ReadonlyMap<number, BusUnit>): BusUnit[] {
  return [...bus.values()].filter((unit) => !house.unitAt(unit.address))
}

/**
 * The unit as it will be: one of the house moved or renamed, or one of the bus added. Every field of `placing` is obeyed
 * or refused.
 */
export function placedUnit(
  house: House,
  bus: ReadonlyMap<number, BusUnit>,
  placing: Placing,
): Result<Unit, WrongPlacing> {
  const found = meantUnit(house, bus, placing)
  if (!found.ok) return found
  const base = found.value
  const rooms = [placing.room, ...(placing.gangs ?? []).map((gang) => gang.room)]
  const missing = rooms.find((room) => typeof room === 'string' && !house.rooms.has(room))
  if (missing !== undefined) return notThere(`The house has no room ${String(missing)}.`)
  if (isNoLight(placing, base.class)) return noLight(base.id)
  const gangs = placedGangs(base, placing, bus.get(base.address))
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

/** The unit that id and address name together: one of the house, or a new one at an address of the bus. */
function meantUnit(
  house: House,
  bus: ReadonlyMap<number, BusUnit>,
  { unit: id, address }: Placing,
): Result<Unit, WrongPlacing> {
  const byId = id === undefined ? undefined : house.units.get(id)
  if (byId && address !== undefined && address !== byId.address)
    return contradiction(
      `${byId.id} is the unit at address ${byId.address}: bin/hm house replace ${byId.id} ${address} makes it the unit at address ${address}.`,
    )
  if (byId) return ok(byId)
  const byAddress = address === undefined ? undefined : house.unitAt(address)
  if (byAddress && id !== undefined)
    return contradiction(
      `The unit at address ${byAddress.address} is in the house as ${byAddress.id}, and ids do not change.`,
    )
  if (byAddress) return ok(byAddress)
  if (address === undefined)
    return notThere('No such unit: name one of the house by its id, or one on the bus by its address.')
  const found = bus.get(address)
  if (!found) return notThere(`No such unit: neither the house nor the bus has one at address ${address}.`)
  const added = newUnit(found, house, id)
  if (house.units.has(added.id))
    return contradiction(`The house has another unit ${added.id} already: choose an id for the one at ${address}.`)
  return ok(added)
}

function placedGangs(unit: Unit, placing: Placing, onBus: BusUnit | undefined): Result<readonly Gang[], WrongPlacing> {
  const byPosition = new Map(unit.gangs.map((gang) => [gang.gang, gang]))
  const seen = new Set<string>()
  for (const change of placing.gangs ?? []) {
    const gang = byPosition.get(change.gang)
    if (!gang) return notThere(`Unit ${unit.id} has no gang ${change.gang}.`)
    const twice = fieldSeenBefore(change, seen)
    if (twice) return contradiction(`The ${twice} of gang ${change.gang} is given twice.`)
    const busClass = onBus?.gangs.find((each) => each.gang === change.gang)?.class
    if (change.class !== undefined && busClass !== undefined && change.class !== busClass)
      return contradiction(`${unit.id}:${change.gang} is a ${busClass} on the bus, and cannot be a ${change.class}.`)
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

/** The first field of a gang that an earlier entry of the list has set; the others are added to `seen`. */
function fieldSeenBefore({ gang, ...fields }: GangPlacing, seen: Set<string>): string | undefined {
  const given = Object.entries(fields).flatMap(([field, value]) => (value === undefined ? [] : [field]))
  const twice = given.find((field) => seen.has(`${gang} ${field}`))
  for (const field of given) seen.add(`${gang} ${field}`)
  return twice
}

function isNoLight({ light }: Pick<GangPlacing, 'light'>, deviceClass: DeviceClass): boolean {
  return typeof light === 'boolean' && !switchesAnyLoad(deviceClass)
}

function notThere(message: string): Result<never, WrongPlacing> {
  return fail({ kind: 'not_there', message })
}

function contradiction(message: string): Result<never, WrongPlacing> {
  return fail({ kind: 'contradiction', message })
}

function noLight(id: string): Result<never, WrongPlacing> {
  return contradiction(`${id} is no switch, so it has no light.`)
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
