import { CALENDAR_EVENTS_MAX } from '../home/model/calendars.ts'
import type { CalendarTask } from '../home/ports/calendars.ts'
import type { UnplacedEvent } from '../home/rules/time/calendar-dates.ts'
import { DAY_MS } from '../lib/durations.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import type { FileEvent } from './file-events.ts'
import { type FileTime, type Frame, type Length, midnight, placeIn, placeOfWall, timeOf, wallIn } from './file-times.ts'
import { timesOf, untilOf, withUntil } from './repetition.ts'

type Span = Pick<CalendarTask, 'zone' | 'from' | 'to'>

/** One time of an event, by its place in the series. */
interface Time {
  readonly place: number
  readonly length: Length
  readonly title: string
}

/** Times around the span that repetitions are found for: an exception may move them into it. */
const MARGIN_MS = 40 * DAY_MS

/** Events of one event of a file, without the times that `exceptions` stand for. The error ends a sentence about it. */
export function repeated(
  event: FileEvent,
  exceptions: readonly FileEvent[],
  span: Span,
): Result<readonly UnplacedEvent[], string> {
  if (event.isCancelled) return ok([])
  const found = timesOfEvent(event, span)
  if (!found.ok) return found
  const left = found.value.filter(without(event, exceptions, span.zone))
  return ok(moved(left, event, exceptions, span.zone).map((time) => unplaced(time, event.begin)))
}

/** The event alone, with a title in place of a missing one. */
export function single(event: FileEvent, title: string | null): readonly UnplacedEvent[] {
  if (event.isCancelled) return []
  const { begin, length } = event
  const place = placeIn(begin, begin, begin.zone ?? 'UTC')
  return [unplaced({ place, length, title: event.title ?? title ?? '' }, begin)]
}

function timesOfEvent(event: FileEvent, span: Span): Result<readonly Time[], string> {
  const { begin, length, extra } = event
  const title = event.title ?? ''
  const times = new Map<number, Time>()
  for (const rule of event.rules) {
    if (isTooFrequent(rule)) return fail('it repeats every minute or second')
    const places = placesOf(rule, event, span)
    if (places === null) return fail('its rule of repetition (RRULE) cannot be read')
    for (const place of places) times.set(place, { place, length, title })
  }
  for (const { time, length: own } of [{ time: begin, length }, ...extra]) {
    const place = placeIn(begin, time, span.zone)
    times.set(place, { place, length: own ?? length, title })
  }
  return ok([...times.values()])
}

/** True for repetitions by the minute or second, except for a few. */
function isTooFrequent(rule: string): boolean {
  if (!/FREQ=(?:MINUTELY|SECONDLY)/iu.test(rule)) return false
  const count = /COUNT=(\d+)/iu.exec(rule)?.[1]
  return count === undefined || Number(count) > CALENDAR_EVENTS_MAX
}

function placesOf(rule: string, { begin, length }: FileEvent, span: Span): readonly number[] | null {
  const margin = MARGIN_MS + length.days * DAY_MS + length.ms
  const ending = endedRule(rule, begin, span.zone)
  if (ending === null) return null
  try {
    return timesOf(ending, begin.wall, begin.zone ?? 'UTC', span.from - margin, span.to + MARGIN_MS)
  } catch {
    return null
  }
}

/** The rule with its last time by the clock of the series: a date includes its whole day. */
function endedRule(rule: string, frame: Frame, home: string): string | null {
  const text = untilOf(rule)
  if (text === null) return rule
  const until = timeOf(text, null)
  if (until === null) return null
  if (!until.isDate && !frame.isDate) return withUntil(rule, placeIn(frame, until, home))
  const last = frame.isDate ? placeIn(frame, until, home) : until.wall
  return withUntil(rule, placeOfWall(frame, last + DAY_MS - 1_000))
}

/** False for times that the event leaves out, or that an exception stands for. */
function without(event: FileEvent, exceptions: readonly FileEvent[], home: string): (time: Time) => boolean {
  const replaced = exceptions.flatMap(({ replaces }) => replaces?.time ?? [])
  const exclusions = [...event.except, ...replaced]
  const dates = exclusions.filter(({ isDate }) => isDate && !event.begin.isDate)
  const days = new Set(dates.map(({ wall }) => wall))
  const places = new Set(exclusions.map((time) => placeIn(event.begin, time, home)))
  const frame = event.begin.zone === 'UTC' ? { ...event.begin, zone: home } : event.begin
  return ({ place }) => !places.has(place) && !days.has(midnight(wallIn(frame, place)))
}

/** Times after an exception for all that follow move as far as it does, and get its length and title. */
function moved(
  times: readonly Time[],
  { begin, title }: FileEvent,
  exceptions: readonly FileEvent[],
  home: string,
): readonly Time[] {
  const later = exceptions
    .flatMap((exception) =>
      exception.replaces?.isFollowing ? [{ exception, from: placeIn(begin, exception.replaces.time, home) }] : [],
    )
    .toSorted((a, b) => b.from - a.from)
  return times.flatMap((time) => {
    const found = later.find(({ from }) => from < time.place)
    if (found === undefined) return [time]
    const { exception, from } = found
    if (exception.isCancelled) return []
    const by = wallIn(begin, placeIn(begin, exception.begin, home)) - wallIn(begin, from)
    const place = placeOfWall(begin, wallIn(begin, time.place) + by)
    return [{ place, length: exception.length, title: exception.title ?? title ?? '' }]
  })
}

function unplaced({ place, length, title }: Time, frame: FileTime): UnplacedEvent {
  const end = placeOfWall(frame, wallIn(frame, place) + length.days * DAY_MS) + length.ms
  return { begins: inFile(place, frame), ends: inFile(end, frame), title }
}

/** Times with a zone are moments; dates and times without one belong to the zone of the home. */
function inFile(place: number, { isDate, zone }: Frame): number | string {
  if (zone !== null) return place
  return new Date(place).toISOString().slice(0, isDate ? 'YYYY-MM-DD'.length : 'YYYY-MM-DDTHH:MM:SS'.length)
}
