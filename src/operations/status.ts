import { statSync } from 'node:fs'
import type { BackupStateView } from '../admin/contract/backups.ts'
import type { StatusView } from '../admin/contract/gateway.ts'
import { type EnergyAdminParts, jumpsOf } from '../admin/records.ts'
import { type RelayControl, relaySummary } from '../admin/relay.ts'
import type { FailedAuthentications } from '../auth/credentials/failed-authentications.ts'
import type { Integration } from '../exposure/integration.ts'
import type { RecordTimes } from '../exposure/record-times.ts'
import { classConflicts, unplaced } from '../home/house/placing.ts'
import type { House } from '../home/house/house.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { UnitBus } from '../home/ports/unit-bus.ts'
import { missingFrom, thereIn } from '../home/model/missing.ts'
import { referencesOf } from '../home/model/rule-parts.ts'
import type { Rules } from '../home/rules/rules.ts'
import { linkWords } from '../home/words/units.ts'
import { removedWords } from '../home/words/values.ts'
import type { Clock } from '../lib/clock.ts'
import { DAY_MS } from '../lib/durations.ts'
import { addressesAt } from '../settings/place.ts'
import { type AttentionFacts, attentionOf } from './attention.ts'

/** Parts of the gateway with facts for the status. */
export interface StatusSource {
  readonly clock: Clock
  /** Address on which the gateway listens. */
  readonly host: string
  readonly folder: { readonly adminSocket: string; readonly coreDb: string; readonly historyDb: string }
  readonly stores: {
    readonly serial: string
    readonly integrations: { list(): readonly Integration[] }
    readonly history: {
      readonly file: { readonly aside: string | null }
      readonly writer: {
        readonly counts: Pick<AttentionFacts['history'], 'written' | 'shed' | 'failed' | 'leftOutLately'>
      }
    }
    readonly disk: { usage(): AttentionFacts['disk'] }
    readonly incidents: { list(): Readonly<AttentionFacts['incidents']> }
  }
  readonly tls: {
    readonly ca: { readonly notAfter: number }
    readonly clock: AttentionFacts['clock']
    leaf(): { readonly notAfter: number }
  }
  readonly addresses: { texts(): readonly string[] }
  readonly home: Pick<EnergyAdminParts, 'removed' | 'jumps'> & {
    readonly house: House
    readonly live: LiveHome
    readonly rules: Pick<Rules, 'automations' | 'schedules'>
    readonly bus: Pick<UnitBus, 'down' | 'units'> & { counters(): Readonly<Record<string, number>> }
  }
  readonly network: {
    readonly port: number
    streams(): AttentionFacts['streams']
    readonly announcement: (() => AnnouncementState) | null
  }
  readonly relay: { readonly link: Pick<RelayControl, 'status'> }
  readonly access: {
    readonly failures: { list(): readonly FailedAuthentications[] }
    readonly times: Pick<RecordTimes, 'closedNow'>
  }
  /** Monotonic time of the start. */
  readonly startedAt: number
  readonly backupState: () => BackupStateView
  /** The administrators' socket file, or null if there is none. */
  readonly socket: string | null
}

type Announcement = NonNullable<AttentionFacts['announcement']>
interface AnnouncementState {
  readonly silent: Readonly<Announcement['silent']>
  readonly conflicts: Readonly<Announcement['conflicts']>
}

/** Percent of charge at or below which a battery is reported. */
const LOW_BATTERY = 15

/** `bin/hm status`: state of the gateway and its attention list. */
export function gatewayStatus(source: StatusSource): StatusView {
  const facts = factsOf(source)
  const { house } = source.home
  return {
    ...facts,
    attention: attentionOf(facts, (unit) => house.units.get(unit)?.name ?? unit, source.clock.now()),
  }
}

/** Facts that can be compared from day to day. */
function factsOf(source: StatusSource): AttentionFacts {
  const { clock, folder, stores, tls, addresses, home, access, network, startedAt, socket } = source
  const units = [...home.bus.units.values()]
  return {
    gateway: stores.serial,
    home: home.house.info.name,
    port: network.port,
    socketElsewhere: socket === folder.adminSocket ? null : socket,
    upSeconds: Math.round((clock.monotonic() - startedAt) / 1000),
    addresses: addressesAt(source.host, addresses.texts()),
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
    ...gapsIn(home, new Set(stores.integrations.list().map(({ id }) => id))),
    ...endedIn(stores.integrations.list(), access.times),
    energyJumps: jumpsOf(home),
    linkCounters: home.bus.counters(),
    streams: network.streams(),
    ...(network.announcement !== null && { announcement: announcementView(network.announcement()) }),
    relay: relaySummary(source.relay.link),
    integrations: stores.integrations.list().length,
    failedAuthentications: failedLately(access.failures.list(), clock.now()),
    history: {
      ...stores.history.writer.counts,
      bytes: databaseBytes(folder.historyDb),
      damaged: stores.history.file.aside,
    },
    disk: stores.disk.usage(),
    configuration: { bytes: databaseBytes(folder.coreDb) },
    incidents: [...stores.incidents.list()],
    backup: source.backupState(),
    memory: { residentMiB: Math.round(process.memoryUsage.rss() / 1024 / 1024) },
  }
}

function announcementView({ silent, conflicts }: AnnouncementState): NonNullable<AttentionFacts['announcement']> {
  return { silent: [...silent], conflicts: [...conflicts] }
}

function lowBatteries({ house, live }: StatusSource['home']): AttentionFacts['units']['lowBatteries'] {
  return [...house.units.keys()].flatMap((unit) => {
    const percent = live.readings(unit)?.readings.battery
    return percent === undefined || percent > LOW_BATTERY ? [] : [{ unit, percent: Math.round(percent) }]
  })
}

/** The field `rulesWithGaps`, which is missing without such rules. */
function gapsIn(
  { house, rules }: StatusSource['home'],
  integrations: ReadonlySet<string>,
): Pick<AttentionFacts, 'rulesWithGaps'> {
  const isThere = thereIn(house, rules.automations.named)
  const rulesWithGaps = (['automation', 'schedule'] as const).flatMap((kind) =>
    rules[`${kind}s`].list().flatMap((rule) => {
      const missing = missingFrom(rule, isThere).map(removedWords)
      const isGone = rule.author !== null && !integrations.has(rule.author.integration)
      const withoutAuthor = isGone && referencesOf(rule).targets.length > 0
      const gaps = [
        ...(missing.length > 0 ? [{ missing }] : []),
        ...(withoutAuthor ? [{ missing: [], withoutAuthor }] : []),
      ]
      return gaps.map((gap) => ({ kind, id: rule.id, name: rule.name, ...gap }))
    }),
  )
  return rulesWithGaps.length === 0 ? {} : { rulesWithGaps }
}

/** The field `endedRecords`, which is missing without such integrations. */
function endedIn(
  integrations: readonly Integration[],
  times: Pick<RecordTimes, 'closedNow'>,
): Pick<AttentionFacts, 'endedRecords'> {
  const endedRecords = integrations.flatMap((integration) => {
    const { id, name, until = null } = integration
    return until !== null && times.closedNow(integration)?.closed === 'ended' ? [{ id, name, until }] : []
  })
  return endedRecords.length === 0 ? {} : { endedRecords }
}

function failedLately(failures: readonly FailedAuthentications[], now: number): number {
  return failures.reduce((sum, { count, to }) => (to > now - DAY_MS ? sum + count : sum), 0)
}

/** Disk space of a database with its write-ahead log. */
function databaseBytes(file: string): number {
  return [file, `${file}-wal`].reduce((sum, path) => sum + bytesOf(path), 0)
}

/** Bytes of a file; 0 if it is missing or its disk fails. */
function bytesOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0
  } catch {
    return 0
  }
}
