import { type LocalDay, type ZoneTime, addDays, addMonths, daysBetween, monthOf } from '../../lib/zone-time.ts'
import { QUARTER_MS } from './energy-counter.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'

export const ENERGY_PERIODS = ['hour', 'day', 'week', 'month', 'year'] as const
export type EnergyPeriod = (typeof ENERGY_PERIODS)[number]

/** Longest ranges that are shown by quarters of an hour, hours, days and months; longer ones by years. */
const BY_QUARTER_MS = 6 * HOUR_MS
const BY_HOUR_MS = 4 * DAY_MS
const BY_DAY_MS = 93 * DAY_MS
const BY_MONTH_MS = 3_700 * DAY_MS

export type BucketKind = 'quarter' | 'hour' | 'day' | 'month' | 'year'

export interface TimeRange {
  readonly from: number
  readonly to: number
}

/** The current hour, day, week (from Monday), month or year of the home's calendar, up to now. */
export function periodRange(period: EnergyPeriod, zone: ZoneTime, now: number): TimeRange {
  const today = zone.at(now)
  switch (period) {
    case 'hour':
      return { from: Math.floor(now / MINUTE_MS) * MINUTE_MS - (today.minute % 60) * MINUTE_MS, to: now }
    case 'day':
      return { from: zone.startOfDay(today.day), to: now }
    case 'week':
      return { from: zone.startOfDay(addDays(today.day, 1 - today.weekday)), to: now }
    case 'month':
      return { from: zone.startOfMonth(monthOf(today.day)), to: now }
    case 'year':
      return { from: zone.startOfMonth(Math.floor(today.day / 10_000) * 100 + 1), to: now }
  }
}

/** Bucket kind of each period's plot. */
export const BUCKETS_OF: Readonly<Record<EnergyPeriod, BucketKind>> = {
  hour: 'quarter',
  day: 'hour',
  week: 'day',
  month: 'day',
  year: 'month',
}

/** Bucket kind for the plot of a range: at most about a hundred buckets. */
export function bucketKind(range: TimeRange): BucketKind {
  const length = range.to - range.from
  if (length <= BY_QUARTER_MS) return 'quarter'
  if (length <= BY_HOUR_MS) return 'hour'
  if (length <= BY_DAY_MS) return 'day'
  return length <= BY_MONTH_MS ? 'month' : 'year'
}

/** Starts of a range's buckets, the first at the start of the range; no bucket is longer than its kind. */
export function bucketStarts(range: TimeRange, kind: BucketKind, zone: ZoneTime): readonly number[] {
  const starts = [range.from]
  for (let next = nextStart(range.from, kind, zone); next < range.to; next = nextStart(next, kind, zone))
    starts.push(next)
  return starts
}

function nextStart(at: number, kind: BucketKind, zone: ZoneTime): number {
  const { day, minute } = zone.at(at)
  switch (kind) {
    case 'quarter':
      return Math.floor(at / QUARTER_MS) * QUARTER_MS + QUARTER_MS
    case 'hour':
      return Math.floor(at / MINUTE_MS) * MINUTE_MS + (60 - (minute % 60)) * MINUTE_MS
    case 'day':
      return zone.startOfDay(addDays(day, 1))
    case 'month':
      return zone.startOfMonth(addMonths(monthOf(day), 1))
    case 'year':
      return zone.startOfMonth((Math.floor(day / 10_000) + 1) * 100 + 1)
  }
}

/** A part of a range with the best sums for it: quarters by time, days and months by their keys (inclusive). */
export interface Piece extends TimeRange {
  readonly grain: 'quarter' | 'day' | 'month'
}

/**
 * Splits a range so that whole months and days are read from their sums, and only its ends from quarters. Days before
 * `firstDay` have no quarters: there the range grows to whole days. `coarsest` keeps pieces within the buckets.
 */
export function pieces(
  range: TimeRange,
  zone: ZoneTime,
  coarsest: 'quarter' | 'day' | 'month',
  firstDay: LocalDay,
): readonly Piece[] {
  const first = zone.at(range.from).day
  const last = zone.at(range.to - 1).day
  const wholeFirst = zone.startOfDay(first) === range.from || first < firstDay
  const wholeLast = zone.startOfDay(addDays(last, 1)) === range.to || last < firstDay
  const from = wholeFirst ? first : addDays(first, 1)
  const to = wholeLast ? last : addDays(last, -1)
  if (coarsest === 'quarter' || from > to)
    return last < firstDay
      ? [{ grain: 'day', from: first, to: last }]
      : [{ grain: 'quarter', from: range.from, to: range.to }]
  return [
    ...(wholeFirst ? [] : [{ grain: 'quarter' as const, from: range.from, to: zone.startOfDay(from) }]),
    ...(coarsest === 'day' ? [{ grain: 'day' as const, from, to }] : monthPieces(from, to)),
    ...(wholeLast ? [] : [{ grain: 'quarter' as const, from: zone.startOfDay(last), to: range.to }]),
  ]
}

function monthPieces(from: LocalDay, to: LocalDay): readonly Piece[] {
  const firstMonth = from % 100 === 1 ? monthOf(from) : addMonths(monthOf(from), 1)
  const lastMonth = addDays(to, 1) % 100 === 1 ? monthOf(to) : addMonths(monthOf(to), -1)
  if (firstMonth > lastMonth) return [{ grain: 'day', from, to }]
  const before: Piece = { grain: 'day', from, to: addDays(firstMonth * 100 + 1, -1) }
  const after: Piece = { grain: 'day', from: addMonths(lastMonth, 1) * 100 + 1, to }
  return [before, { grain: 'month' as const, from: firstMonth, to: lastMonth }, after].filter(
    (piece) => piece.grain === 'month' || daysBetween(piece.from, piece.to) >= 0,
  )
}
