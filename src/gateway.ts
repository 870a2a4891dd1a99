import type { Server as HttpServer } from 'node:http'
import { join } from 'node:path'
import { composeApi } from './compose-api.ts'
import { composeHome, type HomeParts } from './compose-home.ts'
import { openNetwork } from './compose-network.ts'
import { openStores, type Stores } from './compose-stores.ts'
import type { DataFolder } from './data-folder.ts'
import { type FirstKey, firstKey } from './first-start.ts'
import type { Port } from './hmhc/port/port.ts'
import type { HouseContent } from './home/ports/house-store.ts'
import { serveAdmin } from './http/admin-server.ts'
import { gatewayStatus } from './status.ts'
import type { Clock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import type { Random } from './lib/random.ts'
import type { Settings } from './settings.ts'

export interface GatewayOptions {
  readonly settings: Settings
  readonly folder: DataFolder
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** The line to the unit adapter: a new one at each call. */
  readonly openPort: () => Port
  /** The house of a new data folder. */
  readonly firstHouse: () => HouseContent
  /** Name of the integration that a new home gets with a key, or null for none. */
  readonly firstIntegration: string | null
  /** Gives a new home a made-up past from this seed; without it a history begins empty. */
  readonly pastSeed?: string
  /** Time zone of a house file that names none. */
  readonly defaultZone: string
  /** False keeps the gateway off the network's multicast: for tests. */
  readonly announce: boolean
  /** Sockets in all and for each credential, where a load test needs more than D8 allows. */
  readonly streamLimits?: { readonly all: number; readonly perCredential: number }
}

export interface Gateway {
  readonly serial: string
  readonly port: number
  readonly caFile: string
  readonly fingerprint: string
  readonly firstKey: FirstKey | null
  readonly addresses: readonly string[]
  readonly home: HomeParts
  readonly stores: Stores
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
    const first = options.firstIntegration === null ? null : firstKey(stores.house, api.integrations, api.keys, options.firstIntegration)
    const startedAt = options.clock.now()
    const admin = await serveAdmin(options.folder.adminSocket, api.admin({
      gateway: stores.serial,
      ca: network.ca,
      leaf: network.leaf,
      renew: network.renew,
      regenerateCa: network.regenerateCa,
      status: () => gatewayStatus({ options, stores, home, network, startedAt, port }),
      backup: (file) => stores.core.backup(file),
    }))
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
