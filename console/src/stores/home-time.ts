import { computed } from '@preact/signals'
import { now } from './gateway-clock.ts'
import { house } from './house.ts'

const DAY_MS = 86_400_000
const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }
const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }

/** Moments in the home's time zone and this browser's language. All moments are epoch milliseconds. */
export const clockWords = (at: number): string => inHome(at, { timeStyle: 'medium' })
export const momentWords = (at: number): string => inHome(at, { dateStyle: 'medium', timeStyle: 'short' })
export const dateWords = (at: number): string => inHome(at, { dateStyle: 'long' })
export const dayWords = (at: number): string => inHome(at, { weekday: 'long', day: 'numeric', month: 'long' })

/** Changes once a day, so that moments on the page render again only then. */
const today = computed(() => dayOf(now.value))

/** A moment in its shortest clear form: `20:14`, `22 Nov, 20:14` or `22 Nov 2025, 20:14`. */
export function homeTime(at: number): string {
  const day = dayOf(at)
  if (day === today.value) return inHome(at, TIME)
  const isThisYear = yearOf(day) === yearOf(today.value)
  return withoutBreaks(inHome(at, isThisYear ? { ...DATE, ...TIME } : { ...DATE, year: 'numeric', ...TIME }))
}

/** Writes the days in a gateway sentence, such as `turned off at 18:47 on 2026-11-22`, in the console's format. */
export function withHomeDays(sentence: string): string {
  return sentence.replaceAll(/(?<=\bat \d\d:\d\d on )\d{4}-\d\d-\d\d\b/g, (day) => {
    const isThisYear = yearOf(day) === yearOf(today.value)
    const format = isThisYear ? DATE : { ...DATE, year: 'numeric' as const }
    return withoutBreaks(formatOf({ ...format, timeZone: 'UTC' }).format(Date.parse(`${day}T12:00Z`)))
  })
}

/** Prevents line breaks inside a moment. */
const withoutBreaks = (moment: string): string => moment.replaceAll(' ', '\u00a0')

/** A moment in the home's zone, with 24 hours as in the gateway's sentences. */
export const inHome = (at: number, format: Intl.DateTimeFormatOptions): string =>
  formatOf({ ...format, hourCycle: 'h23' }).format(at)

/** The day of a moment in its shortest clear form: `Tue, 22 Nov`, or `Tue, 22 Nov 2025` in another year. */
export function shortDay(at: number): string {
  const isThisYear = yearOf(dayOf(at)) === yearOf(today.value)
  return withoutBreaks(inHome(at, { weekday: 'short', ...DATE, ...(isThisYear ? {} : { year: 'numeric' }) }))
}

/** Day of a moment at home: `2026-11-23`. */
export const dayOf = (at: number): string => homeClock(at).slice(0, 10)

const yearOf = (day: string): string => day.slice(0, 4)

/** End of a day at home, 23 to 25 hours after its start; null for an invalid day. */
export function endOfDay(day: string): number | null {
  const next = Date.parse(`${day}T00:00Z`) + DAY_MS
  if (!Number.isFinite(next)) return null
  // The offset at the home's own midnight counts, not the one at midnight UTC.
  return atHome(next)
}

/** Next moment with this time of day at home, on this weekday (0 is Sunday) if there is one. */
export function nextAt(time: string, after: number, weekday?: number): number {
  const first = Date.parse(`${dayOf(after)}T${time}Z`)
  const moments = Array.from({ length: DAYS_AHEAD }, (_, day) => first + day * DAY_MS)
    .filter((local) => weekday === undefined || new Date(local).getUTCDay() === weekday)
    .map(atHome)
  return moments.find((at) => at > after) ?? after
}

/** A week, today, and today again for a time that is over. */
const DAYS_AHEAD = 9

/** Moment of a local time such as `2026-11-23T20:14`; null for an incomplete one. */
export function homeMoment(text: string): number | null {
  const local = Date.parse(`${text}Z`)
  return Number.isFinite(local) ? atHome(local) : null
}

/** A moment as the value of a field for a local time: `2026-11-23T20:14`. */
export const homeInput = (at: number): string => homeClock(at).slice(0, 16).replace(' ', 'T')

/** Moment at which the home's clock shows a time, given as if it were UTC. */
const atHome = (local: number): number => local - offsetAt(local - offsetAt(local))

/** Lead of the home's clock over UTC, milliseconds. */
const offsetAt = (at: number): number =>
  Date.parse(`${homeClock(at).replace(' ', 'T')}Z`) - Math.floor(at / 1000) * 1000

/** Reading of the home's clock: `2026-11-23 20:14:03`; the Swedish locale has this format. */
const homeClock = (at: number): string => formatOf({ dateStyle: 'short', timeStyle: 'medium' }, 'sv-SE').format(at)

const formats = new Map<string, Intl.DateTimeFormat>()

/** Creating a format takes longer than a thousand uses. */
function formatOf(options: Intl.DateTimeFormatOptions, locale?: string): Intl.DateTimeFormat {
  const timeZone = house.value?.timeZone
  const key = JSON.stringify([options, locale, timeZone])
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone, ...options })
  formats.set(key, format)
  return format
}
