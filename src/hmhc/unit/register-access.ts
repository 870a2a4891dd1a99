import type { RegisterValues, UnitSchedule } from '../../home/model/device.ts'
import type { BusFailure, BusUnit, UnitTarget, Priority } from '../../home/ports/unit-bus.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { registerMap, type RegisterScope } from '../registers/index.ts'
import { NO_ANSWER, refused, type UnitRequests } from './unit-requests.ts'
import { type DoneOf, SCHEDULES_END } from '../message/messages.ts'

type Pairs = readonly (readonly [number, number])[]

const scopeOf = (target: UnitTarget): RegisterScope => (target.gang === null ? 'unit' : 'gang')

/** Reads all named registers of this target; those that the unit lacks are left out. */
export async function readRegisters(
  unit: BusUnit,
  target: UnitTarget,
  perFrame: number,
  readFrame: (numbers: readonly number[]) => Promise<Result<Pairs, BusFailure>>,
): Promise<Result<RegisterValues, BusFailure>> {
  const scope = scopeOf(target)
  const numbers = registerMap
    .list(unit.model, scope)
    .flatMap((name) => registerMap.numberOf(unit.model, scope, name) ?? [])
  const values: Record<string, number> = {}
  for (const part of parts(numbers, perFrame)) {
    const reply = await readFrame(part)
    if (!reply.ok) return reply
    // A reply with unrequested registers belongs to another request.
    if (reply.value.some(([number]) => !part.includes(number))) return fail(NO_ANSWER)
    Object.assign(values, valuesByName(unit, target, reply.value))
  }
  return ok(values)
}

/** Writes by name, and returns the new values of the unit. A frame is atomic; beyond one frame each is separate. */
export async function writeRegisters(
  unit: BusUnit,
  target: UnitTarget,
  values: RegisterValues,
  perFrame: number,
  writeFrame: (values: Pairs) => Promise<Result<Pairs, BusFailure>>,
): Promise<Result<RegisterValues, BusFailure>> {
  const pairs: [number, number][] = []
  for (const [name, value] of Object.entries(values)) {
    const number = registerMap.numberOf(unit.model, scopeOf(target), name)
    if (number === undefined) return fail(refused(`a ${unit.model} has no setting ${name} here`))
    if (!Number.isInteger(value) || value < 0 || value > 0xffff)
      return fail(refused(`${name} takes whole numbers from 0 to 65,535`))
    pairs.push([number, value])
  }
  const held: Record<string, number> = {}
  for (const part of parts(pairs, perFrame)) {
    const reply = await writeFrame(part)
    if (!reply.ok) return reply
    Object.assign(held, valuesByName(unit, target, reply.value))
  }
  return ok(held)
}

/** Raw pairs by name; unnamed numbers are left out. */
export function valuesByName(unit: BusUnit, target: UnitTarget, pairs: Pairs): RegisterValues {
  return Object.fromEntries(
    pairs.flatMap(([number, value]) => {
      const name = registerMap.nameOf(unit.model, scopeOf(target), number)
      return name === undefined ? [] : [[name, value]]
    }),
  )
}

function parts<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, part) => all.slice(part * size, (part + 1) * size))
}

type Entry = DoneOf<'read_schedules'>['schedules'][number]

/** Reads all of a unit's own schedules, page by page. */
export async function readSchedules(
  requests: UnitRequests,
  address: number,
  priority: Priority,
): Promise<Result<readonly UnitSchedule[], BusFailure>> {
  const schedules: UnitSchedule[] = []
  let from = 0
  while (from < SCHEDULES_END) {
    const reply = await requests.ask<'read_schedules'>({ name: 'read_schedules', address, from }, { priority })
    if (!reply.ok) return reply
    schedules.push(...reply.value.schedules.map(asHomeSchedule))
    // A page that does not advance would repeat for ever: it counts as the last.
    if (reply.value.next <= from) break
    from = reply.value.next
  }
  return ok(schedules)
}

function asHomeSchedule({ command, ...entry }: Entry): UnitSchedule {
  return { ...entry, op: command.op, ...(command.args === undefined ? {} : { args: command.args }) }
}
