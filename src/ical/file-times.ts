import { Temporal } from 'temporal-polyfill'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/durations.ts'

/** A date or time as a file has it. */
export interface FileTime {
  /** Wall clock, as the epoch ms at which UTC shows the same; midnight for a date. */
  readonly wall: number
  readonly isDate: boolean
  /** Null for dates and times of no zone, which belong to the zone of the home. */
  readonly zone: string | null
}

/** Length of an event: whole days count on the local clock. */
export interface Length {
  readonly days: number
  readonly ms: number
}

/** The dates or times among which a series repeats: those of its begin. */
export type Frame = Pick<FileTime, 'isDate' | 'zone'>

const TIME = /^(\d{4})-?(\d{2})-?(\d{2})(?:T(\d{2}):?(\d{2}):?(\d{2})?(Z)?)?$/iu
const DURATION = /^([+-]?)P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/iu

/** A date or time (RFC 5545 3.3.4, 3.3.5), or null. */
export function timeOf(text: string, zone: string | null, isOnlyDate = false): FileTime | null {
  const found = TIME.exec(text)
  if (found === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((its) => Number(its ?? 0))
  const wall = Date.UTC(year, month - 1, day, hour, minute, second)
  const isReal = new Date(wall).getUTCDate() === day && month >= 1 && month <= 12 && hour < 24 && minute < 60
  if (!isReal || second > 60) return null
  if (isOnlyDate || found[4] === undefined) return { wall: midnight(wall), isDate: true, zone: null }
  return { wall, isDate: false, zone: found[7] === undefined ? zone : 'UTC' }
}

export const midnight = (wall: number): number => Math.floor(wall / DAY_MS) * DAY_MS

/** A duration that does not go back, or null. */
export function durationOf(text: string): Length | null {
  const found = DURATION.exec(text)
  if (found === null || !/\d/u.test(text)) return null
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(2).map((its) => Number(its ?? 0))
  const length = { days: weeks * 7 + days, ms: hours * HOUR_MS + minutes * MINUTE_MS + seconds * 1_000 }
  return found[1] === '-' && length.days + length.ms > 0 ? null : length
}

/** Place of a time in a series: epoch ms, or the wall clock for dates and times without a zone. */
export function placeIn({ isDate, zone }: Frame, time: FileTime, home: string): number {
  if (zone !== null) return momentOfWall(time.wall, time.zone ?? zone)
  const wall = time.zone === null ? time.wall : wallAt(momentOfWall(time.wall, time.zone), home)
  return isDate ? midnight(wall) : wall
}

/** Wall clock of a place in a series. */
export const wallIn = ({ zone }: Frame, place: number): number => (zone === null ? place : wallAt(place, zone))

/** Place in a series with this wall clock. */
export const placeOfWall = ({ zone }: Frame, wall: number): number => (zone === null ? wall : momentOfWall(wall, zone))

function momentOfWall(wall: number, zone: string): number {
  if (zone === 'UTC') return wall
  const local = Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO('UTC').toPlainDateTime()
  return local.toZonedDateTime(zone).epochMilliseconds
}

export const wallAt = (moment: number, zone: string): number => moment + offsetAt(moment, zone)

export function offsetAt(moment: number, zone: string): number {
  return Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone).offsetNanoseconds / 1_000_000
}
