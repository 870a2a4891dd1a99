import { Violation } from '../world/journal.ts'
import type { World } from '../world/world.ts'
import type { Check } from './check.ts'
import { DAY_MS, MINUTE_MS } from '../../src/lib/durations.ts'
import type { ActivityEntry, HomeEvent } from '../../src/home/model/events.ts'
import { lastZoneTime } from '../../src/lib/zone-time.ts'
import { NEW_OCCURRENCE_MS } from '../../src/home/ports/rule-store.ts'
import { changeWords } from '../../src/home/words/changes.ts'

/** A wrong clock does not forget: what was recorded by the right one stays. */
export function kept(world: World): Check {
  const from = world.clock.now() - DAY_MS
  let most = 0
  // What was not synced before a crash may be lost.
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

/** What comes round has run by then, or is logged. */
const LATE_MS = 7 * MINUTE_MS
/** What a wrong clock ran counts for so long as the run of its date. */
const WRONG_MS = NEW_OCCURRENCE_MS + LATE_MS

/** An occurrence that the clock has yet to bring, or has brought. */
interface Expected {
  readonly id: string
  readonly revision: number
  /** Epoch milliseconds. */
  readonly at: number
  /** Epoch milliseconds, by the clock as it was when the schedule was saved. */
  readonly changedAt: number
}

/** Each occurrence of a schedule ran once, or is logged as missed. */
export function once(world: World): Check {
  const ran = new Map<string, string>()
  /** Entries that a clock ahead dated: they are no runs of the dates that they have. */
  const ahead = new Set<string>()
  let coming: Expected[] = []
  let readUpTo = 0
  /** One occurrence, on one day of the home's calendar, has one run. */
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
    const due = coming.filter(({ at }) => at + LATE_MS < now)
    coming = coming.filter(({ at }) => at + LATE_MS >= now)
    for (const each of due) if (!isThere(world, each, ahead)) throw new Violation('once', missing(each))
    expectMore(world, coming)
  }
  // What was recorded before a crash may be lost. What comes while the gateway is off runs, or is told, after its start;
  // not what came before its schedule was saved, as a clock ahead makes it seem.
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

/** On the home's calendar. */
function dateOf(world: World, at: number): string {
  const { timeZone } = world.life.home.house.info
  return new Date(at + zoneTime(timeZone).offsetMinutes(at) * MINUTE_MS).toISOString().slice(0, 10)
}

function expectMore(world: World, coming: Expected[]): void {
  const { rules } = world.life.home
  for (const { id, revision, enabled, changedAt } of rules.schedules.list()) {
    const at = enabled ? rules.timed.nextOf('schedule', id) : null
    if (at === null || coming.some((each) => each.id === id && each.at === at)) continue
    coming.push({ id, revision, at, changedAt })
  }
}

/** Whether it ran or was logged, or is no longer what it was. */
function isThere(world: World, { id, revision, at }: Expected, ahead: ReadonlySet<string>): boolean {
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

/** Every confirmed change of a state is one row of the activity, with its cause. */
export function recorded(world: World): Check {
  let events: StateEvent[] = []
  /** Rows of changes before: a clock that was ahead brings their very millisecond again. */
  const known = new Set<string>()
  world.watch({
    event: (event) => {
      if (event.kind === 'state' && isChange(event) && !world.troubled('disk', 5_000)) events.push(event)
    },
    // What was not synced before a crash may be lost.
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

/** Keys of a remote apart: sent again they are a change as well. */
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
  const [told, stored] = [events, rows].map((list) => list.map(({ cause }) => JSON.stringify(cause)).sort())
  if (JSON.stringify(told) !== JSON.stringify(stored))
    throw new Violation(
      'recorded',
      `${place} changed by ${told?.join(' and ')}, in the activity: ${stored?.join(' and ') || 'nothing'}`,
    )
}
