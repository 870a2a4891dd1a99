import { computed } from '@preact/signals'
import { now } from './gateway-clock.ts'
import { house } from './house.ts'

const DAY_MS = 86_400_000
const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }
const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }

/**
 * Words of moments by the clocks of the home, wherever this browser is, and as this browser writes them. All moments
 * are epoch milliseconds.
 */
export const clockWords = (at: number): string => inHome(at, { timeStyle: 'medium' })
export const momentWords = (at: number): string => inHome(at, { dateStyle: 'medium', timeStyle: 'short' })
export const dateWords = (at: number): string => inHome(at, { dateStyle: 'long' })
export const dayWords = (at: number): string => inHome(at, { weekday: 'long', day: 'numeric', month: 'long' })

/** Who tells a moment by it is drawn anew when the day ends, and not whenever the clock moves. */
const today = computed(() => dayOf(now.value))

/** A moment as short as it can be told from others: `20:14`, `22 Nov, 20:14`, of another year `22 Nov 2025, 20:14`. */
export function homeTime(at: number): string {
  const day = dayOf(at)
  if (day === today.value) return inHome(at, TIME)
  const isThisYear = yearOf(day) === yearOf(today.value)
  return unbroken(inHome(at, isThisYear ? { ...DATE, ...TIME } : { ...DATE, year: 'numeric', ...TIME }))
}

/** A sentence of the gateway, such as `turned off at 18:47 on 2026-11-22`, with its days written as all others here. */
export function withHomeDays(sentence: string): string {
  return sentence.replaceAll(/(?<=\bat \d\d:\d\d on )\d{4}-\d\d-\d\d\b/g, (day) => {
    const isThisYear = yearOf(day) === yearOf(today.value)
    const how = isThisYear ? DATE : { ...DATE, year: 'numeric' as const }
    return unbroken(formatOf({ ...how, timeZone: 'UTC' }).format(Date.parse(`${day}T12:00Z`)))
  })
}

/** No line ends within a moment. */
const unbroken = (moment: string): string => moment.replaceAll(' ', '\u00a0')

/**
 * A moment of the home, written as this browser writes dates, with 24 hours: beside it stand the gateway's sentences,
 * which tell time so.
 */
export const inHome = (at: number, how: Intl.DateTimeFormatOptions): string =>
  formatOf({ ...how, hourCycle: 'h23' }).format(at)

/** The day that a moment is on: `2026-11-23`. */
export const dayOf = (at: number): string => shownAt(at).slice(0, 10)

const yearOf = (day: string): string => day.slice(0, 4)

/** When a day of the home is over, 23 to 25 hours after it began; null where it is no day. */
export function endOfDay(day: string): number | null {
  const next = Date.parse(`${day}T00:00Z`) + DAY_MS
  if (!Number.isFinite(next)) return null
  // Midnight comes at home earlier or later than in Greenwich, by the offset that holds at home's own midnight.
  return next - offsetAt(next - offsetAt(next))
}

/** How far the home's clock is ahead of Greenwich, milliseconds. */
const offsetAt = (at: number): number => Date.parse(`${shownAt(at).replace(' ', 'T')}Z`) - Math.floor(at / 1000) * 1000

/** What the home's clock shows: `2026-11-23 20:14:03`, as Swedes write it. */
const shownAt = (at: number): string => formatOf({ dateStyle: 'short', timeStyle: 'medium' }, 'sv-SE').format(at)

const made = new Map<string, Intl.DateTimeFormat>()

/** Making one takes longer than using it a thousand times. */
function formatOf(options: Intl.DateTimeFormatOptions, locale?: string): Intl.DateTimeFormat {
  const timeZone = house.value?.timeZone
  const key = JSON.stringify([options, locale, timeZone])
  const format = made.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone, ...options })
  made.set(key, format)
  return format
}
