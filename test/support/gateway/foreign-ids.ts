import { deviceDraft } from '../../../src/home/messages/home-messages.ts'
import type { TestHome, TestIntegration } from './harness.ts'
import type { IdKind, IdPlace, Surroundings } from './id-places.ts'

const EXPOSE = ['room:study', 'floor:top-floor', 'gang:bedside-panel:0', 'scene:dinner']
export const EVERYTHING_OFF = {
  advanced_config: 'off',
  structural: 'off',
  automations: 'off',
  schedules: 'off',
  allow_unlock: 'off',
  may_tell: 'off',
  agent_access: 'off',
}
export const NOT_FOUND =
  '{"error":{"code":"not_found","message":"There is no such thing here. Ids come from GET /v1/house."}}'

const NO_RULE = /\/v1\/(automation|schedule|run|message)s\/\{id\}(?:\/(?:try|stop|acknowledge))?$/

/** Rules, runs and messages are not in the house, so their error messages name another list. */
export function notFoundAt({ name }: IdPlace): string {
  if (name.endsWith(', group'))
    return NOT_FOUND.replace(
      /There.*house\./,
      'There is no such group: send light, cover, socket, climate, or an id from GET /v1/house.',
    )
  const [, kind] = NO_RULE.exec(name) ?? []
  return kind === undefined ? NOT_FOUND : NOT_FOUND.replace('thing', kind).replace('/v1/house', `/v1/${kind}s`)
}

type RuleId = 'group' | 'automation' | 'schedule' | 'run' | 'message'

/** Local ids of the demo house that these exposures show and hide. */
export const VISIBLE: Readonly<Record<Exclude<IdKind, RuleId>, readonly string[]>> = {
  device: ['study-light'],
  scene: ['scene:dinner'],
  room: ['room:studio'],
  floor: ['floor:top-floor'],
}
const HIDDEN: Readonly<Record<Exclude<IdKind, RuleId>, readonly string[]>> = {
  device: [
    'hall-light',
    'front-door',
    'kitchen-panel',
    'kitchen-panel:1',
    'bedside-panel:1',
    'living-climate',
    'house-meter',
  ],
  scene: ['scene:good-night'],
  room: ['room:hall', 'room:garden'],
  floor: ['floor:ground-floor'],
}
const INVENTED: Readonly<Record<IdKind, readonly string[]>> = {
  device: ['invented', 'study-light:0', 'bedside-panel:7'],
  scene: ['scene:invented'],
  group: ['group:invented'],
  room: ['room:invented'],
  floor: ['floor:invented'],
  automation: ['automation:invented'],
  schedule: ['schedule:invented'],
  run: ['run:invented'],
  message: ['message:invented'],
}

/** An integration with existing and hidden ids. */
export interface AskingIntegration {
  readonly integration: TestIntegration
  readonly around: Surroundings
  /** Local ids of groups and rules, and ids of runs and messages: a visible and a hidden one. */
  readonly rules: Readonly<Record<RuleId, { readonly visible: string; readonly hidden: string }>>
}

async function createRule(home: TestHome, path: string, body: object, token: string): Promise<string> {
  const answer = await home.call({ method: 'POST', path, body, token })
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`)
  const [thing] = Object.values(answer.body as object).filter((field) => typeof field === 'object') as { id: string }[]
  return thing?.id.split(':').slice(2).join(':') ?? ''
}

/** Creates groups and rules that the narrow integrations see, and some over hidden devices. */
export async function rulesOf(home: TestHome): Promise<AskingIntegration['rules']> {
  const body = (local: string): object => ({
    name: 'Rule',
    then: [{ device: home.id(local), op: 'set_power', args: { on: true } }],
  })
  const automation = (local: string) =>
    createRule(home, '/v1/automations', { ...body(local), when: [{ time: '04:00' }] }, home.main.token)
  const schedule = (local: string) =>
    createRule(home, '/v1/schedules', { ...body(local), at: { time: '04:00' } }, home.main.token)
  const group = (local: string) =>
    createRule(home, '/v1/groups', { name: 'Group', members: [home.id(local)] }, home.main.token)
  return {
    group: { visible: await group('study-light'), hidden: await group('hall-light') },
    automation: { visible: await automation('study-light'), hidden: await automation('hall-light') },
    schedule: { visible: await schedule('study-light'), hidden: await schedule('hall-light') },
    message: { visible: messageOf(home, 'study-light'), hidden: messageOf(home, 'hall-light') },
    run: { visible: await runOf(home, 'scene:dinner'), hidden: await runOf(home, 'scene:good-night') },
  }
}

/** A run has the same id for every integration. */
async function runOf(home: TestHome, scene: string): Promise<string> {
  const answer = await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(home.id(scene))}/run` })
  return (answer.body as { run: { runId: string } }).run.runId
}

/** A message has the same id for every integration too. */
function messageOf({ running }: TestHome, device: string): string {
  return running.gateway.home.messages.post(deviceDraft('entrance_open', device, 'A message')).id
}

const RULE_IDS: readonly string[] = ['group', 'automation', 'schedule', 'run', 'message'] satisfies readonly RuleId[]
const isRuleId = (kind: IdKind): kind is RuleId => RULE_IDS.includes(kind)
/** Kinds whose ids are the same for every integration. */
export const isShared = (kind: IdKind): kind is 'run' | 'message' => kind === 'run' || kind === 'message'

export async function askingIntegration(
  home: TestHome,
  settings: Record<string, string>,
  rules: AskingIntegration['rules'],
): Promise<AskingIntegration> {
  const integration = await home.integrate({ expose: [...EXPOSE, rules.group.visible], settings })
  const id = (local: string): string => home.id(local, integration)
  return {
    integration,
    rules,
    around: {
      device: id('study-light'),
      scene: id('scene:dinner'),
      group: id(rules.group.visible),
      automation: id(rules.automation.visible),
      schedule: id(rules.schedule.visible),
    },
  }
}

export function visibleLocals(kind: IdKind, rules: AskingIntegration['rules']): readonly string[] {
  return isRuleId(kind) ? [rules[kind].visible] : VISIBLE[kind]
}

/** Ids that do not exist for this integration, by reason; the answers must all be equal. */
export function foreignIds(
  home: TestHome,
  { kinds }: IdPlace,
  { integration, rules }: AskingIntegration,
): Readonly<Record<string, readonly string[]>> {
  const id = (local: string): string => home.id(local, integration)
  const own = kinds.flatMap((kind) => (isShared(kind) ? [kind] : visibleLocals(kind, rules)))
  const wrongKinds = (Object.keys(INVENTED) as IdKind[]).filter((kind) => !kinds.includes(kind))
  const hidden = kinds.flatMap((kind) =>
    isShared(kind) ? [rules[kind].hidden] : (isRuleId(kind) ? [rules[kind].hidden] : HIDDEN[kind]).map(id),
  )
  return {
    invented: kinds.flatMap((kind) => INVENTED[kind]).map(id),
    hidden,
    'of another integration': own.map((local) => home.id(local)),
    'of another gateway': own.map((local) => id(local).replace(/^[^:]+/, 'aaaaaaaaaaaa')),
    malformed: [
      'nonsense',
      'a:b',
      ':',
      ':::',
      '__proto__',
      'constructor',
      id(''),
      id('study-light:0:0'),
      id('study-light:'),
      `${id(own[0] ?? '')} `,
      id(own[0] ?? '').toUpperCase(),
      id(`${own[0]}\u0000`),
      id('Küche'),
      '%2e%2e',
      '{id}',
      own[0] ?? '',
      `${integration.id}:${own[0]}`,
    ],
    'of another kind of thing': wrongKinds.flatMap((kind) => visibleLocals(kind, rules)).map(id),
  }
}
