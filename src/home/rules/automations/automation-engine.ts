import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { Cause, HomeEvent } from '../../model/events.ts'
import type { DeviceKey } from '../../model/device.ts'
import type { ActivityLog } from '../../ports/activity-log.ts'
import type { GroupReader } from '../../ports/group-reader.ts'
import type { NewClaim, RuleStore } from '../../ports/rule-store.ts'
import type { StateReader } from '../../ports/unit-bus.ts'
import type { Author } from '../../model/house.ts'
import type { Automation, GroupTrigger, Trigger } from '../../model/rules.ts'
import { type CascadeLimit, LIMIT_WORDS, type LimitedRun, type CascadeLimits } from '../runs/cascade-limits.ts'
import {
  authored,
  causedBy,
  causesOfTrigger,
  causesRead,
  findLink,
  havingRead,
  isAtFullDepth,
} from '../runs/cause-chain.ts'
import { principalsOf } from '../runs/opening-check.ts'
import type { RunManager } from '../runs/run-manager.ts'
import { runTrigger } from './run-trigger.ts'
import type { NamedRule } from '../../model/rule-parts.ts'
import { firstFailed, presenceOutcome, type Present, testOutcome } from './conditions.ts'
import type { Where } from '../time/local-time.ts'
import { asksForCause, Holds } from './holds.ts'
import { presenceCause, TriggerIndex, type TriggerWatch, watchAt, type Watches } from './trigger-index.ts'

/** An automation that triggers itself more often than this within a minute is a loop (docs/automations.md#loops). */
export const SELF_TRIGGERS_MAX = 10
const WINDOW_MS = 60_000

/** Counts how often automations trigger themselves. Times are monotonic milliseconds. */
class RuleLoopGuard {
  readonly #times = new Map<string, readonly number[]>()

  /** Counts one; true if that was one too many. */
  isLoop(automation: string, now: number): boolean {
    const recent = [...(this.#times.get(automation) ?? []).filter((time) => now - time < WINDOW_MS), now]
    if (recent.length > SELF_TRIGGERS_MAX) {
      this.#times.delete(automation)
      return true
    }
    this.#times.set(automation, recent)
    return false
  }

  forget(automation: string): void {
    this.#times.delete(automation)
  }
}

/** Pause before the same reason for not running is recorded again. */
const SKIP_AGAIN_MS = 60_000

interface AutomationEngineParts {
  readonly runs: RunManager
  readonly activity: ActivityLog
  readonly store: RuleStore
  readonly clock: Clock
  /** Steady time in ms: it continues over restarts, and no clock jump changes it. */
  readonly steady: () => number
  readonly log: Log
  readonly groups: GroupReader
  /** Devices of the group of a trigger that have the tested value. */
  readonly testedDevices: (trigger: GroupTrigger, author: Author) => readonly DeviceKey[]
  readonly present: (automation: Automation) => Present
  readonly named: NamedRule
  readonly modeName: (mode: string) => string | null
  readonly where: () => Where
  readonly limits: CascadeLimits
  readonly states: StateReader
  /** Epoch ms since which the id names the present unit. */
  readonly since: (device: DeviceKey) => number
  /** Called for a loop: the automation must be stored as paused. */
  readonly pause: (automation: Automation, cause: Cause) => void
}

interface TriggerContext {
  readonly by?: Cause | undefined
  readonly claim?: NewClaim | undefined
  readonly triggerStored?: boolean
}

/** Runs automations: takes the home's events, waits for `for`, tests the conditions and starts runs. */
export class AutomationEngine {
  readonly index: TriggerIndex
  readonly #parts: AutomationEngineParts
  readonly #holds: Holds
  readonly #loops = new RuleLoopGuard()
  readonly #automations = new Map<string, Automation>()
  readonly #skipped = new Map<string, { readonly reason: string; readonly at: number }>()
  readonly #limited = new Map<string, LimitedRun>()

  constructor(parts: AutomationEngineParts) {
    this.#parts = parts
    this.index = new TriggerIndex(parts.groups)
    this.#holds = new Holds({
      clock: parts.clock,
      steady: parts.steady,
      store: parts.store,
      log: parts.log,
      since: ({ trigger }) => ('device' in trigger ? parts.since(trigger.device) : 0),
      fire: (watch, by, triggerStored) => {
        // A device may have left its group meanwhile.
        if (isInGroup(watch, parts.groups)) this.#trigger(watch.automation, watch.trigger, { by, triggerStored })
      },
    })
    this.#holds.restore(parts.store.holds())
  }

  /**
   * Takes an automation after a change; one that is off or paused only waits. `atStart`: at the gateway's start; `by`: a
   * rule has switched it, so that it counts towards a loop.
   */
  put(automation: Automation, atStart: boolean, by?: Cause): void {
    this.#automations.set(automation.id, automation)
    const isLive = automation.enabled && !automation.paused
    const live = isLive ? this.index.set(automation.id, automation.when, automation.author) : NO_WATCHES
    if (!isLive) this.index.remove(automation.id)
    this.#holds.retain(automation.id, [...live.watches, ...live.groups])
    for (const watch of [...live.watches, ...this.#held(live.groups)]) {
      if (watch.forMs === null || !this.#holdsNow(watch)) continue
      if (atStart || asksForCause(watch)) this.#holds.known(watch, this.#causeNow(watch, undefined))
      else this.#holds.begins(watch, this.#causeNow(watch, by))
    }
    if (by === undefined) this.#loops.forget(automation.id)
    this.#skipped.delete(automation.id)
  }

  remove(id: string): void {
    this.index.remove(id)
    this.#holds.retain(id, [])
    this.#automations.delete(id)
    this.#loops.forget(id)
    this.#skipped.delete(id)
    this.#limited.delete(id)
  }

  limitedRun(id: string): LimitedRun | null {
    return this.#limited.get(id) ?? null
  }

  halt(): void {
    this.#holds.halt()
  }

  /** Triggers the automations of an event, each at most once. */
  onHomeEvent(event: HomeEvent): void {
    const signals = this.index.match(event)
    const [first] = signals
    if (first === undefined) return
    if (event.kind === 'mode') this.#parts.limits.inherit(first.by, event.held.cause)
    if (event.kind === 'presence')
      for (const by of new Set(signals.map((signal) => signal.by))) this.#parts.limits.inherit(by, event.cause)
    this.#holds.gather(() => this.#takeSignals(signals))
  }

  #takeSignals(signals: ReturnType<TriggerIndex['match']>): void {
    const done = new Set<string>()
    for (const { watch, change, by } of signals) {
      if (watch.forMs === null) {
        if (done.has(watch.automation)) continue
        done.add(watch.automation)
        this.#trigger(watch.automation, watch.trigger, { by })
      } else if (change === 'ends') {
        this.#holds.ends(watch)
      } else if (change === 'replaced') {
        this.#holds.replaced(watch)
      } else if (change === 'begins') {
        this.#holds.begins(watch, by)
      } else {
        this.#holds.known(watch, by)
      }
    }
  }

  /** Triggers an automation at its time of day. */
  due(id: string, trigger: Trigger, claim: NewClaim): void {
    this.#trigger(id, trigger, { claim })
  }

  #trigger(id: string, trigger: Trigger, { by, claim, triggerStored = false }: TriggerContext): void {
    const automation = this.#automations.get(id)
    if (automation === undefined || !automation.enabled || automation.paused) return
    // Checked first, because an exhausted cause may trigger very many automations.
    if (by !== undefined && this.#parts.limits.isExhausted(by)) return this.#limit(automation, 'cause', by, trigger)
    const self = causeOf(automation)
    const present = this.#parts.present(automation)
    const cause = causedBy(self, by)
    const failed = firstFailed(automation.if, present)
    if (failed !== null) {
      if (claim) this.#parts.runs.claimWithoutRun(claim)
      return this.#skip(automation, `condition:${failed.index}`, 'did not run: a condition was not met', cause, {
        trigger,
        ...failed,
      })
    }
    const outcome = this.#parts.runs.outcomeOf({ kind: 'automation', id }, automation.mode)
    // A chain of full length was cut, so the automation may be in the missing part: it counts as a loop.
    const mayLoop = findLink(self, by) !== undefined || isAtFullDepth(by)
    if (outcome !== 'busy' && mayLoop && this.#loops.isLoop(id, this.#parts.clock.monotonic())) {
      if (claim) this.#parts.runs.claimWithoutRun(claim)
      return this.#parts.pause(automation, cause)
    }
    const { groups } = this.#parts
    const facts = causesRead(automation.if, { states: present.states, groups })
    const answering = havingRead(cause, [...facts, ...causesOfTrigger(trigger, groups)])
    if (outcome !== 'busy' && by !== undefined) {
      const limit = this.#parts.limits.take(by, automation.then)
      if (limit !== null) return this.#limit(automation, limit, by, trigger)
      this.#parts.limits.inherit(answering, by)
    }
    this.#take(automation, trigger, answering, { claim, triggerStored })
  }

  #take(
    automation: Automation,
    trigger: Trigger,
    cause: Cause,
    context: Pick<TriggerContext, 'claim' | 'triggerStored'>,
  ): void {
    const of = { kind: 'automation', id: automation.id } as const
    const taken = this.#parts.runs.take({
      ...context,
      of,
      steps: automation.then,
      cause,
      priority: 'automation',
      principals: principalsOf(automation.author),
      trigger: runTrigger(automation, trigger, this.#parts),
      mode: automation.mode,
      data: { trigger },
    })
    if (taken.kind === 'busy') {
      const reason = `busy:${this.#parts.runs.active(of)?.id ?? ''}`
      this.#skip(automation, reason, 'did not run: it was still running', cause, { trigger })
    }
    if (taken.kind === 'full')
      this.#skip(automation, 'full', 'did not run: too many runs wait for their turn', cause, { trigger })
  }

  /**
   * Skips a run whose cause has reached its limit. One entry reports all skipped runs of a cause. An automation whose
   * conditions fail is not reported, because it would not have run anyway.
   */
  #limit(automation: Automation, limit: CascadeLimit, by: Cause, trigger: Trigger): void {
    if (firstFailed(automation.if, this.#parts.present(automation)) !== null) return
    if (!this.#parts.limits.shouldReport(by)) {
      this.#limited.set(automation.id, { at: this.#parts.clock.now(), limit })
      return
    }
    this.#skip(automation, limit, `did not run: ${LIMIT_WORDS[limit]}`, causedBy(causeOf(automation), by), { trigger })
  }

  /** Records why it did not run, but not repeatedly for a sensor that reports all the time. */
  #skip(
    automation: Automation,
    reason: string,
    what: string,
    cause: Cause,
    data: Readonly<Record<string, unknown>>,
  ): void {
    const now = this.#parts.clock.monotonic()
    const last = this.#skipped.get(automation.id)
    if (last?.reason === reason && (reason.startsWith('busy:') || now - last.at < SKIP_AGAIN_MS)) return
    this.#skipped.set(automation.id, { reason, at: now })
    this.#parts.activity.record({
      at: this.#parts.clock.now(),
      kind: 'skipped',
      subject: { kind: 'automation', id: automation.id },
      what,
      cause,
      data,
    })
  }

  /** Cause of a test that holds now; a presence adds the causes of everything that decides it. */
  #causeNow({ trigger }: TriggerWatch, by: Cause | undefined): Cause | undefined {
    if (!('person' in trigger)) return by
    return presenceCause(trigger.person, by, this.#parts.states.presence(trigger.person).causes)
  }

  #holdsNow(watch: TriggerWatch): boolean {
    const { trigger } = watch
    if ('person' in trigger) return presenceOutcome(trigger, this.#parts.states) === true
    if (!('state' in trigger || 'reading' in trigger || 'reachable' in trigger)) return false
    return testOutcome(trigger, this.#parts.states) === true
  }

  /** The watches of the devices of groups whose test has to hold for a time. */
  #held(groups: Watches['groups']): readonly TriggerWatch[] {
    return groups
      .filter(({ forMs }) => forMs !== null)
      .flatMap((group) =>
        this.#parts.testedDevices(group.trigger, group.author).map((device) => watchAt(group, device)),
      )
  }
}

const NO_WATCHES: Watches = { watches: [], groups: [] }

/** False for the trigger of a group at a device that is not in the group. */
function isInGroup({ trigger, group }: TriggerWatch, groups: GroupReader): boolean {
  return group === undefined || ('device' in trigger && groups.includes(group.trigger, group.author, trigger.device))
}

function causeOf({ id, name, author }: Automation): Cause {
  return authored({ source: 'automation', name, ref: id }, author)
}
