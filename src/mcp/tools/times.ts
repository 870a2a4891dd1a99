import { z } from 'zod'
import type { Clock } from '../../lib/clock.ts'
import { lastZoneTime } from '../../lib/zone-time.ts'
import { MINUTE_MS } from '../../lib/durations.ts'
import { isObject } from '../../lib/json.ts'

/** The API uses milliseconds since 1970, which models misread. Tools use ISO 8601 in the home's local time. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/
const DAY_LENGTH = 'YYYY-MM-DD'.length

/** A moment as an argument: a time with its offset, or a date for the start of that day in the home. */
export const Time = z
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

/** Fields that are moments wherever a response has them as a number. */
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

/** Converts moments in arguments and responses of tools to the home's time zone and back (docs/agents.md#mcp). */
export class LocalTimes {
  readonly #timeZone: () => string
  readonly #clock: Pick<Clock, 'now'>
  readonly #zoneTime = lastZoneTime()
  /** Cache: settings read together have the same moment. */
  #last = { epochMs: NaN, zone: '', text: '' }

  /** @param timeZone current time zone of the home, for example `Europe/Berlin` */
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

  /** A moment as an argument in epoch milliseconds. */
  epochMs(text: string): number {
    const isDay = text.length === DAY_LENGTH
    return isDay ? this.#zoneTime(this.#timeZone()).startOfDay(Number(text.replaceAll('-', ''))) : Date.parse(text)
  }

  /** Response with all moments in local time with the offset from UTC: `2026-03-01T18:00:00.000+01:00`. */
  readable<T>(value: T): T {
    return this.#readable(value) as T
  }

  #epochText(text: string): string {
    return String(this.epochMs(text))
  }

  #readable(value: unknown): unknown {
    if (Array.isArray(value)) return this.#items(value)
    return isObject(value) ? this.#fields(value) : value
  }

  /** Lists and objects without moments are returned unchanged, as most of a long response has none. */
  #items(value: readonly unknown[]): readonly unknown[] {
    const made = value.map((item) => this.#readable(item))
    return made.every((item, index) => item === value[index]) ? value : made
  }

  #fields(value: Readonly<Record<string, unknown>>): object {
    let made: Record<string, unknown> | null = null
    for (const key of Object.keys(value)) {
      const item = value[key]
      const read = MOMENTS.has(key) ? this.#moments(item) : this.#readable(item)
      if (read !== item) (made ??= { ...value })[key] = read
    }
    return made ?? value
  }

  #moments(value: unknown): unknown {
    if (typeof value === 'number') return this.#local(value)
    return Array.isArray(value) ? value.map((item) => this.#moments(item)) : this.#readable(value)
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
