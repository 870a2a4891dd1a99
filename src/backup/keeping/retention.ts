import { DAY_MS } from '../../lib/durations.ts'
import { addDays, monthOf, type ZoneTime } from '../../lib/zone-time.ts'
import type { BackupReason } from '../format/manifest.ts'

/** Days whose newest nightly backup stays. */
export const DAILY_KEPT = 7
/** Earlier weeks whose first nightly backup stays. */
export const WEEKLY_KEPT = 4
/** Earlier months whose first nightly backup stays. */
export const MONTHLY_KEPT = 6
/** Backups on request that stay. */
export const ASKED_KEPT = 5
/** Backups by operator tokens that stay. They never displace the backup of a person. */
export const OPERATOR_KEPT = 5
/** Versions of the databases whose newest backup before an update stays. */
export const BEFORE_UPDATE_KEPT = 3
/** A backup dated further ahead was made by a wrong clock. */
const AHEAD_MS = DAY_MS

export interface DatedBackup {
  readonly name: string
  /** Epoch ms. */
  readonly at: number
  readonly why: BackupReason
  /** Version of the databases as a key, for backups before updates. */
  readonly version: string
}

export interface Retention {
  /** Epoch ms. */
  readonly now: number
  readonly zone: ZoneTime
  /** Name of the backup just made, which stays in any case. */
  readonly made: string
}

/** True for a date that only a wrong clock can have set. */
export const isAhead = ({ at }: Pick<DatedBackup, 'at'>, now: number): boolean => at > now + AHEAD_MS

/**
 * Returns the backups to remove. The rules count days, weeks and months with backups, not elapsed time: a clock that is
 * wrong for one night costs one backup. Backups from the future are counted apart.
 *
 * @param backups the newest first
 */
export function backupsToRemove<T extends DatedBackup>(
  backups: readonly T[],
  { now, zone, made }: Retention,
): readonly T[] {
  const ahead = backups.filter((backup) => isAhead(backup, now))
  const others = backups.filter((backup) => !isAhead(backup, now))
  const retained = new Set<T>([...backupsToKeep(others, zone), ...backupsToKeep(ahead, zone)])
  return backups.filter((backup) => backup.name !== made && !retained.has(backup))
}

function backupsToKeep<T extends DatedBackup>(backups: readonly T[], zone: ZoneTime): readonly T[] {
  const of = (why: BackupReason): readonly T[] => backups.filter((backup) => backup.why === why)
  return [
    ...nightlyToRetain(of('nightly'), zone),
    ...of('asked').slice(0, ASKED_KEPT),
    ...of('operator').slice(0, OPERATOR_KEPT),
    ...newestOfVersions(of('before-update')),
  ]
}

/** The newest backup of each version: a failing start makes a backup each time, which must not displace the others. */
function newestOfVersions<T extends DatedBackup>(backups: readonly T[]): readonly T[] {
  const versions = [...Map.groupBy(backups, ({ version }) => version).values()]
  return versions.slice(0, BEFORE_UPDATE_KEPT).flatMap((group) => group.slice(0, 1))
}

function nightlyToRetain<T extends DatedBackup>(nights: readonly T[], zone: ZoneTime): readonly T[] {
  const oldestFirst = nights.toSorted((one, other) => one.at - other.at)
  const days = groups(oldestFirst, ({ at }) => zone.at(at).day).slice(-DAILY_KEPT)
  const daily = days.flatMap((group) => group.slice(-1))
  const older = without(oldestFirst, days)
  // The first of a week or month stays its first when later backups follow, so the choice never changes.
  const weeks = groups(older, ({ at }) => mondayOf(at, zone)).slice(-WEEKLY_KEPT)
  const oldest = without(older, weeks)
  const months = groups(oldest, ({ at }) => monthOf(zone.at(at).day)).slice(-MONTHLY_KEPT)
  return [...daily, ...[...weeks, ...months].flatMap((group) => group.slice(0, 1))]
}

const groups = <T>(list: readonly T[], by: (item: T) => number): readonly (readonly T[])[] => [
  ...Map.groupBy(list, by).values(),
]

function without<T>(list: readonly T[], excluded: readonly (readonly T[])[]): readonly T[] {
  const members = new Set(excluded.flat())
  return list.filter((item) => !members.has(item))
}

function mondayOf(at: number, zone: ZoneTime): number {
  const { day, weekday } = zone.at(at)
  return addDays(day, 1 - weekday)
}
