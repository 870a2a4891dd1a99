import { z } from 'zod'
import type { Clock } from '../../lib/clock.ts'
import { lastZoneTime } from '../../lib/zone-time.ts'
import { MINUTE_MS } from '../../lib/durations.ts'
import { isObject } from '../../lib/json.ts'

/**
 * The service counts in milliseconds since 1970, which models misread: the tools speak ISO 8601 in the home's local
 * time.
 */
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/
const DAY_LENGTH = 'YYYY-MM-DD'.length

/** A moment as an argument: a time with its offset, or a date, which is its first moment in the home. */
const Time = z
  .string()
  .max(40)
  .refine(
    (text) => ISO.test(text) && !Number.isNaN(Date.parse(text)),
    'must be ISO 8601 with an offset, like 2026-03-01T18:00:00+01:00',
  )
  .meta({ format: 'date-time' })
  .optional()
/** The range of a question. */
export const From = Time.meta({ description: 'Not before; ISO 8601 with offset, or a date.' })
export const To = Time.meta({ description: 'Before.' })

/** Fields that are moments wherever they stand in an answer as a number. */
const MOMENTS: ReadonlySet<string> = new Set([
  'at',
  'asOf',
  'from',
  'to',
  'nextTo',
  'next',
  'lastSeen',
  'startedAt',
  'endedAt',
  'until',
  'nextRuns',
])

/** Moments as tools take and answer them, in the time zone of the home (docs/agents.md#mcp). */
export class LocalTimes {
  readonly #timeZone: () => string
  readonly #clock: Pick<Clock, 'now'>
  readonly #zoneTime = lastZoneTime()
  /** Settings that were read together have the same moment. */
  #last = { epochMs: NaN, zone: '', text: '' }

  /** @param timeZone the home's time zone as it is now, for example `Europe/Berlin`. */
  constructor(timeZone: () => string, clock: Pick<Clock, 'now'>) {
    this.#timeZone = timeZone
    this.#clock = clock
  }

  /** The present time on the home's clocks. */
  get now(): string {
    return this.#text(this.#clock.now(), this.timeZone)
  }

  get timeZone(): string {
    return this.#timeZone()
  }

  /** The range of a query in epoch milliseconds as text, as queries carry them. */
  range({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }): {
    readonly from?: string
    readonly to?: string
  } {
    return {
      ...(from === undefined ? {} : { from: this.#epochText(from) }),
      ...(to === undefined ? {} : { to: this.#epochText(to) }),
    }
  }

  /**
   * An answer with every moment as the home's clocks show it, with the offset from UTC:
   * `2026-03-01T18:00:00.000+01:00`.
   */
  readable<T>(value: T): T {
    return this.#readable(value) as T
  }

  #epochText(text: string): string {
    const isDay = text.length === DAY_LENGTH
    return String(
      isDay ? this.#zoneTime(this.#timeZone()).startOfDay(Number(text.replaceAll('-', ''))) : Date.parse(text),
    )
  }

  #readable(value: unknown): unknown {
    if (Array.isArray(value)) return this.#items(value)
    return isObject(value) ? this.#fields(value) : value
  }

  /** What has no moment in it stays the same list, or object: most of a long answer has none. */
  #items(value: readonly unknown[]): readonly unknown[] {
    const made = value.map((each) => this.#readable(each))
    return made.every((each, index) => each === value[index]) ? value : made
  }

  #fields(value: Readonly<Record<string, unknown>>): object {
    let made: Record<string, unknown> | null = null
    for (const key of Object.keys(value)) {
      const each = value[key]
      const read = MOMENTS.has(key) ? this.#moments(each) : this.#readable(each)
      if (read !== each) (made ??= { ...value })[key] = read
    }
    return made ?? value
  }

  #moments(value: unknown): unknown {
    if (typeof value === 'number') return this.#local(value)
    return Array.isArray(value) ? value.map((each) => this.#moments(each)) : this.#readable(value)
  }

  #local(epochMs: number): string {
    const zone = this.#timeZone()
    const last = this.#last
    if (last.epochMs !== epochMs || last.zone !== zone) this.#last = { epochMs, zone, text: this.#text(epochMs, zone) }
    return this.#last.text
  }

  #text(epochMs: number, zone: string): string {
    const minutes = Math.round(this.#zoneTime(zone).offsetMinutes(epochMs))
    const size = Math.abs(minutes)
    const offset = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0')).join(':')
    const clock = new Date(epochMs + minutes * MINUTE_MS).toISOString().slice(0, -1)
    return `${clock}${minutes < 0 ? '-' : '+'}${offset}`
  }
}
