import type { ActivityEntry } from '../../src/home/model/activity.ts'
import { ZoneTime } from '../../src/lib/zone-time.ts'
import { Violation } from '../violation.ts'
import type { World } from '../world.ts'
import type { Check } from './check.ts'

const MINUTE_MS = 60_000
/** What comes round has run by then, or is logged. */
const LATE_MS = 7 * MINUTE_MS
const DAY_MS = 86_400_000

/** An occurrence that the clock has yet to bring, or has brought. */
interface Expected {
  readonly id: string
  readonly revision: number
  /** Epoch milliseconds. */
  readonly at: number
}

/** Each occurrence of a schedule ran once, or is logged as missed. */
export function once(world: World): Check {
  const ran = new Map<string, string>()
  let coming: Expected[] = []
  let readUpTo = 0
  /** One occurrence, on one day of the home's calendar, has one run. */
  const notTwice = ({ kind, subject, data, at }: ActivityEntry): void => {
    if (kind !== 'run' || subject.kind !== 'schedule') return
    const { timeZone } = world.life.home.house.info
    const date = new Date(at + new ZoneTime(timeZone).offsetMinutes(at) * MINUTE_MS).toISOString().slice(0, 10)
    const key = `${subject.id} ${JSON.stringify(data?.['trigger'])} ${date}`
    const run = String(data?.['run'])
    if ((ran.get(key) ?? run) !== run) throw new Violation('once', `A schedule ran twice: ${key}.`)
    ran.set(key, run)
  }
  const look = (): void => {
    const { activity } = world.life.files.stores.history
    const now = world.clock.now()
    if (!world.troubled('clock', DAY_MS)) for (const entry of activity.each(readUpTo, now + 1)) notTwice(entry)
    readUpTo = now
    if (world.troubled('clock', DAY_MS) || world.troubled('disk', LATE_MS)) coming = []
    const due = coming.filter(({ at }) => at + LATE_MS < now)
    coming = coming.filter(({ at }) => at + LATE_MS >= now)
    for (const each of due) if (!isThere(world, each)) throw new Violation('once', missing(each))
    expectMore(world, coming)
  }
  // What was recorded just before a crash may be lost, and what came while the gateway was off is told at its start.
  world.watch({
    ends: () => {
      coming = coming.filter(({ at }) => at > world.clock.now() + LATE_MS)
    },
  })
  return {
    afterAct: () => {
      if (world.running && !world.troubled('down', LATE_MS)) look()
      else coming = []
    },
  }
}

function expectMore(world: World, coming: Expected[]): void {
  const { rules } = world.life.home
  for (const { id, revision, enabled } of rules.schedules.list()) {
    const at = enabled ? rules.nextOf('schedule', id) : null
    if (at === null || coming.some((each) => each.id === id && each.at === at)) continue
    coming.push({ id, revision, at })
  }
}

/** Whether it ran or was logged, or is no longer what it was. */
function isThere(world: World, { id, revision, at }: Expected): boolean {
  const schedule = world.life.home.rules.schedules.get(id)
  if (schedule === undefined || schedule.revision !== revision || schedule.changedAt > at) return true
  const { activity } = world.life.files.stores.history
  return [...activity.each(at - MINUTE_MS, at + LATE_MS)].some(
    ({ kind, subject }) =>
      subject.kind === 'schedule' && subject.id === id && (kind === 'run' || kind === 'skipped' || kind === 'failed'),
  )
}

function missing({ id, at }: Expected): string {
  return `Schedule ${id} neither ran nor is logged as missed at ${new Date(at).toISOString()}.`
}
