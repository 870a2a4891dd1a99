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

/** A device whose class on the bus differs from its class in the house. */
interface ClassConflict {
  readonly device: DeviceKey
  readonly house: DeviceClass
  /** Null for a gang that the unit on the bus does not have. */
  readonly bus: DeviceClass | null
}

type BusUnits = UnitBus['units']

/**
 * The class of a device on the bus if it differs from the house, else null; null also for a device that the bus does
 * not know. Such a device is not controlled, and its states are ignored (docs/devices.md#classes).
 */
export function conflictingClass(
  { unit, gang }: { readonly unit: Unit; readonly gang: Gang | null },
  bus: BusUnits,
): DeviceClass | null {
  const found = bus.get(unit.address)
  const busClass = gang === null ? found?.class : found?.gangs.find((listed) => listed.gang === gang.gang)?.class
  return busClass === undefined || busClass === (gang ?? unit).class ? null : busClass
}

/** All class conflicts of a house or a house file, in its order. */
export function classConflicts(units: Iterable<Unit>, bus: BusUnits): readonly ClassConflict[] {
  return [...units].flatMap(devicesOf).flatMap(({ key, unit, gang, class: deviceClass }) => {
    const busClass = conflictingClass({ unit, gang }, bus)
    return busClass !== null || isMissing(unit, gang, bus) ? [{ device: key, house: deviceClass, bus: busClass }] : []
  })
}

/** True if the unit on the bus is a module with fewer gangs than in the house. */
function isMissing(unit: Unit, gang: Gang | null, bus: BusUnits): boolean {
  const found = bus.get(unit.address)
  return found?.class === 'gang_module' && gang !== null && !found.gangs.some((listed) => listed.gang === gang.gang)
}

/** One sentence for an administrator; `place` is the house or a file. */
export function conflictWords({ device, house, bus }: ClassConflict, place: 'house' | 'file'): string {
  if (bus === null)
    return `${device} is ${house} in the ${place}, but the module on the bus has no such gang. It cannot be controlled until the ${place} lists the module's real gangs.`
  return `${device} is ${bus} on the bus and ${house} in the ${place}. It cannot be controlled, and its states are ignored, until the ${place} says ${bus}.`
}

/** Reason for a refused command, as the end of a sentence. */
export function conflictDetail(house: DeviceClass, bus: DeviceClass): string {
  return `it is ${bus} on the bus but ${house} in the house; an administrator must correct that`
}

/** Logs each class conflict once while it lasts. */
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
  let logged = new Set<string>()
  const check = (): void => {
    const conflicts = classConflicts(house.units.values(), bus.units)
    const now = new Map(conflicts.map((conflict) => [JSON.stringify(conflict), conflict]))
    for (const [key, conflict] of now) {
      if (!logged.has(key))
        log.warn({ ...conflict }, 'A device has another class on the bus than in the house. It is ignored.')
    }
    logged = new Set(now.keys())
  }
  const stops = [
    bus.onReport(({ kind }) => {
      if (kind === 'link' || kind === 'unit') check()
    }),
    events.on(({ kind }) => {
      if (kind === 'structure') check()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** An administrator's change of a gang's placement; missing fields stay as they are. */
interface GangPlacing {
  readonly gang: number
  readonly name?: string | undefined
  readonly class?: GangClass | undefined
  readonly room?: string | null | undefined
  /** True if it feeds a lamp; null removes the information. */
  readonly light?: Light | null | undefined
}

interface Placing extends Omit<GangPlacing, 'gang' | 'class'> {
  readonly unit?: string | undefined
  readonly address?: number | undefined
  readonly gangs?: readonly GangPlacing[] | undefined
}

/** Reason why a unit cannot be placed like this; the message is one sentence. */
export interface WrongPlacing {
  readonly kind: 'not_there' | 'impossible'
  readonly message: string
}

/** Units that answer on the bus and are not in the house yet. */
export function unplaced(house: House, bus: ReadonlyMap<number, BusUnit>): BusUnit[] {
  return [...bus.values()].filter((unit) => !house.unitAt(unit.address))
}

/**
 * The unit after a placement: a unit of the house moved or renamed, or a unit of the bus added. Every field of
 * `placing` is applied or refused.
 */
export function placedUnit(
  house: House,
  bus: ReadonlyMap<number, BusUnit>,
  placing: Placing,
): Result<Unit, WrongPlacing> {
  const found = namedUnit(house, bus, placing)
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

/** The unit that id and address name: one of the house, or a new one at an address of the bus. */
function namedUnit(
  house: House,
  bus: ReadonlyMap<number, BusUnit>,
  { unit: id, address }: Placing,
): Result<Unit, WrongPlacing> {
  const byId = id === undefined ? undefined : house.units.get(id)
  if (byId && address !== undefined && address !== byId.address)
    return impossible(
      `${byId.id} is the unit at address ${byId.address}: bin/hm house replace ${byId.id} ${address} moves it to the unit at address ${address}.`,
    )
  if (byId) return ok(byId)
  const byAddress = address === undefined ? undefined : house.unitAt(address)
  if (byAddress && id !== undefined)
    return impossible(
      `The unit at address ${byAddress.address} is in the house as ${byAddress.id}; an id cannot be changed.`,
    )
  if (byAddress) return ok(byAddress)
  if (address === undefined)
    return notThere('No such unit: name a unit of the house by its id, or a unit on the bus by its address.')
  const found = bus.get(address)
  if (!found) return notThere(`No such unit: neither the house nor the bus has one at address ${address}.`)
  const added = newUnit(found, house, id)
  if (house.units.has(added.id))
    return impossible(`The house already has another unit ${added.id}: choose an id for the one at ${address}.`)
  return ok(added)
}

function placedGangs(unit: Unit, placing: Placing, onBus: BusUnit | undefined): Result<readonly Gang[], WrongPlacing> {
  const byPosition = new Map(unit.gangs.map((gang) => [gang.gang, gang]))
  const setFields = new Set<string>()
  for (const change of placing.gangs ?? []) {
    const gang = byPosition.get(change.gang)
    if (!gang) return notThere(`Unit ${unit.id} has no gang ${change.gang}.`)
    const repeated = repeatedField(change, setFields)
    if (repeated) return impossible(`The ${repeated} of gang ${change.gang} is set twice.`)
    const busClass = onBus?.gangs.find((listed) => listed.gang === change.gang)?.class
    if (change.class !== undefined && busClass !== undefined && change.class !== busClass)
      return impossible(`${unit.id}:${change.gang} is a ${busClass} on the bus and cannot be a ${change.class}.`)
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

/** The first field of a gang that an earlier entry of the list has set; the others are added to `setFields`. */
function repeatedField({ gang, ...fields }: GangPlacing, setFields: Set<string>): string | undefined {
  const names = Object.entries(fields).flatMap(([field, value]) => (value === undefined ? [] : [field]))
  const repeated = names.find((field) => setFields.has(`${gang} ${field}`))
  for (const field of names) setFields.add(`${gang} ${field}`)
  return repeated
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
  return impossible(`${id} is no switch, so light cannot be set.`)
}

function newUnit(found: BusUnit, house: House, requestedId: string | undefined): Unit {
  const id = requestedId ?? `unit-${found.address.toString(16)}`
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

type Hardware = Pick<Unit, 'address' | 'model' | 'class'> & { readonly gangs: readonly Pick<Gang, 'gang' | 'class'>[] }

/**
 * The units that a replacement changes: the named one, and a second unit of the house whose address it takes. These two
 * exchange their addresses. Model, class and gangs come from the bus; name, room and position belong to the id.
 */
export function replacedUnits(
  house: Pick<House, 'units' | 'unitAt'>,
  bus: ReadonlyMap<number, BusUnit>,
  { unit: id, address }: Replacing,
): Result<readonly ReplacedUnit[], WrongPlacing> {
  const before = house.units.get(id)
  if (!before) return notThere(`The house has no unit ${id}; bin/hm house show lists them.`)
  const found = bus.get(address)
  if (!found) return notThere(`The bus has no unit at address ${address}; bin/hm house show lists unplaced units.`)
  const after = unitAs(before, found)
  const other = house.unitAt(address)
  if (other?.id === id) {
    return isUnchanged(before, after)
      ? impossible(`${id} is already the unit at address ${address}, and its description matches the bus.`)
      : checkedReplacement([{ before, after }])
  }
  // If the bus no longer lists a unit, the house's description stays.
  const exchanged = other && { before: other, after: unitAs(other, bus.get(before.address) ?? before) }
  return checkedReplacement([{ before, after }, ...(exchanged ? [exchanged] : [])])
}

/** New key of `key`, a device of the old unit, after a switch became a module or a module became a switch. */
export function successorOf({ before, after }: ReplacedUnit, key: DeviceKey): DeviceKey | null {
  const wasModule = before.class === 'gang_module'
  const isModule = after.class === 'gang_module'
  if (wasModule === isModule) return null
  const first = (unit: Unit): DeviceKey => deviceKey({ unit: unit.id, gang: unit.gangs[0]?.gang ?? 0 })
  if (isModule) return key === before.id ? first(after) : null
  return key === first(before) ? after.id : null
}

function unitAs({ light, ...unit }: Unit, physical: Hardware): Unit {
  const known = new Map(unit.gangs.map((gang) => [gang.gang, gang]))
  const gangs = physical.gangs.map(({ gang, class: kind }): Gang => {
    const { light: gangLight, ...rest } = known.get(gang) ?? { gang, name: `${unit.name} ${gang + 1}`, room: unit.room }
    return { ...rest, class: kind, ...(switchesAnyLoad(kind) ? lightField(gangLight) : {}) }
  })
  const { address, model, class: kind } = physical
  return { ...unit, address, model, class: kind, ...(switchesAnyLoad(kind) ? lightField(light) : {}), gangs }
}

function checkedReplacement(units: readonly ReplacedUnit[]): Result<readonly ReplacedUnit[], WrongPlacing> {
  const mismatch = units.find(({ before, after }) => !isCompatible(before, after))
  if (!mismatch) return ok(units)
  const { before, after } = mismatch
  return impossible(
    `${before.id} is a ${before.class} and the unit at address ${after.address} is a ${after.class}: it needs an id of its own (bin/hm house place ${after.address} --id ID).`,
  )
}

/**
 * True if one unit may take the id of another. Its rules, scenes and exposures must keep their meaning, and must not
 * open an entrance that they did not open before.
 */
function isCompatible(before: Unit, after: Unit): boolean {
  if (before.class === after.class && before.class !== 'gang_module') return true
  const classes = (unit: Unit): readonly DeviceClass[] => devicesOf(unit).map((device) => device.class)
  const [old, now] = [classes(before), classes(after)]
  if ([...old, ...now].some((kind) => opensEntrance(kind, 'open'))) return false
  return old.some((kind) => OPERATIONS_OF[kind].some((op) => now.some((other) => OPERATIONS_OF[other].includes(op))))
}

function isUnchanged(before: Unit, after: Unit): boolean {
  const description = ({ address, model, class: unitClass, gangs }: Unit): string =>
    JSON.stringify([address, model, unitClass, gangs.map((gang) => [gang.gang, gang.class])])
  return description(before) === description(after)
}
