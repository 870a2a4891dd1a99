import { DAY_MS } from '../../lib/durations.ts'
import { addDays, monthOf, type ZoneTime } from '../../lib/zone-time.ts'
import type { BackupReason } from '../format/manifest.ts'

/** Of those made at night: the newest of so many days, */
export const DAILY_KEPT = 7
/** before these the first of so many weeks, */
export const WEEKLY_KEPT = 4
/** and before these the first of so many months. */
export const MONTHLY_KEPT = 6
/** Of those that somebody asked for. */
export const ASKED_KEPT = 5
/** Of those that programs asked for: however often one does, it displaces none of a person. */
export const OPERATOR_KEPT = 5
/** Of those made before updates, the newest of each version of the databases, of so many versions. */
export const BEFORE_UPDATE_KEPT = 3
/** What is dated later than this from now is of a clock that was wrong: it is counted by itself. */
const AHEAD_MS = DAY_MS

export interface Kept {
  readonly name: string
  /** Epoch ms. */
  readonly at: number
  readonly why: BackupReason
  /** Of which version its databases are, in a word; those made before updates go by it. */
  readonly version: string
}

export interface Retention {
  /** Epoch ms. */
  readonly now: number
  readonly zone: ZoneTime
  /** The name of the one just made, which stays whatever the clock says. */
  readonly made: string
}

/** Whether it is dated later than a clock that is right can have said. */
export const isAhead = ({ at }: Pick<Kept, 'at'>, now: number): boolean => at > now + AHEAD_MS

/**
 * Those that go. It counts days, weeks and months that there are, not what has passed: a clock that is wrong for a
 * night costs one night.
 *
 * @param backups the newest first
 */
export function superfluous<T extends Kept>(backups: readonly T[], { now, zone, made }: Retention): readonly T[] {
  const ahead = backups.filter((each) => isAhead(each, now))
  const others = backups.filter((each) => !isAhead(each, now))
  const kept = new Set<T>([...keptOf(others, zone), ...keptOf(ahead, zone)])
  return backups.filter((each) => each.name !== made && !kept.has(each))
}

function keptOf<T extends Kept>(backups: readonly T[], zone: ZoneTime): readonly T[] {
  const of = (why: BackupReason): readonly T[] => backups.filter((each) => each.why === why)
  return [
    ...keptOfNights(of('nightly'), zone),
    ...of('asked').slice(0, ASKED_KEPT),
    ...of('operator').slice(0, OPERATOR_KEPT),
    ...newestOfVersions(of('before-update')),
  ]
}

/** A start that fails is tried again and again, and backs up each time: that must not cost the way back. */
function newestOfVersions<T extends Kept>(backups: readonly T[]): readonly T[] {
  const versions = [...Map.groupBy(backups, ({ version }) => version).values()]
  return versions.slice(0, BEFORE_UPDATE_KEPT).flatMap((group) => group.slice(0, 1))
}

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
