import type { Clock } from '../../lib/clock.ts'
import type { ActivityLog } from '../ports/activity-log.ts'
import { type NewClaim, type RuleStore, runKey } from '../ports/rule-store.ts'
import { timedWords } from '../words/rules.ts'
import {
  type Automation,
  parseRuleReference,
  type RuleKind,
  type Schedule,
  timeRuleOf,
  type TimedTrigger,
} from '../model/rules.ts'
import type { NamedRule } from '../model/rule-parts.ts'
import { firstFailed, type Present } from './automations/conditions.ts'
import { authored, causesRead, havingRead, type HomeFacts } from './runs/cause-chain.ts'
import { principalsOf } from './runs/opening-check.ts'
import type { RunManager } from './runs/run-manager.ts'
import { runTrigger } from './automations/run-trigger.ts'
import type { Occurrence, Where } from './time/local-time.ts'
import { nextRun, seeded } from './time/occurrence.ts'
import { type TimedEntry, Timetable } from './time/timetable.ts'
import { DAY_MS } from '../../lib/durations.ts'

/** Most upcoming runs that are listed. */
const UPCOMING_MAX = 500
const UPCOMING_DAYS = 7

export interface UpcomingRun {
  readonly kind: RuleKind
  readonly id: string
  readonly name: string
  /** Epoch ms. */
  readonly at: number
  /** Time of the run in words: `at 07:00 on Mon-Fri`. */
  readonly text: string
}

interface TimedRunsParts {
  readonly store: Pick<RuleStore, 'claims'>
  readonly activity: ActivityLog
  readonly clock: Clock
  /** Steady time in ms: it continues over restarts, and no clock jump changes it. */
  readonly steady: () => number
  readonly where: () => Where
  readonly seed: string
  readonly runs: Pick<RunManager, 'take' | 'claimWithoutRun' | 'counts'>
  readonly automation: (id: string) => Automation | undefined
  readonly schedule: (id: string) => Schedule | undefined
  readonly present: (schedule: Schedule) => Present
  readonly groups: HomeFacts['groups']
  readonly named: NamedRule
  readonly modeName: (mode: string) => string | null
  readonly calendarName: (id: string) => string | null
  /** Called at an automation's time; its conditions decide whether it runs. */
  readonly automationDue: (id: string, trigger: TimedTrigger, claim: NewClaim) => void
}

/** Timed runs: schedules, and automations at their times. Missed runs are recorded. */
export class TimedRuns {
  readonly #parts: TimedRunsParts
  readonly timetable: Timetable

  constructor(parts: TimedRunsParts) {
    this.#parts = parts
    this.timetable = new Timetable({
      ...parts,
      due: (entry, run) => this.#due(entry, run),
      missed: (entry, count, last) => this.#missed(entry, count, last),
    })
  }

  start(): void {
    this.timetable.start(this.#parts.store.claims())
  }

  /** Next timed run of a rule (epoch ms), or null. */
  nextOf(kind: RuleKind, id: string): number | null {
    return this.timetable.nextOf(runKey({ kind, id }))
  }

  /** First run (epoch ms) of a schedule at or after a moment, or null; also of one that is off until then. */
  firstFrom(schedule: Schedule, moment: number): number | null {
    const { seed, where } = this.#parts
    const timed = seeded(timeRuleOf(schedule), seed, runKey({ kind: 'schedule', id: schedule.id }))
    return nextRun(timed, moment - 1, where())?.at ?? null
  }

  /** The next times (epoch ms) of a rule, at most `max`. */
  momentsOf(kind: RuleKind, id: string, max: number): readonly number[] {
    return this.timetable.momentsOf(runKey({ kind, id }), max)
  }

  /** Timed runs of the next days, soonest first, at most `UPCOMING_MAX`. */
  upcoming(days = UPCOMING_DAYS): readonly UpcomingRun[] {
    const until = this.#parts.clock.now() + days * DAY_MS
    return this.timetable.upcoming(until, UPCOMING_MAX).flatMap(({ owner, rule: time, at }) => {
      const { kind, id } = parseRuleReference(owner)
      const rule = this.#parts[kind](id)
      if (rule === undefined) return []
      const words = timedWords(time, { calendar: this.#parts.calendarName })
      const text = rule.if.length === 0 ? words : `${words}, if its conditions hold`
      return [{ kind, id, name: rule.name, at, text }]
    })
  }

  #due(entry: TimedEntry, run: Occurrence): void {
    const { kind, id } = parseRuleReference(entry.owner)
    this.#parts.runs.counts.late(this.#parts.clock.now() - run.at)
    const claim = this.#claimOf(entry, run, false)
    if (kind === 'automation') return this.#parts.automationDue(id, entry.rule, claim)
    const schedule = this.#parts.schedule(id)
    if (!schedule) return
    const present = this.#parts.present(schedule)
    const self = authored({ source: 'schedule', name: schedule.name, ref: id }, schedule.author)
    const cause = havingRead(self, causesRead(schedule.if, { ...this.#parts, states: present.states }))
    const failed = firstFailed(schedule.if, present)
    if (failed !== null) {
      this.#parts.runs.claimWithoutRun(claim)
      const what = 'did not run: a condition was not met'
      const data = { trigger: entry.rule, ...failed }
      const at = this.#parts.clock.now()
      return this.#parts.activity.record({ at, kind: 'skipped', subject: { kind, id }, what, cause, data })
    }
    this.#parts.runs.take({
      of: { kind, id },
      steps: schedule.then,
      cause,
      priority: 'automation',
      principals: principalsOf(schedule.author),
      trigger: runTrigger(schedule, null, { ...this.#parts, states: present.states }),
      mode: 'restart',
      claim,
      data: { trigger: entry.rule },
    })
  }

  #claimOf({ owner, slot }: TimedEntry, { date, at }: Occurrence, missed: boolean): NewClaim {
    const steadyAt = this.#parts.steady()
    return { owner, slot, date, at, missed, steadyAt, dueAt: steadyAt - (this.#parts.clock.now() - at) }
  }

  #missed(entry: TimedEntry, count: number, last: Occurrence): void {
    const { kind, id } = parseRuleReference(entry.owner)
    const rule = this.#parts[kind](id)
    if (!rule) return
    this.#parts.runs.claimWithoutRun(this.#claimOf(entry, last, true))
    this.#parts.runs.counts.missed.add({ of: kind }, count)
    this.#parts.activity.record({
      at: this.#parts.clock.now(),
      kind: 'skipped',
      subject: { kind, id },
      what:
        count === 1
          ? 'missed a run: the gateway was off or its clock was wrong'
          : 'missed several runs: the gateway was off or its clock was wrong',
      cause: { source: kind, name: rule.name, ref: id },
      data: { trigger: entry.rule, missed: count, last: last.at },
    })
  }
}
