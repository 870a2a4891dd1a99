import type { Server as HttpServer } from 'node:http'
import { join } from 'node:path'
import type { AdminEvents } from '../api/admin/events.ts'
import { composeApi } from './api.ts'
import { composeHome, type HomeParts } from './home.ts'
import { openNetwork } from './network.ts'
import { openStores, type Stores } from './stores.ts'
import { type FirstKey, firstKey } from './first-start.ts'
import type { GatewayOptions } from './options.ts'
import { serveAdmin } from '../http/admin-server.ts'
import { gatewayStatus } from './status.ts'

export type { GatewayOptions }

export interface Gateway {
  readonly serial: string
  readonly port: number
  readonly caFile: string
  readonly fingerprint: string
  readonly firstKey: FirstKey | null
  readonly addresses: readonly string[]
  readonly home: HomeParts
  readonly stores: Stores
  /** For whoever administers at the gateway's own terminal. */
  readonly adminEvents: AdminEvents
  /** Stops in order: no new request, open streams say goodbye, what was acknowledged is on disk. */
  readonly stop: () => Promise<void>
}

/** Opens everything, from the databases up to the network; what fails on the way is closed again. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const stores = await openStores(options)
  const opened: (() => void | Promise<void>)[] = [stores.stop]
  const close = async (): Promise<void> => {
    for (const each of opened.splice(0).toReversed()) await each()
  }
  try {
    const home = composeHome(options, stores)
    opened.push(home.stop)
    const network = await openNetwork(options, stores, home)
    opened.push(network.stopTls)
    const api = composeApi(options, stores, home, network.ca, () => network.accessChanged())
    opened.push(api.stop)
    const port = await network.serve(api)
    opened.push(network.stopServing)
    const first =
      options.firstIntegration === null
        ? null
        : firstKey(stores.house, api.integrations, api.credentials, options.firstIntegration)
    const startedAt = options.clock.now()
    const admin = await serveAdmin(
      options.folder.adminSocket,
      api.admin({
        gateway: stores.serial,
        ca: network.ca,
        leaf: network.leaf,
        renew: network.renew,
        regenerateCa: network.regenerateCa,
        status: () => gatewayStatus({ options, stores, home, network, startedAt, port }),
        backup: (file) => stores.core.backup(file),
      }),
      api.adminEvents,
    )
    opened.push(() => closed(admin))
    home.start()
    return {
      serial: stores.serial,
      port,
      caFile: join(options.folder.tls, 'ca.pem'),
      fingerprint: network.ca().fingerprint,
      firstKey: first,
      addresses: network.addresses(),
      home,
      stores,
      adminEvents: api.adminEvents,
      stop: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function closed(server: HttpServer): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
