import fc from 'fast-check'
import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { DAY_MS } from '../lib/durations.ts'
import { addDays, ZoneTime } from '../lib/zone-time.ts'
import {
  ASKED_KEPT,
  BEFORE_UPDATE_KEPT,
  DAILY_KEPT,
  type Kept,
  MONTHLY_KEPT,
  superfluous,
  WEEKLY_KEPT,
} from './retention.ts'

const zones = ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'UTC', 'Pacific/Apia']
const night = (zone: ZoneTime, day: number): number => zone.startOfDay(day) + 190 * 60_000

/** What is kept after each night of so many days. */
function year(
  zone: ZoneTime,
  first: number,
  days: number,
  asleep: (day: number) => boolean = () => false,
): readonly Kept[] {
  let kept: readonly Kept[] = []
  for (let count = 0; count < days; count += 1) {
    if (asleep(count)) continue
    const at = night(zone, addDays(first, count))
    const all: readonly Kept[] = [...kept, { at, why: 'nightly' }]
    const old = new Set(superfluous(all, at, zone))
    kept = all.filter((each) => !old.has(each))
  }
  return kept
}

proves('backup.retention', 'after a year of nights there are 7 days, 4 weeks and 6 months', () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 3_000 }), (name, offset) => {
      const zone = new ZoneTime(name)
      const first = addDays(20_240_101, offset)
      const kept = year(zone, first, 366)
      expect(kept).toHaveLength(DAILY_KEPT + WEEKLY_KEPT + MONTHLY_KEPT)
      const days = kept.map(({ at }) => zone.at(at).day)
      const last = addDays(first, 365)
      for (let back = 0; back < DAILY_KEPT; back += 1) expect(days).toContain(addDays(last, -back))
      // Nowhere is there a gap of more than a month and a week, back for half a year.
      const gaps = kept.slice(1).map(({ at }, index) => at - (kept[index]?.at ?? 0))
      expect(Math.max(...gaps)).toBeLessThan(39 * DAY_MS)
      expect((kept.at(-1)?.at ?? 0) - (kept[0]?.at ?? 0)).toBeGreaterThan(180 * DAY_MS)
    }),
    { numRuns: 25 },
  )
})

proves('backup.retention', 'nights that were slept through cost no other backup', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 199 }), { maxLength: 150 }), (nights) => {
      const zone = new ZoneTime('Europe/Berlin')
      const asleep = new Set(nights)
      const kept = year(zone, 20_260_301, 200, (day) => asleep.has(day))
      expect(kept.length).toBeGreaterThanOrEqual(Math.min(DAILY_KEPT, 200 - asleep.size))
      // Whatever was kept is kept again when nothing has happened.
      expect(superfluous(kept, kept.at(-1)?.at ?? 0, zone)).toEqual([])
    }),
    { numRuns: 25 },
  )
})

proves('backup.retention', 'a clock that is wrong for a night costs none of the others', () => {
  const zone = new ZoneTime('Europe/Berlin')
  const kept = year(zone, 20_260_101, 300)
  const today = kept.at(-1)?.at ?? 0
  for (const wrong of [today + 30 * 365 * DAY_MS, DAY_MS]) {
    const with_ = [...kept, { at: wrong, why: 'nightly' as const }]
    // Of those before it at most the oldest of its kind makes room.
    expect(superfluous(with_, wrong, zone).length).toBeLessThanOrEqual(1)
    const after = [...with_, { at: today + DAY_MS, why: 'nightly' as const }]
    expect(superfluous(after, today + DAY_MS, zone).length).toBeLessThanOrEqual(2)
  }
})

proves(
  'backup.retention',
  'of several in a night the newest stays; those asked for and before updates go by number',
  () => {
    const zone = new ZoneTime('UTC')
    const at = (count: number): number => Date.UTC(2026, 5, 1) + count * 60_000
    const many = (why: Kept['why']): Kept[] => Array.from({ length: 9 }, (_, count) => ({ at: at(count), why }))
    const all = [...many('nightly'), ...many('asked'), ...many('before-update')]
    const old = new Set(superfluous(all, at(9), zone))
    const left = (why: Kept['why']): number[] =>
      all.filter((each) => each.why === why && !old.has(each)).map((each) => each.at)
    expect(left('nightly')).toEqual([at(8)])
    expect(left('asked')).toEqual(
      many('asked')
        .slice(-ASKED_KEPT)
        .map((each) => each.at),
    )
    expect(left('before-update')).toEqual(
      many('asked')
        .slice(-BEFORE_UPDATE_KEPT)
        .map((each) => each.at),
    )
  },
)
