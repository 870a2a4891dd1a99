const QUARTER_MS = 15 * 60_000

/** Local time of the house. */
export interface CivilTime {
  /** Days since 1970-01-01 by the local calendar: identifies one day of any length. */
  readonly day: number
  /** Hours since local midnight, with fractions: 6.5 is half past six. */
  readonly hour: number
  /** Whole minutes since local midnight. */
  readonly minute: number
  /** ISO weekday, 1 Monday to 7 Sunday. */
  readonly weekday: number
}

/** Local time of one zone; offsets are looked up once a quarter of an hour, because no zone changes in between. */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat
  #quarter = NaN
  #offsetMs = 0

  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-GB', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  /** Milliseconds to add to UTC. */
  offsetMs(epochMs: number): number {
    const quarter = Math.floor(epochMs / QUARTER_MS)
    if (quarter === this.#quarter) return this.#offsetMs
    const start = quarter * QUARTER_MS
    const part = new Map(this.#format.formatToParts(start).map(({ type, value }) => [type, Number(value)]))
    const of = (name: Intl.DateTimeFormatPartTypes): number => part.get(name) ?? 0
    this.#offsetMs = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - start
    this.#quarter = quarter
    return this.#offsetMs
  }

  at(epochMs: number): CivilTime {
    const local = epochMs + this.offsetMs(epochMs)
    const day = Math.floor(local / 86_400_000)
    const sinceMidnight = local - day * 86_400_000
    return {
      day,
      hour: sinceMidnight / 3_600_000,
      minute: Math.floor(sinceMidnight / 60_000),
      weekday: ((((day + 3) % 7) + 7) % 7) + 1,
    }
  }

  /** Epoch milliseconds of `minute` on local `day`; a skipped time gives the instant after the change. */
  epochOf(day: number, minute: number): number {
    const guess = day * 86_400_000 + minute * 60_000
    const first = guess - this.offsetMs(guess)
    return guess - this.offsetMs(first)
  }
}
