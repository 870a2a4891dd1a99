import type { ActivityEntry } from '../../src/home/model/activity.ts'
import { lastZoneTime } from '../../src/lib/zone-time.ts'
import { Violation } from '../violation.ts'
import type { World } from '../world.ts'
import type { Check } from './check.ts'
import { COMES_AGAIN_MS } from '../../src/home/ports/rule-store.ts'
import { MINUTE_MS } from '../../src/lib/durations.ts'

/** What comes round has run by then, or is logged. */
const LATE_MS = 7 * MINUTE_MS
/** What a wrong clock ran counts for so long as the run of its date. */
const WRONG_MS = COMES_AGAIN_MS + LATE_MS

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
    for (const { id } of activity.each(now + 1, Infinity)) ahead.add(id)
    if (!wrong) for (const entry of activity.each(readUpTo, now + 1)) notTwice(entry)
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
    const at = enabled ? rules.nextOf('schedule', id) : null
    if (at === null || coming.some((each) => each.id === id && each.at === at)) continue
    coming.push({ id, revision, at, changedAt })
  }
}

/** Whether it ran or was logged, or is no longer what it was. */
function isThere(world: World, { id, revision, at }: Expected, ahead: ReadonlySet<string>): boolean {
  const schedule = world.life.home.rules.schedules.get(id)
  if (schedule === undefined || schedule.revision !== revision) return true
  const { activity } = world.life.files.stores.history
  return [...activity.each(at - MINUTE_MS, world.clock.now() + 1)].some(
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
