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
  type Trigger,
} from '../model/rules.ts'
import type { Author } from '../model/house.ts'
import type { Principal } from '../ports/unit-bus.ts'
import { type DisplayNames, modeName, valueWords } from '../words/values.ts'
import { type TellNames, tellText } from '../words/messages.ts'
import { type GroupTestParts, testedDevices } from './group-tests.ts'
import { conditionWords, stepWords, trialWords, triggerWords } from '../words/rules.ts'
import { firstFailed, judge, type Present, testOutcome, type Verdict } from './automations/conditions.ts'
import type { RuleRepository } from './rule-repository.ts'
import { causesOfTrigger, causesRead, credentialsBehind } from './runs/cause-chain.ts'
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

/** The author of a rule, and the rule itself if it is stored. */
export interface Ownership {
  readonly author: Author
  readonly of: RunOf | null
}

/** The author of steps, everybody whose permission their openings need, and facts for their messages. */
interface Performing {
  readonly author: Author
  readonly principals: readonly Principal[]
  readonly telling?: ForeseenTelling
}

interface TrialsParts extends Omit<DryRunSources, 'holds' | 'author' | 'telling'>, GroupTestParts {
  readonly automations: Pick<RuleRepository<'automation'>, 'get'>
  readonly runs: Pick<RunManager, 'outcomeOf'>
  readonly timed: Pick<TimedRuns, 'momentsOf'>
  readonly present: (author: Author, of: RunOf | null) => Present
  readonly clock: Pick<Clock, 'now'>
  readonly where: () => Where
  readonly modeName: (mode: string) => string | null
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
    const { author } = automation
    const of: RunOf = { kind: 'automation', id }
    const because = this.reasonNotToRun(automation, names, { author, of })
    return {
      id,
      name: automation.name,
      enabled: automation.enabled,
      paused: automation.paused,
      when: automation.when.map((trigger) => ({
        text: triggerWords(trigger, names),
        next: isTimed(trigger) ? (this.#next(trigger, of)?.at ?? null) : null,
      })),
      if: this.conditions(automation.if, { author, of }).map(({ condition, value, holds }) => ({
        text: conditionWords(condition, names),
        now: presentWords(condition, value, names),
        holds,
      })),
      then: automation.then.map((step) => stepWords(step, names)),
      wouldRun: because === null,
      because,
    }
  }

  /** Reason why a rule would not run if it were triggered now, in one sentence, or null. */
  reasonNotToRun(rule: TrialSubject, names: DisplayNames, ownership: Ownership): string | null {
    const { of } = ownership
    const isBusy = of !== null && 'mode' in rule && this.#parts.runs.outcomeOf(of, rule.mode) === 'busy'
    const failed = this.conditions(rule.if, ownership).find((verdict) => !verdict.holds)?.condition ?? null
    return trialWords({ paused: false, ...rule }, isBusy, failed, names)
  }

  #next(trigger: TimedTrigger, of: RunOf): Occurrence | null {
    const { seed, clock, where } = this.#parts
    return nextRun(seeded(trigger, seed, runKey(of)), clock.now(), where())
  }

  /** Each condition with its present verdict. */
  conditions(conditions: readonly Condition[], { author, of }: Ownership): readonly Verdict[] {
    const present = this.#parts.present(author, of)
    return conditions.map((condition) => judge(condition, present))
  }

  /** Like `steps`, for a rule that its first trigger sets off now; `names` as the reader sees them. */
  ruleSteps(
    rule: TrialSubject & Pick<Automation, 'author'> & { readonly id?: string },
    names: TellNames,
  ): readonly ForeseenStep[] {
    const { clock, where } = this.#parts
    const trigger = runTrigger(rule, this.#firstTrigger(rule), this.#parts)
    const of =
      rule.id === undefined ? null : ({ kind: 'when' in rule ? 'automation' : 'schedule', id: rule.id } as const)
    const text = ({ tell }: TellStep): string =>
      tellText(tell, { trigger, at: clock.now(), names, timeZone: where().zone })
    const telling = { of, text, principals: principalsOf(rule.author) }
    return this.steps(rule.then, { author: rule.author, principals: this.principalsOf(rule), telling })
  }

  /** The first trigger of an automation; that of a group at one of its devices, best at one that passes the test. */
  #firstTrigger(rule: TrialSubject & Pick<Automation, 'author'>): Trigger | null {
    const trigger = 'when' in rule ? (rule.when[0] ?? null) : null
    if (trigger === null || !('group' in trigger)) return trigger
    const tested = testedDevices(trigger, rule.author, this.#parts).map((device) => ({ ...trigger, device }))
    return (
      tested.find((one) => 'detection' in one || testOutcome(one, this.#parts.states) === true) ?? tested[0] ?? trigger
    )
  }

  /** Principals of a run of this rule that its first trigger sets off now. */
  principalsOf(rule: Pick<Automation, 'author' | 'if'> & { readonly when?: readonly Trigger[] }): readonly Principal[] {
    const [trigger] = rule.when ?? []
    const started = trigger === undefined ? [] : causesOfTrigger(trigger, this.#parts.groups)
    return [...principalsOf(rule.author), ...credentialsBehind([...causesRead(rule.if, this.#parts), ...started])]
  }

  /** Each step in order, as a run that starts now with the permissions of `principals` would perform it. */
  steps(steps: readonly Step[], { author, principals, telling }: Performing): readonly ForeseenStep[] {
    const present = this.#parts.present(author, null)
    const holds: DryRunSources['holds'] = (list, states, afterMs) =>
      firstFailed(list, { ...present, states, now: present.now + afterMs }) === null
    return new DryRun({ ...this.#parts, author, holds, ...(telling && { telling }) }).of(steps, principals)
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
  if ('group' in condition) return null
  if ('state' in condition) return valueWords(condition.state, value)
  if ('reading' in condition) return valueWords(condition.reading, value)
  if ('detection' in condition) return valueWords(condition.detection, value)
  if ('mode' in condition) return modeName(String(value), names)
  if ('person' in condition) return value === null ? 'unknown' : String(value)
  if ('reachable' in condition) return value === true ? 'it answers' : 'it does not answer'
  return null
}
