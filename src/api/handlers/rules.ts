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
import type { RuleRepository, RuleRefusal } from '../../home/rules/rule-repository.ts'
import type { Rules } from '../../home/rules/rules.ts'
import type { Result } from '../../lib/result.ts'
import type { rules } from '../contract/rules.ts'
import type { RuleSight } from '../admission.ts'
import { Refusal } from '../errors.ts'
import { isRuleVisible as isVisible, isWhole } from '../exposed-causes.ts'
import type { HandlersOf } from '../handler.ts'
import type { Unlocking } from '../unlocking.ts'
import { staleRevision } from './scenes.ts'

export interface RuleParts {
  readonly unlocking: Unlocking
  readonly rules: Pick<Rules, 'automations' | 'schedules' | 'nextOf'>
}

/** Who asks, and what exists for them. */
interface Asking {
  readonly view: ExposedHouse
  readonly identity: Identity
  readonly cause: Cause
}

export function ruleHandlers(parts: RuleParts): HandlersOf<typeof rules> {
  const { automations, schedules } = parts.rules
  const automationOf = (rule: Automation, view: ExposedHouse) => ({
    ...shown('automation', rule, view),
    mode: rule.mode,
    paused: rule.paused,
  })
  const scheduleOf = (rule: Schedule, view: ExposedHouse) => ({
    ...shown('schedule', rule, view),
    next: parts.rules.nextOf('schedule', rule.id),
  })
  return {
    'automations.list': ({ view }) => ({
      automations: automations
        .list()
        .filter((rule) => isVisible(rule, view))
        .map((rule) => automationOf(rule, view)),
    }),
    'automations.get': ({ subject, view }) => ({
      automation: automationOf(find('automation', automations, subject, view), view),
    }),
    'automations.create': (call) => {
      const { ifRevision: _, ...body } = call.body
      const draft: AutomationDraft = {
        enabled: true,
        if: [],
        mode: 'single',
        ...inOwnTerms(body as Partial<AutomationDraft>, call.view),
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

    'schedules.list': ({ view }) => ({
      schedules: schedules
        .list()
        .filter((rule) => isVisible(rule, view))
        .map((rule) => scheduleOf(rule, view)),
    }),
    'schedules.get': ({ subject, view }) => ({
      schedule: scheduleOf(find('schedule', schedules, subject, view), view),
    }),
    'schedules.create': (call) => {
      const { ifRevision: _, ...body } = call.body
      const draft = {
        enabled: true,
        days: [...WEEKDAYS],
        ...inOwnTerms(body as Partial<ScheduleDraft>, call.view),
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
  const books = { automation: rules.automations, schedule: rules.schedules }
  return {
    shows: (kind, id, view) => {
      const rule = books[kind].get(view.ids.local(kind, id) ?? '')
      return rule !== undefined && isVisible(rule, view)
    },
  }
}

function find<K extends RuleKind>(
  kind: K & ThingKind,
  repository: RuleRepository<K>,
  id: string,
  view: ExposedHouse,
): RuleOf[K] {
  const rule = repository.get(view.ids.local(kind, id) ?? '')
  if (!rule || !isVisible(rule, view)) throw new Refusal('not_found')
  return rule
}

function create<K extends RuleKind>(
  kind: K & ThingKind,
  repository: RuleRepository<K>,
  draft: DraftOf[K],
  unlocking: Unlocking,
  { view, identity, cause }: Asking,
): RuleOf[K] {
  refuseProblem(problemWith(draft, (key) => view.byKey(key)?.class))
  unlocking.save(draft.then, identity)
  return accepted(
    repository.create(draft, { integration: identity.integration.id, link: identity.credential.link }, cause),
    kind,
  )
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
  { view, identity, cause }: Asking,
): RuleOf[K] {
  const stored = find(kind, repository, id, view)
  refuseProblem(keptProblem(body, { id, origin: stored.origin }))
  const change = inOwnTerms<Partial<DraftOf[K]>>(body, view)
  refuseProblem(problemWith(change, (key) => view.byKey(key)?.class))
  // Whoever changes or switches on what opens an entrance must be allowed to open it.
  unlocking.save(change.then ?? stored.then, identity)
  return accepted(repository.update(stored.id, change, body.ifRevision, cause), kind)
}

/** The body with device keys and local ids instead of its own; what is not exposed is not found. */
function inOwnTerms<T extends Referring>(body: T, view: ExposedHouse): T {
  const mapped = mapReferences(
    body,
    (id) => wholeKey(id, view),
    (id) => view.scene(id)?.local ?? null,
  )
  if (!mapped) throw new Refusal('not_found')
  return mapped
}

function wholeKey(id: string, view: ExposedHouse): DeviceKey | null {
  const key = view.device(id)?.key
  return key !== undefined && isWhole(key, view) ? key : null
}

function accepted<T>(answer: Result<T, RuleRefusal>, kind: RuleKind): T {
  if (answer.ok) return answer.value
  switch (answer.error.kind) {
    case 'not_found':
      throw new Refusal('not_found')
    case 'revision_mismatch':
      throw staleRevision(answer.error.revision)
    case 'too_many':
      throw new Refusal('validation', {
        message: `The home has as many ${kind}s as it can hold: an administrator has to delete one first.`,
      })
  }
}

function refuseProblem(problem: Problem | null): void {
  if (problem) throw new Refusal('validation', { message: `${problem.field}: ${problem.message}.` })
}

/** A rule with the integration's own ids, without what is the gateway's own business. */
function shown<R extends Automation | Schedule>(kind: RuleKind & ThingKind, rule: R, view: ExposedHouse): R {
  const { changedAt: _, ...open } = mapReferences(
    rule,
    (key) => view.ids.device(key),
    (scene) => view.ids.of('scene', scene),
  ) as R
  return { ...open, id: view.ids.of(kind, rule.id) } as R
}

function location(view: ExposedHouse, kind: RuleKind & ThingKind, id: string): string {
  return `/v1/${kind}s/${encodeURIComponent(view.ids.of(kind, id))}`
}
