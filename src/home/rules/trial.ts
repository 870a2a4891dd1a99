import type { StateReader } from '../ports/state-reader.ts'
import { judge } from './automations/conditions.ts'
import { type Automation, isTimed, type RuleKind } from './model.ts'
import type { Names } from '../words/names.ts'
import { conditionWords, stepWords, trialWords, triggerWords } from '../words/rules.ts'
import { valueWords } from '../words/values.ts'
import { nextRun } from './time/next-run.ts'
import type { Where } from './time/occurrence.ts'

/** Coming runs that are listed at most. */
export const UPCOMING_MAX = 500
export const UPCOMING_DAYS = 7

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

export interface UpcomingRun {
  readonly kind: RuleKind
  readonly id: string
  readonly name: string
  /** Epoch ms. */
  readonly at: number
  /** What sets it off: `at 07:00 on Mon-Fri`. */
  readonly text: string
}

export function tryOut(
  automation: Automation,
  busy: boolean,
  names: Names,
  states: StateReader,
  now: number,
  where: Where,
): Trial {
  const verdicts = automation.if.map((condition) => judge(condition, states, now, where))
  const failed = verdicts.find((verdict) => !verdict.holds)
  const because = trialWords(automation, busy, failed?.condition ?? null, names)
  return {
    id: automation.id,
    name: automation.name,
    enabled: automation.enabled,
    paused: automation.paused,
    when: automation.when.map((trigger) => ({
      text: triggerWords(trigger, names),
      next: isTimed(trigger) ? (nextRun(trigger, now, where)?.at ?? null) : null,
    })),
    if: verdicts.map(({ condition, value, holds }) => ({
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
