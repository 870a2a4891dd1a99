import type { Temporal } from 'temporal-polyfill'
import type { WindowCondition } from '../model.ts'
import { localDate, momentOf, sunIsUp, sunlight, sunMoment, weekdayOf, type Where } from './occurrence.ts'

/**
 * Local times between which the sun rises and sets wherever people live: they decide whether a window goes over
 * midnight.
 */
const EARLIEST: Readonly<Record<string, string>> = { sunrise: '02:00', sunset: '12:00' }
const LATEST: Readonly<Record<string, string>> = { sunrise: '12:00', sunset: '24:00' }

/** Days around today on which a window that holds now may begin: a sunset can come after midnight. */
const DAYS_AROUND = [1, 0, -1] as const

/**
 * Whether a moment lies in the window. `after` is inside, `before` is not. A window belongs to the weekday on which it
 * begins. From sunrise to sunset, and from sunset to sunrise, the altitude of the sun decides.
 */
export function inWindow(window: WindowCondition, now: number, where: Where): boolean {
  const today = localDate(now, where.zone)
  if (!isBySun(window)) return DAYS_AROUND.some((days) => holdsOn(window, today.add({ days }), now, where))
  if (sunIsUp(now, where) !== (window.after === 'sunrise')) return false
  return isOnDay(window, begunOn(window.after, now, where))
}

/** Whether a window lasts from one event of the sun to the other. */
function isBySun({ after, before }: WindowCondition): boolean {
  return (after === 'sunrise' && before === 'sunset') || (after === 'sunset' && before === 'sunrise')
}

/**
 * True when the window's end may lie on the day after its start, as in `after 22:00, before 06:00` or `after sunset,
 * before 01:00`.
 */
export function endsNextDay(window: WindowCondition): boolean {
  const start = window.after ?? '00:00'
  const end = window.before ?? '24:00'
  return (LATEST[end] ?? end) <= (EARLIEST[start] ?? start)
}

/** Whether the window that begins on a date holds now: it ends at the first end after its start. */
function holdsOn(window: WindowCondition, date: Temporal.PlainDate, now: number, where: Where): boolean {
  if (!isOnDay(window, date)) return false
  const start = pointOn(window.after ?? '00:00', date, where)
  if (start === null || now < start) return false
  const end = endsOf(window, date, where).find((each) => each !== null && each > start)
  return end !== undefined && end !== null && now < end
}

/** Ends of a window that begins on a date, oldest first; the last may lie on the next day. */
function endsOf(
  { before, after }: WindowCondition,
  date: Temporal.PlainDate,
  where: Where,
): readonly (number | null)[] {
  if (before === undefined) return [pointOn('00:00', date.add({ days: 1 }), where)]
  const days = endsNextDay({ before, after }) ? [-1, 0, 1] : [-1, 0]
  return days.map((each) => pointOn(before, date.add({ days: each }), where))
}

const isOnDay = ({ days }: WindowCondition, date: Temporal.PlainDate): boolean =>
  days === undefined || days.includes(weekdayOf(date))

/** The date to which the last sunrise or sunset before a moment belongs. */
function begunOn(event: string | undefined, now: number, where: Where): Temporal.PlainDate {
  const today = localDate(now, where.zone)
  const begun = DAYS_AROUND.map((days) => today.add({ days })).find((date) => {
    const start = pointOn(event ?? '00:00', date, where)
    return start !== null && start <= now
  })
  return begun ?? today
}

/** A point of a window: `HH:MM`, `sunrise` or `sunset`. */
function pointOn(point: string, date: Temporal.PlainDate, where: Where): number | null {
  if (point !== 'sunrise' && point !== 'sunset') return momentOf(date, point, where.zone)
  switch (sunlight(date, where)) {
    case null:
      return null
    case 'both':
      return sunMoment(point, date, where)
    case 'down':
      return momentOf(date, '12:00', where.zone)
    case 'up':
      return momentOf(point === 'sunrise' ? date : date.add({ days: 1 }), '00:00', where.zone)
  }
}
