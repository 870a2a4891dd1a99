import { z } from 'zod'
import { GANG_CLASSES, UNIT_CLASSES } from '../../home/model/device.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { epochMs, text, textOrNull, count, shape, named, listOf } from '../../api/contract/fields.ts'
import { BackupState } from './backups.ts'
import { EnergyJumpShape } from './records.ts'
import { GAVE_WAY, PendingRelayRequest, RELAY_STATE, RIVAL_AT } from './relay.ts'
import { FilePath } from './shapes.ts'
import { LOG_LEVELS } from '../../lib/log.ts'
import { LOG_LINES_MAX } from '../../lib/log-lines.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

const Tls = named('Tls', "Certificates of clients' connections.", () => ({
  ca: shape('The CA of the gateway.', () => ({
    pem: text('The CA certificate, PEM.'),
    fingerprint: text('Its SHA-256.'),
    notAfter: epochMs('End of validity.'),
    file: text('The file of the certificate on the disk of the gateway.'),
  })),
  certificate: shape('The certificate that clients see.', () => ({
    notBefore: epochMs('Start of validity.'),
    notAfter: epochMs('End of validity.'),
    names: z.array(z.string()).describe('The names and addresses that it is for.'),
    fingerprint: text('Its SHA-256.'),
  })),
}))
export type TlsView = Plain<z.output<typeof Tls>>

const Failures = named('FailedAuthentications', 'Requests without a valid credential, of one address.', () => ({
  address: textOrNull('The sender; null: several more addresses together.'),
  via: z
    .enum(['home', 'cloud'])
    .nullable()
    .describe('`cloud`: through the relay, which reported the address; null: both, or unknown.'),
  count: count('Number of requests.'),
  from: epochMs('Time of the first.'),
  to: epochMs('Time of the last.'),
}))

const DeviceClass = z.enum([...UNIT_CLASSES, ...GANG_CLASSES])

/** Kinds of attention; alerts use the same words, so they are only added to. */
export const ATTENTION_KINDS = [
  'incident',
  'disk',
  'socket',
  'line',
  'certificate',
  'ca',
  'clock',
  'backup',
  'relay',
  'turned_away',
  'history',
  'unit_silent',
  'unit_without_place',
  'unit_class',
  'battery',
  'energy_jump',
  'announcement',
  'rule',
  'record',
] as const

const Attention = named('Attention', 'A condition that needs a person.', () => ({
  kind: z.enum(ATTENTION_KINDS).describe('Kind of the condition.'),
  level: z.enum(['attention', 'broken']).describe('`broken`: something that the home needs does not work.'),
  what: text('One sentence with the next step.'),
  count: count('Number of units in a combined item; otherwise 1.'),
  device: textOrNull('The local id of the device, or null.'),
  at: z.int().nullable().describe('Time of detection, epoch milliseconds, or null for a current condition.'),
  jump: z.string().optional().describe('The number of the open jump, if the condition is one.'),
}))
export type AttentionView = Plain<z.output<typeof Attention>>

const UnitsStatus = shape('The units.', () => ({
  link: text('`up`, or the reason for the outage.'),
  onTheBus: count('Units that the adapter knows.'),
  reachable: count('Units that answer.'),
  inTheHouse: count('Units that the house knows.'),
  unreachable: z.array(z.string()).describe('Local ids of units that do not answer.'),
  withoutPlace: count('Units that the house does not know yet.'),
  otherClass: listOf('A device of two classes.', () => ({
    device: text('The local id of the device.'),
    house: DeviceClass.describe('Its class in the house.'),
    bus: DeviceClass.nullable().describe(
      'Its class on the bus; null for a gang that the module on the bus does not have.',
    ),
  })).describe('Devices that are of another class on the bus than in the house.'),
  lowBatteries: listOf('A unit whose battery is low.', () => ({
    unit: text('Its local id.'),
    percent: count('Charge in percent.'),
  })).describe('Units whose battery has 15 % or less.'),
}))

const RelayStatus = shape('The relay for access from outside.', () => ({
  state: RELAY_STATE,
  trouble: textOrNull('Reason for a missing tunnel in one sentence, or null.'),
  fullAt: z
    .int()
    .nullable()
    .optional()
    .describe('Last time within an hour when all places of a tunnel were taken, epoch milliseconds; else null.'),
  gaveWay: z.boolean().optional().describe(GAVE_WAY),
  rivalAt: z.int().nullable().optional().describe(RIVAL_AT),
  pending: PendingRelayRequest.nullable().optional(),
}))

const StreamsStatus = shape('The live streams.', () => ({
  sockets: count('Sockets that are open.'),
  listening: count('Sockets with a subscription.'),
  delivered: count('Events that were sent.'),
  collapsed: count('Events replaced by newer ones for slow readers.'),
  silent: count('Sockets that were closed because their peer was gone.'),
}))

const RulesWithGaps = listOf('A rule.', () => ({
  kind: z.enum(['automation', 'schedule']).describe('Kind of rule.'),
  id: text('Its local id.'),
  name: text('Its name.'),
  missing: z.array(z.string()).describe('The removed things, in words.'),
  withoutAuthor: z
    .boolean()
    .optional()
    .describe('Its groups have no devices: the integration that saved it was deleted.'),
})).describe('Rules that name removed things, or whose author was.')

const EndedRecords = listOf('An integration.', () => ({
  id: text('Its id.'),
  name: text('Its name.'),
  until: z.int().describe('Its end, epoch milliseconds.'),
})).describe('Integrations whose time has ended.')

/** State of the gateway in facts that can be compared from day to day. */
const Status = named('Status', 'State of the gateway.', () => ({
  gateway: text('The id of the gateway: its serial.'),
  home: text('The name of the home.'),
  port: count('The port of the service.'),
  socketElsewhere: textOrNull('The socket file of administrators, if the data folder cannot hold one; else null.'),
  upSeconds: count('Seconds since it started.'),
  addresses: z.array(z.string()).describe('Its addresses in the network.'),
  attention: z.array(Attention).describe('Conditions that need a person, most serious first.'),
  certificateUntil: text("End of the certificate's validity, ISO 8601."),
  caUntil: text("End of the CA's validity, ISO 8601."),
  clock: z
    .enum(['believed', 'behind', 'ahead'])
    .describe('Trust in the clock for dating certificates: not while it is behind a time seen before, or far ahead.'),
  units: UnitsStatus,
  rulesWithGaps: RulesWithGaps.optional(),
  endedRecords: EndedRecords.optional(),
  energyJumps: z.array(EnergyJumpShape).optional().describe('Open jumps of counters, oldest first.'),
  linkCounters: z.record(z.string(), z.int().min(0)).describe('Counters of the line since the start.'),
  streams: StreamsStatus.nullable(),
  announcement: looseObject(() => ({
    silent: listOf('A network without the announcement.', () => ({
      interface: text('The network interface.'),
      address: text('The address of the gateway.'),
    })).describe('Networks on which the gateway does not hear its own announcement.'),
    conflicts: listOf('Another machine with a name of the gateway.', () => ({
      address: text('The address of the other machine.'),
      name: text('The name that both announce.'),
      at: epochMs('Time of the first detection.'),
    })).describe('Machines that announce a name of the gateway, heard in the last five minutes.'),
  }))
    .optional()
    .describe('The announcement on the home network; missing if the gateway announces nothing.'),
  relay: RelayStatus,
  integrations: count('Number of integrations.'),
  failedAuthentications: count('Requests without a valid credential in the last 24 hours.'),
  history: shape('The recorded history.', () => ({
    written: count('Rows that were written since the start.'),
    shed: count('Rows left out because there were too many.'),
    failed: count('Rows that could not be written.'),
    leftOutLately: count('Rows left out in the last 24 hours, to the hour, for either reason.'),
    bytes: count('The size of the history in bytes.'),
    damaged: textOrNull('Path of a damaged file that was replaced since the start, or null.'),
  })),
  disk: shape('The disk under the data folder.', () => ({
    bytes: count('Its size in bytes.'),
    bytesFree: count('Free space in bytes.'),
    state: z
      .enum(['ok', 'low', 'full', 'failing'])
      .describe('State of the disk: `low` from 10 % free, `failing` while changes are refused.'),
  })),
  configuration: shape('The configuration of the home.', () => ({ bytes: count('Its size in bytes.') })),
  incidents: listOf('An incident of the configuration.', () => ({
    id: count('Its number; later ones have higher numbers.'),
    at: epochMs('Time of detection.'),
    what: text('One sentence.'),
  })).describe('Unacknowledged incidents of the configuration, oldest first.'),
  backup: BackupState,
  memory: shape('Memory of the process.', () => ({ residentMiB: count('Memory of the process in MiB.') })),
}))
export type StatusView = Plain<z.output<typeof Status>>

export const gateway = {
  'tls.show': endpoint('GET', '/admin/v1/tls', {
    summary: "The CA's fingerprint and the certificate's names and dates",
    answer: Tls,
  }),
  'tls.renew': endpoint('POST', '/admin/v1/tls/renew', {
    summary: 'Renew the certificate now',
    answer: Tls,
    errors: ['unauthorized'],
  }),
  'tls.regenerateCa': endpoint('POST', '/admin/v1/tls/regenerate-ca', {
    summary: 'Create a new CA; every client has to trust it again',
    stepUp: true,
    answer: Tls,
    errors: ['unauthorized'],
  }),
  'status.get': endpoint('GET', '/admin/v1/status', { summary: 'State of the gateway', answer: Status }),
  'failures.list': endpoint('GET', '/admin/v1/failed-authentications', {
    summary: 'Senders of requests without a valid credential in the last 30 days, newest first',
    answer: looseObject(() => ({ failures: z.array(Failures).describe('The 200 newest.') })),
  }),
  'incidents.acknowledge': endpoint('POST', '/admin/v1/incidents/acknowledge', {
    summary: 'Acknowledge incidents of the configuration; they are no longer shown',
    body: strictObject(() => ({ upTo: count('The number of the last read incident.') })),
    answer: looseObject(() => ({ acknowledged: count('Number of acknowledged incidents.') })),
  }),
  'backup.write': endpoint('POST', '/admin/v1/backup', {
    summary: 'Write a consistent copy of the configuration to a new file',
    reach: 'socket',
    body: strictObject(() => ({ file: FilePath })),
    answer: looseObject(() => ({ file: FilePath, bytes: count('The size of the file in bytes.') })),
  }),
} as const

/** Endpoint for monitoring systems. */
export const metrics = {
  'metrics.get': endpoint('GET', '/admin/v1/metrics', {
    summary: 'Metrics of the gateway in the text format of Prometheus',
    operator: 'metrics',
    query: strictObject(() => ({
      units: z
        .enum(['0', '1'])
        .default('0')
        .describe('With 1, metrics of each unit with its local id and name: reachability, battery.'),
    })),
    answer: z.string(),
  }),
} as const

const Tables = (what: string) =>
  shape(what, () => ({
    version: count('Number of applied migrations.'),
    step: text('Name of the last migration.'),
  }))

const Release = named('Release', 'The running program and the versions of its databases.', () => ({
  version: text('Version of the program.'),
  interface: text('Version of the interface that it serves.'),
  node: text('Version of Node.'),
  platform: text('System and processor, such as `linux arm64`.'),
  configuration: Tables('The database of the configuration.'),
  history: Tables('The database of the history.'),
  changes: shape('Changes of the newest release; null if the changelog is not installed.', () => ({
    heading: text('The release with its date, if it has one; `Unreleased` for later changes.'),
    parts: listOf('Changes of one kind.', () => ({
      title: text('Added, Changed, Fixed and the like.'),
      entries: z.array(z.string()).describe('One entry for each change, with Markdown only for code.'),
    })).describe('In the order of the changelog.'),
  })).nullable(),
}))
export type ReleaseView = Plain<z.output<typeof Release>>

/** The running program. The gateway asks no server for newer releases. */
export const release = {
  'release.show': endpoint('GET', '/admin/v1/about', {
    summary: 'The running release, its changes, and the versions of the databases',
    answer: Release,
  }),
} as const

/** Default number of lines in a response. */
const LINES_USUAL = 200

const LineLevel = z.enum(['error', 'warn', 'info', 'debug'])

const Line = named('LogLine', 'A line of the log.', () => ({
  seq: count('Its number; later ones have higher numbers, and a restart begins anew.'),
  at: epochMs('Time of the line.'),
  level: LineLevel.describe('Level of the line.'),
  what: text('One sentence.'),
  fields: z.record(z.string(), z.unknown()).describe('Facts of the line.'),
}))
export type LogLineView = Plain<z.output<typeof Line>>

const Level = z.enum(LOG_LEVELS).describe('Least level that is written.')
const whole = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`))
    .transform(Number)

/** The part of the log in memory. */
export const log = {
  'log.list': endpoint('GET', '/admin/v1/log', {
    summary: 'The newest lines of the log in memory, oldest first',
    query: strictObject(() => ({
      level: LineLevel.optional().describe('Least level of the lines.'),
      since: whole(16).optional().describe('Lines since this time, epoch ms.'),
      after: whole(16).optional().describe('Lines after this `seq`.'),
      limit: whole(4)
        .pipe(z.int().min(1).max(LOG_LINES_MAX))
        .default(LINES_USUAL)
        .describe('Largest number of lines; the newest ones are taken.'),
    })),
    answer: looseObject(() => ({
      level: Level,
      run: text('Id of the run; a new start has a new id and new line numbers.'),
      lines: z.array(Line).describe('The lines.'),
    })),
  }),
  'log.level': endpoint('PUT', '/admin/v1/log/level', {
    summary: 'Change the log level until the next start',
    body: strictObject(() => ({ level: Level })),
    answer: looseObject(() => ({ level: Level })),
  }),
} as const
