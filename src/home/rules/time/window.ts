import type { Temporal } from 'temporal-polyfill'
import type { WindowCondition } from '../model.ts'
import { localDate, momentOf, sunlight, sunMoment, weekdayOf, type Where } from './occurrence.ts'

/**
 * Local times between which the sun rises and sets wherever people live: they decide whether a window goes over
 * midnight.
 */
const EARLIEST: Readonly<Record<string, string>> = { sunrise: '02:00', sunset: '12:00' }
const LATEST: Readonly<Record<string, string>> = { sunrise: '12:00', sunset: '24:00' }

/**
 * Whether a moment lies in the window. `after` is inside, `before` is not. A window over midnight belongs to the
 * weekday on which it begins. Where the sun never sets, its night has no length at midnight; where it never rises, its
 * day has none at noon.
 */
export function inWindow(window: WindowCondition, now: number, where: Where): boolean {
  const today = localDate(now, where.zone)
  if (holdsOn(window, today, now, where)) return true
  return endsNextDay(window) && holdsOn(window, today.subtract({ days: 1 }), now, where)
}

/**
 * True when the window's end lies on the day after its start, as in `after 22:00, before 06:00` or `after sunset,
 * before 01:00`.
 */
export function endsNextDay(window: WindowCondition): boolean {
  const start = window.after ?? '00:00'
  const end = window.before ?? '24:00'
  return (LATEST[end] ?? end) <= (EARLIEST[start] ?? start)
}

function holdsOn(window: WindowCondition, date: Temporal.PlainDate, now: number, where: Where): boolean {
  if (window.days !== undefined && !window.days.includes(weekdayOf(date))) return false
  const start = pointOn(window.after ?? '00:00', date, where)
  const end =
    window.before === undefined
      ? pointOn('00:00', date.add({ days: 1 }), where)
      : pointOn(window.before, endsNextDay(window) ? date.add({ days: 1 }) : date, where)
  return start !== null && end !== null && now >= start && now < end
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
