import { credentialLabel, type Credentials } from '../auth/credentials/credentials.ts'
import type { IntegrationAdmin } from '../exposure/integration-admin.ts'
import type { House } from '../home/house/house.ts'
import type { Cause } from '../home/model/events.ts'
import type { Origin, Scene } from '../home/model/house.ts'
import {
  type Automation,
  type DraftOf,
  type RuleKind,
  type RuleOf,
  type Schedule,
  timeRuleOf,
} from '../home/model/rules.ts'
import { referencesOf } from '../home/model/rule-parts.ts'
import { entrancesOf, openedEntrances } from '../home/rules/openers.ts'
import type { DisplayNames } from '../home/words/values.ts'
import { conditionWords, stepWords, timeWords, triggerWords } from '../home/words/rules.ts'
import type { RuleRepository } from '../home/rules/rule-repository.ts'
import type { Rules } from '../home/rules/rules.ts'
import type { Refuse } from '../api/errors.ts'
import { refuseNoRoom } from '../api/handlers/saving.ts'
import type { rules as declared } from './contract/rules.ts'
import { refuseUnknown } from './credentials.ts'
import { type AdminCaller, type AdminHandlersOf, refuseStale } from './dispatch.ts'

export interface RuleAdminParts {
  readonly house: House
  readonly rules: Pick<Rules, 'automations' | 'schedules' | 'timed' | 'trials' | 'runs' | 'scenes'>
  readonly integrations: Pick<IntegrationAdmin, 'get'>
  readonly credentials: Pick<Credentials, 'get'>
}

interface Switching {
  readonly params: { readonly id: string }
  readonly body: { readonly enabled: boolean }
  readonly cause: Cause
  readonly by: AdminCaller
  readonly refuse: Refuse<'not_found'>
}

/** Handlers for all scenes, automations and schedules, in words and by local ids. Deletion is possible only here. */
export function ruleAdminHandlers(parts: RuleAdminParts): AdminHandlersOf<typeof declared> {
  const { house, rules } = parts
  const views = viewsOf(parts)
  return {
    'scenes.list': () => ({ scenes: [...house.scenes.values()].map(views.scene) }),
    'scenes.show': ({ params, refuse }) => ({ scene: views.scene(sceneOf(house, params.id, refuse)) }),
    'scenes.delete': ({ params, query, cause, refuse }) => {
      const { id } = sceneOf(house, params.id, refuse)
      if (query.force !== 'true') refuseWhileUsed(id, rules, refuse)
      house.removeScene(id, cause)
      rules.runs.cancel({ kind: 'scene', id })
      return { deleted: id }
    },
    'automations.list': () => ({ automations: rules.automations.list().map(views.automation) }),
    'automations.show': ({ params, refuse }) => ({
      automation: views.automation(ruleOf('automation', rules.automations, params.id, refuse)),
    }),
    'automations.switch': (call) => ({
      automation: views.automation(switchRule('automation', rules.automations, house, call)),
    }),
    'automations.delete': ({ params, cause, refuse }) =>
      deletedAnswer('automation', rules.automations.delete(params.id, cause).ok, params.id, refuse),
    'automations.try': ({ params, refuse }) => ({
      trial: rules.trials.automation(params.id, views.names) ?? notThere('automation', params.id, refuse),
    }),
    'runs.next': ({ query }) => ({ runs: rules.timed.upcoming(query.days) }),
    'schedules.list': () => ({ schedules: rules.schedules.list().map(views.schedule) }),
    'schedules.show': ({ params, refuse }) => ({
      schedule: views.schedule(ruleOf('schedule', rules.schedules, params.id, refuse)),
    }),
    'schedules.switch': (call) => ({ schedule: views.schedule(switchRule('schedule', rules.schedules, house, call)) }),
    'schedules.delete': ({ params, cause, refuse }) =>
      deletedAnswer('schedule', rules.schedules.delete(params.id, cause).ok, params.id, refuse),
  }
}

/** Views of scenes and rules in words; `createdBy` is the credential's label, or null for an administrator. */
function viewsOf({ house, rules, integrations, credentials }: RuleAdminParts) {
  const names: DisplayNames = {
    mode: (id) => house.modes.get(id)?.name ?? null,
    device: (key) => house.devices.get(key)?.name ?? null,
    scene: (id) => house.scenes.get(id)?.name ?? null,
  }
  const createdBy = (origin: Origin | null): string | null => {
    if (origin === null) return null
    const integration = integrations.get(origin.integration)?.name
    if (integration === undefined) return 'API: a deleted integration'
    const credential = credentials.get(origin.link)
    return credential ? credentialLabel(credential, integration) : `An ended credential of ${integration}`
  }
  const steps = (list: readonly Parameters<typeof stepWords>[0][]): string[] =>
    list.map((step) => stepWords(step, names))
  const conditions = (list: Automation['if']): string[] => list.map((condition) => conditionWords(condition, names))
  return {
    names,
    scene: ({ id, name, icon, room, floor, revision, origin, steps: list }: Scene) => ({
      id,
      name,
      icon,
      room,
      floor,
      revision,
      createdBy: createdBy(origin),
      running: rules.scenes.running(id),
      steps: steps(list),
      usedBy: usersOf(id, rules),
    }),
    automation: (rule: Automation) => ({
      id: rule.id,
      name: rule.name,
      enabled: rule.enabled,
      paused: rule.paused,
      mode: rule.mode,
      revision: rule.revision,
      createdBy: createdBy(rule.origin),
      when: rule.when.map((trigger) => triggerWords(trigger, names)),
      if: conditions(rule.if),
      then: steps(rule.then),
    }),
    schedule: (rule: Schedule) => ({
      id: rule.id,
      name: rule.name,
      enabled: rule.enabled,
      revision: rule.revision,
      createdBy: createdBy(rule.origin),
      at: timeWords(timeRuleOf(rule)),
      next: rules.timed.nextOf('schedule', rule.id),
      if: conditions(rule.if),
      then: steps(rule.then),
    }),
  }
}

/** Rules that use a scene, as `automation Dusk (id)`. */
function usersOf(scene: string, { automations, schedules }: Pick<Rules, 'automations' | 'schedules'>): string[] {
  const users = (kind: RuleKind, list: readonly RuleOf[RuleKind][]): string[] =>
    list.filter((rule) => referencesOf(rule).scenes.has(scene)).map(({ id, name }) => `${kind} ${name} (${id})`)
  return [...users('automation', automations.list()), ...users('schedule', schedules.list())]
}

function refuseWhileUsed(scene: string, rules: Pick<Rules, 'automations' | 'schedules'>, refuse: Refuse): void {
  const users = usersOf(scene, rules)
  if (users.length === 0) return
  refuse('validation', {
    message: `The scene is used by ${users.join(', ')}: delete or change them first, or delete the scene anyway with --force.`,
  })
}

function sceneOf(house: House, id: string, refuse: Refuse<'not_found'>): Scene {
  return house.scenes.get(id) ?? notThere('scene', id, refuse)
}

function ruleOf<K extends RuleKind>(
  kind: K,
  repository: RuleRepository<K>,
  id: string,
  refuse: Refuse<'not_found'>,
): RuleOf[K] {
  return repository.get(id) ?? notThere(kind, id, refuse)
}

/** Switches a rule by an edit of an administrator. A rule that is already in this state keeps its author. */
function switchRule<K extends RuleKind>(
  kind: K,
  repository: RuleRepository<K>,
  house: House,
  { params: { id }, body: { enabled }, cause, by, refuse }: Switching,
): RuleOf[K] {
  const rule = ruleOf(kind, repository, id, refuse)
  const isPaused = 'paused' in rule && rule.paused
  if (rule.enabled === enabled && !isPaused) return rule
  if (enabled && openedEntrances(rule.then, entrancesOf(house)).length > 0) refuseStale(by)
  const edited = repository.update(id, { enabled } as Partial<DraftOf[K]>, rule.revision, cause, null)
  if (edited.ok) return edited.value
  return edited.error.kind === 'quota_exceeded' ? refuseNoRoom(kind, edited.error, refuse) : notThere(kind, id, refuse)
}

function deletedAnswer(kind: RuleKind, done: boolean, id: string, refuse: Refuse<'not_found'>): { deleted: string } {
  return done ? { deleted: id } : notThere(kind, id, refuse)
}

function notThere(kind: RuleKind | 'scene', id: string, refuse: Refuse<'not_found'>): never {
  return refuseUnknown(kind, id, `${kind} list`, refuse)
}
