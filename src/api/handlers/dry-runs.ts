import type { Identity } from '../../auth/authenticator.ts'
import type { ThingKind } from '../../exposure/device-id.ts'
import type { ExposedHouse } from '../../exposure/exposed-house.ts'
import { operationsNow } from '../../exposure/operations.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import type { Step } from '../../home/model/house.ts'
import {
  type AutomationDraft,
  isTimed,
  type RuleKind,
  type RuleOf,
  timeRuleOf,
  commandOf,
} from '../../home/model/rules.ts'
import type { RuleRepository } from '../../home/rules/rule-repository.ts'
import type { Rules } from '../../home/rules/rules.ts'
import type { ForeseenStep } from '../../home/rules/runs/dry-run.ts'
import { askerOf, behindScene, principalsOf } from '../../home/rules/runs/opening-check.ts'
import type { Names } from '../../home/words/values.ts'
import type { dryRuns } from '../contract/dry-runs.ts'
import { attempt, type Refuse } from '../errors.ts'
import { errorBody, type Naming, type Refused } from '../../wire/errors.ts'
import type { HandlersOf } from '../handler.ts'
import type { Unlocking } from '../unlocking.ts'
import { type ControlRefusal, refuseControl, refuseOperation } from './control.ts'
import {
  automationDraft,
  type Judging,
  originOf,
  refuseNewRule,
  refuseNoRoom,
  scheduleDraft,
  withIds,
} from './saving.ts'
import { failureOf, findRule, judgedEdit, refuseEdit, type RuleEdit } from './rules.ts'
import { allowedToRun, refuseNewScene, sceneChange, type SceneParts } from './scenes.ts'

export interface DryRunParts extends Pick<SceneParts, 'house' | 'scenes'> {
  readonly rules: Pick<Rules, 'automations' | 'schedules' | 'trials'>
  readonly live: Pick<LiveHome, 'states' | 'readings'>
  /** One that asks nobody for a confirmation, and uses none up. */
  readonly unlocking: Unlocking
}

type DryRunHandlers = HandlersOf<typeof dryRuns>
type ErrorDetail = Refused['error']
/** What steps are judged by, and what the caller calls the fields in their refusals. */
type Worded = DryRunParts & { readonly naming: Naming | undefined }

/** What scenes, automations and schedules would do, told by the parts that save and run them. */
export function dryRunHandlers(parts: DryRunParts): DryRunHandlers {
  return { ...sceneTrials(parts), ...automationTrials(parts), ...scheduleTrials(parts) }
}

function sceneTrials(parts: DryRunParts): Pick<DryRunHandlers, 'scenes.try' | 'scenes.tryDraft'> {
  const { trials } = parts.rules
  return {
    'scenes.tryDraft': ({ body, view, identity, cause, naming, refuse }) => {
      const change = sceneChange(body, null, { view, refuse })
      const refused = refusalOf((refuseIt) => refuseNewScene(parts, change, { identity, refuse: refuseIt }), naming)
      const steps = trials.steps(change.steps ?? [], behindScene({ author: originOf(identity) }, askerOf(cause)))
      return { refused, steps: sceneSteps(steps, refused, view, { ...parts, naming }) }
    },
    'scenes.try': ({ subject, view, identity, cause, naming, refuse }) => {
      const stored = view.sceneContent(subject) ?? refuse('not_found')
      const allowed = attempt((refuseIt) => allowedToRun(parts, subject, { identity, cause, refuse: refuseIt }), naming)
      const refused = 'error' in allowed ? allowed.error : null
      const steps = trials.steps(stored.steps, behindScene(stored, askerOf('error' in allowed ? cause : allowed)))
      return { refused, steps: sceneSteps(steps, refused, view, { ...parts, naming }) }
    },
  }
}

function automationTrials(parts: DryRunParts): Pick<DryRunHandlers, `automations.${string}` & keyof DryRunHandlers> {
  const { automations, trials } = parts.rules
  const conditions = (rule: Pick<AutomationDraft, 'if'>, view: ExposedHouse) => {
    const named = withIds({ if: rule.if }, view).if
    return trials.conditions(rule.if).map(({ condition, value, holds }, index) => ({
      condition: named[index] ?? condition,
      value,
      holds,
    }))
  }
  return {
    'automations.tryDraft': ({ body, view, identity, naming, refuse }) => {
      const draft = automationDraft(body, parts, { view, refuse })
      const refused = refusalOf(
        (refuseIt) => refuseNewRule('automation', automations, draft, parts, { identity, refuse: refuseIt }),
        naming,
      )
      return {
        refused,
        because: trials.because(draft, namesIn(view)),
        if: conditions(draft, view),
        steps: ruleSteps(trials.steps(draft.then, principalsOf(originOf(identity))), refused, view, {
          ...parts,
          naming,
        }),
        nextRuns: draft.enabled ? [...trials.moments(draft.when.filter((trigger) => isTimed(trigger)))] : [],
      }
    },
    'automations.try': ({ subject, view, naming, refuse }) => {
      const rule = findRule('automation', automations, subject, { view, refuse })
      return {
        refused: null,
        because: trials.because(rule, namesIn(view), rule.id),
        if: conditions(rule, view),
        steps: ruleSteps(trials.steps(rule.then, principalsOf(rule.author)), null, view, { ...parts, naming }),
        nextRuns: [...trials.momentsOf('automation', rule.id)],
      }
    },
    'automations.tryEdit': ({ subject, body, ...asking }) => {
      const { view, naming } = asking
      const edit = body as RuleEdit<'automation'>
      const { rule, refused } = editedRule('automation', automations, subject, edit, parts, asking)
      return {
        refused,
        because: trials.because(rule, namesIn(view), rule.id),
        if: conditions(rule, view),
        steps: ruleSteps(trials.steps(rule.then, principalsOf(rule.author)), refused, view, { ...parts, naming }),
        nextRuns: rule.enabled ? [...trials.moments(rule.when.filter((trigger) => isTimed(trigger)))] : [],
      }
    },
  }
}

function scheduleTrials(parts: DryRunParts): Pick<DryRunHandlers, `schedules.${string}` & keyof DryRunHandlers> {
  const { schedules, trials } = parts.rules
  return {
    'schedules.tryDraft': ({ body, view, identity, naming, refuse }) => {
      const draft = scheduleDraft(body, parts, { view, refuse })
      const refused = refusalOf(
        (refuseIt) => refuseNewRule('schedule', schedules, draft, parts, { identity, refuse: refuseIt }),
        naming,
      )
      return {
        refused,
        steps: ruleSteps(trials.steps(draft.then, principalsOf(originOf(identity))), refused, view, {
          ...parts,
          naming,
        }),
        nextRuns: draft.enabled ? [...trials.moments([timeRuleOf(draft)])] : [],
      }
    },
    'schedules.try': ({ subject, view, naming, refuse }) => {
      const rule = findRule('schedule', schedules, subject, { view, refuse })
      return {
        refused: null,
        steps: ruleSteps(trials.steps(rule.then, principalsOf(rule.author)), null, view, { ...parts, naming }),
        nextRuns: [...trials.momentsOf('schedule', rule.id)],
      }
    },
    'schedules.tryEdit': ({ subject, body, ...asking }) => {
      const { view, naming } = asking
      const edit = body as RuleEdit<'schedule'>
      const { rule, refused } = editedRule('schedule', schedules, subject, edit, parts, asking)
      return {
        refused,
        steps: ruleSteps(trials.steps(rule.then, principalsOf(rule.author)), refused, view, { ...parts, naming }),
        nextRuns: rule.enabled ? [...trials.moments([timeRuleOf(rule)])] : [],
      }
    },
  }
}

/** A stored rule as an edit would make it, and why that would not be saved. */
function editedRule<K extends RuleKind>(
  kind: K & ThingKind,
  repository: RuleRepository<K>,
  id: string,
  body: RuleEdit<K>,
  judging: Judging,
  asking: {
    readonly view: ExposedHouse
    readonly identity: Identity
    readonly naming: Naming | undefined
    readonly refuse: Refuse<'not_found' | 'revision_mismatch'>
  },
): { readonly rule: RuleOf[K]; readonly refused: ErrorDetail | null } {
  const { stored, saved, refuseOpening } = judgedEdit(kind, repository, id, body, judging, asking)
  const edited = repository.edited(stored.id, saved, body.ifRevision, originOf(asking.identity))
  if (edited.ok) return { rule: edited.value.rule, refused: refusalOf(refuseOpening, asking.naming) }
  const { error } = edited
  if (error.kind !== 'no_room') return refuseEdit(kind, error, asking.refuse)
  const refused = refusalOf((refuseIt) => {
    refuseOpening(refuseIt)
    refuseNoRoom(kind, error, refuseIt)
  }, asking.naming)
  return { rule: { ...stored, ...saved }, refused }
}

/** How something would be refused, or null. */
function refusalOf(
  act: (refuse: Refuse<'unlock_not_allowed'>) => unknown,
  naming: Naming | undefined,
): ErrorDetail | null {
  const refused = attempt<'unlock_not_allowed', null>((refuse) => {
    act(refuse)
    return null
  }, naming)
  return refused === null ? null : refused.error
}

type SceneStep = Exclude<Step, { scene: string }>

interface ForeseenSceneStep {
  readonly step: SceneStep
  readonly after: number
  readonly refused: ErrorDetail | null
}

/** Steps of a scene as they would be made, of which this integration sees some. */
function sceneSteps(
  steps: readonly ForeseenStep[],
  whole: ErrorDetail | null,
  view: ExposedHouse,
  parts: Worded,
): readonly ForeseenSceneStep[] {
  return steps.flatMap((each): readonly ForeseenSceneStep[] => {
    const { step, after } = each
    if ('delay' in step) return [{ step, after, refused: null }]
    // No scene runs another one.
    if ('scene' in step || view.byKey(step.device) === undefined) return []
    const refused = stepRefusal(each, whole, view, parts)
    return [{ step: { ...step, device: view.ids.device(step.device) }, after, refused }]
  })
}

/** The same of an automation or schedule, which is seen whole; it may run scenes. */
function ruleSteps(steps: readonly ForeseenStep[], whole: ErrorDetail | null, view: ExposedHouse, parts: Worded) {
  return steps.map((each) => {
    const [step] = withIds({ then: [each.step] }, view).then
    return {
      step: step ?? each.step,
      after: each.after,
      refused: stepRefusal(each, whole, view, parts),
      ...(each.inner.length > 0 ? { steps: sceneSteps(each.inner, whole, view, parts) } : {}),
    }
  })
}

/** Why a step would not be made. What opens is what the whole is refused for, where it is refused for opening. */
function stepRefusal(
  { step, opens, obstacle }: ForeseenStep,
  whole: ErrorDetail | null,
  view: ExposedHouse,
  { live, naming }: Worded,
): ErrorDetail | null {
  if (opens && whole !== null && whole.code !== 'validation') return whole
  if (obstacle?.kind === 'not_allowed' && isOwn(obstacle, view)) return errorBody('unlock_not_allowed').error
  if (obstacle?.kind === 'not_allowed' || obstacle?.kind === 'no_scene') return failureOf(obstacle.kind).error
  const refused = attempt<ControlRefusal, null>((refuse) => {
    const device = 'device' in step ? view.byKey(step.device) : undefined
    if (!('device' in step) || device === undefined) return null
    const offered = operationsNow(device, live)
    if (obstacle !== null) return refuseControl(obstacle, commandOf(step), offered, refuse)
    return offered.includes(step.op) ? null : refuseOperation(step.op, offered, refuse)
  }, naming)
  return refused === null ? null : refused.error
}

/** Whether it is this integration's own knob that forbids the opening; of others nothing is told. */
function isOwn(
  { principal, refusal }: Extract<NonNullable<ForeseenStep['obstacle']>, { kind: 'not_allowed' }>,
  view: ExposedHouse,
): boolean {
  return refusal === 'unlock_off' && principal.integration === view.integration.id
}

function namesIn(view: ExposedHouse): Names {
  return {
    device: (key) => view.byKey(key)?.name ?? null,
    scene: (id) => view.scene(view.ids.of('scene', id))?.name ?? null,
  }
}
