import type { Emitter } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import type { HomeEvent } from '../model/events.ts'
import { devicesOf, type House } from './house.ts'
import {
  type DeviceClass,
  deviceKey,
  type DeviceKey,
  type GangClass,
  switchesAnyLoad,
  opensEntrance,
  OPERATIONS_OF,
} from '../model/device.ts'
import { type Gang, type Unit, type Light, lightField } from '../model/house.ts'
import type { UnitBus, BusUnit } from '../ports/unit-bus.ts'
import { type Result, fail, ok } from '../../lib/result.ts'

/** A device that is of another class on the bus than in the house. */
interface ClassConflict {
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
  return [...units].flatMap(devicesOf).flatMap(({ key, unit, gang, class: its }) => {
    const busClass = otherClass({ unit, gang }, bus)
    return busClass !== null || isMissing(unit, gang, bus) ? [{ device: key, house: its, bus: busClass }] : []
  })
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

/** An administrator's change of a gang's place; fields that are left out stay as they are. */
interface GangPlacing {
  readonly gang: number
  readonly name?: string | undefined
  readonly class?: GangClass | undefined
  readonly room?: string | null | undefined
  /** Whether it feeds a lamp; null where that is not to be said any more. */
  readonly light?: Light | null | undefined
}

interface Placing extends Omit<GangPlacing, 'gang' | 'class'> {
  readonly unit?: string | undefined
  readonly address?: number | undefined
  readonly gangs?: readonly GangPlacing[] | undefined
}

/** Why a unit cannot be placed so; the message is one sentence. */
export interface WrongPlacing {
  readonly kind: 'not_there' | 'impossible'
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
    return impossible(
      `${byId.id} is the unit at address ${byId.address}: bin/hm house replace ${byId.id} ${address} makes it the unit at address ${address}.`,
    )
  if (byId) return ok(byId)
  const byAddress = address === undefined ? undefined : house.unitAt(address)
  if (byAddress && id !== undefined)
    return impossible(
      `The unit at address ${byAddress.address} is in the house as ${byAddress.id}, and ids do not change.`,
    )
  if (byAddress) return ok(byAddress)
  if (address === undefined)
    return notThere('No such unit: name one of the house by its id, or one on the bus by its address.')
  const found = bus.get(address)
  if (!found) return notThere(`No such unit: neither the house nor the bus has one at address ${address}.`)
  const added = newUnit(found, house, id)
  if (house.units.has(added.id))
    return impossible(`The house has another unit ${added.id} already: choose an id for the one at ${address}.`)
  return ok(added)
}

function placedGangs(unit: Unit, placing: Placing, onBus: BusUnit | undefined): Result<readonly Gang[], WrongPlacing> {
  const byPosition = new Map(unit.gangs.map((gang) => [gang.gang, gang]))
  const seen = new Set<string>()
  for (const change of placing.gangs ?? []) {
    const gang = byPosition.get(change.gang)
    if (!gang) return notThere(`Unit ${unit.id} has no gang ${change.gang}.`)
    const twice = fieldSeenBefore(change, seen)
    if (twice) return impossible(`The ${twice} of gang ${change.gang} is given twice.`)
    const busClass = onBus?.gangs.find((each) => each.gang === change.gang)?.class
    if (change.class !== undefined && busClass !== undefined && change.class !== busClass)
      return impossible(`${unit.id}:${change.gang} is a ${busClass} on the bus, and cannot be a ${change.class}.`)
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

function impossible(message: string): Result<never, WrongPlacing> {
  return fail({ kind: 'impossible', message })
}

function noLight(id: string): Result<never, WrongPlacing> {
  return impossible(`${id} is no switch, so it has no light.`)
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

/** The unit of the house with this id becomes the unit at this address of the bus. */
export interface Replacing {
  readonly unit: string
  readonly address: number
}

/** A unit of the house before and after another physical unit took its id. */
export interface ReplacedUnit {
  readonly before: Unit
  readonly after: Unit
}

type Physical = Pick<Unit, 'address' | 'model' | 'class'> & { readonly gangs: readonly Pick<Gang, 'gang' | 'class'>[] }

/**
 * The units that a replacement changes: the named one, and where the address belongs to another unit of the house that
 * one too, because the two exchange their addresses. Model, class and gangs come from the bus; name, room and position
 * belong to the id.
 */
export function replacedUnits(
  house: Pick<House, 'units' | 'unitAt'>,
  bus: ReadonlyMap<number, BusUnit>,
  { unit: id, address }: Replacing,
): Result<readonly ReplacedUnit[], WrongPlacing> {
  const before = house.units.get(id)
  if (!before) return notThere(`The house has no unit ${id}; bin/hm house show lists them.`)
  const found = bus.get(address)
  if (!found)
    return notThere(`The bus has no unit at address ${address}; bin/hm house show lists those without a place.`)
  const after = unitAs(before, found)
  const other = house.unitAt(address)
  if (other?.id === id) {
    return isSameUnit(before, after)
      ? impossible(`${id} is the unit at address ${address} already, and the house describes it as the bus does.`)
      : held([{ before, after }])
  }
  // A unit that the bus no longer lists is described as the house knows it.
  const exchanged = other && { before: other, after: unitAs(other, bus.get(before.address) ?? before) }
  return held([{ before, after }, ...(exchanged ? [exchanged] : [])])
}

/** What `key`, a device of the unit before, is called now that a switch became a module, or a module a switch. */
export function successorOf({ before, after }: ReplacedUnit, key: DeviceKey): DeviceKey | null {
  const wasModule = before.class === 'gang_module'
  const isModule = after.class === 'gang_module'
  if (wasModule === isModule) return null
  const first = (unit: Unit): DeviceKey => deviceKey({ unit: unit.id, gang: unit.gangs[0]?.gang ?? 0 })
  if (isModule) return key === before.id ? first(after) : null
  return key === first(before) ? after.id : null
}

function unitAs({ light, ...unit }: Unit, physical: Physical): Unit {
  const known = new Map(unit.gangs.map((gang) => [gang.gang, gang]))
  const gangs = physical.gangs.map(({ gang, class: its }): Gang => {
    const { light: fed, ...kept } = known.get(gang) ?? { gang, name: `${unit.name} ${gang + 1}`, room: unit.room }
    return { ...kept, class: its, ...(switchesAnyLoad(its) ? lightField(fed) : {}) }
  })
  const { address, model, class: its } = physical
  return { ...unit, address, model, class: its, ...(switchesAnyLoad(its) ? lightField(light) : {}), gangs }
}

function held(units: readonly ReplacedUnit[]): Result<readonly ReplacedUnit[], WrongPlacing> {
  const unlike = units.find(({ before, after }) => !isAlike(before, after))
  if (!unlike) return ok(units)
  const { before, after } = unlike
  return impossible(
    `${before.id} is a ${before.class} and the unit at address ${after.address} is a ${after.class}: it needs an id of its own (bin/hm house place ${after.address} --id ID).`,
  )
}

/**
 * Whether one unit may take the id of another. Its rules, scenes and exposures must keep a meaning, and must not come
 * to open an entrance.
 */
function isAlike(before: Unit, after: Unit): boolean {
  if (before.class === after.class && before.class !== 'gang_module') return true
  const classes = (unit: Unit): readonly DeviceClass[] => devicesOf(unit).map((device) => device.class)
  const [old, now] = [classes(before), classes(after)]
  if ([...old, ...now].some((its) => opensEntrance(its, 'open'))) return false
  return old.some((its) => OPERATIONS_OF[its].some((op) => now.some((other) => OPERATIONS_OF[other].includes(op))))
}

function isSameUnit(before: Unit, after: Unit): boolean {
  const said = ({ address, model, class: its, gangs }: Unit): string =>
    JSON.stringify([address, model, its, gangs.map((gang) => [gang.gang, gang.class])])
  return said(before) === said(after)
}
