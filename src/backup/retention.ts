import { DAY_MS } from '../lib/durations.ts'
import { addDays, monthOf, type ZoneTime } from '../lib/zone-time.ts'
import type { BackupReason } from './manifest.ts'

/** Of those made at night: the newest of so many days, */
export const DAILY_KEPT = 7
/** before these the first of so many weeks, */
export const WEEKLY_KEPT = 4
/** and before these the first of so many months. */
export const MONTHLY_KEPT = 6
/** Of those that somebody asked for. */
export const ASKED_KEPT = 5
/** Of those made before updates. */
export const BEFORE_UPDATE_KEPT = 3

export interface Kept {
  readonly at: number
  readonly why: BackupReason
}

/**
 * Those that go. It counts days, weeks and months that there are, not what has passed: a clock that is wrong for a
 * night costs one night. What is dated in the future is counted by itself for the same reason.
 */
export function superfluous<T extends Kept>(backups: readonly T[], now: number, zone: ZoneTime): readonly T[] {
  const nightly = backups.filter(({ why }) => why === 'nightly')
  const kept = new Set<T>([
    ...keptOfNights(
      nightly.filter(({ at }) => at <= now + DAY_MS),
      zone,
    ),
    ...keptOfNights(
      nightly.filter(({ at }) => at > now + DAY_MS),
      zone,
    ),
    ...newest(backups, 'asked', ASKED_KEPT),
    ...newest(backups, 'before-update', BEFORE_UPDATE_KEPT),
  ])
  return backups.filter((each) => !kept.has(each))
}

const newest = <T extends Kept>(backups: readonly T[], why: BackupReason, count: number): readonly T[] =>
  backups
    .filter((each) => each.why === why)
    .toSorted((one, other) => other.at - one.at)
    .slice(0, count)

function keptOfNights<T extends Kept>(nights: readonly T[], zone: ZoneTime): readonly T[] {
  const oldestFirst = nights.toSorted((one, other) => one.at - other.at)
  const days = groups(oldestFirst, ({ at }) => zone.at(at).day).slice(-DAILY_KEPT)
  const daily = days.flatMap((group) => group.slice(-1))
  const older = before(oldestFirst, days)
  // The first stays the first when later ones of its week or month come: none is kept that was to go.
  const weeks = groups(older, ({ at }) => mondayOf(at, zone)).slice(-WEEKLY_KEPT)
  const oldest = before(older, weeks)
  const months = groups(oldest, ({ at }) => monthOf(zone.at(at).day)).slice(-MONTHLY_KEPT)
  return [...daily, ...[...weeks, ...months].flatMap((group) => group.slice(0, 1))]
}

const groups = <T>(list: readonly T[], by: (each: T) => number): readonly (readonly T[])[] => [
  ...Map.groupBy(list, by).values(),
]

function before<T>(list: readonly T[], groupsBehind: readonly (readonly T[])[]): readonly T[] {
  const behind = new Set(groupsBehind.flat())
  return list.filter((each) => !behind.has(each))
}

function mondayOf(at: number, zone: ZoneTime): number {
  const { day, weekday } = zone.at(at)
  return addDays(day, 1 - weekday)
}
