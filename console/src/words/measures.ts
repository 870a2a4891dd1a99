import { words } from './system.ts'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
const STEP = 1_000

/** Size in the largest fitting unit. */
export function bytes(count: number): string {
  const at = Math.min(UNITS.length - 1, count < STEP ? 0 : Math.floor(Math.log10(count) / 3))
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: UNITS[at] ?? 'byte',
    maximumSignificantDigits: 3,
  }).format(count / STEP ** at)
}

/** Duration in its two largest units: `3 days 4 h`. */
export function span(seconds: number): string {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  if (days > 0) return words.daysAndHours(days, hours)
  return hours > 0 ? words.hoursAndMinutes(hours, minutes) : words.minutes(minutes)
}
