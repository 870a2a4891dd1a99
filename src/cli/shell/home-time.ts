import { Temporal } from 'temporal-polyfill'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import { CliError } from './terminal.ts'

const SPANS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** Examples of spans, before those of times. */
const SPANS_SHOWN = '45m, 2h, 3d, '

const SPAN = /^(\d{1,4})([smhd])$/

/** Formats times in the home's time zone, wherever the command line runs, and records whether it did. */
export class HomeTime {
  readonly #zone: string
  #hasFormatted = false

  /** @param zone the home's, for example `Europe/Berlin`. */
  constructor(zone: string) {
    this.#zone = zone
  }

  /** An epoch (ms) as local time to the second, or a dash. */
  when(at: unknown): string {
    return typeof at === 'number' ? this.#format(at, 'toLocaleString') : '-'
  }

  /** An epoch (ms) as a local day. */
  day(at: number): string {
    return this.#format(at, 'toLocaleDateString')
  }

  /** The text with a line about the time zone, if it has times. */
  explained(text: string): string {
    return this.#hasFormatted ? `${text}\nTimes are the home's (${this.#zone}).` : text
  }

  /** Parses a typed day or time to epoch ms; without an offset it is in the home's time zone. */
  parsed(text: string, spans = ''): number {
    const at = /(?:Z|[+-]\d{2}:\d{2})$/i.test(text) ? Date.parse(text) : this.#local(text)
    if (Number.isNaN(at) || at < 0)
      throw new CliError(
        `"${text}" is not a time such as ${spans}2027-01-31, 2027-01-31T12:00 or 2027-01-31T12:00Z.`,
        1,
        {
          code: 'no_time',
        },
      )
    return at
  }

  /** Parses a typed time to epoch ms: a span before `now` (`10m`, `2h`, `3d`), or a time as in `parsed`. */
  since(text: string, now: number): number {
    const [, count, unit = ''] = SPAN.exec(text) ?? []
    return count === undefined ? this.parsed(text, SPANS_SHOWN) : now - Number(count) * (SPANS[unit] ?? 0)
  }

  /** Parses a typed time to epoch ms: a span after `now` (`10m`, `2h`, `3d`), or a time as in `parsed`. */
  ahead(text: string, now: number): number {
    const since = this.since(text, now)
    return SPAN.test(text) ? 2 * now - since : since
  }

  #format(at: number, how: 'toLocaleString' | 'toLocaleDateString'): string {
    this.#hasFormatted = true
    return new Date(at)[how]('sv-SE', { timeZone: this.#zone })
  }

  #local(text: string): number {
    try {
      return Temporal.PlainDateTime.from(text).toZonedDateTime(this.#zone).epochMilliseconds
    } catch {
      return Number.NaN
    }
  }
}
