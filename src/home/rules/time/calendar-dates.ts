import { plainTextOf } from '../../../lib/plain-text.ts'
import { Temporal } from 'temporal-polyfill'
import {
  CALENDAR_EVENTS_MAX,
  type CalendarDate,
  type CalendarEdge,
  type CalendarEvent,
  EVENT_TITLE_MAX,
  type CalendarCondition,
  type CalendarTrigger,
  hasTitle,
} from '../../model/calendars.ts'
import type { CalendarTask } from '../../ports/calendars.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/durations.ts'
import { lastZoneTime } from '../../../lib/zone-time.ts'
import { LATE_RUN_MS } from '../../model/rules.ts'
import { momentOf, type Occurrence, type Where } from './local-time.ts'

const YEARLESS = 'MM-DD'.length
const DATE = 'YYYY-MM-DD'.length

/**
 * An event as a source has it. A time is epoch ms, or a local time of the home (`2027-05-03T07:00:00`) or a date for
 * events without a zone.
 */
export interface UnplacedEvent {
  readonly begins: number | string
  readonly ends: number | string
  readonly title: string
}

/** Events of a list of dates: each has whole days, and dates without a year come every year. */
export function eventsOfDates(
  dates: readonly CalendarDate[],
  { from, to }: Pick<CalendarTask, 'from' | 'to'>,
): readonly UnplacedEvent[] {
  const first = new Date(from).getUTCFullYear() - 1
  const years = Array.from({ length: new Date(to).getUTCFullYear() - first + 1 }, (_, index) => first + index)
  return dates.flatMap(({ from: begin, until = begin, title = '' }) => {
    if (begin.length !== YEARLESS) return [{ begins: begin, ends: dayAfter(until), title }]
    return years.flatMap((year) => {
      const begins = dateOf(year, begin)
      const last = dateOf(until < begin ? year + 1 : year, until)
      return begins === null || last === null ? [] : [{ begins, ends: dayAfter(last), title }]
    })
  })
}

const dayAfter = (date: string): string => isoDate(Date.parse(date) + DAY_MS)

/** The 29th of February has no date in most years. */
function dateOf(year: number, monthDay: string): string | null {
  const [month = 0, day = 0] = monthDay.split('-').map(Number)
  const date = isoDate(Date.UTC(year, month - 1, day))
  return date.endsWith(monthDay) ? date : null
}

const isoDate = (midnight: number): string => new Date(midnight).toISOString().split('T', 1).join()

/** The events at their moments in the home's time zone, sorted by begin, as far as they lie in the span. */
export function placed(
  events: readonly UnplacedEvent[],
  { zone, from, to }: Pick<CalendarTask, 'zone' | 'from' | 'to'>,
): readonly CalendarEvent[] {
  return events
    .map(({ begins, ends, title }): CalendarEvent => ({
      begins: momentIn(begins, zone),
      ends: momentIn(ends, zone),
      // A foreign file must not write to a terminal.
      title: plainTextOf(title, EVENT_TITLE_MAX),
      ...(isDate(begins) && isDate(ends) && { dates: { begins, ends } }),
    }))
    .filter((event) => event.begins <= event.ends && event.ends >= from && event.begins <= to)
    .toSorted((a, b) => a.begins - b.begins)
    .slice(0, CALENDAR_EVENTS_MAX)
}

const isDate = (time: number | string): time is string => typeof time === 'string' && time.length === DATE

/** Days are arithmetic, because each start of a home places some hundreds. */
const zoneTime = lastZoneTime()

function momentIn(time: number | string, zone: string): number {
  if (typeof time === 'number') return time
  return isDate(time)
    ? zoneTime(zone).startOfDay(Number(time.replaceAll('-', '')))
    : localMoment(Temporal.PlainDateTime.from(time), zone)
}

/** The moment of a local time; a date that the zone skips begins with the next one. */
function localMoment(local: Temporal.PlainDateTime, zone: string): number {
  const date = local.toPlainDate()
  const moment = momentOf(date, local.toPlainTime().toString({ smallestUnit: 'minute' }), zone)
  return moment ?? date.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds
}

/** True while an event with the wanted title lasts; null while the events are unknown. */
export function inCalendar({ calendar, title }: CalendarCondition, now: number, { calendars }: Where): boolean | null {
  const events = calendars?.events(calendar) ?? null
  return events && events.some((event) => event.begins <= now && now < event.ends && hasTitle(event, title))
}

/** Most by which a local time differs from the same time without daylight saving. */
const SLACK_MS = 3 * HOUR_MS

/** The first moment of a trigger after `after` (exclusive), or null. */
export function nextEvent(trigger: CalendarTrigger, after: number, where: Where): Occurrence | null {
  return runOf(trigger, next(trigger, after, where))
}

/** The last moment of a trigger up to `until` (inclusive), or null. */
export function lastEvent(trigger: CalendarTrigger, until: number, where: Where): Occurrence | null {
  return runOf(trigger, last(trigger, until, where))
}

/** Title of the event that has just set off a trigger, else of its next one; null without any. */
export function eventTitle(trigger: CalendarTrigger, now: number, where: Where): string | null {
  const before = last(trigger, now, where)
  const found = before !== null && now - before.at <= LATE_RUN_MS ? before : next(trigger, now, where)
  return found?.event.title ?? null
}

/** An event with the moment of a trigger about it. */
interface Found {
  readonly event: CalendarEvent
  readonly at: number
}

function next(trigger: CalendarTrigger, after: number, where: Where): Found | null {
  return nearest(trigger, where, (at, best) => at > after && (best === null || at < best), after - SLACK_MS, Infinity)
}

function last(trigger: CalendarTrigger, until: number, where: Where): Found | null {
  const isBetter = (at: number, best: number | null): boolean => at <= until && (best === null || at > best)
  return nearest(trigger, where, isBetter, -Infinity, until + SLACK_MS)
}

function runOf(trigger: CalendarTrigger, found: Found | null): Occurrence | null {
  return found && { date: nameOf(found.event, trigger.event), at: found.at }
}

/** The best moment of the trigger; `from` and `to` bound its moments without regard to daylight saving. */
function nearest(
  trigger: CalendarTrigger,
  where: Where,
  isBetter: (at: number, best: number | null) => boolean,
  from: number,
  to: number,
): Found | null {
  const offsetMs = (trigger.offset ?? 0) * MINUTE_MS
  let best: Found | null = null
  for (const event of where.calendars?.events(trigger.calendar) ?? []) {
    const near = event[trigger.event] + offsetMs
    if (near < from || near > to) continue
    // The exact moment of an event of whole days costs much more than this comparison.
    if (best !== null && !isBetter(near, best.at) && Math.abs(near - best.at) > SLACK_MS) continue
    if (!hasTitle(event, trigger.title)) continue
    const at = momentAround(event, trigger.event, trigger.offset ?? 0, where)
    if (isBetter(at, best?.at ?? null)) best = { event, at }
  }
  return best
}

/** Minutes before or after an event of whole days count on the local clock: seven hours after its begin it is 07:00. */
function momentAround(event: CalendarEvent, edge: CalendarEdge, offset: number, { zone }: Where): number {
  if (event.dates === undefined || offset === 0) return event[edge] + offset * MINUTE_MS
  return localMoment(Temporal.PlainDateTime.from(event.dates[edge]).add({ minutes: offset }), zone)
}

/** Name of a run: the local date for whole days, so that a date sets it off once, else the moment of the event. */
function nameOf(event: CalendarEvent, edge: CalendarEdge): string {
  return event.dates?.[edge] ?? new Date(event[edge]).toISOString()
}
