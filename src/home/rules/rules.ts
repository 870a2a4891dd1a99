import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import type { Random } from '../../lib/random.ts'
import type { Cause, HomeEvent } from '../model/events.ts'
import type { DeviceClass, DeviceKey } from '../model/device.ts'
import type { Author, HomeInfo, Scene } from '../model/house.ts'
import { groupSteps, type SceneStep } from '../model/steps.ts'
import { groupCommandOf } from '../model/rule-parts.ts'
import type { ActivityLog, UnitOfWork } from '../ports/activity-log.ts'
import type { CalendarEvents } from '../ports/calendars.ts'
import type { GroupReader } from '../ports/group-reader.ts'
import type { PastReader } from '../ports/history-store.ts'
import type { Control, OpeningPolicy, StateReader, RunFailure, Priority, UnitBus } from '../ports/unit-bus.ts'
import { type RuleStore, runKey, type RunOf, type Teller } from '../ports/rule-store.ts'
import { AutomationEngine } from './automations/automation-engine.ts'
import { firstFailed, type Present } from './automations/conditions.ts'
import { deviceConditions, testedDevices } from './group-tests.ts'
import { TestSpans } from './automations/test-spans.ts'
import {
  type Automation,
  type GroupStep,
  isTimed,
  parseRuleReference,
  type RuleKind,
  type Schedule,
  timeRuleOf,
} from '../model/rules.ts'
import { Openers } from './openers.ts'
import { RuleSwitches } from './rule-switches.ts'
import { TimedRuns } from './timed-runs.ts'
import { Trials } from './trial.ts'
import { RuleRepository } from './rule-repository.ts'
import { authorOf, OpeningCheck } from './runs/opening-check.ts'
import { movable } from './runs/step-performer.ts'
import { RunManager } from './runs/run-manager.ts'
import { CascadeLimits } from './runs/cascade-limits.ts'
import { causesRead, havingRead } from './runs/cause-chain.ts'
import { SceneRuns } from './scenes/scene-runs.ts'
import type { Where } from './time/local-time.ts'
import { fail, ok, type Result } from '../../lib/result.ts'

interface RulesParts {
  readonly store: RuleStore
  readonly work: UnitOfWork
  readonly activity: ActivityLog
  readonly control: Control
  readonly states: StateReader
  readonly past: PastReader
  readonly events: Emitter<HomeEvent>
  readonly scenes: (id: string) => Scene | undefined
  readonly classOf: (device: DeviceKey) => DeviceClass | undefined
  readonly groups: GroupReader
  /** Epoch ms since which the id names the present unit; 0 if it never named another one. */
  readonly since: (device: DeviceKey) => number
  readonly hasMode: (mode: string) => boolean
  /** Name for people; null if there is no such mode. */
  readonly modeName: (mode: string) => string | null
  /** Sets the mode of the home for good. */
  readonly setMode: (mode: string, cause: Cause) => void
  /** Permissions to open locks and gates, checked at each such step. */
  readonly opening: OpeningPolicy
  /** Sends the messages of rules. */
  readonly teller: Teller
  readonly home: () => HomeInfo
  /** Missing: the home has no calendars. */
  readonly calendars?: CalendarEvents
  /** Distinguishes the random minutes of this home from those of others. */
  readonly seed: string
  readonly clock: Clock
  /** True while the wall clock is not trusted. */
  readonly isClockDoubted: () => boolean
  /** Steady time in ms: it continues over restarts, and no clock jump changes it. */
  readonly steady: () => number
  readonly random: Random
  readonly log: Log
}

/** Scenes, automations and schedules (Spec 2.5, docs/automations.md#why). */
export class Rules {
  readonly automations: RuleRepository<'automation'>
  readonly schedules: RuleRepository<'schedule'>
  readonly openers: Openers
  readonly trials: Trials
  readonly runs: RunManager
  readonly scenes: SceneRuns
  readonly timed: TimedRuns
  readonly engine: AutomationEngine
  readonly switches: RuleSwitches
  readonly #parts: RulesParts
  readonly #spans: TestSpans
  readonly #check: OpeningCheck
  #unsubscribe: (() => void) | null = null

  constructor(parts: RulesParts) {
    this.#parts = parts
    const { store, work, clock, random } = parts
    const check = new OpeningCheck(parts)
    this.#check = check
    const where = (): Where => this.#where()
    this.#spans = new TestSpans(parts)
    const present = (author: Author, of: RunOf | null): Present => this.#present(author, of)
    const limits = new CascadeLimits(clock)
    this.runs = this.#runManager(check, limits)
    this.scenes = new SceneRuns({ scenes: parts.scenes, runs: this.runs, limits })
    const { named } = this
    this.timed = new TimedRuns({
      ...parts,
      named,
      where,
      present: ({ id, author }) => present(author, { kind: 'schedule', id }),
      calendarName: (id) => parts.calendars?.nameOf(id) ?? null,
      runs: this.runs,
      automation: (id) => this.automations.get(id),
      schedule: (id) => this.schedules.get(id),
      automationDue: (id, trigger, claim) => this.engine.due(id, trigger, claim),
    })
    this.engine = new AutomationEngine({
      ...parts,
      named,
      where,
      runs: this.runs,
      present: ({ id, author }) => present(author, { kind: 'automation', id }),
      testedDevices: (trigger, author) => testedDevices(trigger, author, parts),
      limits,
      pause: (automation, cause) => this.#pause(automation, cause),
    })
    const stored = {
      ...{ store, work, clock, random, settle: () => this.timed.timetable.settle() },
      ...{ named, homeRevision: () => this.automations.revision + this.schedules.revision },
    }
    this.automations = new RuleRepository('automation', {
      ...stored,
      changed: (id, rule, by) => this.#automationChanged(id, rule, by),
    })
    this.schedules = new RuleRepository('schedule', {
      ...stored,
      changed: (id, rule) => this.#scheduleChanged(id, rule),
    })
    const { automations, schedules } = this
    const stepsOf = (scene: string): readonly SceneStep[] => parts.scenes(scene)?.steps ?? []
    const { classOf, opening } = parts
    this.openers = new Openers({ automations, schedules, classOf, stepsOf, ruleOf: named, opening })
    this.switches = new RuleSwitches({ ...parts, rules: this, stepsOf })
    this.trials = new Trials({
      ...{ ...parts, automations, runs: this.runs, timed: this.timed, check, where, present },
      ...{ named, switches: this.switches },
    })
  }

  #runManager(check: OpeningCheck, limits: CascadeLimits): RunManager {
    const parts = this.#parts
    return new RunManager({
      ...parts,
      check,
      holds: (conditions, { of, principals }) =>
        firstFailed(conditions, this.#present(authorOf(principals), of)) === null,
      onEvent: (listener) => parts.events.on(listener),
      runScene: async (scene, cause, priority, principals) => {
        const run = this.scenes.run(scene, cause, priority, principals)
        await run?.paused
        return run !== null
      },
      setMode: (mode, cause) => this.#setMode(mode, cause),
      afterReading: (conditions, cause) => {
        const after = havingRead(cause, causesRead(conditions, parts))
        if (after !== cause) limits.inherit(after, cause)
        return after
      },
      running: (of, running, cause) => this.#emitRunning(of, running, cause),
      ended: (of, failed) => this.#emitEnded(of, failed),
      switchRule: (step, run) => this.switches.step(step, run),
    })
  }

  /** An automation or schedule by its reference `automation:x`. */
  readonly named = (reference: string): Automation | Schedule | undefined => {
    const { kind, id } = parseRuleReference(reference)
    return this[`${kind}s`].get(id)
  }

  /**
   * Continues the runs from before a stop or crash, and subscribes to the home's events. Best called after the bus has
   * reported its first states.
   */
  start(): void {
    if (this.#unsubscribe) return
    this.#spans.clear()
    this.#unsubscribe = this.#parts.events.on((event) => {
      if (event.kind === 'structure') this.timed.timetable.settle()
      this.#spans.onHomeEvent(event)
      this.engine.onHomeEvent(event)
    })
    this.openers.switchOffLapsed(this.#parts.work, this.#parts.log)
    this.runs.resume()
    for (const automation of this.automations.list()) this.#takeAutomation(automation.id, automation, true)
    for (const schedule of this.schedules.list()) this.#takeSchedule(schedule.id, schedule, true)
    this.timed.start()
    this.switches.start()
  }

  /** Stops all runs; long delays continue after the next start. */
  stop(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = null
    this.switches.stop()
    this.timed.timetable.stop()
    this.engine.halt()
    this.runs.halt()
  }

  /** Finds the next events after calendars got other ones. */
  calendarsChanged(): void {
    this.timed.timetable.settle()
  }

  /** Devices of `among` that a group step of an author's rule would move now. */
  movedDevices(step: GroupStep, author: Author, among: readonly DeviceKey[]): readonly DeviceKey[] {
    const devices = among.filter((device) => this.#parts.groups.includes(step, author, device))
    const members = movable(devices, step, { ...this.#parts, check: this.#check })
    return groupSteps(groupCommandOf(step), members).map(({ device }) => device)
  }

  #automationChanged(id: string, automation: Automation | null, by?: Cause): void {
    this.#takeAutomation(id, automation, false, by)
    this.#changed('automation', id, automation)
  }

  #scheduleChanged(id: string, schedule: Schedule | null): void {
    this.#takeSchedule(id, schedule)
    this.#changed('schedule', id, schedule)
  }

  #changed(kind: RuleKind, id: string, rule: Automation | Schedule | null): void {
    this.switches.ruleChanged(runKey({ kind, id }), rule)
    for (const list of ['automation', 'schedule'] as const)
      if (list === kind || this.switches.hasSwitching(list)) this.#emitChanged(list)
  }

  #takeAutomation(id: string, automation: Automation | null, atStart: boolean, by?: Cause): void {
    const of = { kind: 'automation', id } as const
    const live = automation !== null && automation.enabled && !automation.paused
    this.#spans.put(runKey(of), live ? automation : null)
    if (automation === null) {
      this.engine.remove(id)
      this.timed.timetable.remove(runKey(of))
      return this.runs.cancel(of)
    }
    this.engine.put(automation, atStart, by)
    this.timed.timetable.set(
      runKey(of),
      live ? automation.when.filter((trigger) => isTimed(trigger)) : [],
      automation.changedAt,
    )
    if (!live) this.runs.cancel(of, this.switches.isByItself(of, atStart))
  }

  #takeSchedule(id: string, schedule: Schedule | null, atStart = false): void {
    const of = { kind: 'schedule', id } as const
    const live = schedule?.enabled === true
    this.#spans.put(runKey(of), live ? schedule : null)
    if (schedule === null) this.timed.timetable.remove(runKey(of))
    else this.timed.timetable.set(runKey(of), live ? [timeRuleOf(schedule)] : [], schedule.changedAt)
    if (!live) this.runs.cancel(of, this.switches.isByItself(of, atStart))
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
        'The pause could not be stored. It lasts until the next start.',
      )
    }
    this.automations.take(id, { ...automation, paused: true })
  }

  #setMode(mode: string, cause: Cause): 'no_mode' | 'error' | null {
    if (!this.#parts.hasMode(mode)) return 'no_mode'
    try {
      this.#parts.setMode(mode, cause)
      return null
    } catch (error) {
      this.#parts.log.error({ err: error, mode }, 'The mode that a rule sets could not be stored.')
      return 'error'
    }
  }

  #emitRunning(of: RunOf, running: boolean, cause: Cause): void {
    if (of.kind === 'scene')
      this.#parts.events.emit({ kind: 'scene', scene: of.id, running, cause, at: this.#parts.clock.now() })
  }

  #emitEnded({ kind, id }: RunOf, failed: boolean): void {
    if (kind !== 'scene') this.#parts.events.emit({ kind: 'run', rule: kind, id, failed, at: this.#parts.clock.now() })
  }

  #emitChanged(rule: RuleKind): void {
    this.#parts.events.emit({ kind: 'rule', rule, at: this.#parts.clock.now() })
  }

  /** The present home, as the conditions of an author see it; `of`: the stored rule that has them. */
  #present(author: Author, of: RunOf | null): Present {
    const { states, clock } = this.#parts
    return {
      states,
      now: clock.now(),
      where: this.#where(),
      spanOf: (test) => this.#spans.of(test, of && runKey(of)),
      testsOf: (condition) => deviceConditions(condition, author, this.#parts),
    }
  }

  #where(): Where {
    const { home, calendars } = this.#parts
    const { timeZone, latitude, longitude } = home()
    const place = latitude === null || longitude === null ? null : { latitude, longitude }
    return { zone: timeZone, place, ...(calendars && { calendars }) }
  }
}

/**
 * Runs scenes for clients: the response comes at the start of the run, which continues by itself (Spec 2.4). A scene is
 * refused at once while the adapter is down.
 */
export function sceneRunnerOf({ scenes }: Pick<Rules, 'scenes'>, bus: Pick<UnitBus, 'down' | 'retryMs'>) {
  const obstacle = (): RunFailure | null =>
    bus.down === null ? null : { kind: 'unavailable', ...(bus.retryMs !== null && { retryMs: bus.retryMs }) }
  return {
    /** The failure of every run now; null if a run can start. */
    obstacle,
    /** A newer run of the same scene cancels the older one. */
    run: (scene: string, cause: Cause, priority: Priority): Result<{ readonly runId: string }, RunFailure> => {
      const failure = obstacle()
      if (failure !== null) return fail(failure)
      const run = scenes.run(scene, cause, priority)
      return run ? ok({ runId: run.runId }) : fail({ kind: 'not_there' })
    },
    running: (scene: string): boolean => scenes.running(scene),
  }
}
export type SceneRunner = ReturnType<typeof sceneRunnerOf>
