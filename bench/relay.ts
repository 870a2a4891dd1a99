import { benchAdded } from './relay-added.ts'
import { benchReaders } from './relay-readers.ts'
import { benchTunnels } from './relay-tunnels.ts'
import { relayedGateway } from './relayed-gateway.ts'

/** Their house is an answer of some 71 KB. */
const UNITS = 115

/** What the way through a relay costs a home, and what homes cost a relay (docs/relay-load.md). */
export async function benchRelay(): Promise<void> {
  {
    await using world = await relayedGateway(UNITS)
    await world.gateway.ask({ rest: true })
    await benchAdded(world)
    await benchReaders(world)
  }
  await benchTunnels()
}
