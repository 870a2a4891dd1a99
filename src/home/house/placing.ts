import { type Result, fail, ok } from '../../lib/result.ts'
import type { GangClass } from '../model/device.ts'
import type { Gang, Unit } from '../model/house.ts'
import type { BusUnit } from '../ports/unit-bus.ts'
import type { House } from './house.ts'

/** What an administrator says about a unit's place; what is left out stays as it is. */
export interface Placing {
  readonly unit?: string | undefined
  readonly address?: number | undefined
  readonly name?: string | undefined
  readonly room?: string | null | undefined
  readonly gangs?: readonly GangPlacing[] | undefined
}

interface GangPlacing {
  readonly gang: number
  readonly name?: string | undefined
  readonly class?: GangClass | undefined
  readonly room?: string | null | undefined
}

/** Units that answer on the bus and have no place in the house yet. */
export function unplaced(house: House, bus: ReadonlyMap<number, BusUnit>): BusUnit[] {
  return [...bus.values()].filter((unit) => !house.unitAt(unit.address))
}

/** The unit as it will be: one of the house moved or renamed, or one of the bus taken in. The error is one sentence. */
export function placedUnit(house: House, bus: ReadonlyMap<number, BusUnit>, placing: Placing): Result<Unit, string> {
  const known = placing.unit === undefined ? house.unitAt(placing.address ?? 0) : house.units.get(placing.unit)
  const found = known ? undefined : bus.get(placing.address ?? 0)
  if (!known && !found) return fail('No such unit: name one of the house by its id, or one on the bus by its address.')
  const base = known ?? newUnit(found as BusUnit, house, placing.unit)
  const rooms = [placing.room, ...(placing.gangs ?? []).map((gang) => gang.room)]
  const missing = rooms.find((room) => typeof room === 'string' && !house.rooms.has(room))
  if (missing !== undefined) return fail(`The house has no room ${String(missing)}.`)
  const gangs = placedGangs(base, placing)
  if (!gangs.ok) return gangs
  return ok({
    ...base,
    name: placing.name ?? base.name,
    room: placing.room === undefined ? base.room : placing.room,
    gangs: gangs.value,
  })
}

function placedGangs(unit: Unit, placing: Placing): Result<readonly Gang[], string> {
  const byPosition = new Map(unit.gangs.map((gang) => [gang.gang, gang]))
  for (const change of placing.gangs ?? []) {
    const gang = byPosition.get(change.gang)
    if (!gang) return fail(`Unit ${unit.id} has no gang ${change.gang}.`)
    byPosition.set(change.gang, {
      ...gang,
      name: change.name ?? gang.name,
      class: change.class ?? gang.class,
      room: change.room === undefined ? gang.room : change.room,
    })
  }
  return ok([...byPosition.values()])
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
