import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { NIGHTLY_AT, nightAfter } from './nights.ts'

const HOUR = 3_600_000

/** The nights of a year. */
function nightsOf(zone: string, from: string, spreadMs: number): readonly number[] {
  const nights: number[] = []
  while (nights.length < 366) nights.push(nightAfter(nights.at(-1) ?? Date.parse(from), zone, spreadMs))
  return nights
}

proves(
  'backup.nightly',
  'every day of a year has one nightly backup, also when the clocks change',
  { tags: ['long'] },
  () => {
    // Lord Howe changes by half an hour, St John's and Berlin by one; Apia left out a day.
    for (const [zone, from] of [
      ['Europe/Berlin', '2026-01-01T12:00:00Z'],
      ['America/St_Johns', '2026-06-01T12:00:00Z'],
      ['Australia/Lord_Howe', '2026-01-01T12:00:00Z'],
      ['UTC', '2027-06-01T00:00:00Z'],
      ['Pacific/Apia', '2011-06-01T00:00:00Z'],
    ] as const) {
      const nights = nightsOf(zone, from, 0)
      const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
      const time = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' })
      expect(new Set(nights.map((at) => day.format(at))).size, zone).toBe(nights.length)
      // In Apia the clocks skip from three to four: the end of the gap is the time of the backup.
      const times = new Set(nights.map((at) => time.format(at)))
      expect(times, zone).toEqual(new Set(zone === 'Pacific/Apia' ? [NIGHTLY_AT, '04:00'] : [NIGHTLY_AT]))
      const gaps = nights.slice(1).map((at, index) => at - (nights[index] ?? 0))
      expect(Math.max(...gaps), zone).toBeLessThanOrEqual(25 * HOUR)
    }
  },
)

proves('backup.nightly', 'the random delay comes after the fixed time, and a delayed night is not skipped', () => {
  const night = nightAfter(Date.parse('2026-05-15T12:00:00Z'), 'UTC', 60_000)
  expect(night).toBe(Date.parse('2026-05-16T03:11:00Z'))
  expect(nightAfter(night - 1, 'UTC', 60_000)).toBe(night)
  expect(nightAfter(night, 'UTC', 60_000)).toBe(night + 24 * HOUR)
})
