import { benchAdded } from './relay-added.ts'
import { benchReaders } from './relay-readers.ts'
import { benchTunnels } from './relay-tunnels.ts'
import { relayedGateway } from './relayed-gateway.ts'

/** The response for this house has about 71 KB. */
const UNITS = 115

/** Costs of a relay for a home, and of homes for a relay (docs/relay-load.md). */
export async function benchRelay(): Promise<void> {
  {
    await using world = await relayedGateway(UNITS)
    await world.gateway.ask({ rest: true })
    await benchAdded(world)
    await benchReaders(world)
  }
  await benchTunnels()
}
