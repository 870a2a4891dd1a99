import { Temporal } from 'temporal-polyfill'
import { localDate, momentOf } from '../home/rules/time/local-time.ts'

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const WEEK_MINUTES = 7 * 24 * 60

/** Most windows of a week: three a day. */
export const HOURS_MAX = 21

/** The latest end of an integration, epoch ms. */
export const END_MAX = Date.UTC(9999, 11, 31)

/** Open from one moment of the week until another, which may be in the next week. */
export interface WeeklyWindow {
  readonly from: string
  readonly until: string
}

/** A part of the time in epoch ms; `until` is no longer in it. */
interface Span {
  readonly from: number
  readonly until: number
}

const dayOf = (time: string): number => WEEKDAYS.findIndex((day) => time.startsWith(day))
const clockOf = (time: string): string => time.slice(4)

/** Minutes since Monday 00:00. */
function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = clockOf(time).split(':').map(Number)
  return dayOf(time) * 24 * 60 + hours * 60 + minutes
}

const lengthOf = ({ from, until }: WeeklyWindow): number =>
  (minuteOf(until) - minuteOf(from) + WEEK_MINUTES) % WEEK_MINUTES

/** The windows by their beginning. */
export const sortedHours = (hours: readonly WeeklyWindow[]): readonly WeeklyWindow[] =>
  hours.map(({ from, until }) => ({ from, until })).toSorted((a, b) => minuteOf(a.from) - minuteOf(b.from))

/** The reason why windows are refused, in one sentence, or null. */
export function hoursProblem(hours: readonly WeeklyWindow[]): string | null {
  const empty = hours.find((window) => lengthOf(window) === 0)
  if (empty) return `hours: ${windowWords(empty)} has no length; no windows at all mean that it is always served.`
  const sorted = sortedHours(hours)
  for (const [index, window] of sorted.entries()) {
    const next = sorted[(index + 1) % sorted.length]
    if (next === undefined || next === window) continue
    const left = (minuteOf(next.from) - minuteOf(window.from) + WEEK_MINUTES) % WEEK_MINUTES
    if (left < lengthOf(window)) return `hours: ${windowWords(window)} and ${windowWords(next)} overlap.`
  }
  return null
}

/** True if some minute of the week is in `hours` and not in `others`. */
export function opensMoreHours(hours: readonly WeeklyWindow[], others: readonly WeeklyWindow[]): boolean {
  const [now, then] = [minutesOf(hours), minutesOf(others)]
  return now.some((isOpen, minute) => isOpen && !then[minute])
}

function minutesOf(hours: readonly WeeklyWindow[]): readonly boolean[] {
  const open = Array.from({ length: WEEK_MINUTES }, () => hours.length === 0)
  for (const window of hours)
    for (let passed = 0; passed < lengthOf(window); passed += 1)
      open[(minuteOf(window.from) + passed) % WEEK_MINUTES] = true
  return open
}

export const windowWords = ({ from, until }: WeeklyWindow): string =>
  `${from}–${dayOf(from) === dayOf(until) && from < until ? clockOf(until) : until}`

/** All windows in words. */
export const hoursWords = (hours: readonly WeeklyWindow[]): string =>
  hours.length === 0 ? 'always' : hours.map(windowWords).join(', ')

/** A time in epoch ms by the clock of the home: `2027-01-31 16:00`. */
export function timeWords(at: number, zone: string): string {
  const { year, month, day, hour, minute } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}`
}

/** The window that is open at a moment and the beginning of the next one, in epoch ms. */
export function openingAt(
  hours: readonly WeeklyWindow[],
  at: number,
  zone: string,
): { readonly openUntil: number | null; readonly opensAt: number | null } {
  const spans = spansAround(hours, at, zone)
  return {
    openUntil: spans.find(({ from, until }) => from <= at && at < until)?.until ?? null,
    opensAt: spans.reduce<number | null>(
      (next, { from }) => (from > at && (next === null || from < next) ? from : next),
      null,
    ),
  }
}

/**
 * Every window of the last and the next seven days. A time that daylight saving skips is the first moment after the
 * gap, one that occurs twice the first of the two.
 */
function spansAround(hours: readonly WeeklyWindow[], at: number, zone: string): readonly Span[] {
  const today = localDate(at, zone)
  return hours.flatMap((window) => {
    const { from, until } = window
    const ahead = (dayOf(from) + 8 - today.dayOfWeek) % 7
    const days = Math.floor(((minuteOf(from) % (24 * 60)) + lengthOf(window)) / (24 * 60))
    return [ahead - 7, ahead, ahead + 7].flatMap((offset) => {
      const date = today.add({ days: offset })
      const begins = momentOf(date, clockOf(from), zone)
      const ends = momentOf(date.add({ days }), clockOf(until), zone)
      return begins === null || ends === null || begins >= ends ? [] : [{ from: begins, until: ends }]
    })
  })
}
