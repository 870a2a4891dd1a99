import type { AdminEvents } from '../api/admin/events.ts'
import { openAccess } from './access.ts'
import { openAdministration } from './administration.ts'
import { openApi } from './api.ts'
import { openCertificates } from './certificates.ts'
import { type FirstKey, firstKey } from './first-start.ts'
import { type HomeParts, openHome } from './home.ts'
import { openNetwork } from './network.ts'
import type { GatewayOptions } from './options.ts'
import { openStores, type Stores } from './stores.ts'

export interface Gateway {
  readonly serial: string
  readonly port: number
  readonly caFile: string
  /** The CA's, SHA-256 in upper-case hex pairs. */
  readonly fingerprint: string
  /** Only at the very first start, and where one is wanted. */
  readonly firstKey: FirstKey | null
  readonly addresses: readonly string[]
  readonly home: HomeParts
  readonly stores: Stores
  /** For the gateway's own terminal. */
  readonly adminEvents: AdminEvents
  /**
   * Closes all parts in reverse order: requests are refused, streams closed with 1001, and what was acknowledged is on
   * disk.
   */
  readonly stop: () => Promise<void>
}

/**
 * Opens everything, from the databases up to the network, each part with all that it needs in hand; closes again what
 * was opened when a part fails.
 * @throws SettingsError, TlsFolderError, CoreDamaged or NewerDatabase for what the user can mend.
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  await using opened = new AsyncDisposableStack()
  const stores = opened.use(await openStores(options))
  const { tls, addresses } = opened.use(await openCertificates(options, stores.serial))
  const access = opened.use(openAccess(options, stores))
  const home = opened.use(openHome(options, stores, access.opening))
  const api = openApi(options, { stores, home, access, ca: () => tls.ca })
  const network = opened.use(await openNetwork(options, { stores, tls, addresses, home, access, api }))
  const admin = opened.use(await openAdministration(options, { stores, tls, addresses, home, access, api, network }))
  const key = firstKey(options.newHome, stores.house, access)
  home.start()

  const running = opened.move()
  return {
    serial: stores.serial,
    port: network.port,
    caFile: tls.ca.file,
    fingerprint: tls.ca.fingerprint,
    firstKey: key,
    addresses: addresses.texts(),
    home,
    stores,
    adminEvents: admin.events,
    stop: () => running.disposeAsync(),
  }
}
