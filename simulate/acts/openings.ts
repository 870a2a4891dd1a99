import type { SeededRandom } from '../../src/sim/seeded-random.ts'
import type { Caller, Got } from '../answering.ts'
import type { World } from '../world.ts'
import { act, type ActKind, pick } from './act.ts'
import { idFor } from './targets.ts'

/** What opens the lock on somebody's authority, and what comes between. */
export const OPENING_ACTS: readonly ActKind[] = [
  act('leave ends under way', 2, leaveEnds),
  act('a scene learns to open', 2, sceneLearns),
]

/** Two who have a key, where there are two. */
function twoKeys(world: World, chance: SeededRandom): [Caller, Caller] | null {
  const keys = world.answering.callers.filter(
    ({ kind, integration }) => kind === 'key' && integration !== world.observer,
  )
  const first = pick(chance, keys)
  const second = pick(
    chance,
    keys.filter((each) => each.integration !== first?.integration),
  )
  return first === undefined || second === undefined ? null : [first, second]
}

async function allow(world: World, { integration }: Caller, unlock: 'on' | 'off'): Promise<void> {
  const settings = { allow_unlock: unlock, automations: 'on' }
  const body = { settings, enabled: true, expose: ['all'] }
  await world.answering.order('integrations.change', { id: integration, body })
}

function localOf({ body }: Got): string | undefined {
  return (body['scene'] as { readonly id: string } | undefined)?.id.split(':')[3]
}

/** Somebody may open, and runs a scene that does so later; meanwhile the leave ends. */
async function leaveEnds(world: World, chance: SeededRandom): Promise<void> {
  const [caller] = twoKeys(world, chance) ?? []
  if (caller === undefined) return
  const lock = idFor(world, caller, 'u12')
  await allow(world, caller, 'on')
  void world.answering.ask(caller, 'devices.control', { id: lock, body: { op: 'close' } })
  const steps = [{ delay: chance.pick([20, 80]) }, { device: lock, op: 'open' }]
  const scene = localOf(await world.answering.ask(caller, 'scenes.create', { body: { name: world.newName(), steps } }))
  if (scene === undefined || !world.running) return
  await world.answering.ask(caller, 'scenes.run', { id: idFor(world, caller, `scene:${scene}`) })
  world.clock.stayAwake(100_000)
  world.clock.after(chance.whole(1_000, 15_000), () => {
    if (!world.running) return
    const { link: id, integration } = caller
    if (chance.chance(0.4)) void world.answering.order('keys.revoke', { id })
    else if (chance.chance(0.5)) void allow(world, caller, 'off')
    else void world.answering.order('integrations.change', { id: integration, body: { enabled: false } })
  })
}

/** Somebody who may not open automates a harmless scene; somebody who may teaches the scene to open. */
async function sceneLearns(world: World, chance: SeededRandom): Promise<void> {
  const [weak, strong] = twoKeys(world, chance) ?? []
  const scene = pick(chance, world.known.scenes)
  if (weak === undefined || strong === undefined || scene === undefined) return
  await allow(world, weak, 'off')
  await allow(world, strong, 'on')
  const then = [{ scene: idFor(world, weak, `scene:${scene.id}`) }]
  const when = [{ device: idFor(world, weak, 'u11'), state: 'on', is: true }]
  const body = { name: world.newName(), when, then, mode: 'single' }
  await world.answering.ask(weak, 'automations.create', { body })
  if (!world.running) return
  const lock = idFor(world, strong, 'u12')
  const edit = { name: world.newName(), ifRevision: scene.revision, steps: [{ device: lock, op: 'open' }] }
  await world.answering.ask(strong, 'scenes.edit', { id: idFor(world, strong, `scene:${scene.id}`), body: edit })
  if (!world.running) return
  void world.answering.ask(strong, 'devices.control', { id: lock, body: { op: 'close' } })
  world.clock.after(5_000, () => {
    if (world.physical.at(11) !== undefined) world.house.touch(11, null, chance.pick(['up', 'down']))
  })
}
