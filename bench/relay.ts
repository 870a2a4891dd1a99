import { benchAdded } from './relay-added.ts'
import { benchReaders } from './relay-readers.ts'
import { benchTunnels } from './relay-tunnels.ts'
import { RelayedGateway } from './relayed-gateway.ts'

/** Their house is an answer of some 71 KB. */
const UNITS = 115

/** What the way through a relay costs a home, and what homes cost a relay (docs/relay-load.md). */
export async function benchRelay(): Promise<void> {
  const world = await RelayedGateway.start(UNITS)
  await world.gateway.ask({ rest: true })
  await benchAdded(world)
  await benchReaders(world)
  await world.stop()
  await benchTunnels()
}
