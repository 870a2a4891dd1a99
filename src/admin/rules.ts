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
import { entrancesOf, openedEntrances } from '../home/rules/openers.ts'
import { type DisplayNames, removedName } from '../home/words/values.ts'
import { conditionWords, stepWords, timeWords, triggerWords } from '../home/words/rules.ts'
import type { RuleRepository } from '../home/rules/rule-repository.ts'
import { runKey } from '../home/ports/rule-store.ts'
import { SWITCH_MS_MAX } from '../home/rules/rule-switches.ts'
import type { Rules } from '../home/rules/rules.ts'
import type { Clock } from '../lib/clock.ts'
import type { Refuse } from '../api/errors.ts'
import { refuseNoRoom } from '../api/handlers/saving.ts'
import type { rules as declared } from './contract/rules.ts'
import { refuseUnknown } from './credentials.ts'
import { type AdminCaller, type AdminHandlersOf, refuseStale } from './dispatch.ts'
import { type ReferringRules, releasedBy, userWords } from './removal.ts'

export interface RuleAdminParts {
  readonly house: House
  readonly rules: Pick<
    Rules,
    'automations' | 'schedules' | 'timed' | 'trials' | 'runs' | 'scenes' | 'switches' | 'named'
  >
  readonly clock: Pick<Clock, 'now'>
  readonly integrations: Pick<IntegrationAdmin, 'get'>
  readonly credentials: Pick<Credentials, 'get'>
}

interface Deleting {
  readonly params: { readonly id: string }
  readonly query: { readonly force?: 'true' | 'false' | undefined }
  readonly cause: Cause
  readonly refuse: Refuse<'not_found'>
}

interface Switching {
  readonly params: { readonly id: string }
  readonly body: { readonly enabled: boolean; readonly until?: number | null | undefined }
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
      const released = releasedBy({ query, cause, refuse }, ['scenes', id, 'scene'], rules)
      house.removeScene(id, cause, released())
      rules.runs.cancel({ kind: 'scene', id })
      return { deleted: id }
    },
    'automations.list': () => ({ automations: rules.automations.list().map(views.automation) }),
    'automations.show': ({ params, refuse }) => ({
      automation: views.automation(ruleOf('automation', rules.automations, params.id, refuse)),
    }),
    'automations.switch': (call) => ({
      automation: views.automation(switchRule('automation', rules.automations, parts, call)),
    }),
    'automations.delete': (call) => deleteRule('automation', rules.automations, rules, call),
    'automations.try': ({ params, refuse }) => ({
      trial: rules.trials.automation(params.id, views.names) ?? notThere('automation', params.id, refuse),
    }),
    'runs.next': ({ query }) => ({ runs: rules.timed.upcoming(query.days) }),
    'schedules.list': () => ({ schedules: rules.schedules.list().map(views.schedule) }),
    'schedules.show': ({ params, refuse }) => ({
      schedule: views.schedule(ruleOf('schedule', rules.schedules, params.id, refuse)),
    }),
    'schedules.switch': (call) => ({ schedule: views.schedule(switchRule('schedule', rules.schedules, parts, call)) }),
    'schedules.delete': (call) => deleteRule('schedule', rules.schedules, rules, call),
  }
}

function namesOf({ house, rules }: Pick<RuleAdminParts, 'house' | 'rules'>): DisplayNames {
  return {
    mode: (id) => house.modes.get(id)?.name ?? removedName(`mode:${id}`),
    person: (id) => house.people.get(id)?.name ?? removedName(`person:${id}`),
    device: (key) => house.devices.get(key)?.name ?? removedName(`device:${key}`),
    scene: (id) => house.scenes.get(id)?.name ?? removedName(`scene:${id}`),
    rule: (reference) => rules.named(reference)?.name ?? removedName(reference),
    calendar: (id) => house.calendars.get(id)?.name ?? removedName(`calendar:${id}`),
    place: ({ kind, id }) => house[`${kind}s`].get(id)?.name ?? removedName(`${kind}:${id}`),
  }
}

/** Views of scenes and rules in words; `createdBy` is the credential's label, or null for an administrator. */
function viewsOf({ house, rules, integrations, credentials }: RuleAdminParts) {
  const names = namesOf({ house, rules })
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
      usedBy: userWords('scenes', id, rules),
    }),
    automation: (rule: Automation) => ({
      id: rule.id,
      name: rule.name,
      enabled: rule.enabled,
      until: rules.switches.untilOf({ kind: 'automation', id: rule.id }),
      paused: rule.paused,
      mode: rule.mode,
      revision: rule.revision,
      createdBy: createdBy(rule.origin),
      when: rule.when.map((trigger) => triggerWords(trigger, names)),
      if: conditions(rule.if),
      then: steps(rule.then),
    }),
    schedule: (rule: Schedule) => ({
      ...{ id: rule.id, next: nextOf(rule, rules) },
      name: rule.name,
      enabled: rule.enabled,
      until: rules.switches.untilOf({ kind: 'schedule', id: rule.id }),
      revision: rule.revision,
      createdBy: createdBy(rule.origin),
      at: timeWords(timeRuleOf(rule)),
      if: conditions(rule.if),
      then: steps(rule.then),
    }),
  }
}

/** Next run of a schedule, also after the end of a temporary switch; null if it is off then. */
function nextOf(
  rule: Schedule,
  { timed, switches }: Pick<RuleAdminParts['rules'], 'timed' | 'switches'>,
): number | null {
  const until = switches.untilOf({ kind: 'schedule', id: rule.id })
  if (!rule.enabled) return until === null ? null : timed.firstFrom(rule, until)
  const next = timed.nextOf('schedule', rule.id)
  return next !== null && until !== null && next >= until ? null : next
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
  { house, rules: { switches, named }, clock }: Pick<RuleAdminParts, 'house' | 'rules' | 'clock'>,
  { params: { id }, body: { enabled, until = null }, cause, by, refuse }: Switching,
): RuleOf[K] {
  const rule = ruleOf(kind, repository, id, refuse)
  const most = clock.now() + SWITCH_MS_MAX
  if (until !== null && (until <= clock.now() || until > most))
    refuse('validation', { message: 'until: must be a time in the future, within the next 366 days.' })
  const opens = openedEntrances(rule.then, entrancesOf(house, named)).length > 0
  // A rule that is off until a time is on again from then on.
  if ((enabled || until !== null) && opens) refuseStale(by)
  switches.endAt({ kind, id }, enabled, until, cause)
  const isPaused = 'paused' in rule && rule.paused
  if (rule.enabled === enabled && !isPaused) return rule
  const edited = repository.update(id, { enabled } as Partial<DraftOf[K]>, rule.revision, cause, null)
  if (edited.ok) return edited.value
  return edited.error.kind === 'quota_exceeded' ? refuseNoRoom(kind, edited.error, refuse) : notThere(kind, id, refuse)
}

function deleteRule<K extends RuleKind>(
  kind: K,
  repository: RuleRepository<K>,
  rules: ReferringRules,
  { params: { id }, query, cause, refuse }: Deleting,
): { deleted: string } {
  ruleOf(kind, repository, id, refuse)
  const released = releasedBy({ query, cause, refuse }, ['rules', runKey({ kind, id }), kind], rules)
  repository.delete(id, cause, released())
  return { deleted: id }
}

function notThere(kind: RuleKind | 'scene', id: string, refuse: Refuse<'not_found'>): never {
  return refuseUnknown(kind, id, `${kind} list`, refuse)
}
