import type { World } from '../world.ts'
import { makeIntegration, makeKey } from './administrators.ts'
import { exposureOfObserver } from '../shadow.ts'
import { CALLER_ACTS } from './callers.ts'

/** Integrations that a home has from the beginning. */
const INTEGRATIONS = 3

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

/** What administrators do first: they let somebody in, who makes a few rules. */
export async function letIn(world: World): Promise<void> {
  await letObserverIn(world)
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
