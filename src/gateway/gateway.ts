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
import { openPush } from './messages.ts'
import { openNetwork } from './network.ts'
import { connectionCode, type GatewayPlace } from '../lib/connection-code.ts'
import type { GatewayOptions } from './options.ts'
import { placeOf } from '../settings/place.ts'
import { openRelay } from './relay.ts'
import { openStores, type Stores } from './stores.ts'

export interface RunningGateway {
  readonly serial: string
  readonly port: number
  readonly caFile: string
  /** SHA-256 of the CA in upper-case hex pairs. */
  readonly fingerprint: string
  /** Opens the console once; null if it is off, or an administrator has an account already. */
  readonly consoleLink: string | null
  /** Only at the very first start, and only if requested. */
  readonly firstKey: ShownKey | null
  readonly addresses: readonly string[]
  /** At the very first start, the folder with backups that may be restored; else null. */
  readonly backupsFound: string | null
  readonly home: HomeParts
  readonly stores: Stores
  /** Address for the command line, or null if it cannot reach the gateway. */
  readonly adminSocket: string | null
  /** Events for the gateway's own terminal. */
  readonly adminEvents: AdminEvents
  /**
   * Closes all parts in reverse order: requests are refused, streams closed with 1001, and acknowledged changes are on
   * the disk.
   */
  readonly stop: () => Promise<void>
}

/**
 * Opens everything, from the databases up to the network, each part with its collaborators. Closes the opened parts if
 * one fails. @throws SettingsError, TlsFolderError, CoreDamaged, UpdateRefused or NewerDatabase for problems that the
 * user can fix
 */
export async function openGateway(options: GatewayOptions): Promise<RunningGateway> {
  await using opened = new AsyncDisposableStack()
  const isFirst = readHomeId(options.folder) === null
  const stores = opened.use(await openStores(options))
  const { tls, addresses } = opened.use(await openCertificates(options, stores.serial))
  const access = opened.use(openAccess(options, stores, () => tls.knownNow))
  const home = opened.use(openHome(options, stores, { ...access, isClockDoubted: () => tls.isClockDoubted }))
  const keeping = opened.use(openBackups(options, stores, home))
  const api = openApi(options, { stores, home, access, ca: () => tls.ca })
  const { push } = opened.use(openPush(options, { stores, home, access, views: api.views }))
  const console = openConsole(options, access, stores.serial, { ...home, addresses, push })
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
  const ground = { stores, tls, addresses, home, access, api, console, network, relay, keeping, place, push }
  const admin = opened.use(await openAdministration(options, ground))
  // A home on an unwritable disk gets its first key at the start that can store it.
  const key = stores.core.takesNoChanges ? null : firstKey(options.newHome, stores.house, access)
  home.start()
  push.start()
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

/** After a lost disk the user starts the gateway first, and then looks for the home. */
async function backupsFound({ settings: { backupDir } }: GatewayOptions): Promise<string | null> {
  return backupDir !== null && (await backupsIn(backupDir, null)).length > 0 ? backupDir : null
}

/** Until the home has a named administrator, each start says how to create the first one. */
function firstLink(
  { settings }: GatewayOptions,
  { persons, links }: AccessParts,
  port: number,
  serial: string,
): string | null {
  const [address] = consoleAddresses(settings, { port, serial, addresses: [] })
  return address === undefined || persons.administrators().length > 0 ? null : `${address}#${links.make(null)}`
}
