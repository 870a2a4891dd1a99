import { Temporal } from 'temporal-polyfill'
import type { Claim } from '../../../src/home/ports/rule-store.ts'
import type { Where } from '../../../src/home/rules/time/local-time.ts'
import { Timetable } from '../../../src/home/rules/time/timetable.ts'
import { ManualClock } from './manual-clock.ts'

/** A local time as milliseconds since 1970. */
export const at = (local: string, zone = 'Europe/Berlin'): number =>
  Temporal.PlainDateTime.from(local).toZonedDateTime(zone).epochMilliseconds

/** A run whose time is unknown. */
export const ranOn = (date: string): Claim => ({
  owner: 's',
  slot: '07:00',
  date,
  at: at(`${date}T07:00`),
  missed: false,
  steadyAt: null,
})

export interface TimetableWorld {
  clock: ManualClock
  table: Timetable
  due: string[]
  missed: string[]
  where: { now: Where }
}

/** A timetable of one home with its output, at a local time or an epoch ms. */
export function timetableWorld(start: string | number, zone = 'Europe/Berlin'): TimetableWorld {
  const clock = new ManualClock(typeof start === 'string' ? at(start, zone) : start)
  const due: string[] = []
  const missed: string[] = []
  const where = { now: { zone, place: null } as Where }
  const table = new Timetable({
    seed: 'home',
    clock,
    steady: () => clock.monotonic(),
    where: () => where.now,
    due: (entry, run) => due.push(`${entry.owner} ${run.date}`),
    missed: (entry, count, last) => missed.push(`${entry.owner} ${count} ${last.date}`),
  })
  return { clock, table, due, missed, where }
}
