import { getPosition, getTimes } from 'suncalc'
import { Temporal } from 'temporal-polyfill'
import type { SunEvent, TimeRule, Weekday } from '../model.ts'
import { DAY_MS, MINUTE_MS } from '../../../lib/durations.ts'

/** Degrees north and east. */
export interface Place {
  readonly latitude: number
  readonly longitude: number
}

/** Where and by which clock the home lives; without a place there is no sunrise. */
export interface Where {
  /** IANA time zone. */
  readonly zone: string
  readonly place: Place | null
}

/** `date` is the local date (YYYY-MM-DD) that the run belongs to, `at` its moment in epoch ms. */
export interface Occurrence {
  readonly date: string
  readonly at: number
}

/**
 * The moment (epoch ms) at which a local clock shows `time` on `date`. A time that daylight saving skips answers with
 * the first moment after the gap, a time that comes twice with the first of the two (docs/automations.md#a-schedule).
 * Null when the whole date is skipped, as where a country moved across the date line.
 */
export function momentOf(date: Temporal.PlainDate, time: string, zone: string): number | null {
  const wall = date.toPlainDateTime(time)
  // `compatible` is the first of two moments; for a skipped time it is a moment after the gap, which the comparison
  // finds out.
  const moment = wall.toZonedDateTime(zone, { disambiguation: 'compatible' })
  if (moment.toPlainDateTime().equals(wall)) return moment.epochMilliseconds
  const before = wall.toZonedDateTime(zone, { disambiguation: 'earlier' })
  if (moment.epochMilliseconds - before.epochMilliseconds >= DAY_MS) return null
  const jump = before.getTimeZoneTransition('next')
  return jump === null ? moment.epochMilliseconds : jump.epochMilliseconds
}

/** Time by which an event of the library may come before its altitude of the sun has passed the horizon. */
const EARLY_MS = 250
const SECOND_MS = 1_000

/**
 * Sunrise or sunset (epoch ms) of a local date, or null where the sun does neither or nobody said where it is. It is a
 * full second at which the sun is past the horizon.
 */
export function sunMoment(event: SunEvent, date: Temporal.PlainDate, where: Where): number | null {
  const moment = sunDay(date, where)?.[event]
  return moment instanceof Date ? Math.ceil((moment.getTime() + EARLY_MS) / SECOND_MS) * SECOND_MS : null
}

/** `up`: midnight sun; `down`: polar night; `both`: the sun rises and sets; null without a place. */
export function sunlight(date: Temporal.PlainDate, where: Where): 'up' | 'down' | 'both' | null {
  const day = sunDay(date, where)
  if (day === null) return null
  if (day.alwaysUp === true) return 'up'
  return day.alwaysDown === true ? 'down' : 'both'
}

/** Apparent altitude of the sun's centre, in degrees, at which the library has sunrise and sunset. */
const HORIZON_DEGREES = -0.349

/**
 * Whether the sun is up; null without a place. The altitude decides. Only in the second of a sunrise or sunset the
 * event does, so that a rule set off by it finds its night or day begun: beside the polar circle the library's events
 * of some days are minutes off.
 */
export function sunIsUp(now: number, where: Where): boolean | null {
  if (where.place === null) return null
  const { latitude, longitude } = where.place
  const today = localDate(now, where.zone)
  const isNow = (event: SunEvent): boolean =>
    [-1, 0, 1].some((days) => {
      const moment = sunMoment(event, today.add({ days }), where)
      return moment !== null && now >= moment && now < moment + SECOND_MS
    })
  if (isNow('sunrise')) return true
  if (isNow('sunset')) return false
  return getPosition(new Date(now), latitude, longitude).altitude > HORIZON_DEGREES
}

type SunDay = ReturnType<typeof getTimes>

/** Days of the sun that are kept: in a polar night many rules look for the same sunrise, a year ahead. */
export const SUN_DAYS_KEPT = 1_000
const sunDays = new Map<string, SunDay | null>()

function sunDay(date: Temporal.PlainDate, { zone, place }: Where): SunDay | null {
  if (place === null) return null
  const key = `${date.toString()} ${zone} ${place.latitude} ${place.longitude}`
  const known = sunDays.get(key)
  if (known !== undefined) return known
  if (sunDays.size >= SUN_DAYS_KEPT) sunDays.clear()
  // The solar day is taken at local noon, so that it is the day that people mean in every zone.
  const noon = momentOf(date, '12:00', zone)
  const day = noon === null ? null : getTimes(new Date(noon), place.latitude, place.longitude)
  sunDays.set(key, day)
  return day
}

/** The rule's moment on a local date, or null where it has none on that day. */
export function momentOn(rule: TimeRule, date: Temporal.PlainDate, where: Where): number | null {
  if (rule.days !== undefined && !rule.days.includes(weekdayOf(date))) return null
  if ('time' in rule) return momentOf(date, rule.time, where.zone)
  const moment = sunMoment(rule.sun, date, where)
  return moment === null ? null : moment + (rule.offset ?? 0) * MINUTE_MS
}

export function weekdayOf(date: Temporal.PlainDate): Weekday {
  return date.dayOfWeek as Weekday // ISO 8601 calendar: 1 to 7
}

export function localDate(at: number, zone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate()
}

/** The name of a daily time: `07:00`, `sunset-30`. Together with the local date it names one run. */
export function slotOf(rule: TimeRule): string {
  if ('time' in rule) return rule.time
  const offset = rule.offset ?? 0
  return offset === 0 ? rule.sun : `${rule.sun}${offset > 0 ? '+' : ''}${offset}`
}
