import type { ActivityDraft, Subject } from '../../model/activity.ts'
import type { Cause } from '../../model/cause.ts'
import type { RunOf, RunRecord, StepFailure } from '../../ports/rule-store.ts'
import type { RunReport } from './run-report.ts'

/** What the activity says of runs that did not go as they should (docs/automations.md#in-the-activity-log). */
type Entry = Omit<ActivityDraft, 'at'>

interface FailedRun {
  readonly id: string
  readonly of: RunOf
  readonly cause: Cause
  readonly failures: readonly StepFailure[]
}

export function failedEntry(run: FailedRun): Entry {
  return {
    kind: 'failed',
    subject: failedPart(run),
    what: 'ran, but not every step succeeded',
    cause: run.cause,
    data: { run: run.id, failures: run.failures },
  }
}

/** `before` is how it stood; `cause` who asked. */
export function stoppedEntry(before: RunReport, cause: Cause): Entry {
  const step = before.steps.findIndex(({ state }) => state !== 'done' && state !== 'failed')
  return {
    kind: 'skipped',
    subject: before.of,
    what: 'was stopped before its end',
    cause,
    data: { run: before.id, step, steps: before.steps.length, stopped: true },
  }
}

/** Of a run that a stop or crash of the gateway left, and that does not go on. */
export function interruptedEntry({ id, of: subject, cause, step, steps, resumeAt }: RunRecord): Entry {
  const data = { run: id, step: Math.max(0, step), steps: steps.length }
  if (step < 0)
    return {
      kind: 'skipped',
      subject,
      what: 'did not run: the gateway stopped before its turn came',
      cause,
      data,
    }
  if (resumeAt !== null)
    return {
      kind: 'skipped',
      subject,
      what: 'did not go on: the gateway was off when its delay ended',
      cause,
      data,
    }
  return { kind: 'failed', subject, what: 'interrupted by a restart', cause, data }
}

/**
 * The failed steps, only for a scene: an integration may see a scene and not all of its steps, but sees a rule whole or
 * not at all.
 */
function failedPart({ of, failures }: FailedRun): Subject {
  const devices = [...new Set(failures.flatMap(({ device }) => device ?? []))]
  return of.kind === 'scene' && devices.length > 0 ? { kind: 'steps', id: of.id, devices } : of
}
