import { Temporal } from 'temporal-polyfill'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import { CliError } from './terminal.ts'

const SPANS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** Says moments as the home's clocks show them, wherever the command line runs, and knows whether it did. */
export class HomeTime {
  readonly #zone: string
  #said = false

  /** @param zone the home's, for example `Europe/Berlin`. */
  constructor(zone: string) {
    this.#zone = zone
  }

  /** An epoch (ms) as local time to the second, or a dash. */
  when(at: unknown): string {
    return typeof at === 'number' ? this.#say(at, 'toLocaleString') : '-'
  }

  /** An epoch (ms) as a local day. */
  day(at: number): string {
    return this.#say(at, 'toLocaleDateString')
  }

  /** The text with whose times they are, where it has any. */
  explained(text: string): string {
    return this.#said ? `${text}\nTimes are the home's (${this.#zone}).` : text
  }

  /** What a person typed, in epoch ms: a day, or a time, the home's unless it names an offset. */
  parsed(text: string): number {
    const at = /(?:Z|[+-]\d{2}:\d{2})$/i.test(text) ? Date.parse(text) : this.#local(text)
    if (Number.isNaN(at) || at < 0)
      throw new CliError(`"${text}" is no time such as 2027-01-31 or 2027-01-31T12:00Z.`, 1, { code: 'no_time' })
    return at
  }

  /** A moment that a person typed, in epoch ms: so long before `now` (`10m`, `2h`, `3d`), or as `parsed` takes it. */
  since(text: string, now: number): number {
    const [, count, unit = ''] = /^(\d{1,4})([smhd])$/.exec(text) ?? []
    return count === undefined ? this.parsed(text) : now - Number(count) * (SPANS[unit] ?? 0)
  }

  #say(at: number, how: 'toLocaleString' | 'toLocaleDateString'): string {
    this.#said = true
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
