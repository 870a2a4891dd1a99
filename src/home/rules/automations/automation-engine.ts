import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { Cause, HomeEvent } from '../../model/events.ts'
import type { DeviceKey } from '../../model/device.ts'
import type { ActivityLog } from '../../ports/activity-log.ts'
import type { NewClaim, RuleStore } from '../../ports/rule-store.ts'
import type { StateReader } from '../../ports/unit-bus.ts'
import type { Automation, Trigger } from '../../model/rules.ts'
import {
  isAtFullDepth,
  linkTo,
  setOffBy,
  type Bound,
  BOUND_WORDS,
  type HeldBack,
  type SetOffBounds,
} from '../runs/set-off-bounds.ts'
import { principalsOf } from '../runs/opening-check.ts'
import type { RunManager } from '../runs/run-manager.ts'
import type { Where } from '../time/occurrence.ts'
import { judge, passes } from './conditions.ts'
import { Holds } from './holds.ts'
import { TriggerIndex, type TriggerWatch } from './trigger-index.ts'

/** An automation that sets itself off more often than this within a minute is a loop (docs/automations.md#loops). */
export const SELF_TRIGGERS_MAX = 10
const WINDOW_MS = 60_000

/** Counts how often automations set themselves off. Times are monotonic milliseconds. */
class LoopGuard {
  readonly #times = new Map<string, readonly number[]>()

  /** Counts one; true when that was one too many. */
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

/** The same reason for not running is recorded again only after this long. */
const SKIP_AGAIN_MS = 60_000

interface AutomationEngineParts {
  readonly runs: RunManager
  readonly activity: ActivityLog
  readonly states: StateReader
  readonly store: RuleStore
  readonly clock: Clock
  readonly log: Log
  readonly where: () => Where
  readonly bounds: SetOffBounds
  /** Since when a device is the unit that it is now, epoch ms. */
  readonly since: (device: DeviceKey) => number
  /** A loop was found: the automation is to be stored as paused. */
  readonly pause: (automation: Automation, cause: Cause) => void
}

interface SettingOff {
  readonly by?: Cause | undefined
  readonly claim?: NewClaim | undefined
  readonly triggerStored?: boolean
}

/** Runs automations: takes the home's events, waits out `for`, tests the conditions and begins runs. */
export class AutomationEngine {
  readonly index = new TriggerIndex()
  readonly #parts: AutomationEngineParts
  readonly #holds: Holds
  readonly #loops = new LoopGuard()
  readonly #automations = new Map<string, Automation>()
  readonly #skipped = new Map<string, { readonly reason: string; readonly at: number }>()
  readonly #heldBack = new Map<string, HeldBack>()

  constructor(parts: AutomationEngineParts) {
    this.#parts = parts
    this.#holds = new Holds({
      clock: parts.clock,
      store: parts.store,
      log: parts.log,
      since: ({ trigger }) => ('device' in trigger ? parts.since(trigger.device) : 0),
      fire: (watch, by, triggerStored) => this.#setOff(watch.automation, watch.trigger, { by, triggerStored }),
    })
    this.#holds.restore(parts.store.holds())
  }

  /** Takes an automation as it is now; one that is off or paused only stands by. `atStart`: as the gateway starts. */
  put(automation: Automation, atStart: boolean): void {
    this.#automations.set(automation.id, automation)
    const watches = automation.enabled && !automation.paused ? this.index.set(automation.id, automation.when) : []
    if (watches.length === 0) this.index.remove(automation.id)
    this.#holds.retain(automation.id, watches)
    for (const watch of watches) {
      if (watch.forMs === null || !this.#holdsNow(watch)) continue
      if (atStart) this.#holds.known(watch, undefined)
      else this.#holds.begins(watch, undefined)
    }
    this.#loops.forget(automation.id)
    this.#skipped.delete(automation.id)
  }

  remove(id: string): void {
    this.index.remove(id)
    this.#holds.retain(id, [])
    this.#automations.delete(id)
    this.#loops.forget(id)
    this.#skipped.delete(id)
    this.#heldBack.delete(id)
  }

  heldBack(id: string): HeldBack | null {
    return this.#heldBack.get(id) ?? null
  }

  halt(): void {
    this.#holds.halt()
  }

  /** Sets off the automations that an event concerns, each at most once. */
  onHomeEvent(event: HomeEvent): void {
    const signals = this.index.match(event)
    if (signals.length === 0) return
    this.#holds.gather(() => this.#takeSignals(signals))
  }

  #takeSignals(signals: ReturnType<TriggerIndex['match']>): void {
    const done = new Set<string>()
    for (const { watch, change, by } of signals) {
      if (watch.forMs === null) {
        if (done.has(watch.automation)) continue
        done.add(watch.automation)
        this.#setOff(watch.automation, watch.trigger, { by })
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

  /** A time of day has come for an automation. */
  due(id: string, trigger: Trigger, claim: NewClaim): void {
    this.#setOff(id, trigger, { claim })
  }

  #setOff(id: string, trigger: Trigger, { by, claim, triggerStored = false }: SettingOff): void {
    const automation = this.#automations.get(id)
    if (automation === undefined || !automation.enabled || automation.paused) return
    // Asked first, since what a cause sets off beyond its bound may be very many.
    if (by !== undefined && this.#parts.bounds.isSpent(by)) return this.#holdBack(automation, 'cause', by, trigger)
    const self = causeOf(automation)
    const cause = setOffBy(self, by)
    const failed = this.#firstFailed(automation)
    if (failed !== null) {
      if (claim) this.#parts.runs.forgo(claim)
      const data = { trigger, condition: automation.if[failed], index: failed }
      return this.#skip(automation, `condition:${failed}`, 'did not run: a condition did not hold', cause, data)
    }
    const would = this.#parts.runs.would({ kind: 'automation', id }, automation.mode)
    // A chain of full length was cut, so the automation may stand in the part that is missing: it counts as a loop.
    const mayLoop = linkTo(self, by) !== undefined || isAtFullDepth(by)
    if (would !== 'busy' && mayLoop && this.#loops.isLoop(id, this.#parts.clock.monotonic())) {
      if (claim) this.#parts.runs.forgo(claim)
      return this.#parts.pause(automation, cause)
    }
    if (would !== 'busy' && by !== undefined) {
      const bound = this.#parts.bounds.take(by, automation.then)
      if (bound !== null) return this.#holdBack(automation, bound, by, trigger)
      this.#parts.bounds.follows(cause, by)
    }
    this.#take(automation, trigger, cause, { claim, triggerStored })
  }

  #take(
    automation: Automation,
    trigger: Trigger,
    cause: Cause,
    setOff: Pick<SettingOff, 'claim' | 'triggerStored'>,
  ): void {
    const of = { kind: 'automation', id: automation.id } as const
    const taken = this.#parts.runs.take({
      ...setOff,
      of,
      steps: automation.then,
      cause,
      priority: 'automation',
      principals: principalsOf(automation.author),
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
   * Its cause may set off no more. One entry tells of all that a cause did not set off; not of one whose conditions do
   * not hold, which would not have run anyway.
   */
  #holdBack(automation: Automation, bound: Bound, by: Cause, trigger: Trigger): void {
    if (this.#firstFailed(automation) !== null) return
    if (!this.#parts.bounds.tells(by)) {
      this.#heldBack.set(automation.id, { at: this.#parts.clock.now(), bound })
      return
    }
    this.#skip(automation, bound, `did not run: ${BOUND_WORDS[bound]}`, setOffBy(causeOf(automation), by), { trigger })
  }

  #firstFailed(automation: Automation): number | null {
    const index = automation.if.findIndex(
      (condition) => !judge(condition, this.#parts.states, this.#parts.clock.now(), this.#parts.where()).holds,
    )
    return index < 0 ? null : index
  }

  /** Records why it did not run, but not again and again for a sensor that reports all the time. */
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

  #holdsNow(watch: TriggerWatch): boolean {
    const { trigger } = watch
    if (!('state' in trigger || 'reading' in trigger)) return false
    const verdict = judge(trigger, this.#parts.states, this.#parts.clock.now(), this.#parts.where())
    return verdict.value !== null && passes(trigger, verdict.value)
  }
}

function causeOf({ id, name }: Automation): Cause {
  return { source: 'automation', name, ref: id }
}
