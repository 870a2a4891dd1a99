import { statSync } from 'node:fs'
import type { FailedAuthentications } from '../auth/failed-authentications.ts'
import type { Network, NetworkParts } from './network.ts'
import type { GatewayOptions } from './options.ts'
import type { StatusView } from '../api/admin/contract/gateway.ts'
import { classConflicts } from '../home/house/bus-classes.ts'
import { unplaced } from '../home/house/placing.ts'
import { linkWords } from '../home/words/units.ts'
import { relaySummary } from '../api/admin/relay.ts'
import type { RelayAccess } from './relay.ts'
import { isLoopback } from './settings.ts'
import { DAY_MS } from '../lib/durations.ts'

export interface StatusParts extends NetworkParts {
  readonly network: Network
  readonly relay: RelayAccess
  /** Epoch ms. */
  readonly startedAt: number
  /** The one that administrators ask over. */
  readonly socket: string | null
}

/** `bin/hm status`: how the gateway is doing, in facts that can be compared from day to day. */
export function gatewayStatus(options: GatewayOptions, parts: StatusParts): StatusView {
  const { stores, tls, addresses, home, access, network, startedAt, socket } = parts
  const units = [...home.bus.units.values()]
  return {
    gateway: stores.serial,
    home: home.house.info.name,
    port: network.port,
    socketElsewhere: socket === options.folder.adminSocket ? null : socket,
    upSeconds: Math.round((options.clock.now() - startedAt) / 1000),
    addresses: isLoopback(options.settings.host) ? [] : addresses.texts(),
    certificateUntil: new Date(tls.leaf().notAfter).toISOString(),
    units: {
      link: home.bus.down === null ? 'up' : `down (${linkWords(home.bus.down)})`,
      onTheBus: units.length,
      reachable: units.filter((unit) => unit.reachable).length,
      inTheHouse: home.house.units.size,
      unreachable: [...home.house.units.keys()].filter((id) => !home.live.reachable(id)),
      withoutPlace: unplaced(home.house, home.bus.units).length,
      otherClass: [...classConflicts(home.house.units.values(), home.bus.units)],
    },
    linkCounters: home.bus.counters(),
    streams: network.streams(),
    relay: relaySummary(parts.relay.link),
    integrations: stores.integrations.list().length,
    failedAuthentications: failedLately(access.failures.list(), options.clock.now()),
    history: {
      ...stores.history.writes,
      bytes: size(options.folder.historyDb),
      damaged: stores.history.aside,
    },
    disk: stores.disk.usage(),
    configuration: { bytes: size(options.folder.coreDb) },
    incidents: [...stores.incidents.list()],
    memory: { residentMiB: Math.round(process.memoryUsage.rss() / 1024 / 1024) },
  }
}

function failedLately(failures: readonly FailedAuthentications[], now: number): number {
  return failures.reduce((sum, { count, to }) => (to > now - DAY_MS ? sum + count : sum), 0)
}

function size(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
