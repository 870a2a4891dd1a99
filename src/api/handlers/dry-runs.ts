import type { Identity } from '../../auth/authenticator.ts'
import type { ThingKind } from '../../exposure/device-id.ts'
import type { ExposedHouse } from '../../exposure/exposed-house.ts'
import { operationsNow } from '../../exposure/operations.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import type { Author } from '../../home/model/house.ts'
import { isRelative, type SceneStep } from '../../home/model/steps.ts'
import {
  type AutomationDraft,
  type Condition,
  type DraftOf,
  isTimed,
  type RuleKind,
  type RuleOf,
  type ScheduleDraft,
  type Step,
  timeRuleOf,
} from '../../home/model/rules.ts'
import { commandOf } from '../../home/model/rule-parts.ts'
import type { RuleRepository } from '../../home/rules/rule-repository.ts'
import type { Rules } from '../../home/rules/rules.ts'
import type { Verdict } from '../../home/rules/automations/conditions.ts'
import { pointerOf } from '../../lib/checked.ts'
import type { ForeseenStep, Foresight, StepObstacle } from '../../home/rules/runs/dry-run.ts'
import type { ControlFailure } from '../../home/ports/unit-bus.ts'
import { requestersOf, scenePrincipals } from '../../home/rules/runs/opening-check.ts'
import type { TellNames } from '../../home/words/messages.ts'
import type { Removable } from '../../home/model/missing.ts'
import { type DisplayNames, removedName } from '../../home/words/values.ts'
import { conditionsWords } from '../../home/words/rules.ts'
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
  type SavingRefusal,
  scheduleDraft,
  withIds,
} from './saving.ts'
import { failureOf, findRule, judgedEdit, refuseEdit, type RuleEdit } from './rules.ts'
import { allowedToRun, refuseNewScene, sceneChange, type SceneParts } from './scenes.ts'

export interface DryRunParts extends Pick<SceneParts, 'house' | 'scenes'> {
  readonly rules: Pick<Rules, 'automations' | 'schedules' | 'trials'>
  readonly live: Pick<LiveHome, 'states' | 'capabilities' | 'readings'>
  /** Checks for dry runs: they ask nobody for a confirmation and use none up. */
  readonly unlocking: Unlocking
}

type DryRunHandlers = HandlersOf<typeof dryRuns>
type ErrorDetail = Refused['error']
/** Parts for judging steps, with the caller's names for fields. */
type StepParts = DryRunParts & { readonly naming: Naming | undefined }

/** Predictions for scenes, automations and schedules, made by the parts that save and run them. */
export function dryRunHandlers(parts: DryRunParts): DryRunHandlers {
  return { ...sceneTrials(parts), ...automationTrials(parts), ...scheduleTrials(parts) }
}

function sceneTrials(parts: DryRunParts): Pick<DryRunHandlers, 'scenes.try' | 'scenes.tryDraft'> {
  const { trials } = parts.rules
  return {
    'scenes.tryDraft': ({ body, view, identity, cause, naming, refuse }) => {
      const change = sceneChange(body, null, { view, refuse })
      const refused = refusalOf((refuseIt) => refuseNewScene(parts, change, { identity, refuse: refuseIt }), naming)
      const author = originOf(identity)
      const principals = scenePrincipals({ author }, requestersOf(cause))
      const steps = trials.steps(change.steps ?? [], { author, principals })
      return { refused, steps: sceneSteps(steps, refused, view, { ...parts, naming }) }
    },
    'scenes.try': ({ subject, view, identity, cause, naming, refuse }) => {
      const stored = view.sceneContent(subject) ?? refuse('not_found')
      const allowed = attempt((refuseIt) => allowedToRun(parts, subject, { identity, cause, refuse: refuseIt }), naming)
      const refused = 'error' in allowed ? allowed.error : null
      const principals = scenePrincipals(stored, requestersOf('error' in allowed ? cause : allowed))
      const steps = trials.steps(stored.steps, { author: stored.author, principals })
      return { refused, steps: sceneSteps(steps, refused, view, { ...parts, naming }) }
    },
  }
}

/** A stored or unstored rule in a dry run. */
interface RuleTrial<R> {
  readonly rule: R
  readonly author: Author
  readonly refused: ErrorDetail | null
  readonly nextRuns: Iterable<number>
}
type TrialCall = { readonly view: ExposedHouse; readonly naming: Naming | undefined }

/** Response of a dry run of an automation or schedule. */
function trialAnswer(
  { rule, author, refused, nextRuns }: RuleTrial<(AutomationDraft | ScheduleDraft) & { readonly id?: string }>,
  { view, naming }: TrialCall,
  parts: DryRunParts,
) {
  const { trials } = parts.rules
  const kind = 'at' in rule ? 'schedule' : 'automation'
  const ownership = { author, of: rule.id === undefined ? null : ({ kind, id: rule.id } as const) }
  const steps = trials.ruleSteps({ ...rule, author }, tellNamesIn(view))
  const times = [...nextRuns]
  const isAsked = times.length > 0 && rule.if.length > 0
  return {
    refused,
    because: trials.reasonNotToRun(rule, namesIn(view), ownership),
    if: trials.conditions(rule.if, ownership).map((verdict, index) => foreseenCondition(verdict, index, view)),
    steps: ruleSteps(steps, refused, view, { ...parts, naming }),
    nextRuns: times,
    nextRunsIf: isAsked ? conditionsWords(rule.if, namesIn(view)) : null,
  }
}

/** A condition with its verdict, in the integration's own ids. */
function foreseenCondition({ condition, value, holds, leaves }: Verdict, index: number, view: ExposedHouse) {
  const withOwnIds = (one: Condition): Condition => withIds({ if: [one] }, view).if[0] ?? one
  const inside = leaves.map((leaf) => ({
    at: pointerOf(['if', index, ...leaf.path]),
    condition: withOwnIds(leaf.condition),
    value: leaf.value,
    holds: leaf.holds,
  }))
  return { condition: withOwnIds(condition), value, holds, ...(inside.length > 0 && { leaves: inside }) }
}

function automationTrials(parts: DryRunParts): Pick<DryRunHandlers, `automations.${string}` & keyof DryRunHandlers> {
  const { automations, trials } = parts.rules
  const moments = ({ enabled, when }: AutomationDraft, id?: string): Iterable<number> =>
    enabled
      ? trials.moments(
          when.filter((trigger) => isTimed(trigger)),
          id === undefined ? undefined : { kind: 'automation', id },
        )
      : []
  return {
    'automations.tryDraft': (call) => {
      const rule = automationDraft(call.body, parts, call)
      const refused = newRuleRefusal('automation', automations, rule, parts, call)
      return trialAnswer({ rule, author: originOf(call.identity), refused, nextRuns: moments(rule) }, call, parts)
    },
    'automations.try': (call) => {
      const rule = findRule('automation', automations, call.subject, call)
      const nextRuns = trials.momentsOf('automation', rule.id)
      return trialAnswer({ rule, author: rule.author, refused: null, nextRuns }, call, parts)
    },
    'automations.tryEdit': (call) => {
      const edit = call.body as RuleEdit<'automation'>
      const { rule, refused } = editedRule('automation', automations, call.subject, edit, parts, call)
      return trialAnswer({ rule, author: rule.author, refused, nextRuns: moments(rule, rule.id) }, call, parts)
    },
  }
}

function scheduleTrials(parts: DryRunParts): Pick<DryRunHandlers, `schedules.${string}` & keyof DryRunHandlers> {
  const { schedules, trials } = parts.rules
  const moments = (rule: ScheduleDraft, id?: string): Iterable<number> =>
    rule.enabled ? trials.moments([timeRuleOf(rule)], id === undefined ? undefined : { kind: 'schedule', id }) : []
  return {
    'schedules.tryDraft': (call) => {
      const rule = scheduleDraft(call.body, parts, call)
      const refused = newRuleRefusal('schedule', schedules, rule, parts, call)
      return trialAnswer({ rule, author: originOf(call.identity), refused, nextRuns: moments(rule) }, call, parts)
    },
    'schedules.try': (call) => {
      const rule = findRule('schedule', schedules, call.subject, call)
      const nextRuns = trials.momentsOf('schedule', rule.id)
      return trialAnswer({ rule, author: rule.author, refused: null, nextRuns }, call, parts)
    },
    'schedules.tryEdit': (call) => {
      const edit = call.body as RuleEdit<'schedule'>
      const { rule, refused } = editedRule('schedule', schedules, call.subject, edit, parts, call)
      return trialAnswer({ rule, author: rule.author, refused, nextRuns: moments(rule, rule.id) }, call, parts)
    },
  }
}

/** Expected refusal of saving a draft, or null. */
function newRuleRefusal<K extends RuleKind>(
  kind: K,
  repository: RuleRepository<K>,
  draft: DraftOf[K],
  parts: DryRunParts,
  { identity, naming }: { readonly identity: Identity; readonly naming: Naming | undefined },
): ErrorDetail | null {
  return refusalOf((refuse) => refuseNewRule(kind, repository, draft, parts, { identity, refuse }), naming)
}

/** A stored rule after an edit, and the expected refusal of saving it. */
function editedRule<K extends RuleKind>(
  kind: K & ThingKind,
  repository: RuleRepository<K>,
  id: string,
  body: RuleEdit<K>,
  judging: Judging,
  call: {
    readonly view: ExposedHouse
    readonly identity: Identity
    readonly naming: Naming | undefined
    readonly refuse: Refuse<'not_found' | 'revision_mismatch'>
  },
): { readonly rule: RuleOf[K]; readonly refused: ErrorDetail | null } {
  const { stored, saved, refuseAction } = judgedEdit(kind, repository, id, body, judging, call)
  const edited = repository.edited(stored.id, saved, body.ifRevision, originOf(call.identity))
  if (edited.ok) return { rule: edited.value.rule, refused: refusalOf(refuseAction, call.naming) }
  const { error } = edited
  if (error.kind !== 'quota_exceeded') return refuseEdit(kind, error, call.refuse)
  const refused = refusalOf((refuseIt) => {
    refuseAction(refuseIt)
    refuseNoRoom(kind, error, refuseIt)
  }, call.naming)
  return { rule: { ...stored, ...saved }, refused }
}

/** The refusal of `act`, or null. */
function refusalOf(act: (refuse: Refuse<SavingRefusal>) => unknown, naming: Naming | undefined): ErrorDetail | null {
  const refused = attempt<SavingRefusal, null>((refuse) => {
    act(refuse)
    return null
  }, naming)
  return refused === null ? null : refused.error
}

interface ForeseenSceneStep extends Foresight {
  readonly step: SceneStep
  readonly after: number
  readonly refused: ErrorDetail | null
}

/** Predicted steps of a scene, as far as this integration sees them. */
function sceneSteps(
  steps: readonly ForeseenStep[],
  whole: ErrorDetail | null,
  view: ExposedHouse,
  parts: StepParts,
): readonly ForeseenSceneStep[] {
  return steps.flatMap((foreseen): readonly ForeseenSceneStep[] => {
    const { step, after, foresight } = foreseen
    if ('delay' in step) return [{ step, after, refused: null, ...foresight }]
    // Other steps stand in no scene.
    if (!('device' in step) || view.byKey(step.device) === undefined) return []
    const refused = stepRefusal(foreseen, whole, view, parts)
    return [{ step: { ...step, device: view.ids.device(step.device) }, after, refused, ...foresight }]
  })
}

interface ForeseenRuleStep extends Foresight {
  readonly step: Step
  readonly after: number
  readonly refused: ErrorDetail | null
  readonly steps?: readonly ForeseenRuleStep[]
}

/** Predicted steps of an automation or schedule, which is visible as a whole; it may run scenes. */
function ruleSteps(
  steps: readonly ForeseenStep[],
  whole: ErrorDetail | null,
  view: ExposedHouse,
  parts: StepParts,
): readonly ForeseenRuleStep[] {
  return steps.map((foreseen) => {
    const [step] = withIds({ then: [foreseen.step] }, view).then
    const innerSteps = 'scene' in foreseen.step ? sceneSteps : ruleSteps
    return {
      step: step ?? foreseen.step,
      after: foreseen.after,
      refused: stepRefusal(foreseen, whole, view, parts),
      ...foreseen.foresight,
      ...(foreseen.inner.length > 0 ? { steps: innerSteps(foreseen.inner, whole, view, parts) } : {}),
    }
  })
}

/** Expected refusal of a step. An opening step has the refusal of the whole, if that is about opening. */
function stepRefusal(
  { step, opens, obstacle, foresight }: ForeseenStep,
  whole: ErrorDetail | null,
  view: ExposedHouse,
  { live, naming }: StepParts,
): ErrorDetail | null {
  if (opens && whole !== null && whole.code !== 'validation') return whole
  if (obstacle?.kind === 'not_allowed' && isOwn(obstacle, view)) return errorBody('unlock_not_allowed').error
  if (obstacle?.kind === 'unmet') return errorBody('validation', { message: UNMET_YET }).error
  if (obstacle !== null && !isControlFailure(obstacle)) return failureOf(obstacle.kind).error
  const refused = attempt<ControlRefusal, null>((refuse) => {
    const device = 'device' in step ? view.byKey(step.device) : undefined
    if (!('device' in step) || device === undefined) return null
    const offered = operationsNow(device, live)
    const wanted = commandOf(step)
    const command = isRelative(wanted) ? foresight.command : wanted
    if (command === undefined) return null
    if (obstacle !== null) return refuseControl(obstacle, command, offered, refuse)
    return offered.includes(command.op) ? null : refuseOperation(command.op, offered, refuse)
  }, naming)
  return refused === null ? null : refused.error
}

/** The end of a repetition while nothing changes, which a dry run takes for granted. */
const UNMET_YET =
  'Nothing refuses this step. If its conditions do not hold by its last round either, the run ends as failed.'

const NOT_OF_CONTROL: readonly StepObstacle['kind'][] = [
  ...(['not_allowed', 'no_scene', 'no_group', 'no_mode', 'no_rule', 'unknown_state', 'unmet'] as const),
  ...(['may_not_tell', 'told_enough'] as const),
]

function isControlFailure(obstacle: StepObstacle): obstacle is ControlFailure {
  return !NOT_OF_CONTROL.includes(obstacle.kind)
}

/** True if this integration's own knob forbids the opening; refusals for others are not revealed. */
function isOwn(
  { principal, refusal }: Extract<NonNullable<ForeseenStep['obstacle']>, { kind: 'not_allowed' }>,
  view: ExposedHouse,
): boolean {
  return refusal === 'unlock_off' && principal.integration === view.integration.id
}

function tellNamesIn(view: ExposedHouse): TellNames {
  return {
    device: (key) => view.byKey(key)?.name ?? null,
    room: (key) => view.room(view.byKey(key)?.room ?? '')?.name ?? null,
  }
}

function namesIn(view: ExposedHouse): DisplayNames {
  const removed = (kind: Removable, word: string, id: string): string | null =>
    view.missesOpenly(kind, id) ? removedName(`${word}:${id}`) : null
  return {
    device: (key) => view.byKey(key)?.name ?? null,
    scene: (id) => view.scene(view.ids.of('scene', id))?.name ?? removed('scenes', 'scene', id),
    mode: (id) => view.modes.find((mode) => mode.id === id)?.name ?? removed('modes', 'mode', id),
    // `because` has no steps, so no other rules.
    rule: () => null,
    calendar: (id) =>
      view.calendars.find((calendar) => calendar.id === id)?.name ?? removed('calendars', 'calendar', id),
    person: (id) => view.people.find((person) => person.id === id)?.name ?? removed('people', 'person', id),
    place: ({ kind, id }) => view[kind](view.ids.of(kind, id))?.name ?? removed(`${kind}s`, kind, id),
  }
}
