import { statSync } from 'node:fs'
import type { FailedAuthentications } from '../../auth/failed-authentications.ts'
import type { Network, NetworkParts } from '../network.ts'
import type { GatewayOptions } from '../options.ts'
import { type AttentionFacts, attentionOf } from '../../admin/attention.ts'
import type { StatusView } from '../../admin/contract/gateway.ts'
import { jumpsOf } from '../../admin/energy.ts'
import { classConflicts } from '../../home/house/bus-classes.ts'
import { unplaced } from '../../home/house/placing.ts'
import { linkWords } from '../../home/words/units.ts'
import type { AnnouncementState } from '../../mdns/announcer.ts'
import { relaySummary } from '../../admin/relay.ts'
import type { RelayAccess } from '../relay.ts'
import type { BackupState } from '../../backup/keeping/backups.ts'
import { addressesAt } from '../place.ts'
import { DAY_MS } from '../../lib/durations.ts'

export interface StatusParts extends NetworkParts {
  readonly network: Network
  readonly relay: RelayAccess
  /** By the monotonic clock: the other may be set by years meanwhile. */
  readonly startedAt: number
  readonly backupState: () => BackupState
  /** The one that administrators ask over. */
  readonly socket: string | null
}

/** Percent; of a battery that has as much or less people are told. */
const LOW_BATTERY = 15

/** `bin/hm status`: how the gateway is doing, and what needs attention. */
export function gatewayStatus(options: GatewayOptions, parts: StatusParts): StatusView {
  const facts = factsOf(options, parts)
  const { house } = parts.home
  return {
    ...facts,
    attention: attentionOf(facts, (unit) => house.units.get(unit)?.name ?? unit, options.clock.now()),
  }
}

/** Facts that can be compared from day to day. */
function factsOf(options: GatewayOptions, parts: StatusParts): AttentionFacts {
  const { stores, tls, addresses, home, access, network, startedAt, socket } = parts
  const units = [...home.bus.units.values()]
  return {
    gateway: stores.serial,
    home: home.house.info.name,
    port: network.port,
    socketElsewhere: socket === options.folder.adminSocket ? null : socket,
    upSeconds: Math.round((options.clock.monotonic() - startedAt) / 1000),
    addresses: addressesAt(options.settings.host, addresses.texts()),
    certificateUntil: new Date(tls.leaf().notAfter).toISOString(),
    caUntil: new Date(tls.ca.notAfter).toISOString(),
    clock: tls.clock,
    units: {
      link: home.bus.down === null ? 'up' : `down (${linkWords(home.bus.down)})`,
      onTheBus: units.length,
      reachable: units.filter((unit) => unit.reachable).length,
      inTheHouse: home.house.units.size,
      unreachable: [...home.house.units.keys()].filter((id) => !home.live.reachable(id)),
      withoutPlace: unplaced(home.house, home.bus.units).length,
      otherClass: [...classConflicts(home.house.units.values(), home.bus.units)],
      lowBatteries: lowBatteries(home),
    },
    energyJumps: jumpsOf(home),
    linkCounters: home.bus.counters(),
    streams: network.streams(),
    ...(network.announcement !== null && { announcement: announcementView(network.announcement()) }),
    relay: relaySummary(parts.relay.link),
    integrations: stores.integrations.list().length,
    failedAuthentications: failedLately(access.failures.list(), options.clock.now()),
    history: {
      ...stores.history.writes,
      bytes: databaseBytes(options.folder.historyDb),
      damaged: stores.history.aside,
    },
    disk: stores.disk.usage(),
    configuration: { bytes: databaseBytes(options.folder.coreDb) },
    incidents: [...stores.incidents.list()],
    backup: parts.backupState(),
    memory: { residentMiB: Math.round(process.memoryUsage.rss() / 1024 / 1024) },
  }
}

function announcementView({ silent, conflicts }: AnnouncementState): NonNullable<AttentionFacts['announcement']> {
  return { silent: [...silent], conflicts: [...conflicts] }
}

function lowBatteries({ house, live }: StatusParts['home']): AttentionFacts['units']['lowBatteries'] {
  return [...house.units.keys()].flatMap((unit) => {
    const percent = live.readings(unit)?.readings.battery
    return percent === undefined || percent > LOW_BATTERY ? [] : [{ unit, percent: Math.round(percent) }]
  })
}

function failedLately(failures: readonly FailedAuthentications[], now: number): number {
  return failures.reduce((sum, { count, to }) => (to > now - DAY_MS ? sum + count : sum), 0)
}

/** What a database takes of the disk: what was written lately is in its log beside it. */
function databaseBytes(file: string): number {
  return [file, `${file}-wal`].reduce((sum, each) => sum + bytesOf(each), 0)
}

/** Bytes of a file; 0 if it is missing or its disk fails. */
function bytesOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0
  } catch {
    return 0
  }
}
