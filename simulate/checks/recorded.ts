import { Violation } from '../world/journal.ts'
import type { World } from '../world/world.ts'
import type { RunCheck } from './run-check.ts'
import { DAY_MS, MINUTE_MS } from '../../src/lib/durations.ts'
import type { ActivityEntry, Cause, HomeEvent } from '../../src/home/model/events.ts'
import { lastZoneTime } from '../../src/lib/zone-time.ts'
import { NEW_OCCURRENCE_MS } from '../../src/home/ports/rule-store.ts'
import { changeWords } from '../../src/home/words/changes.ts'

/** A wrong clock deletes no entries of the right time. */
export function keepsHistory(world: World): RunCheck {
  const from = world.clock.now() - DAY_MS
  let most = 0
  // A crash may lose entries that were not synced.
  world.watch({
    begun: () => {
      most = 0
    },
  })
  return {
    afterAct: () => {
      if (!world.running) return
      const count = world.life.files.activityCount(from, from + world.now + DAY_MS)
      if (count < most) throw new Violation('kept', `Of ${most} entries ${most - count} are forgotten.`)
      most = count
    },
  }
}

/** By then a due schedule has run or is logged as missed. */
const LATE_MS = 7 * MINUTE_MS
/** For this long a run by a wrong clock counts as the run of its date. */
const WRONG_MS = NEW_OCCURRENCE_MS + LATE_MS

/** An occurrence of a schedule, past or future. */
interface Expected {
  readonly id: string
  readonly revision: number
  /** Epoch milliseconds. */
  readonly at: number
  /** Time of the last edit of the schedule, epoch milliseconds. */
  readonly changedAt: number
}

/** Each occurrence of a schedule ran once, or is logged as missed. */
export function once(world: World): RunCheck {
  const ran = new Map<string, string>()
  /** Entries with dates of a fast clock. They do not count as runs of these dates. */
  const ahead = new Set<string>()
  let coming: Expected[] = []
  let readUpTo = 0
  /** An occurrence has one run on one day of the home's calendar. */
  const notTwice = ({ id, kind, subject, data, at }: ActivityEntry): void => {
    if (kind !== 'run' || subject.kind !== 'schedule' || ahead.has(id)) return
    const key = `${subject.id} ${JSON.stringify(data?.['trigger'])} ${dateOf(world, at)}`
    const run = String(data?.['run'])
    if ((ran.get(key) ?? run) !== run) throw new Violation('once', `A schedule ran twice: ${key}.`)
    ran.set(key, run)
  }
  const look = (): void => {
    const { activity } = world.life.files.stores.history
    const now = world.clock.now()
    const wrong = world.troubled('clock', WRONG_MS)
    for (const { id } of activity.iterate(now + 1, Infinity)) ahead.add(id)
    if (!wrong) for (const entry of activity.iterate(readUpTo, now + 1)) notTwice(entry)
    readUpTo = now
    if (wrong || world.troubled('disk', LATE_MS)) coming = []
    const late = coming.filter(({ at }) => at + LATE_MS < now)
    coming = coming.filter(({ at }) => at + LATE_MS >= now)
    for (const due of late) if (!isAccountedFor(world, due, ahead)) throw new Violation('once', missing(due))
    expectMore(world, coming)
  }
  // A crash may lose past entries. Occurrences during the downtime run or are logged after the start, except those
  // before the last edit of their schedule, which a fast clock can cause.
  world.watch({
    ends: () => {
      coming = coming.filter(({ at, changedAt }) => at > world.clock.now() && at > changedAt)
    },
  })
  return {
    afterAct: () => {
      if (world.running && !world.troubled('down', LATE_MS)) look()
    },
  }
}

const zoneTime = lastZoneTime()

/** Date on the home's calendar. */
function dateOf(world: World, at: number): string {
  const { timeZone } = world.life.home.house.info
  return new Date(at + zoneTime(timeZone).offsetMinutes(at) * MINUTE_MS).toISOString().slice(0, 10)
}

function expectMore(world: World, coming: Expected[]): void {
  const { rules } = world.life.home
  for (const { id, revision, enabled, changedAt } of rules.schedules.list()) {
    const at = enabled ? rules.timed.nextOf('schedule', id) : null
    if (at === null || coming.some((expected) => expected.id === id && expected.at === at)) continue
    coming.push({ id, revision, at, changedAt })
  }
}

/** True if the occurrence ran or was logged, or its schedule was edited or deleted. */
function isAccountedFor(world: World, { id, revision, at }: Expected, ahead: ReadonlySet<string>): boolean {
  const schedule = world.life.home.rules.schedules.get(id)
  if (schedule === undefined || schedule.revision !== revision) return true
  const { activity } = world.life.files.stores.history
  return [...activity.iterate(at - MINUTE_MS, world.clock.now() + 1)].some(
    ({ id: entry, kind, subject }) =>
      !ahead.has(entry) &&
      subject.kind === 'schedule' &&
      subject.id === id &&
      (kind === 'run' || kind === 'skipped' || kind === 'failed'),
  )
}

function missing({ id, at }: Expected): string {
  return `Schedule ${id} neither ran nor is logged as missed at ${new Date(at).toISOString()}.`
}

type StateEvent = Extract<HomeEvent, { kind: 'state' }>

/** Every confirmed change of a state has one row of activity with its cause. */
export function recorded(world: World): RunCheck {
  let events: StateEvent[] = []
  /** Rows of earlier changes. After a fast clock is corrected, the same millisecond can occur again. */
  const known = new Set<string>()
  world.watch({
    event: (event) => {
      if (event.kind === 'state' && isChange(event) && !world.troubled('disk', 5_000)) events.push(event)
    },
    // A crash may lose rows that were not synced.
    begun: () => {
      events = []
    },
  })
  return {
    afterAct: () => {
      if (!world.running || world.troubled('disk', 5_000)) {
        events = []
        return
      }
      for (const [place, its] of Map.groupBy(events, (event) => `${event.asOf} ${event.device}`))
        compare(world, place, its, known)
      events = []
    },
  }
}

/** True if the activity records an event as a change. Keys of a remote are left out: a repeated key is a change too. */
function isChange({ changed, previous, trigger, state }: StateEvent): boolean {
  return (
    changed && !('key' in state) && (previous !== null || trigger !== 'sync') && changeWords(previous, state) !== null
  )
}

function compare(world: World, place: string, events: readonly StateEvent[], known: Set<string>): void {
  const [first] = events
  if (first === undefined) return
  const { activity } = world.life.files.stores.history
  const rows = [...activity.iterate(first.asOf, first.asOf + 1)].filter(
    ({ id, kind, subject }) =>
      kind === 'state' && subject.kind === 'device' && subject.id === first.device && !known.has(id),
  )
  for (const { id } of rows) known.add(id)
  const [expected, stored] = [events, rows].map((list) => list.map(({ cause }) => storedText(cause)).sort())
  if (JSON.stringify(expected) !== JSON.stringify(stored))
    throw new Violation(
      'recorded',
      `${place} changed by ${expected?.join(' and ')}, in the activity: ${stored?.join(' and ') || 'nothing'}`,
    )
}

/** A cause as the history keeps it: without the credentials that answer for openings. */
const storedText = (cause: Cause | null): string =>
  JSON.stringify(cause, (key, value: unknown) => (key === 'behind' || key === 'answerable' ? undefined : value))
