import type { World } from '../world.ts'
import { makeIntegration, makeKey } from './administrators.ts'
import { houseSections } from '../../src/home/house/house-file.ts'
import { exposureOfObserver } from '../shadow.ts'
import { CALLER_ACTS } from './callers.ts'
import { idFor } from './targets.ts'

/** Integrations that a home has from the beginning. */
const INTEGRATIONS = 3

/** Price of a kWh on the only tariff of a home. */
export const PRICE = 0.3

/** The witness sees the whole home. Its answers are compared with the physical units. */
async function letWitnessIn(world: World): Promise<void> {
  const settings = { structural: 'on', automations: 'on', schedules: 'on', advanced_config: 'read' }
  const body = { name: 'Witness', expose: ['all'], settings }
  const made = await world.answering.order('integrations.create', { body })
  const { id } = made.body['integration'] as { readonly id: string }
  const { body: key } = await world.answering.order('keys.create', { body: { integration: id, name: '' } })
  world.witness = { integration: id, link: String(key['link']), token: String(key['token']), kind: 'key' }
}

/** The home until its units are read. A late house is imported a while after the start. */
export async function arrive(world: World): Promise<void> {
  const { lateMs, content, rules } = world.home
  await letWitnessIn(world)
  if (lateMs !== null) {
    await world.clock.passTo(world.now + lateMs, () => 0)
    const file = JSON.stringify(houseSections(content, rules))
    void world.answering.order('house.import', { body: { file, check: false } })
  }
  await world.settle()
  const file = JSON.stringify({ name: 'Flat', rates: [{ price: PRICE }] })
  void world.answering.order('tariff.set', { body: { file } })
  await world.settleIn()
}

/** The observer sees part of the home, and may do everything with it. */
async function letObserverIn(world: World): Promise<void> {
  const settings = {
    structural: 'on',
    automations: 'on',
    schedules: 'on',
    agent_access: 'on',
    advanced_config: 'read_write',
  }
  const body = { name: 'Observer', expose: exposureOfObserver(world.content), settings }
  const made = await world.answering.order('integrations.create', { body })
  const { id } = made.body['integration'] as { readonly id: string }
  world.observer = id
  await makeKey(world, id)
  await makeKey(world, id)
}

/** Every home has a schedule: most of those that callers want to make are refused. */
function makeDailySchedule(world: World): void {
  const { witness } = world
  if (witness === null) return
  const chance = world.chance('daily schedule')
  const time = `${String(chance.whole(1, 22)).padStart(2, '0')}:${String(chance.whole(0, 59)).padStart(2, '0')}`
  const then = [{ scene: idFor(world, witness, 'scene:evening') }]
  const body = { name: world.newName(), at: { time }, days: [1, 2, 3, 4, 5, 6, 7], then }
  void world.answering.ask(witness, 'schedules.create', { body })
}

/** What administrators do first: they let somebody in, who makes a few rules. */
export async function letIn(world: World): Promise<void> {
  await letObserverIn(world)
  makeDailySchedule(world)
  await world.settle()
  for (let count = 0; count < INTEGRATIONS; count++) {
    makeIntegration(world, world.chance(`first ${count}`))
    await world.settle()
  }
  for (const name of ['make a schedule', 'make a schedule', 'make an automation']) {
    const chance = world.chance(`first ${name}`)
    void CALLER_ACTS.find((each) => each.name === name)?.run(world, chance)
    await world.settle()
  }
}
