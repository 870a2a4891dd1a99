import { Temporal } from 'temporal-polyfill'
import { DAY_MS, MINUTE_MS } from './durations.ts'

/** A local date as one number, YYYYMMDD, and a local month as YYYYMM: sortable, and stored in this form. */
export type LocalDay = number
export type LocalMonth = number

export interface LocalTime {
  readonly day: LocalDay
  /** 1 Monday to 7 Sunday. */
  readonly weekday: number
  /** Minutes since local midnight by the wall clock. */
  readonly minute: number
}

interface Span {
  readonly from: number
  readonly to: number
  readonly offset: number
}

/** Number of cached half-year spans: a history needs some tens; further ones are looked up again. */
export const CLOCK_SPANS_MAX = 100

/**
 * The calendar of one time zone. It looks up offsets once per span between two clock changes, so that a hundred
 * thousand conversions are arithmetic.
 */
export class ZoneTime {
  readonly zone: string
  #span: Span = { from: 0, to: 0, offset: 0 }
  readonly #spans: Span[] = []

  /** @throws RangeError for an unknown zone */
  constructor(zone: string) {
    this.zone = Temporal.Now.zonedDateTimeISO(zone).timeZoneId
  }

  at(epochMs: number): LocalTime {
    const local = epochMs + this.#spanAt(epochMs).offset
    const days = Math.floor(local / DAY_MS)
    // Day 0 of the epoch was a Thursday.
    return {
      day: dayNumber(days),
      weekday: ((((days + 3) % 7) + 7) % 7) + 1,
      minute: Math.floor((local - days * DAY_MS) / MINUTE_MS),
    }
  }

  /** The first moment of a local day, in epoch ms; if the clocks skip midnight, the first moment after it. */
  startOfDay(day: LocalDay): number {
    const midnight = daysSinceEpoch(day) * DAY_MS
    const before = this.#spanAt(midnight - DAY_MS)
    const after = this.#spanAt(midnight + DAY_MS)
    for (const { offset } of [before, after])
      if (this.#spanAt(midnight - offset).offset === offset) return midnight - offset
    // The clocks skip midnight: the day begins after the change.
    return this.#spanAt(midnight - before.offset).from
  }

  startOfMonth(month: LocalMonth): number {
    return this.startOfDay(month * 100 + 1)
  }

  /** Minutes that local time is ahead of UTC at a moment. */
  offsetMinutes(epochMs: number): number {
    return this.#spanAt(epochMs).offset / 60_000
  }

  #spanAt(epochMs: number): Span {
    if (epochMs >= this.#span.from && epochMs < this.#span.to) return this.#span
    const known = this.#spans.find((span) => epochMs >= span.from && epochMs < span.to)
    this.#span = known ?? this.#readSpan(epochMs)
    if (known === undefined) {
      this.#spans.push(this.#span)
      if (this.#spans.length > CLOCK_SPANS_MAX) this.#spans.shift()
    }
    return this.#span
  }

  #readSpan(epochMs: number): Span {
    const moment = Temporal.Instant.fromEpochMilliseconds(Math.floor(epochMs)).toZonedDateTimeISO(this.zone)
    const next = moment.getTimeZoneTransition('next')
    // The search for the previous change excludes this very moment.
    const previous = moment.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
    return {
      from: previous?.epochMilliseconds ?? -Infinity,
      to: next?.epochMilliseconds ?? Infinity,
      offset: moment.offsetNanoseconds / 1e6,
    }
  }
}

/** Returns the calendar of a zone, and caches the last one: its spans are not looked up again while the zone stays. */
export function lastZoneTime(): (zone: string) => ZoneTime {
  let last: { readonly zone: string; readonly time: ZoneTime } | null = null
  return (zone) => {
    if (last?.zone !== zone) last = { zone: zone, time: new ZoneTime(zone) }
    return last.time
  }
}

/** The local day `days` after another (before it if negative). */
export function addDays(day: LocalDay, days: number): LocalDay {
  return dayNumber(daysSinceEpoch(day) + days)
}

export function addMonths(month: LocalMonth, months: number): LocalMonth {
  const count = Math.floor(month / 100) * 12 + (month % 100) - 1 + months
  return Math.floor(count / 12) * 100 + (((count % 12) + 12) % 12) + 1
}

export function monthOf(day: LocalDay): LocalMonth {
  return Math.floor(day / 100)
}

/** Number of days between two local days. */
export function daysBetween(from: LocalDay, to: LocalDay): number {
  return daysSinceEpoch(to) - daysSinceEpoch(from)
}

function daysSinceEpoch(day: LocalDay): number {
  return Math.floor(Date.UTC(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, day % 100) / DAY_MS)
}

function dayNumber(daysSinceEpochStart: number): LocalDay {
  const date = new Date(daysSinceEpochStart * DAY_MS)
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
}
