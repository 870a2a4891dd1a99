import { lastZoneTime } from '../src/lib/zone-time.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/lib/durations.ts'
import type { SeededRandom } from '../src/sim/seeded-random.ts'

/** Homes begin within these ten years. */
const FIRST_YEAR = 2026
const YEARS = 10
/** Share of the homes that begin right before a turn of the calendar. */
const AT_TURN_SHARE = 0.6
const LEAP_DAYS = [Date.UTC(2028, 1, 29), Date.UTC(2032, 1, 29)] as const

const zoneTime = lastZoneTime()

/** The moment at which a home first starts: anywhere in ten years, most often a day before a turn of the calendar. */
export function startIn(timeZone: string, chance: SeededRandom): number {
  const year = FIRST_YEAR + chance.whole(0, YEARS - 1)
  const anywhere = Date.UTC(year, 0, 1) + chance.whole(0, 364 * 24 * 60) * MINUTE_MS
  if (!chance.chance(AT_TURN_SHARE)) return anywhere
  const turn = chance.pick([
    Date.UTC(year, chance.whole(1, 11), 1),
    Date.UTC(year + 1, 0, 1),
    chance.pick(LEAP_DAYS),
    ...clockChanges(timeZone, year),
  ])
  return turn - chance.whole(1, 30 * 60) * MINUTE_MS
}

/** Hours of a year at which a zone sets its clocks forward or back. */
function clockChanges(timeZone: string, year: number): number[] {
  const zone = zoneTime(timeZone)
  const changes: number[] = []
  for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + 1, 0, 1); day += DAY_MS) {
    if (zone.offsetMinutes(day) === zone.offsetMinutes(day + DAY_MS)) continue
    let hour = day
    while (zone.offsetMinutes(hour) === zone.offsetMinutes(day)) hour += HOUR_MS
    changes.push(hour)
  }
  return changes
}
