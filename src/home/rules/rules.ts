import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import type { Random } from '../../lib/random.ts'
import type { Cause } from '../model/cause.ts'
import type { DeviceClass, DeviceKey } from '../model/device.ts'
import type { HomeInfo, Scene, Step } from '../model/house.ts'
import type { HomeEvent } from '../home-event.ts'
import type { ActivityLog, UnitOfWork } from '../ports/activity-log.ts'
import type { Control } from '../ports/control.ts'
import type { OpeningPolicy } from '../ports/opening-policy.ts'
import type { Claim, RuleStore, RunOf } from '../ports/rule-store.ts'
import type { StateReader } from '../ports/state-reader.ts'
import type { Priority } from '../ports/unit-bus.ts'
import { AutomationEngine } from './automations/automation-engine.ts'
import { type Automation, isTimed, type RuleKind, type RuleOf, type Schedule, timeRuleOf } from './model.ts'
import { Openers } from './openers.ts'
import { Trials, UPCOMING_DAYS, UPCOMING_MAX, type UpcomingRun } from './trial.ts'
import { timeWords } from '../words/rules.ts'
import { RuleRepository } from './rule-repository.ts'
import { askerOf, OpeningCheck, principalsOf } from './runs/opening-check.ts'
import { RunManager } from './runs/run-manager.ts'
import { type SceneRun, SceneRuns } from './scenes/scene-runs.ts'
import type { Occurrence, Where } from './time/occurrence.ts'
import { type TimedEntry, Timetable } from './time/timetable.ts'

const DAY_MS = 86_400_000

export interface RulesParts {
  readonly store: RuleStore
  readonly work: UnitOfWork
  readonly activity: ActivityLog
  readonly control: Control
  readonly states: StateReader
  readonly events: Emitter<HomeEvent>
  readonly scenes: (id: string) => Scene | undefined
  readonly classOf: (device: DeviceKey) => DeviceClass | undefined
  /** Who may open locks and gates, asked at each step that does. */
  readonly opening: OpeningPolicy
  readonly home: () => HomeInfo
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Everything that runs by itself: scenes, automations and schedules (Spec 2.5, docs/automations.md#why). */
export class Rules {
  readonly automations: RuleRepository<'automation'>
  readonly schedules: RuleRepository<'schedule'>
  readonly openers: Openers
  readonly trials: Trials
  readonly runs: RunManager
  readonly #parts: RulesParts
  readonly #scenes: SceneRuns
  readonly #timetable: Timetable
  readonly #engine: AutomationEngine
  #unsubscribe: (() => void) | null = null

  constructor(parts: RulesParts) {
    this.#parts = parts
    const { store, work, activity, control, clock, random, log } = parts
    const check = new OpeningCheck(parts)
    this.runs = new RunManager({
      store,
      activity,
      control,
      clock,
      random,
      log,
      check,
      runScene: async (scene, cause, priority, principals) => {
        const run = this.#scenes.run(scene, cause, priority, principals)
        await run?.paused
        return run !== null
      },
      running: (of, running, cause) => this.#emitRunning(of, running, cause),
    })
    this.#scenes = new SceneRuns({ scenes: parts.scenes, runs: this.runs })
    this.#timetable = new Timetable({
      clock,
      where: () => this.#where(),
      due: (entry, run) => this.#due(entry, run),
      missed: (entry, count, last) => this.#missed(entry, count, last),
    })
    this.#engine = new AutomationEngine({
      runs: this.runs,
      activity,
      states: parts.states,
      store,
      clock,
      log,
      where: () => this.#where(),
      pause: (automation, cause) => this.#pause(automation, cause),
    })
    const settle = (): void => this.#timetable.settle()
    this.automations = new RuleRepository('automation', {
      store,
      work,
      clock,
      random,
      settle,
      changed: (id, rule) => this.#automationChanged(id, rule),
    })
    this.schedules = new RuleRepository('schedule', {
      store,
      work,
      clock,
      random,
      settle,
      changed: (id, rule) => this.#scheduleChanged(id, rule),
    })
    const { automations, schedules } = this
    const stepsOf = (scene: string): readonly Step[] => parts.scenes(scene)?.steps ?? []
    this.openers = new Openers({ automations, schedules, classOf: parts.classOf, stepsOf, opening: parts.opening })
    const [runs, timetable, where] = [this.runs, this.#timetable, (): Where => this.#where()]
    this.trials = new Trials({ ...parts, automations, runs, timetable, check, where })
  }

  /**
   * Goes on with the runs that a stop or crash left, and subscribes to the home's events. Best called once the bus has
   * reported its first states.
   */
  start(): void {
    if (this.#unsubscribe) return
    this.#unsubscribe = this.#parts.events.on((event) => {
      if (event.kind === 'structure') this.#timetable.settle()
      this.#engine.onHomeEvent(event)
    })
    this.openers.switchOffLapsed(this.#parts.work, this.#parts.log)
    this.runs.resume()
    for (const automation of this.automations.list()) this.#takeAutomation(automation.id, automation, true)
    for (const schedule of this.schedules.list()) this.#takeSchedule(schedule.id, schedule)
    this.#timetable.start(this.#parts.store.claims())
  }

  /** Nothing runs any more; long delays go on after the next start. */
  stop(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = null
    this.#timetable.stop()
    this.#engine.halt()
    this.runs.halt()
  }

  /** Begins to run a scene; null where there is none. `cause` is who asked. */
  runScene(id: string, cause: Cause, priority: Priority): SceneRun | null {
    return this.#scenes.run(id, cause, priority, askerOf(cause))
  }

  isSceneRunning(id: string): boolean {
    return this.#scenes.running(id)
  }

  /** Ends what runs of a scene that is deleted. */
  forgetScene(id: string): void {
    this.runs.cancel({ kind: 'scene', id })
  }

  /** A schedule's or automation's next run by the clock (epoch ms), or null. */
  nextOf(kind: RuleKind, id: string): number | null {
    return this.#timetable.nextOf(`${kind}:${id}`)
  }

  /** What the clock will set off in the next days, soonest first, at most `UPCOMING_MAX`. */
  nextRuns(days = UPCOMING_DAYS): readonly UpcomingRun[] {
    const until = this.#parts.clock.now() + days * DAY_MS
    return this.#timetable.upcoming(until, UPCOMING_MAX).flatMap(({ owner, rule, at }) => {
      const { kind, id } = ruleOf(owner)
      const named = kind === 'automation' ? this.automations.get(id) : this.schedules.get(id)
      return named ? [{ kind, id, name: named.name, at, text: timeWords(rule) }] : []
    })
  }

  /** For the bench and for tests: the index that finds the automations which an event concerns. */
  get triggerIndex(): AutomationEngine['index'] {
    return this.#engine.index
  }

  #automationChanged(id: string, automation: Automation | null): void {
    this.#takeAutomation(id, automation, false)
    this.#emitChanged('automation')
  }

  #scheduleChanged(id: string, schedule: Schedule | null): void {
    this.#takeSchedule(id, schedule)
    this.#emitChanged('schedule')
  }

  #takeAutomation(id: string, automation: Automation | null, atStart: boolean): void {
    const owner = `automation:${id}`
    if (automation === null) {
      this.#engine.remove(id)
      this.#timetable.remove(owner)
      return this.runs.cancel({ kind: 'automation', id })
    }
    this.#engine.put(automation, atStart)
    const live = automation.enabled && !automation.paused
    this.#timetable.set(owner, live ? automation.when.filter((trigger) => isTimed(trigger)) : [], automation.changedAt)
    if (!live) this.runs.cancel({ kind: 'automation', id })
  }

  #takeSchedule(id: string, schedule: Schedule | null): void {
    const owner = `schedule:${id}`
    if (schedule === null) this.#timetable.remove(owner)
    else this.#timetable.set(owner, schedule.enabled ? [timeRuleOf(schedule)] : [], schedule.changedAt)
    if (schedule?.enabled !== true) this.runs.cancel({ kind: 'schedule', id })
  }

  #due(entry: TimedEntry, run: Occurrence): void {
    const { kind, id } = ruleOf(entry.owner)
    const claim: Claim = { owner: entry.owner, slot: entry.slot, ...run }
    if (kind === 'automation') return this.#engine.due(id, entry.rule, claim)
    const schedule = this.schedules.get(id)
    if (!schedule) return
    const cause: Cause = { source: 'schedule', name: schedule.name, ref: id }
    this.runs.take({
      of: { kind, id },
      steps: schedule.then,
      cause,
      priority: 'automation',
      principals: principalsOf(schedule.author),
      mode: 'restart',
      claim,
      data: { trigger: entry.rule },
    })
  }

  #missed(entry: TimedEntry, count: number, last: Occurrence): void {
    const { kind, id } = ruleOf(entry.owner)
    const rule: RuleOf[RuleKind] | undefined = kind === 'automation' ? this.automations.get(id) : this.schedules.get(id)
    if (!rule) return
    this.runs.forgo({ owner: entry.owner, slot: entry.slot, ...last })
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

  #pause(automation: Automation, cause: Cause): void {
    const { id } = automation
    this.#parts.log.warn({ automation: id }, 'An automation kept setting itself off and is paused until it is edited.')
    try {
      this.#parts.work.change((record) => {
        this.#parts.store.pause(id)
        record({
          at: this.#parts.clock.now(),
          kind: 'skipped',
          subject: { kind: 'automation', id },
          what: 'paused: it kept setting itself off',
          cause,
        })
      })
    } catch (error) {
      this.#parts.log.error(
        { err: error, automation: id },
        'The pause could not be stored; it holds until the next start.',
      )
    }
    this.automations.take(id, { ...automation, paused: true })
  }

  #emitRunning(of: RunOf, running: boolean, cause: Cause): void {
    if (of.kind === 'scene')
      this.#parts.events.emit({ kind: 'scene', scene: of.id, running, cause, at: this.#parts.clock.now() })
  }

  #emitChanged(rule: RuleKind): void {
    this.#parts.events.emit({ kind: 'rule', rule, at: this.#parts.clock.now() })
  }

  #where(): Where {
    const { timeZone, latitude, longitude } = this.#parts.home()
    return { zone: timeZone, place: latitude === null || longitude === null ? null : { latitude, longitude } }
  }
}

function ruleOf(owner: string): { readonly kind: RuleKind; readonly id: string } {
  const colon = owner.indexOf(':')
  return { kind: owner.slice(0, colon) === 'schedule' ? 'schedule' : 'automation', id: owner.slice(colon + 1) }
}
