import type { StateReader } from '../ports/state-reader.ts'
import { judge } from './automations/conditions.ts'
import { type Automation, isTimed, type RuleKind } from './model.ts'
import { type Names, renderCondition, renderStep, renderTrigger, renderValue } from './render.ts'
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
  const because = reasonAgainst(automation, busy, failed ? renderCondition(failed.condition, names) : null)
  return {
    id: automation.id,
    name: automation.name,
    enabled: automation.enabled,
    paused: automation.paused,
    when: automation.when.map((trigger) => ({
      text: renderTrigger(trigger, names),
      next: isTimed(trigger) ? (nextRun(trigger, now, where)?.at ?? null) : null,
    })),
    if: verdicts.map(({ condition, value, holds }) => ({
      text: renderCondition(condition, names),
      now:
        'state' in condition
          ? renderValue(condition.state, value)
          : 'reading' in condition
            ? renderValue(condition.reading, value)
            : null,
      holds,
    })),
    then: automation.then.map((step) => renderStep(step, names)),
    wouldRun: because === null,
    because,
  }
}

function reasonAgainst(automation: Automation, busy: boolean, failed: string | null): string | null {
  if (!automation.enabled) return 'It is turned off.'
  if (automation.paused) return 'It is paused, because it kept setting itself off: edit it to make it run again.'
  if (failed !== null) return `This does not hold right now: ${failed}.`
  return busy ? 'It is still running, and a second trigger is ignored meanwhile.' : null
}
