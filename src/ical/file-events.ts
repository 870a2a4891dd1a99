import { DAY_MS } from '../lib/durations.ts'
import { plainTextOf } from '../lib/plain-text.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import { type Component, type Line, linesNamed, parameterOf, textOf, valueOf } from './components.ts'
import { durationOf, type FileTime, type Length, placeIn, timeOf } from './file-times.ts'
import type { ZoneFinder } from './file-zones.ts'

/** An event of a file, or an exception to one that repeats. */
export interface FileEvent {
  /** Null: it has none, so that it belongs to no other. */
  readonly uid: string | null
  readonly sequence: number
  readonly isCancelled: boolean
  readonly title: string | null
  readonly begin: FileTime
  readonly length: Length
  readonly rules: readonly string[]
  /** Further times (RDATE). */
  readonly extra: readonly ExtraTime[]
  /** Times that it leaves out (EXDATE). */
  readonly except: readonly FileTime[]
  /** Time of the series that it stands for, and whether for all that follow. */
  readonly replaces: { readonly time: FileTime; readonly isFollowing: boolean } | null
}

/** A time of a series with its own length, or null for that of the series. */
export interface ExtraTime {
  readonly time: FileTime
  readonly length: Length | null
}

const BACKWARDS = 'it ends before it begins'
const NAMED = {
  DTSTART: 'its begin (DTSTART)',
  DTEND: 'its end (DTEND)',
  RDATE: 'one of its further times (RDATE)',
  EXDATE: 'one of its left out times (EXDATE)',
  'RECURRENCE-ID': 'the time that it stands for (RECURRENCE-ID)',
} as const
type Named = keyof typeof NAMED

/** An event of a file. The error is the end of a sentence about it. */
export function fileEventOf(component: Component, zones: ZoneFinder): Result<FileEvent, string> {
  if (!component.isEnded) return fail('its end (END:VEVENT) is missing')
  if (linesNamed(component, 'EXRULE').length > 0) return fail('it has exceptions by rule (EXRULE)')
  const replaced = timesNamed(component, 'RECURRENCE-ID', zones)
  const begins = timesNamed(component, 'DTSTART', zones)
  const except = timesNamed(component, 'EXDATE', zones)
  const extra = extraOf(component, zones)
  for (const part of [replaced, begins, except, extra]) if (!part.ok) return part
  if (!replaced.ok || !begins.ok || !except.ok || !extra.ok) return fail('it cannot be read')
  const [time] = replaced.value
  const isCancelled = valueOf(component, 'STATUS')?.toUpperCase() === 'CANCELLED'
  const begin = begins.value[0] ?? (isCancelled ? time : undefined)
  if (begin === undefined) return fail('it has no begin (DTSTART)')
  const length = lengthOf(component, begin, zones)
  if (!length.ok) return length
  return ok({
    ...{ begin, length: length.value, except: except.value, extra: extra.value, isCancelled },
    uid: valueOf(component, 'UID') || null,
    sequence: Number(valueOf(component, 'SEQUENCE')) || 0,
    title: linesNamed(component, 'SUMMARY').map(({ value }) => textOf(value))[0] ?? null,
    rules: linesNamed(component, 'RRULE').map(({ value }) => value.trim()),
    replaces: time === undefined ? null : { time, isFollowing: isFollowing(component) },
  })
}

function isFollowing(component: Component): boolean {
  return linesNamed(component, 'RECURRENCE-ID').some((line) => parameterOf(line, 'RANGE') === 'THISANDFUTURE')
}

function timesNamed(component: Component, name: Named, zones: ZoneFinder): Result<readonly FileTime[], string> {
  const times: FileTime[] = []
  for (const line of linesNamed(component, name))
    for (const text of textsOf(line)) {
      const time = timeIn(line, text, name, zones)
      if (!time.ok) return time
      times.push(time.value)
    }
  return ok(times)
}

const textsOf = ({ value }: Line): readonly string[] => value.split(',').map((text) => text.trim())

function timeIn(line: Line, text: string, name: Named, zones: ZoneFinder): Result<FileTime, string> {
  const tzid = parameterOf(line, 'TZID')
  const isOnlyDate = parameterOf(line, 'VALUE')?.toUpperCase() === 'DATE'
  const local = timeOf(text, null, isOnlyDate)
  if (local === null) return fail(`${NAMED[name]} cannot be read`)
  if (tzid === null || local.isDate || local.zone !== null) return ok(local)
  const zone = zones(tzid)
  return zone === null ? fail(`its time zone “${plainTextOf(tzid, 80)}” is unknown`) : ok({ ...local, zone })
}

/** RDATE may be a period: a begin with an end or a duration (RFC 5545 3.3.9). */
function extraOf(component: Component, zones: ZoneFinder): Result<readonly ExtraTime[], string> {
  const extra: ExtraTime[] = []
  for (const line of linesNamed(component, 'RDATE'))
    for (const text of textsOf(line)) {
      const [begin = '', end] = text.split('/')
      const time = timeIn(line, begin, 'RDATE', zones)
      if (!time.ok) return time
      const until = end === undefined || durationOf(end) ? null : timeIn(line, end, 'RDATE', zones)
      if (until?.ok === false) return until
      const length = until === null ? durationOf(end ?? '') : lengthBetween(time.value, until.value)
      if (length !== null && length.ms < 0) return fail(BACKWARDS)
      extra.push({ time: time.value, length })
    }
  return ok(extra)
}

/** A day for a date without an end, nothing for a time without one (RFC 5545 3.6.1). */
function lengthOf(component: Component, begin: FileTime, zones: ZoneFinder): Result<Length, string> {
  const ends = timesNamed(component, 'DTEND', zones)
  if (!ends.ok) return ends
  const [end] = ends.value
  const text = valueOf(component, 'DURATION')
  const length = end === undefined ? durationOf(text ?? 'PT0S') : lengthBetween(begin, end)
  if (length === null) return fail(/^-P/iu.test(text ?? '') ? BACKWARDS : 'its length (DURATION) cannot be read')
  if (length.ms < 0) return fail(BACKWARDS)
  if (!begin.isDate) return ok(length)
  return ok({ days: Math.max(1, length.days + Math.ceil(length.ms / DAY_MS)), ms: 0 })
}

function lengthBetween(begin: FileTime, end: FileTime): Length {
  const home = begin.zone ?? end.zone ?? 'UTC'
  return { days: 0, ms: placeIn(begin, end, home) - placeIn(begin, begin, home) }
}
