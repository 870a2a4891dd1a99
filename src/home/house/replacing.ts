import { fail, ok, type Result } from '../../lib/result.ts'
import {
  type DeviceClass,
  type DeviceKey,
  deviceKey,
  opensEntrance,
  OPERATIONS_OF,
  switchesAnyLoad,
} from '../model/device.ts'
import { type Gang, lightField, type Unit } from '../model/house.ts'
import type { BusUnit } from '../ports/unit-bus.ts'
import type { House } from './house.ts'

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

/** Why a unit cannot be replaced so; the message is one sentence. */
export interface WrongReplacing {
  readonly kind: 'not_there' | 'impossible'
  readonly message: string
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
): Result<readonly ReplacedUnit[], WrongReplacing> {
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

function held(units: readonly ReplacedUnit[]): Result<readonly ReplacedUnit[], WrongReplacing> {
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
  const [old, now] = [classesOf(before), classesOf(after)]
  if ([...old, ...now].some((its) => opensEntrance(its, 'open'))) return false
  return old.some((its) => OPERATIONS_OF[its].some((op) => now.some((other) => OPERATIONS_OF[other].includes(op))))
}

function classesOf({ class: its, gangs }: Unit): readonly DeviceClass[] {
  return [its, ...gangs.map((gang) => gang.class)]
}

function isSameUnit(before: Unit, after: Unit): boolean {
  const said = ({ address, model, class: its, gangs }: Unit): string =>
    JSON.stringify([address, model, its, gangs.map((gang) => [gang.gang, gang.class])])
  return said(before) === said(after)
}

function notThere(message: string): Result<never, WrongReplacing> {
  return fail({ kind: 'not_there', message })
}

function impossible(message: string): Result<never, WrongReplacing> {
  return fail({ kind: 'impossible', message })
}
