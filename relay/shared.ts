import { join } from 'node:path'
import { closeWithTimeout } from '@hm-gateway/lib/closing.ts'
import type { Bus } from './bus/bus.ts'
import { MemoryBus } from './bus/memory-bus.ts'
import type { RelaySettings } from './model/relay-settings.ts'
import { SqliteStore } from './store/sqlite-store.ts'
import type { Store } from './store/store.ts'
import type { RelayParts } from './store/relay-parts.ts'

/** Store of a relay of one process. */
export const storeFile = (dataDir: string): string => join(dataDir, 'relay.db')

/** Store and bus, which all nodes of a relay share. */
export interface Shared {
  readonly store: Store
  readonly bus: Bus
  /** Address for other nodes; null in a relay of one process. */
  readonly address: { readonly host: string; readonly port: number } | null
  /** True if the operator's commands have written to the store since the last call. Over NATS the bus reports that. */
  readonly changedElsewhere: () => boolean
}

export interface SharedParts extends Pick<RelayParts, 'clock' | 'log'> {
  readonly settings: Pick<RelaySettings, 'dataDir' | 'nats' | 'inner'>
  readonly node: string
}

/**
 * Opens store and bus, and closes them with the stack. The code for NATS is loaded only if it is needed.
 * @throws SettingsError with a problem that the operator can solve.
 */
export async function openShared(
  opened: AsyncDisposableStack,
  { settings, node, clock, log }: SharedParts,
): Promise<Shared> {
  const { nats, inner, dataDir } = settings
  if (nats === null) {
    const store = opened.adopt(new SqliteStore(storeFile(dataDir), clock), (opened_) => opened_.close())
    return { store, bus: new MemoryBus(), address: null, changedElsewhere: () => store.changedElsewhere() }
  }
  const [{ NatsLink }, { KvStore }, { NatsBus }] = await Promise.all([
    import('./nats/connection.ts'),
    import('./nats/kv-store.ts'),
    import('./nats/nats-bus.ts'),
  ])
  const link = await NatsLink.open({ settings: nats, name: node, log })
  closeWithTimeout(opened, 'NATS', () => link.close(), { clock, log })
  const store = await KvStore.open(link, nats.replicas)
  return {
    store,
    bus: new NatsBus(link, log),
    address: inner ?? { host: link.ownAddress, port: 0 },
    changedElsewhere: () => false,
  }
}
