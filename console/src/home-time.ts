import { house } from './stores/home.ts'

const DAY_MS = 86_400_000

/** Words of moments by the home's clock, whatever that of the browser shows. All moments are epoch milliseconds. */
export const clockWords = (at: number): string => formatOf({ timeStyle: 'medium' }).format(at)
export const momentWords = (at: number): string => formatOf({ dateStyle: 'medium', timeStyle: 'short' }).format(at)
export const dayWords = (at: number): string => formatOf({ weekday: 'long', day: 'numeric', month: 'long' }).format(at)

/** The day that a moment is on: `2026-11-23`. */
export const dayOf = (at: number): string => shownAt(at).slice(0, 10)

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
  const format = made.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone })
  made.set(key, format)
  return format
}
