import type { Identity } from '../../auth/authenticator.ts'
import type { ThingKind } from '../../exposure/device-id.ts'
import type { ExposedHouse } from '../../exposure/exposed-house.ts'
import type { Cause } from '../../home/model/cause.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import type {
  Automation,
  AutomationDraft,
  DraftOf,
  RuleKind,
  RuleOf,
  Schedule,
  ScheduleDraft,
} from '../../home/rules/model.ts'
import { WEEKDAYS } from '../../home/rules/model.ts'
import { keptProblem, type Problem, problemWith } from '../../home/rules/problems.ts'
import { mapReferences, type Referring } from '../../home/rules/references.ts'
import type { EditFailure, RuleRepository } from '../../home/rules/rule-repository.ts'
import type { Rules } from '../../home/rules/rules.ts'
import type { rules } from '../contract/rules.ts'
import type { RuleSight } from '../admission.ts'
import { type ErrorCode, noSuchRule, type Refuse } from '../errors.ts'
import { isRuleVisible as isVisible, isWhole } from '../exposed-causes.ts'
import type { HandlersOf } from '../handler.ts'
import type { Unlocking } from '../unlocking.ts'
import { originOf, refuseStale } from './scenes.ts'

export interface RuleParts {
  readonly unlocking: Unlocking
  readonly rules: Pick<Rules, 'automations' | 'schedules' | 'nextOf'>
}

/** Who asks, what exists for them, and how they are refused. */
interface Asking<C extends ErrorCode> {
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
    ...shown('automation', rule, view),
    mode: rule.mode,
    paused: rule.paused,
  })
  return {
    'automations.list': ({ view }) => ({
      automations: automations
        .list()
        .filter((rule) => isVisible(rule, view))
        .map((rule) => automationOf(rule, view)),
    }),
    'automations.get': (call) => ({
      automation: automationOf(find('automation', automations, call.subject, call), call.view),
    }),
    'automations.create': (call) => {
      const { ifRevision: _, ...body } = call.body
      const draft: AutomationDraft = {
        enabled: true,
        if: [],
        mode: 'single',
        ...inOwnTerms(body as Partial<AutomationDraft>, call),
      } as AutomationDraft
      const rule = create('automation', automations, draft, parts.unlocking, call)
      return {
        created: { automation: automationOf(rule, call.view) },
        location: location(call.view, 'automation', rule.id),
      }
    },
    'automations.edit': (call) => ({
      automation: automationOf(
        edit('automation', automations, call.subject, call.body as RuleEdit<'automation'>, parts.unlocking, call),
        call.view,
      ),
    }),
  }
}

function scheduleHandlers(parts: RuleParts): HandlersOf<Omit<typeof rules, AutomationNames>> {
  const { schedules } = parts.rules
  const scheduleOf = (rule: Schedule, view: ExposedHouse) => ({
    ...shown('schedule', rule, view),
    next: parts.rules.nextOf('schedule', rule.id),
  })
  return {
    'schedules.list': ({ view }) => ({
      schedules: schedules
        .list()
        .filter((rule) => isVisible(rule, view))
        .map((rule) => scheduleOf(rule, view)),
    }),
    'schedules.get': (call) => ({
      schedule: scheduleOf(find('schedule', schedules, call.subject, call), call.view),
    }),
    'schedules.create': (call) => {
      const { ifRevision: _, ...body } = call.body
      const draft = {
        enabled: true,
        days: [...WEEKDAYS],
        ...inOwnTerms(body as Partial<ScheduleDraft>, call),
      } as ScheduleDraft
      const rule = create('schedule', schedules, draft, parts.unlocking, call)
      return { created: { schedule: scheduleOf(rule, call.view) }, location: location(call.view, 'schedule', rule.id) }
    },
    'schedules.edit': (call) => ({
      schedule: scheduleOf(
        edit('schedule', schedules, call.subject, call.body as RuleEdit<'schedule'>, parts.unlocking, call),
        call.view,
      ),
    }),
  }
}

/** Which automations and schedules are there for the one who asks. */
export function ruleSight(rules: RuleParts['rules']): RuleSight {
  const repositories = { automation: rules.automations, schedule: rules.schedules }
  return {
    shows: (kind, id, view) => {
      const rule = repositories[kind].get(view.ids.local(kind, id) ?? '')
      return rule !== undefined && isVisible(rule, view)
    },
  }
}

function find<K extends RuleKind>(
  kind: K & ThingKind,
  repository: RuleRepository<K>,
  id: string,
  { view, refuse }: Pick<Asking<'not_found'>, 'view' | 'refuse'>,
): RuleOf[K] {
  const rule = repository.get(view.ids.local(kind, id) ?? '')
  return rule && isVisible(rule, view) ? rule : refuse('not_found', noSuchRule(kind))
}

function create<K extends RuleKind>(
  kind: K & ThingKind,
  repository: RuleRepository<K>,
  draft: DraftOf[K],
  unlocking: Unlocking,
  asking: Asking<'not_found' | 'unlock_not_allowed'>,
): RuleOf[K] {
  const { view, identity, cause, refuse } = asking
  refuseProblem(
    problemWith(draft, (key) => view.byKey(key)?.class),
    refuse,
  )
  unlocking.save(draft.then, asking)
  const created = repository.create(draft, originOf(identity), cause)
  if (created.ok) return created.value
  return refuse('validation', {
    message: `The home has as many ${kind}s as it can hold: an administrator has to delete one first.`,
  })
}

type RuleEdit<K extends RuleKind> = Partial<DraftOf[K]> & {
  readonly ifRevision: number
  readonly id?: string
  readonly revision?: number
}

function edit<K extends RuleKind>(
  kind: K & ThingKind,
  repository: RuleRepository<K>,
  id: string,
  body: RuleEdit<K>,
  unlocking: Unlocking,
  asking: Asking<'not_found' | 'unlock_not_allowed' | 'revision_mismatch'>,
): RuleOf[K] {
  const { view, identity, cause, refuse } = asking
  const stored = find(kind, repository, id, asking)
  refuseProblem(keptProblem(body, { id, origin: stored.origin }), refuse)
  const change = inOwnTerms<Partial<DraftOf[K]>>(body, asking)
  refuseProblem(
    problemWith(change, (key) => view.byKey(key)?.class),
    refuse,
  )
  // Whoever changes or switches on what opens an entrance must be allowed to open it.
  unlocking.save(change.then ?? stored.then, asking)
  const edited = repository.update(stored.id, change, body.ifRevision, cause, originOf(identity))
  return edited.ok ? edited.value : refuseEdit(kind, edited.error, refuse)
}

/** The body with device keys and local ids instead of its own; what is not exposed is not found. */
function inOwnTerms<T extends Referring>(body: T, { view, refuse }: Pick<Asking<'not_found'>, 'view' | 'refuse'>): T {
  const mapped = mapReferences(
    body,
    (id) => wholeKey(id, view),
    (id) => view.scene(id)?.local ?? null,
  )
  return mapped ?? refuse('not_found')
}

function wholeKey(id: string, view: ExposedHouse): DeviceKey | null {
  const key = view.device(id)?.key
  return key !== undefined && isWhole(key, view) ? key : null
}

function refuseEdit(kind: RuleKind, failure: EditFailure, refuse: Refuse<'not_found' | 'revision_mismatch'>): never {
  return failure.kind === 'not_found' ? refuse('not_found', noSuchRule(kind)) : refuseStale(failure.revision, refuse)
}

function refuseProblem(problem: Problem | null, refuse: Refuse): void {
  if (problem) refuse('validation', { message: `${problem.field}: ${problem.message}.` })
}

/** A rule with the integration's own ids, without what is the gateway's own business. */
function shown<R extends Automation | Schedule>(kind: RuleKind & ThingKind, rule: R, view: ExposedHouse): R {
  const {
    changedAt: _,
    author: __,
    ...open
  } = mapReferences(
    rule,
    (key) => view.ids.device(key),
    (scene) => view.ids.of('scene', scene),
  ) as R
  return { ...open, id: view.ids.of(kind, rule.id) } as R
}

function location(view: ExposedHouse, kind: RuleKind & ThingKind, id: string): string {
  return `/v1/${kind}s/${encodeURIComponent(view.ids.of(kind, id))}`
}
