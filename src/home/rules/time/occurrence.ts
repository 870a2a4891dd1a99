import { createHmac } from 'node:crypto'
import { getPosition, getTimes } from 'suncalc'
import type { Temporal } from 'temporal-polyfill'
import type { CalendarTrigger } from '../../model/calendars.ts'
import type { DatesCondition, SunEvent, TimedTrigger, TimeRule, Weekday, WindowCondition } from '../../model/rules.ts'
import { MINUTE_MS } from '../../../lib/durations.ts'
import { lastEvent, nextEvent } from './calendar-dates.ts'
import { localDate, momentOf, type Occurrence, type Where } from './local-time.ts'

/** Time by which the library's sun event may be too early, before the sun has passed the horizon. */
const EARLY_MS = 250
const SECOND_MS = 1_000

/**
 * Sunrise or sunset (epoch ms) of a local date, or null if the sun does neither or the place is unknown. It is a full
 * second at which the sun is past the horizon.
 */
export function sunMoment(event: SunEvent, date: Temporal.PlainDate, where: Where): number | null {
  const moment = sunDay(date, where)?.[event]
  return moment instanceof Date ? Math.ceil((moment.getTime() + EARLY_MS) / SECOND_MS) * SECOND_MS : null
}

/** `up`: midnight sun; `down`: polar night; `both`: the sun rises and sets; null without a place. */
function sunlight(date: Temporal.PlainDate, where: Where): 'up' | 'down' | 'both' | null {
  const day = sunDay(date, where)
  if (day === null) return null
  if (day.alwaysUp === true) return 'up'
  return day.alwaysDown === true ? 'down' : 'both'
}

/** Apparent altitude of the sun's centre, in degrees, that the library uses for sunrise and sunset. */
const HORIZON_DEGREES = -0.349
/** The library's events are closer to the horizon than this, also near the polar circle, where they are minutes off. */
const NEAR_HORIZON_DEGREES = 2

/**
 * True if the sun is up; null without a place. The altitude decides. Only in the second of a sunrise or sunset the
 * event decides, so that a rule triggered by it finds its night or day already started.
 */
export function sunIsUp(now: number, where: Where): boolean | null {
  if (where.place === null) return null
  const { altitude } = getPosition(new Date(now), where.place.latitude, where.place.longitude)
  const isNear = Math.abs(altitude - HORIZON_DEGREES) < NEAR_HORIZON_DEGREES
  return (isNear ? eventNow(now, where) : null) ?? altitude > HORIZON_DEGREES
}

/** True in the second of a sunrise, false in that of a sunset, null at any other time. */
function eventNow(now: number, where: Where): boolean | null {
  const today = localDate(now, where.zone)
  const isNow = (event: SunEvent): boolean =>
    [-1, 0, 1].some((days) => {
      const moment = sunMoment(event, today.add({ days }), where)
      return moment !== null && now >= moment && now < moment + SECOND_MS
    })
  if (isNow('sunrise')) return true
  return isNow('sunset') ? false : null
}

type SunDay = ReturnType<typeof getTimes>

/** Cached days of the sun: in a polar night many rules look for the same sunrise, a year ahead. */
const SUN_DAYS_CACHED_MAX = 1_000
const sunDays = new Map<string, SunDay | null>()

function sunDay(date: Temporal.PlainDate, { zone, place }: Where): SunDay | null {
  if (place === null) return null
  const key = `${date.toString()} ${zone} ${place.latitude} ${place.longitude}`
  const known = sunDays.get(key)
  if (known !== undefined) return known
  if (sunDays.size >= SUN_DAYS_CACHED_MAX) sunDays.clear()
  // Local noon selects the solar day, so that it matches people's day in every zone.
  const noon = momentOf(date, '12:00', zone)
  const day = noon === null ? null : getTimes(new Date(noon), place.latitude, place.longitude)
  sunDays.set(key, day)
  return day
}

interface Seed {
  readonly seed?: string
}
type SeededDaily = TimeRule & Seed
/** A time with the seed of its random minutes: without one it is at its earliest. */
export type SeededTime = TimedTrigger & Seed

/** A time of a rule (`automation:ID`) in a home. */
export function seeded(rule: TimedTrigger, home: string, owner: string): SeededTime {
  return { ...rule, seed: `${home} ${owner}` }
}

/**
 * Random milliseconds of a daily time on a date. They depend on the seed and the date alone, so that they stay the same
 * over a restart.
 */
function randomMs({ random, seed, ...rule }: SeededDaily, date: Temporal.PlainDate): number {
  if (random === undefined || seed === undefined) return 0
  const digest = createHmac('sha256', seed)
    .update(`${slotOf(rule)} ${date.toString()}`)
    .digest()
  return (digest.readUInt32BE() % (random * 60 + 1)) * SECOND_MS
}

/** The rule's time on a local date, or null if it has none on that day. */
function momentOn(rule: SeededDaily, date: Temporal.PlainDate, where: Where): number | null {
  if (rule.days !== undefined && !rule.days.includes(weekdayOf(date))) return null
  const moment = 'time' in rule ? momentOf(date, rule.time, where.zone) : sunMoment(rule.sun, date, where)
  const offset = 'time' in rule ? 0 : (rule.offset ?? 0)
  return moment === null ? null : moment + offset * MINUTE_MS + randomMs(rule, date)
}

export function weekdayOf(date: Temporal.PlainDate): Weekday {
  return date.dayOfWeek as Weekday // ISO 8601 calendar: 1 to 7
}

/**
 * Name of a time: `07:00`, `sunset-30`, `dusk~20` with random minutes, `begins-720 bins paper` of a calendar. Together
 * with the name of an occurrence it names one run.
 */
export function slotOf(rule: TimedTrigger): string {
  if ('calendar' in rule) return eventSlot(rule)
  const random = rule.random === undefined ? '' : `~${rule.random}`
  if ('time' in rule) return `${rule.time}${random}`
  const offset = rule.offset ?? 0
  return `${rule.sun}${offset > 0 ? '+' : ''}${offset === 0 ? '' : offset}${random}`
}

function eventSlot({ calendar, event, offset = 0, title }: CalendarTrigger): string {
  const minutes = offset === 0 ? '' : `${offset > 0 ? '+' : ''}${offset}`
  return `${event}${minutes} ${calendar}${title === undefined ? '' : ` ${title}`}`
}

/** True if the local date is one of these, both ends included. Dates without a year may go on over New Year. */
export function inDates({ from, until }: DatesCondition, now: number, { zone }: Where): boolean {
  const today = localDate(now, zone).toString().slice(-from.length)
  return from <= until ? from <= today && today <= until : from <= today || today <= until
}

/**
 * Local times between which the sun rises and sets wherever people live: they decide whether a window crosses midnight.
 */
const EARLIEST: Readonly<Record<string, string>> = { sunrise: '02:00', sunset: '12:00' }
const LATEST: Readonly<Record<string, string>> = { sunrise: '12:00', sunset: '24:00' }

/** Days around today on which a current window may have started: a sunset can be after midnight. */
const DAYS_AROUND = [1, 0, -1] as const

/**
 * True if a time is inside the window, which includes `after` and excludes `before`. A window belongs to the weekday of
 * its start. Between sunrise and sunset, and between sunset and sunrise, the altitude of the sun decides.
 */
export function inWindow(window: WindowCondition, now: number, where: Where): boolean {
  if (isBySun(window)) {
    if (sunIsUp(now, where) !== (window.after === 'sunrise')) return false
    return window.days === undefined || isOnDay(window, startDateOf(window.after, now, where))
  }
  const today = localDate(now, where.zone)
  return DAYS_AROUND.some((days) => holdsOn(window, today.add({ days }), now, where))
}

/** True if the window begins or ends with the sun: without a place its times are unknown. */
export function needsPlace({ after, before }: WindowCondition): boolean {
  return [after, before].some((point) => point === 'sunrise' || point === 'sunset')
}

/** True if a window lasts from one sun event to the other. */
function isBySun({ after, before }: WindowCondition): boolean {
  return (after === 'sunrise' && before === 'sunset') || (after === 'sunset' && before === 'sunrise')
}

/**
 * True if the window may end on the day after its start, as in `after 22:00, before 06:00` or `after sunset, before
 * 01:00`.
 */
function endsNextDay(window: WindowCondition): boolean {
  const start = window.after ?? '00:00'
  const end = window.before ?? '24:00'
  return (LATEST[end] ?? end) <= (EARLIEST[start] ?? start)
}

/** True if the window that starts on a date contains the present time: it ends at the first end after its start. */
function holdsOn(window: WindowCondition, date: Temporal.PlainDate, now: number, where: Where): boolean {
  if (!isOnDay(window, date)) return false
  const start = pointOn(window.after ?? '00:00', date, where)
  if (start === null || now < start) return false
  const end = endsOf(window, date, where).find((moment) => moment !== null && moment > start)
  return end !== undefined && end !== null && now < end
}

/** Ends of a window that starts on a date, oldest first; the last may be on the next day. */
function endsOf(
  { before, after }: WindowCondition,
  date: Temporal.PlainDate,
  where: Where,
): readonly (number | null)[] {
  if (before === undefined) return [pointOn('00:00', date.add({ days: 1 }), where)]
  const days = endsNextDay({ before, after }) ? [-1, 0, 1] : [-1, 0]
  return days.map((offset) => pointOn(before, date.add({ days: offset }), where))
}

const isOnDay = ({ days }: WindowCondition, date: Temporal.PlainDate): boolean =>
  days === undefined || days.includes(weekdayOf(date))

/** Date of the last sunrise or sunset before a moment. */
function startDateOf(event: string | undefined, now: number, where: Where): Temporal.PlainDate {
  const today = localDate(now, where.zone)
  const latest = DAYS_AROUND.map((days) => today.add({ days })).find((date) => {
    const start = pointOn(event ?? '00:00', date, where)
    return start !== null && start <= now
  })
  return latest ?? today
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

/** Days searched for the next run: longer than any polar night and any gap between weekdays. */
export const SEARCH_DAYS_MAX = 400

/** The first run after `after` (epoch ms, exclusive), or null if there is none within `SEARCH_DAYS_MAX` days. */
export function nextRun(rule: SeededTime, after: number, where: Where): Occurrence | null {
  if ('calendar' in rule) return nextEvent(rule, after, where)
  if ('sun' in rule && where.place === null) return null
  // A run of the day before may be later than `after`: its offset, or a time skipped at midnight, can move it past
  // midnight.
  let date = localDate(after, where.zone).subtract({ days: 1 })
  for (let day = 0; day <= SEARCH_DAYS_MAX; day += 1) {
    const at = momentOn(rule, date, where)
    if (at !== null && at > after) return { date: date.toString(), at }
    date = date.add({ days: 1 })
  }
  return null
}

/** The runs after `from` (exclusive) up to `to` (inclusive), oldest first, at most `max`. */
export function runsBetween(
  rule: SeededTime,
  from: number,
  to: number,
  where: Where,
  max: number,
): readonly Occurrence[] {
  const runs: Occurrence[] = []
  let run = nextRun(rule, from, where)
  while (run !== null && run.at <= to && runs.length < max) {
    runs.push(run)
    run = nextRun(rule, run.at, where)
  }
  return runs
}

/** A rule and its next run that is not listed yet. */
export interface UpcomingRule<R extends { readonly timed: SeededTime }> {
  readonly of: R
  run: Occurrence
}

/** Runs of several rules, soonest first, generated on demand. */
export function* soonestFirst<R extends { readonly timed: SeededTime }>(
  rules: UpcomingRule<R>[],
  where: Where,
): Generator<{ readonly of: R; readonly at: number }> {
  while (true) {
    let first: UpcomingRule<R> | undefined
    for (const candidate of rules) if (first === undefined || candidate.run.at < first.run.at) first = candidate
    if (first === undefined) return
    yield { of: first.of, at: first.run.at }
    const next = nextRun(first.of.timed, first.run.at, where)
    if (next) first.run = next
    else rules.splice(rules.indexOf(first), 1)
  }
}

/** The first `max` distinct times (epoch ms) of the rules. */
export function momentsOf<R extends { readonly timed: SeededTime }>(
  rules: UpcomingRule<R>[],
  where: Where,
  max: number,
): readonly number[] {
  const moments = new Set<number>()
  for (const { at } of soonestFirst(rules, where)) if (moments.add(at).size === max) break
  return [...moments]
}

/** The last run up to `until` (epoch ms, inclusive), or null if there was none within `SEARCH_DAYS_MAX` days. */
export function lastRun(rule: SeededTime, until: number, where: Where): Occurrence | null {
  if ('calendar' in rule) return lastEvent(rule, until, where)
  let date = localDate(until, where.zone).add({ days: 1 })
  for (let day = 0; day <= SEARCH_DAYS_MAX; day += 1) {
    const at = momentOn(rule, date, where)
    if (at !== null && at <= until) return { date: date.toString(), at }
    date = date.subtract({ days: 1 })
  }
  return null
}
