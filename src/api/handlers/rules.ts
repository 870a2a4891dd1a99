import type { Identity } from '../../auth/authenticator.ts'
import type { ThingKind } from '../../exposure/device-id.ts'
import { isMessageVisible } from '../../exposure/visible-messages.ts'
import type { MessageBoard } from '../../home/messages/messages.ts'
import type { ExposedHouse } from '../../exposure/exposed-house.ts'
import type { Cause } from '../../home/model/events.ts'
import {
  type Automation,
  DRAFT_FIELDS,
  type DraftOf,
  type RuleKind,
  type RuleOf,
  type Schedule,
} from '../../home/model/rules.ts'
import { readOnlyProblem, problemWith } from '../../home/rules/problems.ts'
import { type EditFailure, type RuleRepository, changesAction } from '../../home/rules/rule-repository.ts'
import type { Rules } from '../../home/rules/rules.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import type { rules } from '../contract/rules.ts'
import type { RuleVisibility } from '../admission.ts'
import type { Refuse } from '../errors.ts'
import { errorBody, type ErrorCode, noSuchRule, type Refused } from '../../wire/errors.ts'
import type { HandlersOf } from '../handler.ts'
import type { CachedLists } from '../cached-lists.ts'
import {
  automationDraft,
  type Judging,
  knownTo,
  mayTell,
  memberClassesIn,
  originOf,
  refuseNewRule,
  refuseNoRoom,
  refuseProblem,
  refuseStale,
  type SavingRefusal,
  scheduleDraft,
  withIds,
  withKeys,
} from './saving.ts'
import type { StepFailure } from '../../home/ports/rule-store.ts'
import { isUnderWay, type RunReport, type StepReport } from '../../home/rules/runs/run-report.ts'
import type { runs, RunState } from '../contract/runs.ts'
import { isRuleShown, type ShownRules } from '../exposed-causes.ts'
import type { Unlocking } from '../unlocking.ts'

export interface RuleParts extends Judging {
  readonly lists: Pick<CachedLists, 'of'>
  readonly rules: Pick<Rules, 'automations' | 'schedules' | 'timed'>
}

/** Context of a request: its caller, the caller's view, and the refusal function. */
interface RequestContext<C extends ErrorCode> {
  readonly view: ExposedHouse
  readonly identity: Identity
  readonly cause: Cause
  readonly refuse: Refuse<C>
}

export function ruleHandlers(parts: RuleParts): HandlersOf<typeof rules> {
  return { ...automationHandlers(parts), ...scheduleHandlers(parts) }
}

type AutomationNames = Extract<keyof typeof rules, `automations.${string}`>

function automationHandlers(parts: RuleParts): HandlersOf<Pick<typeof rules, AutomationNames>> {
  const { automations } = parts.rules
  const automationOf = (rule: Automation, view: ExposedHouse) => ({
    ...exposedRule('automation', rule, view),
    mode: rule.mode,
    paused: rule.paused,
  })
  return {
    'automations.list': ({ view }) =>
      parts.lists.of(view, {
        name: 'automations',
        items: visibleRules(view, automations),
        fieldsOf: (rule) => automationOf(rule, view),
      }),
    'automations.get': (call) => ({
      automation: automationOf(findRule('automation', automations, call.subject, call), call.view),
    }),
    'automations.create': (call) => {
      const draft = automationDraft(call.body, parts, call)
      const rule = create('automation', automations, draft, parts, call)
      return {
        created: { automation: automationOf(rule, call.view) },
        location: location(call.view, 'automation', rule.id),
      }
    },
    'automations.edit': (call) => ({
      automation: automationOf(
        edit('automation', automations, call.subject, call.body as RuleEdit<'automation'>, parts, call),
        call.view,
      ),
    }),
  }
}

function scheduleHandlers(parts: RuleParts): HandlersOf<Omit<typeof rules, AutomationNames>> {
  const { schedules } = parts.rules
  const nextOf = ({ id }: Schedule): number | null => parts.rules.timed.nextOf('schedule', id)
  const scheduleOf = (rule: Schedule, view: ExposedHouse) => ({
    ...exposedRule('schedule', rule, view),
    next: nextOf(rule),
  })
  return {
    'schedules.list': ({ view }) =>
      parts.lists.of(view, {
        name: 'schedules',
        items: visibleRules(view, schedules),
        fieldsOf: (rule) => exposedRule('schedule', rule, view),
        now: (rule) => ['next', nextOf(rule)],
      }),
    'schedules.get': (call) => ({
      schedule: scheduleOf(findRule('schedule', schedules, call.subject, call), call.view),
    }),
    'schedules.create': (call) => {
      const draft = scheduleDraft(call.body, parts, call)
      const rule = create('schedule', schedules, draft, parts, call)
      return { created: { schedule: scheduleOf(rule, call.view) }, location: location(call.view, 'schedule', rule.id) }
    },
    'schedules.edit': (call) => ({
      schedule: scheduleOf(
        edit('schedule', schedules, call.subject, call.body as RuleEdit<'schedule'>, parts, call),
        call.view,
      ),
    }),
  }
}

function visibleRules<K extends RuleKind>(view: ExposedHouse, repository: RuleRepository<K>): readonly RuleOf[K][] {
  const ids = view.rules.of(repository)
  return repository.list().filter(({ id }) => ids.has(id))
}

/** Decides which automations, schedules, runs and messages exist for a caller. */
export function ruleVisibility(rules: RunParts['rules'], messages: Pick<MessageBoard, 'get'>): RuleVisibility {
  const repositories = { automation: rules.automations, schedule: rules.schedules }
  return {
    shows: (kind, id, view) => {
      if (kind === 'run') {
        const run = rules.runs.find(id)
        return run !== undefined && isRunShown(run, view, rules)
      }
      if (kind === 'message') {
        const message = messages.get(id)
        return message !== undefined && isMessageVisible(message, view)
      }
      return view.rules.of(repositories[kind]).has(view.ids.local(kind, id) ?? '')
    },
  }
}

/** Finds a rule that the caller sees, or refuses. */
export function findRule<K extends RuleKind>(
  kind: K & ThingKind,
  repository: RuleRepository<K>,
  id: string,
  { view, refuse }: Pick<RequestContext<'not_found'>, 'view' | 'refuse'>,
): RuleOf[K] {
  const local = view.ids.local(kind, id) ?? ''
  const rule = view.rules.of(repository).has(local) ? repository.get(local) : undefined
  return rule ?? refuse('not_found', noSuchRule(kind))
}

function create<K extends RuleKind>(
  kind: K & ThingKind,
  repository: RuleRepository<K>,
  draft: DraftOf[K],
  judging: Judging,
  context: RequestContext<'not_found' | SavingRefusal>,
): RuleOf[K] {
  const { identity, cause, refuse } = context
  refuseNewRule(kind, repository, draft, judging, context)
  const created = repository.create(draft, originOf(identity), cause)
  return created.ok ? created.value : refuseNoRoom(kind, created.error, refuse)
}

export type RuleEdit<K extends RuleKind> = Partial<DraftOf[K]> & {
  readonly ifRevision: number
  readonly id?: string
  readonly revision?: number
}

function edit<K extends RuleKind>(
  kind: K & ThingKind,
  repository: RuleRepository<K>,
  id: string,
  body: RuleEdit<K>,
  judging: Judging,
  context: RequestContext<'not_found' | SavingRefusal | 'revision_mismatch'>,
): RuleOf[K] {
  const { identity, cause, refuse } = context
  const { stored, saved, refuseAction } = judgedEdit(kind, repository, id, body, judging, context)
  refuseAction(refuse)
  const edited = repository.update(stored.id, saved, body.ifRevision, cause, originOf(identity))
  return edited.ok ? edited.value : refuseEdit(kind, edited.error, refuse)
}

/** A valid edit in its stored form. */
export interface JudgedEdit<K extends RuleKind> {
  readonly stored: RuleOf[K]
  readonly saved: Partial<DraftOf[K]>
  /** Refuses authors who may not do what the steps do, if the edit changes them or switches the rule on. */
  readonly refuseAction: (refuse: Refuse<SavingRefusal>) => void
}

/** Checks an edit for everything except the permission to open and the limits of the repository. */
export function judgedEdit<K extends RuleKind>(
  kind: K,
  repository: RuleRepository<K>,
  id: string,
  body: RuleEdit<K>,
  judging: Judging,
  context: Pick<RequestContext<'not_found'>, 'view' | 'identity' | 'refuse'>,
): JudgedEdit<K> {
  const { view, identity, refuse } = context
  const stored = findRule(kind, repository, id, context)
  refuseProblem(readOnlyProblem(body, { id, origin: stored.origin }), refuse)
  const change = withKeys<Partial<DraftOf[K]>>(body, judging, context)
  const differing = differingFrom(kind, stored, change)
  refuseProblem(problemWith(differing, knownTo(view, judging), stored, memberClassesIn(view)), refuse)
  const steps = change.then ?? stored.then
  const against = judging.unlocking.againstSaving(steps, identity)
  // Unchanged fields do not get a new author. A caller who only switches a rule on becomes responsible for it.
  const isAllowed = against === null && mayTell(steps, identity)
  const saved = isAllowed && isSwitchOn(change) ? change : differing
  return {
    stored,
    saved,
    refuseAction: (refuseIt) => {
      // Renaming and switching off need no permission.
      if (against !== null && changesAction(differing)) refuseIt('unlock_not_allowed', against)
      if (!isAllowed && changesAction(differing)) refuseIt('tell_not_allowed')
      if (changesAction(saved)) judging.unlocking.refuseStale(steps, identity)
    },
  }
}

/** True if an edit only switches a rule on. */
function isSwitchOn(change: object): boolean {
  const fields = Object.entries(change).filter(([, value]) => value !== undefined)
  return fields.every(([field, value]) => (field === 'enabled' ? value === true : field === 'ifRevision'))
}

/** Fields of an edit that differ from the stored rule; some clients send the whole rule back. */
function differingFrom<K extends RuleKind>(
  kind: K,
  stored: RuleOf[K],
  change: Partial<DraftOf[K]>,
): Partial<DraftOf[K]> {
  const before: Readonly<Record<string, unknown>> = { ...stored }
  const differs = ([field, value]: [string, unknown]): boolean =>
    DRAFT_FIELDS[kind].includes(field) && canonicalJson(value) !== canonicalJson(before[field])
  return Object.fromEntries(Object.entries(change).filter(differs)) as Partial<DraftOf[K]>
}

export function refuseEdit(
  kind: RuleKind,
  failure: EditFailure,
  refuse: Refuse<'not_found' | 'revision_mismatch'>,
): never {
  switch (failure.kind) {
    case 'not_found':
      return refuse('not_found', noSuchRule(kind))
    case 'quota_exceeded':
      return refuseNoRoom(kind, failure, refuse)
    case 'revision_mismatch':
      return refuseStale(failure.revision, refuse)
  }
}

/** A rule with the integration's own ids, without internal fields. */
function exposedRule<R extends Automation | Schedule>(kind: RuleKind & ThingKind, rule: R, view: ExposedHouse): R {
  const { changedAt: _, author: __, ...open } = withIds(rule, view)
  return { ...open, id: view.ids.of(kind, rule.id) } as R
}

function location(view: ExposedHouse, kind: RuleKind & ThingKind, id: string): string {
  return `/v1/${kind}s/${encodeURIComponent(view.ids.of(kind, id))}`
}

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

/** A caller sees a run if they see its scene or rule, no matter who started it. */
export function isRunShown({ of }: Pick<RunReport, 'of'>, view: ExposedHouse, rules: ShownRules): boolean {
  return of.kind === 'scene' ? view.showsScene(of.id) : isRuleShown(of.kind, of.id, view, rules)
}

function entryOf(report: RunReport, view: ExposedHouse) {
  const { of, startedAt, endedAt, until } = report
  const state = stateOf(report, visibleSteps(report, view))
  // Hidden steps of a scene would show in a place.
  const at = of.kind === 'scene' ? null : report.at
  return { runId: report.id, kind: of.kind, of: view.ids.of(of.kind, of.id), state, startedAt, endedAt, until, at }
}

function runOf(report: RunReport, view: ExposedHouse) {
  return {
    ...entryOf(report, view),
    steps: visibleSteps(report, view).map(({ step, state, reason, failedAt }) => ({
      step: withIds({ steps: [step] }, view).steps[0] ?? step,
      state,
      ...(reason === null ? {} : failureOf(reason)),
      ...(failedAt !== null && { at: failedAt }),
    })),
  }
}

/** Visible steps; delays are always visible, as in scenes. */
function visibleSteps({ steps }: RunReport, view: ExposedHouse): readonly StepReport[] {
  return steps.filter(({ step }) => {
    if ('device' in step) return view.byKey(step.device) !== undefined
    if ('mode' in step) return view.showsMode(step.mode)
    return !('scene' in step) || view.showsScene(step.scene)
  })
}

/** State of a run, computed from its visible steps, so that a failed hidden step is not revealed. */
function stateOf({ progress }: RunReport, visible: readonly StepReport[]): RunState {
  if (progress !== 'finished') return progress
  return visible.some(({ state }) => state === 'failed') ? 'failed' : 'done'
}

const FAILED: Readonly<Record<StepFailure['reason'], readonly [code: ErrorCode, message?: string, appAction?: null]>> =
  {
    unavailable: ['hmhc_unavailable'],
    no_answer: ['unit_unreachable'],
    unknown_unit: ['unit_unreachable'],
    refused: ['validation', 'The unit refused the step.'],
    busy: ['overloaded'],
    too_many: ['rate_limited'],
    not_there: ['not_found', 'The device was removed.'],
    not_offered: ['validation', 'The device does not take this operation.'],
    no_scene: ['not_found', 'The scene was deleted.'],
    no_mode: ['not_found', 'The mode was removed.'],
    no_group: ['not_found', 'The group was deleted.'],
    not_allowed: [
      'unlock_not_allowed',
      'The step opens a lock or gate, and a cause of this run has no permission to open it.',
      null,
    ],
    error: ['internal'],
    unknown_state: ['unit_unreachable', 'The state of the device is not known, so it could not be changed from there.'],
    no_rule: ['not_found', 'The automation or schedule was deleted.'],
    not_stored: ['storage_unavailable'],
    unmet: ['validation', 'Its conditions did not hold after the last round.'],
    too_many_steps: ['overloaded', 'The run has reached its limit of steps and ended.'],
    too_long: ['overloaded', 'The run has lasted a day and ended.'],
    may_not_tell: ['tell_not_allowed', 'The author of this rule may not send messages to people.', null],
    told_enough: ['rate_limited', 'The rule, or the home, has sent its messages for this hour.'],
  }

/** Error of a step that failed, if only its reason is known. */
export function failureOf(reason: StepFailure['reason']): Refused {
  const [code, message, appAction] = FAILED[reason]
  return errorBody(code, { ...(message && { message }), ...(appAction === null && { appAction }) })
}
