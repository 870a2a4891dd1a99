import fc from 'fast-check'
import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { DAY_MS } from '../../lib/durations.ts'
import { addDays, ZoneTime } from '../../lib/zone-time.ts'
import {
  ASKED_KEPT,
  BEFORE_UPDATE_KEPT,
  DAILY_KEPT,
  type DatedBackup,
  MONTHLY_KEPT,
  OPERATOR_KEPT,
  backupsToRemove,
  WEEKLY_KEPT,
} from './retention.ts'

const zones = ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'UTC', 'Pacific/Apia']
const backup = (at: number, why: DatedBackup['why'] = 'nightly', version = ''): DatedBackup => ({
  name: `${at}-${why}`,
  at,
  why,
  version,
})
/** The backups that stay, of a list in any order, after the last one was made. */
function left(all: readonly DatedBackup[], made: DatedBackup, now: number, zone: ZoneTime): readonly DatedBackup[] {
  const newestFirst = all.toSorted((one, other) => other.at - one.at)
  const old = new Set(backupsToRemove(newestFirst, { now, zone, made: made.name }))
  return all.filter((candidate) => !old.has(candidate))
}
const night = (zone: ZoneTime, day: number): number => zone.startOfDay(day) + 190 * 60_000

/** The backups that stay after so many nights. */
function year(
  zone: ZoneTime,
  first: number,
  days: number,
  asleep: (day: number) => boolean = () => false,
): readonly DatedBackup[] {
  let stored: readonly DatedBackup[] = []
  for (let count = 0; count < days; count += 1) {
    if (asleep(count)) continue
    const at = night(zone, addDays(first, count))
    stored = left([...stored, backup(at)], backup(at), at, zone)
  }
  return stored
}

proves('backup.retention', 'after a year of nights there are 7 days, 4 weeks and 6 months', { tags: ['long'] }, () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 3_000 }), (name, offset) => {
      const zone = new ZoneTime(name)
      const first = addDays(20_240_101, offset)
      const stored = year(zone, first, 366)
      expect(stored).toHaveLength(DAILY_KEPT + WEEKLY_KEPT + MONTHLY_KEPT)
      const days = stored.map(({ at }) => zone.at(at).day)
      const last = addDays(first, 365)
      for (let back = 0; back < DAILY_KEPT; back += 1) expect(days).toContain(addDays(last, -back))
      // No gap in the last half year is longer than a month and a week.
      const gaps = stored.slice(1).map(({ at }, index) => at - (stored[index]?.at ?? 0))
      expect(Math.max(...gaps)).toBeLessThan(39 * DAY_MS)
      expect((stored.at(-1)?.at ?? 0) - (stored[0]?.at ?? 0)).toBeGreaterThan(180 * DAY_MS)
    }),
    { numRuns: 25 },
  )
})

proves('backup.retention', 'missed nights cost no other backup', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 199 }), { maxLength: 150 }), (nights) => {
      const zone = new ZoneTime('Europe/Berlin')
      const asleep = new Set(nights)
      const stored = year(zone, 20_260_301, 200, (day) => asleep.has(day))
      expect(stored.length).toBeGreaterThanOrEqual(Math.min(DAILY_KEPT, 200 - asleep.size))
      // Without a new backup, the result stays the same.
      const last = stored.at(-1) ?? backup(0)
      expect(left(stored, last, last.at, zone)).toEqual(stored)
    }),
    { numRuns: 25 },
  )
})

proves('backup.retention', 'a clock that is wrong for one night costs no other backup', () => {
  const zone = new ZoneTime('Europe/Berlin')
  const stored = year(zone, 20_260_101, 300)
  const today = stored.at(-1)?.at ?? 0
  for (const wrong of [today + 30 * 365 * DAY_MS, DAY_MS]) {
    const with_ = [...stored, backup(wrong)]
    // At most the oldest backup of its kind makes room.
    expect(left(with_, backup(wrong), wrong, zone).length).toBeGreaterThanOrEqual(with_.length - 1)
    const after = [...with_, backup(today + DAY_MS)]
    expect(left(after, backup(today + DAY_MS), today + DAY_MS, zone).length).toBeGreaterThanOrEqual(after.length - 2)
  }
})

proves('backup.retention', 'a backup dated ahead by a wrong clock displaces none, and the newly made one stays', () => {
  const zone = new ZoneTime('UTC')
  const now = Date.UTC(2026, 5, 1)
  for (const why of ['asked', 'operator', 'before-update'] as const) {
    const ahead = Array.from({ length: 9 }, (_, count) => backup(now + (40 + count) * DAY_MS, why, `${count}`))
    const real = [backup(now - DAY_MS, why, 'a'), backup(now, why, 'b')]
    const stays = left([...real, ...ahead], real[1]!, now, zone)
    expect(stays).toEqual(expect.arrayContaining(real))
    expect(stays.length).toBeLessThan(9)
    // The clock went back before all other backups.
    const made = backup(now - 900 * DAY_MS, why, 'c')
    expect(left([made, ...ahead, ...real], made, made.at, zone)).toContainEqual(made)
  }
})

proves(
  'backup.retention',
  'the newest of a night stays; requested backups are limited in number, each kind by itself',
  () => {
    const zone = new ZoneTime('UTC')
    const at = (count: number): number => Date.UTC(2026, 5, 1) + count * 60_000
    const many = (why: DatedBackup['why']): DatedBackup[] =>
      Array.from({ length: 9 }, (_, count) => backup(at(count), why))
    const all = [...many('nightly'), ...many('asked'), ...many('operator')]
    expect(left(all, backup(at(8)), at(9), zone)).toEqual([
      ...many('nightly').slice(-1),
      ...many('asked').slice(-ASKED_KEPT),
      ...many('operator').slice(-OPERATOR_KEPT),
    ])
  },
)

proves('backup.before-update', 'repeated failing starts of a new version keep the backups for earlier ones', () => {
  const zone = new ZoneTime('UTC')
  const versions = ['15/8', '16/8', '17/8', '18/9']
  const first = versions.map((version, count) => backup(count * DAY_MS, 'before-update', version))
  const again = Array.from({ length: 20 }, (_, count) => backup((10 + count) * DAY_MS, 'before-update', '18/9'))
  const last = again.at(-1)!
  const stays = left([...first, ...again], last, last.at, zone)
  expect(stays.map(({ version }) => version)).toEqual(versions.slice(-BEFORE_UPDATE_KEPT))
  expect(stays.at(-1)).toEqual(last)
})
