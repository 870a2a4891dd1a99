import type { Clock } from '../../lib/clock.ts'
import type { Step } from '../model/house.ts'
import type { Principal, StateReader } from '../ports/unit-bus.ts'
import { type Names, valueWords } from '../words/values.ts'
import { conditionWords, stepWords, trialWords, triggerWords } from '../words/rules.ts'
import { judge, type Verdict } from './automations/conditions.ts'
import { type AutomationDraft, type Condition, isTimed, type RuleKind, type TimeRule } from '../model/rules.ts'
import type { RuleRepository } from './rule-repository.ts'
import { DryRun, type DryRunParts, type ForeseenStep } from './runs/dry-run.ts'
import type { RunManager } from './runs/run-manager.ts'
import type { TimedRuns } from './timed-runs.ts'
import { momentsOf, nextRun, type Where } from './time/occurrence.ts'

/** Coming runs that are told of one rule. */
export const MOMENTS_MAX = 10

/** What would happen if the automation were set off now; nothing is sent and nothing is logged. */
export interface Trial {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly paused: boolean
  /** `next`: epoch ms for times of day, null for what comes when it comes. */
  readonly when: readonly { readonly text: string; readonly next: number | null }[]
  /** `now`: the present value in words, null for a time window. */
  readonly if: readonly { readonly text: string; readonly now: string | null; readonly holds: boolean }[]
  readonly then: readonly string[]
  readonly wouldRun: boolean
  /** Why it would not, in one sentence; null where it would. */
  readonly because: string | null
}

/** A draft that nobody has saved yet, or a rule that is stored. */
type Tried = AutomationDraft & { readonly paused?: boolean }

interface TrialsParts extends DryRunParts {
  readonly automations: Pick<RuleRepository<'automation'>, 'get'>
  readonly runs: Pick<RunManager, 'would'>
  readonly timed: Pick<TimedRuns, 'momentsOf'>
  readonly states: StateReader
  readonly clock: Pick<Clock, 'now'>
  readonly where: () => Where
}

/**
 * What rules and scenes would do, stored or not, by the same parts that run them; nothing is sent, stored or recorded.
 */
export class Trials {
  readonly #parts: TrialsParts

  constructor(parts: TrialsParts) {
    this.#parts = parts
  }

  /** What would happen if the automation were set off now, in words; null where there is none. */
  automation(id: string, names: Names): Trial | null {
    const automation = this.#parts.automations.get(id)
    if (!automation) return null
    const now = this.#parts.clock.now()
    const because = this.because(automation, names, id)
    return {
      id,
      name: automation.name,
      enabled: automation.enabled,
      paused: automation.paused,
      when: automation.when.map((trigger) => ({
        text: triggerWords(trigger, names),
        next: isTimed(trigger) ? (nextRun(trigger, now, this.#parts.where())?.at ?? null) : null,
      })),
      if: this.conditions(automation.if).map(({ condition, value, holds }) => ({
        text: conditionWords(condition, names),
        now:
          'state' in condition
            ? valueWords(condition.state, value)
            : 'reading' in condition
              ? valueWords(condition.reading, value)
              : null,
        holds,
      })),
      then: automation.then.map((step) => stepWords(step, names)),
      wouldRun: because === null,
      because,
    }
  }

  /** Why an automation would not run if it were set off now, in one sentence, or null; `id` where it is stored. */
  because(automation: Tried, names: Names, id?: string): string | null {
    const isBusy = id !== undefined && this.#parts.runs.would({ kind: 'automation', id }, automation.mode) === 'busy'
    const failed = this.conditions(automation.if).find((verdict) => !verdict.holds)
    return trialWords({ paused: false, ...automation }, isBusy, failed?.condition ?? null, names)
  }

  /** Each condition against what is known now. */
  conditions(conditions: readonly Condition[]): readonly Verdict[] {
    const { states, clock, where } = this.#parts
    return conditions.map((condition) => judge(condition, states, clock.now(), where()))
  }

  /** Each step in order, as a run on the authority of `principals` would make it that began now. */
  steps(steps: readonly Step[], principals: readonly Principal[]): readonly ForeseenStep[] {
    return new DryRun(this.#parts).of(steps, principals)
  }

  /** The next moments (epoch ms) at which a draft with these times would come round once it were saved. */
  moments(times: readonly TimeRule[]): readonly number[] {
    const where = this.#parts.where()
    const now = this.#parts.clock.now()
    const coming = times.flatMap((rule) => {
      const run = nextRun(rule, now, where)
      return run ? [{ of: { rule }, run }] : []
    })
    return momentsOf(coming, where, MOMENTS_MAX)
  }

  /** The same of a rule that is stored. */
  momentsOf(kind: RuleKind, id: string): readonly number[] {
    return this.#parts.timed.momentsOf(kind, id, MOMENTS_MAX)
  }
}
