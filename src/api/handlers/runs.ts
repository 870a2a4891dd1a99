import type { ExposedHouse } from '../../exposure/exposed-house.ts'
import type { StepFailure } from '../../home/ports/rule-store.ts'
import type { Rules } from '../../home/rules/rules.ts'
import { isUnderWay, type RunReport, type StepReport } from '../../home/rules/runs/run-report.ts'
import type { RunState, runs } from '../contract/runs.ts'
import type { Refuse } from '../errors.ts'
import { type ErrorCode, errorBody, noSuchRule, type Refused } from '../../wire/errors.ts'
import { isRuleShown, type ShownRules } from '../exposed-causes.ts'
import type { HandlersOf } from '../handler.ts'
import type { Unlocking } from '../unlocking.ts'
import { withIds } from './rule-ids.ts'

export interface RunParts {
  readonly rules: ShownRules & { readonly runs: Pick<Rules['runs'], 'find' | 'underWay' | 'stop'> }
  readonly unlocking: Unlocking
}

export function runHandlers(parts: RunParts): HandlersOf<typeof runs> {
  const { rules, unlocking } = parts
  const find = (id: string, view: ExposedHouse, refuse: Refuse<'not_found'>): RunReport => {
    const report = rules.runs.find(id)
    return report && isRunShown(report, view, rules) ? report : refuse('not_found', noSuchRule('run'))
  }
  return {
    'runs.list': ({ view }) => ({
      runs: rules.runs
        .underWay()
        .filter((report) => isRunShown(report, view, rules))
        .map((report) => entryOf(report, view)),
    }),
    'runs.get': ({ subject, view, refuse }) => ({ run: runOf(find(subject, view, refuse), view) }),
    'runs.stop': ({ subject, view, identity, cause, refuse }) => {
      const report = find(subject, view, refuse)
      if (isUnderWay(report))
        unlocking.stop(
          report.steps.map(({ step }) => step),
          { identity, refuse },
        )
      return { run: runOf(rules.runs.stop(report.id, cause) ?? report, view) }
    },
  }
}

/** A run is there for whoever sees what runs, whoever set it off. */
export function isRunShown({ of }: Pick<RunReport, 'of'>, view: ExposedHouse, rules: ShownRules): boolean {
  return of.kind === 'scene' ? view.showsScene(of.id) : isRuleShown(of.kind, of.id, view, rules)
}

function entryOf(report: RunReport, view: ExposedHouse) {
  const { of, startedAt, endedAt, until } = report
  const state = stateOf(report, shownSteps(report, view))
  return { runId: report.id, kind: of.kind, of: view.ids.of(of.kind, of.id), state, startedAt, endedAt, until }
}

function runOf(report: RunReport, view: ExposedHouse) {
  return {
    ...entryOf(report, view),
    steps: shownSteps(report, view).map(({ step, state, reason }) => ({
      step: withIds({ steps: [step] }, view).steps[0] ?? step,
      state,
      ...(reason === null ? {} : failureOf(reason)),
    })),
  }
}

/** The steps that the integration may see; waits are always shown, as in scenes. */
function shownSteps({ steps }: RunReport, view: ExposedHouse): readonly StepReport[] {
  return steps.filter(({ step }) => {
    if ('device' in step) return view.byKey(step.device) !== undefined
    return 'delay' in step || view.showsScene(step.scene)
  })
}

/** Judged by what is shown, so that a hidden step that fails does not tell itself. */
function stateOf({ progress }: RunReport, shown: readonly StepReport[]): RunState {
  if (progress !== 'finished') return progress
  return shown.some(({ state }) => state === 'failed') ? 'failed' : 'done'
}

const FAILED: Readonly<Record<StepFailure['reason'], readonly [code: ErrorCode, message?: string, appAction?: null]>> =
  {
    unavailable: ['hmhc_unavailable'],
    no_answer: ['unit_unreachable'],
    unknown_unit: ['unit_unreachable'],
    refused: ['validation', 'The unit refused it.'],
    busy: ['overloaded'],
    too_many: ['rate_limited'],
    not_there: ['not_found', 'The device is no longer there.'],
    not_offered: ['validation', 'The device does not take this operation.'],
    no_scene: ['not_found', 'The scene is no longer there.'],
    not_allowed: ['unlock_not_allowed', 'It opens a lock or gate, and somebody behind this run may not.', null],
    error: ['internal'],
  }

/** Why a step of a run was not made, where no more is known than its reason. */
export function failureOf(reason: StepFailure['reason']): Refused {
  const [code, message, appAction] = FAILED[reason]
  return errorBody(code, { ...(message && { message }), ...(appAction === null && { appAction }) })
}
