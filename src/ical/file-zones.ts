import { Temporal } from 'temporal-polyfill'
import type { CalendarTask } from '../home/ports/calendars.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/durations.ts'
import { type Component, linesNamed, valueOf } from './components.ts'
import { offsetAt, timeOf } from './file-times.ts'
import { timesOf, zoneOfWindows } from './repetition.ts'

type Span = Pick<CalendarTask, 'zone' | 'from' | 'to'>

/** The time zone of a TZID: an IANA name or an offset, or null if it is unknown. */
export type ZoneFinder = (tzid: string) => string | null

/** Finds the zones of a file by their names, else by the rules that the file has for them (VTIMEZONE). */
export function zonesOf(calendars: readonly Component[], span: Span): ZoneFinder {
  const described = new Map<string, Component>()
  for (const { parts } of calendars)
    for (const part of parts) if (part.name === 'VTIMEZONE') described.set(valueOf(part, 'TZID') ?? '', part)
  const known = new Map<string, string | null>()
  return (tzid) => {
    const found = known.get(tzid)
    if (found !== undefined) return found
    const zone = zoneOf(tzid, described.get(tzid) ?? null, span)
    known.set(tzid, zone)
    return zone
  }
}

function zoneOf(tzid: string, description: Component | null, span: Span): string | null {
  const located = description && valueOf(description, 'X-LIC-LOCATION')
  const named = [tzid, inPath(tzid), tzid.split('://Microsoft/').at(-1), located, zoneOfWindows(tzid)]
  const zone = named.find((name) => typeof name === 'string' && isZone(name))
  return zone ?? (description && zoneByRules(description, span)) ?? offsetNamed(tzid)
}

/** `Europe/Berlin` of `/freeassociation.sourceforge.net/Europe/Berlin`. */
const inPath = (tzid: string): string | null => /\/([A-Za-z]+\/[\w+-]+(?:\/[\w+-]+)?)$/u.exec(tzid)?.[1] ?? null

function isZone(name: string): boolean {
  try {
    return (
      Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId !== '' && /^[A-Za-z]/u.test(name)
    )
  } catch {
    return false
  }
}

/** `+02:00` of `GMT+2`; other names with an offset in them may have daylight saving. */
function offsetNamed(tzid: string): string | null {
  const [, sign, hours, minutes = '00'] = /^(?:UTC|GMT)?\s*([+-])(\d{1,2}):?(\d{2})?$/iu.exec(tzid) ?? []
  return hours === undefined ? null : `${sign}${hours.padStart(2, '0')}:${minutes}`
}

/** A change of the clocks: its moment, and the offsets before and after it. */
interface Change {
  readonly at: number
  readonly before: number
  readonly after: number
}

/** The zone whose clocks change as these rules say, preferably that of the home. */
function zoneByRules(description: Component, span: Span): string | null {
  const changes = changesOf(description, span)
  const [first] = changes
  if (first === undefined) return null
  const offset = (at: number): number => changes.findLast((change) => change.at <= at)?.after ?? first.before
  const moments = [span.from, span.to, ...changes.flatMap(({ at }) => [at - 1, at, at + 45 * DAY_MS])]
  const inSpan = moments.filter((at) => at >= span.from && at <= span.to)
  const isAlike = (zone: string): boolean => inSpan.every((at) => offsetAt(at, zone) === offset(at))
  const fixed = new Set(inSpan.map((at) => offset(at))).size === 1 ? [offsetText(offset(span.from))] : []
  return [span.zone, ...fixed, ...Intl.supportedValuesOf('timeZone')].find((zone) => isAlike(zone)) ?? null
}

function offsetText(offset: number): string {
  const two = (part: number): string => String(Math.trunc(part)).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${two(Math.abs(offset) / HOUR_MS)}:${two((Math.abs(offset) % HOUR_MS) / MINUTE_MS)}`
}

/** Changes of the clocks up to the end of the span, sorted. */
function changesOf({ parts }: Component, { from, to }: Span): readonly Change[] {
  return parts
    .filter(({ name }) => name === 'STANDARD' || name === 'DAYLIGHT')
    .flatMap((part) => {
      const [before, after] = [offsetOf(part, 'TZOFFSETFROM'), offsetOf(part, 'TZOFFSETTO')]
      if (before === null || after === null) return []
      return wallsOf(part, from - 800 * DAY_MS, to + DAY_MS).map((wall) => ({ at: wall - before, before, after }))
    })
    .toSorted((a, b) => a.at - b.at)
}

/** Wall clock times at which a part of the rules begins to hold. */
function wallsOf(part: Component, from: number, to: number): readonly number[] {
  const begin = timeOf(valueOf(part, 'DTSTART') ?? '', null)?.wall
  if (begin === undefined) return []
  const dates = linesNamed(part, 'RDATE').flatMap(({ value }) => value.split(','))
  const extra = dates.flatMap((date) => timeOf(date.trim(), null)?.wall ?? [])
  const rules = linesNamed(part, 'RRULE').flatMap(({ value }) => yearly(value, begin, from, to))
  return [begin, ...extra, ...rules]
}

function yearly(rule: string, begin: number, from: number, to: number): readonly number[] {
  try {
    return timesOf(rule, begin, 'UTC', from, to)
  } catch {
    return []
  }
}

/** An offset such as `-0330` in ms, or null. */
function offsetOf(part: Component, name: string): number | null {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})/u.exec(valueOf(part, name) ?? '') ?? []
  if (sign === undefined) return null
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS)
}
