import type { World } from '../world.ts'
import { makeIntegration } from './administrators.ts'

/** Integrations that a home has from the beginning. */
const INTEGRATIONS = 3

/** What administrators do first: they let somebody in. */
export async function letIn(world: World): Promise<void> {
  for (let count = 0; count < INTEGRATIONS; count++) {
    makeIntegration(world, world.chance(`first ${count}`))
    await world.settle()
  }
}
