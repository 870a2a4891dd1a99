import type { Clock } from '../../../lib/clock.ts'
import type { Claim } from '../../ports/rule-store.ts'
import { CLAIMS_PER_SLOT_MAX, NEW_OCCURRENCE_MS, isNewOccurrence } from '../../ports/rule-store.ts'
import { LATE_RUN_MS, type TimedTrigger } from '../../model/rules.ts'
import {
  type UpcomingRule,
  lastRun,
  momentsOf,
  nextRun,
  runsBetween,
  soonestFirst,
  seeded,
  type SeededTime,
  slotOf,
} from './occurrence.ts'
import type { Occurrence, Where } from './local-time.ts'

/** Longest interval between checks of the clock: a clock jump is noticed within it. */
export const WAKE_MS_MAX = 60_000
/** Smallest difference between wall clock and monotonic clock that counts as a jump. */
const JUMP_MS = 1_000
/** Most missed runs of one time that are counted; more are reported as "at least". */
export const MISSED_COUNT_MAX = 10

export interface TimedEntry {
  /** `automation:ID` or `schedule:ID`. */
  readonly owner: string
  readonly slot: string
  readonly rule: TimedTrigger
}

interface Entry extends TimedEntry {
  /** The rule with the seed of its random minutes. */
  readonly timed: SeededTime
  /** Epoch ms: occurrences before it are not reported as missed. */
  readonly since: number
  next: Occurrence | null
}

export interface Upcoming extends Pick<TimedEntry, 'owner' | 'rule'> {
  /** Epoch ms. */
  readonly at: number
}

interface TimetableParts {
  readonly clock: Clock
  /** Steady time in ms: it continues over restarts, and no clock jump changes it. */
  readonly steady: () => number
  readonly where: () => Where
  /** Distinguishes the random minutes of this home. */
  readonly seed: string
  /** Called when an occurrence is due. */
  readonly due: (entry: TimedEntry, run: Occurrence) => void
  /**
   * Called for occurrences that are too late to run: `count` of them (at most `MISSED_COUNT_MAX`); `last` is the
   * newest.
   */
  readonly missed: (entry: TimedEntry, count: number, last: Occurrence) => void
}

/** A processed occurrence. */
type PastOccurrence = Pick<Claim, 'at' | 'missed' | 'steadyAt'>

/**
 * Knows the next occurrence of each time of a rule and calls `due` or `missed` exactly once for each local date: `due` up
 * to five minutes late, `missed` later. A date that a wrong clock reached early counts again when it is really there.
 */
export class Timetable {
  readonly #parts: TimetableParts
  readonly #entries = new Map<string, readonly Entry[]>()
  /** Local dates that were processed, by owner and slot. */
  readonly #claimed = new Map<string, Map<string, PastOccurrence>>()
  #place: Where | null = null
  #calendars = 0
  #offset = 0
  #cancel: (() => void) | null = null

  constructor(parts: TimetableParts) {
    this.#parts = parts
  }

  /** Starts the timetable; `claims` are the processed dates. */
  start(claims: readonly Claim[]): void {
    for (const claim of claims) this.#remember(claim, claim.date, claim)
    this.#place = this.#parts.where()
    this.#calendars = this.#place.calendars?.revision ?? 0
    this.#offset = this.#parts.clock.now() - this.#parts.clock.monotonic()
    for (const entry of this.#all()) this.#reset(entry)
    this.settle()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = null
    this.#place = null
  }

  /** Replaces the times of an owner; `since` in epoch ms. */
  set(owner: string, rules: readonly TimedTrigger[], since: number): void {
    const entries = rules.map((rule): Entry => ({
      owner,
      slot: slotOf(rule),
      rule,
      timed: seeded(rule, this.#parts.seed, owner),
      since,
      next: null,
    }))
    if (entries.length > 0) this.#entries.set(owner, entries)
    else this.#entries.delete(owner)
    if (this.#place === null) return
    for (const entry of entries) this.#reset(entry)
    this.#arm()
  }

  /** Removes an owner for good. */
  remove(owner: string): void {
    this.set(owner, [], 0)
    for (const key of this.#claimed.keys()) if (key.startsWith(`${owner} `)) this.#claimed.delete(key)
  }

  /** Next run of the owner (epoch ms), or null. */
  nextOf(owner: string): number | null {
    const times = (this.#entries.get(owner) ?? []).flatMap((entry) => entry.next?.at ?? [])
    return times.length === 0 ? null : Math.min(...times)
  }

  /** Occurrences up to `until` (epoch ms), soonest first, at most `max`. */
  upcoming(until: number, max: number): readonly Upcoming[] {
    const upcoming: Upcoming[] = []
    for (const { of, at } of soonestFirst(upcomingRules(this.#all()), this.#parts.where())) {
      if (at > until || upcoming.length === max) break
      upcoming.push({ owner: of.owner, rule: of.rule, at })
    }
    return upcoming
  }

  /** The owner's next `max` times (epoch ms). */
  momentsOf(owner: string, max: number): readonly number[] {
    return momentsOf(upcomingRules(this.#entries.get(owner) ?? []), this.#parts.where(), max)
  }

  /** Processes due occurrences and sets the timer for the next one. */
  settle(): void {
    if (this.#place === null) return
    const now = this.#parts.clock.now()
    this.#noticeJump(now)
    this.#noticeMove(now)
    for (const entry of this.#all()) if (entry.next !== null && entry.next.at <= now) this.#process(entry, now)
    this.#noticeEvents(now)
    this.#arm()
  }

  #process(entry: Entry, now: number): void {
    const first = entry.next
    if (first === null) return
    const where = this.#parts.where()
    entry.next = nextRun(entry.timed, now, where)
    const newest = lastRun(entry.timed, now, where) ?? first
    const due = now - newest.at <= LATE_RUN_MS ? newest : null
    if (due === null || first.at < due.at) this.#reportMissed(entry, first, due === null ? now : due.at - 1)
    if (due !== null && this.#claim(entry, due, false)) this.#parts.due(entry, due)
  }

  /** Reports the occurrences from `first` up to `until` as missed. */
  #reportMissed(entry: Entry, first: Occurrence, until: number): void {
    const where = this.#parts.where()
    const runs = [first, ...runsBetween(entry.timed, first.at, until, where, MISSED_COUNT_MAX - 1)]
    const count = runs.filter((run) => !this.#isClaimed(entry, run)).length
    // Only the newest is claimed: after a short clock error, the claims of dates that really ran must remain.
    const last = lastRun(entry.timed, until, where)
    if (last !== null && this.#claim(entry, last, true) && count > 0) this.#parts.missed(entry, count, last)
  }

  #isClaimed(entry: TimedEntry, { date, at }: Occurrence, missed = true): boolean {
    const before = this.#claimed.get(keyOf(entry))?.get(date)
    const steadyAt = this.#parts.steady()
    const dueAt = steadyAt - (this.#parts.clock.now() - at)
    return before !== undefined && !isNewOccurrence(before, { missed, steadyAt, dueAt })
  }

  /** True if this local date was not processed before. */
  #claim(entry: TimedEntry, run: Occurrence, missed: boolean): boolean {
    if (this.#isClaimed(entry, run, missed)) return false
    this.#remember(entry, run.date, { at: run.at, missed, steadyAt: this.#parts.steady() })
    return true
  }

  #remember(entry: Slot, date: string, occurrence: PastOccurrence): void {
    const dates = this.#claimed.get(keyOf(entry)) ?? new Map<string, PastOccurrence>()
    this.#claimed.set(keyOf(entry), dates)
    // The newest comes last.
    dates.delete(date)
    dates.set(date, occurrence)
    for (const oldest of dates.keys()) {
      if (dates.size <= CLAIMS_PER_SLOT_MAX) break
      dates.delete(oldest)
    }
  }

  /** Finds the next run after the last processed one: at a start, and after a clock jump. */
  #reset(entry: Entry): void {
    const now = this.#parts.clock.now()
    const times = [...(this.#claimed.get(keyOf(entry))?.values() ?? [])].filter((time) => !this.#isEarly(time, now))
    const where = this.#parts.where()
    const known = 'calendar' in entry.rule ? [where.calendars?.changedAt(entry.rule.calendar) ?? 0] : []
    const done = [...times.map(({ at }) => at), entry.since, ...known].filter((at) => at <= now)
    entry.next = nextRun(entry.timed, done.length === 0 ? now : Math.max(...done), where)
  }

  /** True if, by the present clock, a date was processed before it was there. */
  #isEarly({ at, missed, steadyAt }: PastOccurrence, now: number): boolean {
    if (steadyAt === null) return false
    const processedAt = now - (this.#parts.steady() - steadyAt)
    return at - processedAt > (missed ? 0 : NEW_OCCURRENCE_MS)
  }

  #noticeJump(now: number): void {
    const offset = now - this.#parts.clock.monotonic()
    if (Math.abs(offset - this.#offset) <= JUMP_MS) return
    this.#offset = offset
    for (const entry of this.#all()) this.#reset(entry)
  }

  /** Recomputes the times after the home's time zone or place changed. */
  #noticeMove(now: number): void {
    const where = this.#parts.where()
    const { zone, place } = this.#place ?? where
    if (where.zone === zone && where.place?.latitude === place?.latitude && where.place?.longitude === place?.longitude)
      return
    this.#place = where
    for (const entry of this.#all()) entry.next = nextRun(entry.timed, now, where)
  }

  /** Finds the next events after a calendar got other ones; those that were due have run. */
  #noticeEvents(now: number): void {
    const where = this.#parts.where()
    const revision = where.calendars?.revision ?? 0
    if (revision === this.#calendars) return
    this.#calendars = revision
    for (const entry of this.#all()) if ('calendar' in entry.rule) entry.next = nextRun(entry.timed, now, where)
  }

  #arm(): void {
    this.#cancel?.()
    const now = this.#parts.clock.now()
    let wait = WAKE_MS_MAX
    for (const entry of this.#all()) if (entry.next !== null) wait = Math.min(wait, entry.next.at - now)
    this.#cancel = this.#parts.clock.after(Math.max(1, wait), () => this.settle())
  }

  *#all(): Iterable<Entry> {
    for (const entries of this.#entries.values()) yield* entries
  }
}

type Slot = Pick<TimedEntry, 'owner' | 'slot'>

function keyOf({ owner, slot }: Slot): string {
  return `${owner} ${slot}`
}

function upcomingRules(entries: Iterable<Entry>): UpcomingRule<Entry>[] {
  return [...entries].flatMap((entry) => (entry.next ? [{ of: entry, run: entry.next }] : []))
}
