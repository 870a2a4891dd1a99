import type { UnitSchedule } from '../../home/model/register.ts'
import type { BusFailure, Priority } from '../../home/ports/unit-bus.ts'
import { ok } from '../../lib/result.ts'
import type { Result } from '../../lib/result.ts'
import type { DoneOf } from '../message/messages.ts'
import { SCHEDULES_END } from '../message/messages.ts'
import type { UnitRequests } from './unit-requests.ts'

type Entry = DoneOf<'read_schedules'>['schedules'][number]

/** All of a unit's own schedules, page by page. */
export async function readSchedules(
  requests: UnitRequests,
  address: number,
  priority: Priority,
): Promise<Result<readonly UnitSchedule[], BusFailure>> {
  const schedules: UnitSchedule[] = []
  let from = 0
  while (from < SCHEDULES_END) {
    const reply = await requests.ask<'read_schedules'>(address, { name: 'read_schedules', address, from }, { priority })
    if (!reply.ok) return reply
    schedules.push(...reply.value.schedules.map(asHomeSchedule))
    // A page that does not lead forward would be read again and again: it counts as the last.
    if (reply.value.next <= from) break
    from = reply.value.next
  }
  return ok(schedules)
}

function asHomeSchedule({ command, ...entry }: Entry): UnitSchedule {
  return { ...entry, op: command.op, ...(command.args === undefined ? {} : { args: command.args }) }
}
