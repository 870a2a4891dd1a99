import type { World } from '../world.ts'
import { makeIntegration } from './administrators.ts'
import { CALLER_ACTS } from './callers.ts'

/** Integrations that a home has from the beginning. */
const INTEGRATIONS = 3

/** What administrators do first: they let somebody in, who makes a few rules. */
export async function letIn(world: World): Promise<void> {
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
