import { join } from 'node:path'
import { closesInTime } from '@hm-gateway/lib/closing.ts'
import type { Bus } from './bus/bus.ts'
import { MemoryBus } from './bus/memory-bus.ts'
import type { RelaySettings } from './model/settings.ts'
import { SqliteStore } from './store/sqlite-store.ts'
import type { Store } from './store/store.ts'
import type { RelayParts } from './store/parts.ts'

/** Where the store of a relay of one process is. */
export const storeFile = (dataDir: string): string => join(dataDir, 'relay.db')

/** What a node shares with others, or has for itself where it is the only one. */
export interface Shared {
  readonly store: Store
  readonly bus: Bus
  /** Where other nodes reach this one, or null where there can be no others. */
  readonly address: { readonly host: string; readonly port: number } | null
  /** Whether another process, the operator's, has written to the store since the last call, and nobody tells of it. */
  readonly changedElsewhere: () => boolean
}

export interface SharedParts extends Pick<RelayParts, 'clock' | 'log'> {
  readonly settings: Pick<RelaySettings, 'dataDir' | 'nats' | 'inner'>
  readonly node: string
}

/**
 * Opens them; who calls closes them with the stack. What speaks to NATS is loaded where there is one alone.
 * @throws SettingsError for what the operator can mend.
 */
export async function openShared(
  opened: AsyncDisposableStack,
  { settings, node, clock, log }: SharedParts,
): Promise<Shared> {
  const { nats, inner, dataDir } = settings
  if (nats === null) {
    const store = opened.adopt(new SqliteStore(storeFile(dataDir), clock), (each) => each.close())
    return { store, bus: new MemoryBus(), address: null, changedElsewhere: () => store.changedElsewhere() }
  }
  const [{ NatsLink }, { KvStore }, { NatsBus }] = await Promise.all([
    import('./nats/connection.ts'),
    import('./nats/kv-store.ts'),
    import('./nats/nats-bus.ts'),
  ])
  const link = await NatsLink.open({ settings: nats, name: node, log })
  closesInTime(opened, 'NATS', () => link.close(), { clock, log })
  const store = await KvStore.open(link, nats.replicas)
  return {
    store,
    bus: new NatsBus(link, log),
    address: inner ?? { host: link.ownAddress, port: 0 },
    changedElsewhere: () => false,
  }
}
