import type { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import type { Got } from '../world/answering.ts'
import { exposureOfObserver, isExtra, isHidden, SEEN_ROOM } from '../world/shadow.ts'
import type { World } from '../world/world.ts'
import { act, type ActKind, withOne } from './act.ts'

/** An act that is about an integration. */
const toOne = (
  name: string,
  weight: number,
  run: (world: World, chance: SeededRandom, integration: string) => void,
): ActKind => act(name, weight, (world, chance) => withOne(chance, integrations(world), (id) => run(world, chance, id)))

/** What administrators do. */
export const ADMINISTRATOR_ACTS: readonly ActKind[] = [
  act('make an integration', 2, makeIntegration),
  toOne('change knobs', 6, changeKnobs),
  toOne('change exposure', 4, changeExposure),
  toOne('switch an integration', 2, switchIntegration),
  act('delete an integration', 1, (world, chance) =>
    withOne(chance, integrations(world).slice(2), (id) => void world.answering.order('integrations.delete', { id })),
  ),
  toOne('make a key', 3, (world, _chance, id) => void makeKey(world, id)),
  toOne('make an agent', 2, makeAgent),
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

/** Everything, or some of what the home has. */
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

/** Makes an integration, and hands out a key of it. */
export function makeIntegration(world: World, chance: SeededRandom): void {
  // No name of another integration is hidden: the causes of what a caller sees have it.
  const body = { name: world.newName(), expose: exposure(world, chance), settings: knobs(chance) }
  void world.answering.order('integrations.create', { body }).then((got) => {
    const made = got.body['integration'] as { readonly id: string } | undefined
    return made === undefined || !world.running ? undefined : makeKey(world, made.id)
  })
}

/** Makes a key of an integration, and hands it out. */
export async function makeKey(world: World, integration: string): Promise<void> {
  const got = await world.answering.order('keys.create', { body: { integration, name: '' } })
  handOut(world, integration, 'key', got)
}

function handOut(world: World, integration: string, kind: 'key' | 'agent', { body }: Got): void {
  const [link, token] = [body['link'], body['token']]
  if (typeof link === 'string' && typeof token === 'string')
    world.answering.callers.push({ integration, link, token, kind })
}

function makeAgent(world: World, chance: SeededRandom, integration: string): void {
  const body = { integration, name: 'Robot', platform: 'lab', session: chance.chance(0.3) }
  void world.answering.order('agents.create', { body }).then((got) => handOut(world, integration, 'agent', got))
}

function changeKnobs(world: World, chance: SeededRandom, id: string): void {
  const some = Object.fromEntries(Object.entries(knobs(chance)).filter(() => chance.chance(0.5)))
  void world.answering.order('integrations.change', { id, body: { settings: some } })
}

/** The observer is shown more or less of what both homes of a pair have, and nothing else. */
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
  void world.answering.order('confirmations.list').then((got) => {
    const open = (got.body['confirmations'] ?? []) as readonly { readonly id: string }[]
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

/** Takes the home out as a file, and puts it in again with something changed. */
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
