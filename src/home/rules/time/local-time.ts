import { Temporal } from 'temporal-polyfill'
import type { CalendarEvents } from '../../ports/calendars.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/durations.ts'

/** Degrees north and east. */
interface Place {
  readonly latitude: number
  readonly longitude: number
}

/** Location, time zone and calendars of the home; without a place there is no sunrise. */
export interface Where {
  /** IANA time zone. */
  readonly zone: string
  readonly place: Place | null
  /** Missing: the home has no calendars. */
  readonly calendars?: CalendarEvents
}

/**
 * One run of a timed rule: its name, which no other run of the rule has, and its time in epoch ms. The name is the
 * local date (YYYY-MM-DD), or the moment of an event of a calendar.
 */
export interface Occurrence {
  readonly date: string
  readonly at: number
}

/** A local day of 24 hours from midnight to midnight: its times follow from its start. */
interface EvenDay {
  readonly date: Temporal.PlainDate
  /** Epoch ms. */
  readonly start: number
}

/** Cached days: at a start, thousands of rules ask for the times of the same few. Null: not an even day. */
const DAYS_CACHED_MAX = 1_000
const days = new Map<string, EvenDay | null>()

function evenDay(date: Temporal.PlainDate, zone: string): EvenDay | null {
  const key = `${date.toString()} ${zone}`
  const known = days.get(key)
  if (known !== undefined) return known
  const start = date.toZonedDateTime(zone)
  const isEven = start.hoursInDay === 24 && start.toPlainDateTime().equals(date.toPlainDateTime())
  const day = isEven ? { date, start: start.epochMilliseconds } : null
  if (days.size >= DAYS_CACHED_MAX) days.clear()
  days.set(key, day)
  return day
}

/**
 * The epoch ms at which a local clock shows `time` on `date` (docs/automations.md#a-schedule). For a time that daylight
 * saving skips, the first moment after the gap. For a time that occurs twice, the first one. Null if the whole date is
 * skipped, as when a country moved across the date line.
 */
export function momentOf(date: Temporal.PlainDate, time: string, zone: string): number | null {
  const day = evenDay(date, zone)
  if (day !== null) return day.start + Number(time.slice(0, 2)) * HOUR_MS + Number(time.slice(3)) * MINUTE_MS
  const wall = date.toPlainDateTime(time)
  // `compatible` is the first of two moments. For a skipped time it is a moment after the gap, which the comparison
  // detects.
  const moment = wall.toZonedDateTime(zone, { disambiguation: 'compatible' })
  if (moment.toPlainDateTime().equals(wall)) return moment.epochMilliseconds
  const before = wall.toZonedDateTime(zone, { disambiguation: 'earlier' })
  if (moment.epochMilliseconds - before.epochMilliseconds >= DAY_MS) return null
  const jump = before.getTimeZoneTransition('next')
  return jump === null ? moment.epochMilliseconds : jump.epochMilliseconds
}

/** The newest found day of each zone. */
const found = new Map<string, EvenDay>()

export function localDate(at: number, zone: string): Temporal.PlainDate {
  const known = found.get(zone)
  if (known !== undefined && at >= known.start && at < known.start + DAY_MS) return known.date
  const date = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate()
  const day = evenDay(date, zone)
  if (day !== null) found.set(zone, day)
  return date
}
