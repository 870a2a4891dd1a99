import type { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import type { RecordedReply } from '../world/sim-calls.ts'
import { exposureOfObserver, isExtra, isHidden, SEEN_ROOM } from '../world/replica.ts'
import type { World } from '../world/world.ts'
import { act, type ActKind, withOne } from './act.ts'

/** An act on a random integration. */
const onIntegration = (
  name: string,
  weight: number,
  run: (world: World, chance: SeededRandom, integration: string) => void,
): ActKind => act(name, weight, (world, chance) => withOne(chance, integrations(world), (id) => run(world, chance, id)))

/** Acts of administrators. */
export const ADMINISTRATOR_ACTS: readonly ActKind[] = [
  act('make an integration', 2, makeIntegration),
  onIntegration('change knobs', 6, changeKnobs),
  onIntegration('change exposure', 4, changeExposure),
  onIntegration('switch an integration', 2, switchIntegration),
  act('delete an integration', 1, (world, chance) =>
    withOne(chance, integrations(world).slice(2), (id) => void world.answering.order('integrations.delete', { id })),
  ),
  onIntegration('make a key', 3, (world, _chance, id) => void makeKey(world, id)),
  onIntegration('make an agent', 2, makeAgent),
  act('revoke', 3, revoke),
  act('confirm', 4, confirm),
  act('delete a rule', 2, deleteRule),
  act('import the home', 2, importHome),
  act('move the home', 1, moveHome),
  act('place a unit', 1, placeUnit),
]

const ON_OFF = ['on', 'off'] as const

function integrations(world: World): string[] {
  return [...world.facts().integrations.keys()].filter((id) => id !== world.witness?.integration)
}

function knobs(chance: SeededRandom): Record<string, string> {
  return {
    advanced_config: chance.pick(['off', 'read', 'read_write']),
    structural: chance.pick(ON_OFF),
    automations: chance.pick(['on', 'on', 'off']),
    schedules: chance.pick(['on', 'on', 'off']),
    agent_access: chance.pick(['on', 'on', 'off']),
    allow_unlock: chance.pick(['on', 'off']),
  }
}

/** Exposes everything, or a random part of the home. */
function exposure(world: World, chance: SeededRandom): string[] {
  if (chance.chance(0.35)) return ['all']
  const { floors, rooms, units, scenes } = world.known
  const all = [
    ...floors.map(({ id }) => `floor:${id}`),
    ...rooms.map(({ id }) => `room:${id}`),
    ...units.map(({ id }) => `unit:${id}`),
    ...units.flatMap(({ id, gangs }) => gangs.map(({ gang }) => `gang:${id}:${gang}`)),
    ...scenes.map(({ id }) => `scene:${id}`),
  ]
  const some = all.filter(() => chance.chance(0.3))
  return some.length === 0 ? ['room:hall'] : some
}

/** Creates an integration and a key, which a new caller uses. */
export function makeIntegration(world: World, chance: SeededRandom): void {
  // Names of integrations are not secret: they appear in causes.
  const body = { name: world.newName(), expose: exposure(world, chance), settings: knobs(chance) }
  void world.answering.order('integrations.create', { body }).then((reply) => {
    const made = reply.body['integration'] as { readonly id: string } | undefined
    return made === undefined || !world.running ? undefined : makeKey(world, made.id)
  })
}

/** Creates a key of an integration and gives it to a new caller. */
export async function makeKey(world: World, integration: string): Promise<void> {
  const reply = await world.answering.order('keys.create', { body: { integration, name: '' } })
  handOut(world, integration, 'key', reply)
}

function handOut(world: World, integration: string, kind: 'key' | 'agent', { body }: RecordedReply): void {
  const [link, token] = [body['link'], body['token']]
  if (typeof link === 'string' && typeof token === 'string')
    world.answering.callers.push({ integration, link, token, kind })
}

function makeAgent(world: World, chance: SeededRandom, integration: string): void {
  const body = { integration, name: 'Robot', platform: 'lab', session: chance.chance(0.3) }
  void world.answering.order('agents.create', { body }).then((reply) => handOut(world, integration, 'agent', reply))
}

function changeKnobs(world: World, chance: SeededRandom, id: string): void {
  const some = Object.fromEntries(Object.entries(knobs(chance)).filter(() => chance.chance(0.5)))
  void world.answering.order('integrations.change', { id, body: { settings: some } })
}

/** The observer's exposure stays within the part of the home that both homes of a pair share. */
function changeExposure(world: World, chance: SeededRandom, id: string): void {
  const all = exposureOfObserver(world.content)
  const some = all.filter(() => chance.chance(0.6))
  const seen = some.length === 0 ? all : some
  const expose = id === world.observer ? seen : exposure(world, chance)
  void world.answering.order('integrations.change', { id, body: { expose } })
}

function switchIntegration(world: World, chance: SeededRandom, id: string): void {
  void world.answering.order('integrations.change', { id, body: { enabled: chance.chance(0.6) } })
}

function revoke(world: World, chance: SeededRandom): void {
  withOne(chance, world.answering.callers, ({ link, kind }) => {
    void world.answering.order(kind === 'key' ? 'keys.revoke' : 'agents.revoke', { id: link })
  })
}

function confirm(world: World, chance: SeededRandom): void {
  void world.answering.order('confirmations.list').then((reply) => {
    const open = (reply.body['confirmations'] ?? []) as readonly { readonly id: string }[]
    withOne(chance, open, ({ id }) => {
      if (world.running)
        void world.answering.order('confirmations.answer', { id, body: { confirm: chance.chance(0.8) } })
    })
  })
}

function deleteRule(world: World, chance: SeededRandom): void {
  const rules = [...world.facts().rules.values()].filter(({ id }) => !isExtra(id))
  withOne(chance, rules, ({ kind, id }) => {
    const query = kind === 'scene' ? { query: { force: 'true' } } : {}
    void world.answering.order(`${kind}s.delete`, { id, ...query })
  })
}

/** Exports the home as a file, changes something and imports it. */
function importHome(world: World, chance: SeededRandom): void {
  void world.answering.order('house.export').then(({ body }) => {
    const file = body['file']
    if (typeof file !== 'string' || !world.running) return
    const other = chance.chance(0.5)
      ? file
      : file.replaceAll(/floor: (ground|top)/g, () => `floor: ${chance.pick(['ground', 'top'])}`)
    void world.answering.order('house.import', { body: { file: other, check: chance.chance(0.2) } })
  })
}

function moveHome(world: World, chance: SeededRandom): void {
  const timeZone = chance.pick(['Europe/Berlin', 'America/New_York', 'Asia/Kolkata'])
  void world.answering.order('home.set', { body: { timeZone } })
  world.trouble('clock', 24 * 3_600_000)
}

function placeUnit(world: World, chance: SeededRandom): void {
  withOne(chance, world.known.units, ({ id }) => {
    const hidden = chance.pick(['living', 'attic', 'yard', null])
    const room = !isHidden(id) && chance.chance(0.2) ? SEEN_ROOM : hidden
    void world.answering.order('house.place', { body: { unit: id, room } })
  })
}
