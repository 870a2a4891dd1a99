import type { AdminEvents } from '../admin/events.ts'
import { type AccessParts, openAccess } from './access.ts'
import { openAdministration } from './administration.ts'
import { openApi } from './api.ts'
import { openBackups } from './backups.ts'
import { backupsIn } from '../backup/keeping/backup-folder.ts'
import { openCertificates } from './certificates.ts'
import { consoleAddresses, openConsole } from './console.ts'
import { readHomeId } from '../settings/data-folder.ts'
import { firstKey } from './first-start.ts'
import type { ShownKey } from '../operations/banner.ts'
import { type HomeParts, openHome } from './home.ts'
import { openNetwork } from './network.ts'
import { connectionCode, type GatewayPlace } from '../lib/connection-code.ts'
import type { GatewayOptions } from './options.ts'
import { placeOf } from '../settings/place.ts'
import { openRelay } from './relay.ts'
import { openStores, type Stores } from './stores.ts'

export interface Gateway {
  readonly serial: string
  readonly port: number
  readonly caFile: string
  /** The CA's, SHA-256 in upper-case hex pairs. */
  readonly fingerprint: string
  /** Opens the console once; null where it is off, or somebody administers the home already. */
  readonly consoleLink: string | null
  /** Only at the very first start, and where one is wanted. */
  readonly firstKey: ShownKey | null
  readonly addresses: readonly string[]
  /** At the very first start, the folder that backups of a home lie in which may be wanted back; else null. */
  readonly backupsFound: string | null
  readonly home: HomeParts
  readonly stores: Stores
  /** Where the command line reaches it, or null where it cannot. */
  readonly adminSocket: string | null
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
 * @throws SettingsError, TlsFolderError, CoreDamaged, UpdateRefused or NewerDatabase for what the user can mend.
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  await using opened = new AsyncDisposableStack()
  const isFirst = readHomeId(options.folder) === null
  const stores = opened.use(await openStores(options))
  const { tls, addresses } = opened.use(await openCertificates(options, stores.serial))
  const access = opened.use(openAccess(options, stores))
  const home = opened.use(openHome(options, stores, access))
  const keeping = opened.use(openBackups(options, stores, home))
  const api = openApi(options, { stores, home, access, ca: () => tls.ca })
  const console = openConsole(options, access, stores.serial)
  const network = opened.use(await openNetwork(options, { stores, tls, addresses, home, access, api, console }))
  const relay = opened.use(openRelay(options, { stores, home, access, api, network }))
  const place = (): GatewayPlace =>
    placeOf({
      serial: stores.serial,
      port: network.port,
      host: options.settings.host,
      addresses: addresses.texts(),
      fingerprint: tls.ca.fingerprint,
    })
  const ground = { stores, tls, addresses, home, access, api, console, network, relay, keeping, place }
  const admin = opened.use(await openAdministration(options, ground))
  // A home that takes no changes yet gets its first key at the start that can store it.
  const key = stores.core.takesNoChanges ? null : firstKey(options.newHome, stores.house, access)
  home.start()
  relay.link.start()

  const running = opened.move()
  let stopped: Promise<void> | null = null
  return {
    serial: stores.serial,
    port: network.port,
    caFile: tls.ca.file,
    fingerprint: tls.ca.fingerprint,
    consoleLink: firstLink(options, access, network.port, stores.serial),
    firstKey: key && { ...key, connectionCode: connectionCode(place(), key.token) },
    addresses: addresses.texts(),
    backupsFound: isFirst ? await backupsFound(options) : null,
    home,
    stores,
    adminSocket: admin.socket,
    adminEvents: admin.events,
    stop: () => (stopped ??= running.disposeAsync()),
  }
}

/** Whoever lost a disk starts the gateway first, and looks for the home then. */
async function backupsFound({ settings: { backupDir } }: GatewayOptions): Promise<string | null> {
  return backupDir !== null && (await backupsIn(backupDir, null)).length > 0 ? backupDir : null
}

/** Until the home has an administrator by name, each start says how the first one comes in. */
function firstLink(
  { settings }: GatewayOptions,
  { persons, links }: AccessParts,
  port: number,
  serial: string,
): string | null {
  const [address] = consoleAddresses(settings, { port, serial, addresses: [] })
  return address === undefined || persons.list().length > 0 ? null : `${address}#${links.make(null)}`
}
