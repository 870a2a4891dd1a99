import type { Clock } from '../../lib/clock.ts'
import {
  type Automation,
  type AutomationDraft,
  type Condition,
  isTimed,
  type RuleKind,
  type ScheduleDraft,
  type Step,
  type TellStep,
  type TimedTrigger,
} from '../model/rules.ts'
import type { Principal } from '../ports/unit-bus.ts'
import { type DisplayNames, modeName, valueWords } from '../words/values.ts'
import { type TellNames, tellText } from '../words/messages.ts'
import { conditionWords, stepWords, trialWords, triggerWords } from '../words/rules.ts'
import { firstFailed, judge, type Present, type Verdict } from './automations/conditions.ts'
import type { RuleRepository } from './rule-repository.ts'
import { causesRead, credentialsBehind } from './runs/cause-chain.ts'
import { DryRun, type DryRunSources, type ForeseenStep, type ForeseenTelling } from './runs/dry-run.ts'
import { principalsOf } from './runs/opening-check.ts'
import type { RunManager } from './runs/run-manager.ts'
import { runTrigger } from './automations/run-trigger.ts'
import type { TimedRuns } from './timed-runs.ts'
import { type RunOf, runKey } from '../ports/rule-store.ts'
import type { Occurrence, Where } from './time/local-time.ts'
import { momentsOf, nextRun, seeded } from './time/occurrence.ts'

/** Most upcoming times listed for one rule. */
export const MOMENTS_MAX = 10

/** Result of triggering the automation now; nothing is sent or logged. */
export interface Trial {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly paused: boolean
  /** `next`: epoch ms for times of day, null for events. */
  readonly when: readonly { readonly text: string; readonly next: number | null }[]
  /** `now`: the present value in words; null for times and dates, and for conditions with others inside. */
  readonly if: readonly { readonly text: string; readonly now: string | null; readonly holds: boolean }[]
  readonly then: readonly string[]
  readonly wouldRun: boolean
  /** Reason why it would not run, in one sentence; null if it would. */
  readonly because: string | null
}

/** An unsaved draft, or a stored rule. */
type TrialSubject = (AutomationDraft | ScheduleDraft) & { readonly paused?: boolean }

interface TrialsParts extends Omit<DryRunSources, 'holds' | 'telling'> {
  readonly automations: Pick<RuleRepository<'automation'>, 'get'>
  readonly runs: Pick<RunManager, 'outcomeOf'>
  readonly timed: Pick<TimedRuns, 'momentsOf'>
  readonly present: () => Present
  readonly clock: Pick<Clock, 'now'>
  readonly where: () => Where
  readonly seed: string
}

/**
 * Predicts the effects of rules and scenes, stored or not, with the code that runs them; nothing is sent, stored or
 * recorded.
 */
export class Trials {
  readonly #parts: TrialsParts

  constructor(parts: TrialsParts) {
    this.#parts = parts
  }

  /** Result of triggering the automation now, in words; null if there is none. */
  automation(id: string, names: DisplayNames): Trial | null {
    const automation = this.#parts.automations.get(id)
    if (!automation) return null
    const because = this.reasonNotToRun(automation, names, id)
    return {
      id,
      name: automation.name,
      enabled: automation.enabled,
      paused: automation.paused,
      when: automation.when.map((trigger) => ({
        text: triggerWords(trigger, names),
        next: isTimed(trigger) ? (this.#next(trigger, { kind: 'automation', id })?.at ?? null) : null,
      })),
      if: this.conditions(automation.if).map(({ condition, value, holds }) => ({
        text: conditionWords(condition, names),
        now: presentWords(condition, value, names),
        holds,
      })),
      then: automation.then.map((step) => stepWords(step, names)),
      wouldRun: because === null,
      because,
    }
  }

  /** Reason why a rule would not run if it were triggered now, in one sentence, or null; `id` if it is stored. */
  reasonNotToRun(rule: TrialSubject, names: DisplayNames, id?: string): string | null {
    const isBusy =
      id !== undefined && 'mode' in rule && this.#parts.runs.outcomeOf({ kind: 'automation', id }, rule.mode) === 'busy'
    return trialWords({ paused: false, ...rule }, isBusy, this.#failed(rule.if), names)
  }

  #next(trigger: TimedTrigger, of: RunOf): Occurrence | null {
    const { seed, clock, where } = this.#parts
    return nextRun(seeded(trigger, seed, runKey(of)), clock.now(), where())
  }

  #failed(conditions: readonly Condition[]): Condition | null {
    return this.conditions(conditions).find((verdict) => !verdict.holds)?.condition ?? null
  }

  /** Each condition with its present verdict. */
  conditions(conditions: readonly Condition[]): readonly Verdict[] {
    const present = this.#parts.present()
    return conditions.map((condition) => judge(condition, present))
  }

  /** Like `steps`, for a rule that its first trigger sets off now; `names` as the reader sees them. */
  ruleSteps(
    rule: TrialSubject & Pick<Automation, 'author'> & { readonly id?: string },
    names: TellNames,
  ): readonly ForeseenStep[] {
    const { clock, where } = this.#parts
    const trigger = runTrigger(rule, 'when' in rule ? (rule.when[0] ?? null) : null, this.#parts)
    const of =
      rule.id === undefined ? null : ({ kind: 'when' in rule ? 'automation' : 'schedule', id: rule.id } as const)
    const text = ({ tell }: TellStep): string =>
      tellText(tell, { trigger, at: clock.now(), names, timeZone: where().zone })
    return this.steps(rule.then, this.principalsOf(rule), { of, text, principals: principalsOf(rule.author) })
  }

  /** Principals of a run of this rule that starts now. */
  principalsOf({ author, if: conditions }: Pick<Automation, 'author' | 'if'>): readonly Principal[] {
    return [...principalsOf(author), ...credentialsBehind(causesRead(conditions, this.#parts.states))]
  }

  /** Each step in order, as a run that starts now with the permissions of `principals` would perform it. */
  steps(steps: readonly Step[], principals: readonly Principal[], telling?: ForeseenTelling): readonly ForeseenStep[] {
    const present = this.#parts.present()
    const holds: DryRunSources['holds'] = (list, states, afterMs) =>
      firstFailed(list, { ...present, states, now: present.now + afterMs }) === null
    return new DryRun({ ...this.#parts, holds, ...(telling && { telling }) }).of(steps, principals)
  }

  /**
   * The next times (epoch ms) of a draft after it is saved; `of` if it edits a stored rule. A new rule has no random
   * minutes yet: its times are the earliest ones.
   */
  moments(times: readonly TimedTrigger[], of?: RunOf): readonly number[] {
    const where = this.#parts.where()
    const now = this.#parts.clock.now()
    const coming = times.flatMap((rule) => {
      const timed = of === undefined ? rule : seeded(rule, this.#parts.seed, runKey(of))
      const run = nextRun(timed, now, where)
      return run ? [{ of: { timed }, run }] : []
    })
    return momentsOf(coming, where, MOMENTS_MAX)
  }

  /** The next times of a stored rule. */
  momentsOf(kind: RuleKind, id: string): readonly number[] {
    return this.#parts.timed.momentsOf(kind, id, MOMENTS_MAX)
  }
}

/** The tested value in words; null for times and dates, and for conditions with others inside. */
function presentWords(condition: Condition, value: Verdict['value'], names: DisplayNames): string | null {
  if ('state' in condition) return valueWords(condition.state, value)
  if ('reading' in condition) return valueWords(condition.reading, value)
  if ('detection' in condition) return valueWords(condition.detection, value)
  if ('mode' in condition) return modeName(String(value), names)
  if ('person' in condition) return value === null ? 'unknown' : String(value)
  if ('reachable' in condition) return value === true ? 'it answers' : 'it does not answer'
  return null
}
