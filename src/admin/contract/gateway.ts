import { z } from 'zod'
import { GANG_CLASSES, UNIT_CLASSES } from '../../home/model/device.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { epochMs, text, textOrNull, count, shape, named, listOf } from '../../api/contract/fields.ts'
import { BackupState } from './backups.ts'
import { EnergyJumpShape } from './records.ts'
import { GAVE_WAY, PendingRequest, RELAY_STATE, RIVAL_AT } from './relay.ts'
import { FilePath } from './shapes.ts'
import { LOG_LEVELS } from '../../lib/log.ts'
import { LOG_LINES_MAX } from '../../lib/log-lines.ts'

const Tls = named('Tls', 'What the connections of clients are secured with.', {
  ca: shape('The CA of the gateway.', {
    pem: text('The CA certificate, PEM.'),
    fingerprint: text('Its SHA-256.'),
    notAfter: epochMs('Until when it holds.'),
    file: text('The file of the certificate on the disk of the gateway.'),
  }),
  certificate: shape('The certificate that clients see.', {
    notBefore: epochMs('From when it holds.'),
    notAfter: epochMs('Until when it holds.'),
    names: z.array(z.string()).describe('The names and addresses that it is for.'),
    fingerprint: text('Its SHA-256.'),
  }),
})
export type TlsView = Plain<z.output<typeof Tls>>

const Failures = named('FailedAuthentications', 'Requests without a valid credential, of one address.', {
  address: textOrNull('Whose they are; null: several more addresses together.'),
  via: z
    .enum(['home', 'cloud'])
    .nullable()
    .describe('Whether they came through the relay, by whose word the address stands; null: both, or unknown.'),
  count: count('How many.'),
  from: epochMs('The first of them.'),
  to: epochMs('The last of them.'),
})

const DeviceClass = z.enum([...UNIT_CLASSES, ...GANG_CLASSES])

/** What a person should look at: the words of alerts too, so they only grow. */
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
] as const

const Attention = named('Attention', 'Something that a person should look at.', {
  kind: z.enum(ATTENTION_KINDS).describe('What it is about.'),
  level: z.enum(['attention', 'broken']).describe('`broken`: something that the home needs does not work.'),
  what: text('One sentence, with what to do.'),
  count: count('How many units it stands for: more than one where the others are told together; otherwise 1.'),
  device: textOrNull('The local id of the device that it is about, or null.'),
  at: z.int().nullable().describe('When it was noticed, epoch milliseconds, or null where it is so now.'),
  jump: z.string().optional().describe('The number of the jump that waits for an answer, where it is about one.'),
})
export type AttentionView = Plain<z.output<typeof Attention>>

/** How the gateway is doing, in facts that can be compared from day to day. */
const Status = named('Status', 'How the gateway is doing.', {
  gateway: text('The id of the gateway: its serial.'),
  home: text('The name of the home.'),
  port: count('The port of the service.'),
  socketElsewhere: textOrNull(
    'The socket file of administrators, where it does not lie in the data folder because that takes none.',
  ),
  upSeconds: count('Seconds since it started.'),
  addresses: z.array(z.string()).describe('Its addresses in the network.'),
  attention: z.array(Attention).describe('What a person should look at, the gravest first.'),
  certificateUntil: text('ISO 8601.'),
  caUntil: text('Until when the CA holds, ISO 8601.'),
  clock: z
    .enum(['believed', 'behind', 'ahead'])
    .describe('Whether certificates are dated by the clock: not while it is behind a time seen before, or far ahead.'),
  units: shape('The units.', {
    link: text('`up`, or why it is down.'),
    onTheBus: count('Units that the adapter knows.'),
    reachable: count('Units that answer.'),
    inTheHouse: count('Units that the house knows.'),
    unreachable: z.array(z.string()).describe('Local ids of units that do not answer.'),
    withoutPlace: count('Units that the house does not know yet.'),
    otherClass: listOf('A device of two classes.', {
      device: text('The local id of the device.'),
      house: DeviceClass.describe('Its class in the house.'),
      bus: DeviceClass.nullable().describe(
        'Its class on the bus; null for a gang that the module on the bus does not have.',
      ),
    }).describe('Devices that are of another class on the bus than in the house.'),
    lowBatteries: listOf('A unit whose battery is low.', {
      unit: text('Its local id.'),
      percent: count('What is left, in percent.'),
    }).describe('Units whose battery has 15 % or less.'),
  }),
  energyJumps: z
    .array(EnergyJumpShape)
    .optional()
    .describe('Jumps of counters that wait for an answer, the oldest first.'),
  linkCounters: z.record(z.string(), z.int().min(0)).describe('What the line went through since the start.'),
  streams: shape('The live streams.', {
    sockets: count('Sockets that are open.'),
    listening: count('Sockets that asked for events.'),
    delivered: count('Events that were sent.'),
    collapsed: count('Events that a newer one took the place of, for slow readers.'),
    silent: count('Sockets that were closed because their peer was gone.'),
  }).nullable(),
  announcement: z
    .looseObject({
      silent: listOf('A network without the announcement.', {
        interface: text('The network interface.'),
        address: text('The address of the gateway.'),
      }).describe('Networks on which the gateway does not hear its own announcement.'),
      conflicts: listOf('Another machine with a name of the gateway.', {
        address: text('The address of the other machine.'),
        name: text('The name that both announce.'),
        at: epochMs('When it was noticed first.'),
      }).describe('Machines that announce a name of the gateway, heard in the last five minutes.'),
    })
    .optional()
    .describe('The announcement on the home network; missing where the gateway announces nothing.'),
  relay: shape('The relay through which the home is reached from outside.', {
    state: RELAY_STATE,
    trouble: textOrNull('Why there is no tunnel, in one sentence, or null.'),
    fullAt: z
      .int()
      .nullable()
      .optional()
      .describe('When all places of a tunnel were taken last, epoch milliseconds, within an hour; else null.'),
    gaveWay: z.boolean().optional().describe(GAVE_WAY),
    rivalAt: z.int().nullable().optional().describe(RIVAL_AT),
    pending: PendingRequest.nullable().optional(),
  }),
  integrations: count('Integrations that there are.'),
  failedAuthentications: count('Requests without a valid credential in the last 24 hours.'),
  history: shape('What is recorded.', {
    written: count('Rows that were written since the start.'),
    shed: count('Rows that were left out because there were too many.'),
    failed: count('Rows that could not be written.'),
    leftOutLately: count('Rows of the last 24 hours, to the hour, that were left out for one reason or the other.'),
    bytes: count('The size of the history in bytes.'),
    damaged: textOrNull('Where the damaged file is that was replaced since the start, or null.'),
  }),
  disk: shape('The disk under the data folder.', {
    bytes: count('Its size in bytes.'),
    bytesFree: count('What is free of it in bytes.'),
    state: z
      .enum(['ok', 'low', 'full', 'failing'])
      .describe('Of the disk under the data folder: `low` from 10 % free, `failing` while changes are refused.'),
  }),
  configuration: shape('What the home is set up as.', { bytes: count('Its size in bytes.') }),
  incidents: listOf('Something that befell the configuration.', {
    id: count('Its number; later ones have higher numbers.'),
    at: epochMs('When it was noticed.'),
    what: text('One sentence.'),
  }).describe('What befell the configuration and nobody has acknowledged yet, the oldest first.'),
  backup: BackupState,
  memory: shape('What the process takes.', { residentMiB: count('Memory of the process in MiB.') }),
})
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
    summary: 'Make a new CA; every client has to trust it anew',
    stepUp: true,
    answer: Tls,
    errors: ['unauthorized'],
  }),
  'status.get': endpoint('GET', '/admin/v1/status', { summary: 'How the gateway is doing', answer: Status }),
  'failures.list': endpoint('GET', '/admin/v1/failed-authentications', {
    summary: 'Who sent requests without a valid credential in the last 30 days, the newest first',
    answer: z.looseObject({ failures: z.array(Failures).describe('The 200 newest.') }),
  }),
  'incidents.acknowledge': endpoint('POST', '/admin/v1/incidents/acknowledge', {
    summary: 'Take note of what befell the configuration: it is told no more',
    body: z.strictObject({ upTo: count('The number of the last one that was read.') }),
    answer: z.looseObject({ acknowledged: count('How many there were.') }),
  }),
  'backup.write': endpoint('POST', '/admin/v1/backup', {
    summary: 'Write a consistent copy of the configuration to a new file',
    reach: 'socket',
    body: z.strictObject({ file: FilePath }),
    answer: z.looseObject({ file: FilePath, bytes: count('The size of the file in bytes.') }),
  }),
} as const

/** What a monitoring system reads. */
export const metrics = {
  'metrics.get': endpoint('GET', '/admin/v1/metrics', {
    summary: 'How the gateway is doing in numbers, in the text format of Prometheus',
    operator: 'metrics',
    query: z.strictObject({
      units: z
        .enum(['0', '1'])
        .default('0')
        .describe('With 1 each unit by itself, with its local id and name: whether it answers, its battery.'),
    }),
    answer: z.string(),
  }),
} as const

const Tables = (what: string) =>
  shape(what, {
    version: count('How many steps brought its tables to where they are.'),
    step: text('The name of the last one.'),
  })

const Release = named('Release', 'What program runs, and what it made of the databases.', {
  version: text('Version of the program.'),
  interface: text('Version of the interface that it serves.'),
  node: text('The Node that runs it.'),
  platform: text('System and processor, such as `linux arm64`.'),
  configuration: Tables('The database of the configuration.'),
  history: Tables('The database of the history.'),
  changes: shape('What the newest release brought; null where the changelog was not installed.', {
    heading: text('The release, with its date where it has one; `Unreleased` for what is not in one yet.'),
    parts: listOf('Changes of one kind.', {
      title: text('Added, Changed, Fixed and the like.'),
      entries: z.array(z.string()).describe('One for each change, with Markdown for code alone.'),
    }).describe('In the order of the changelog.'),
  }).nullable(),
})
export type ReleaseView = Plain<z.output<typeof Release>>

/** What program this is. It asks nobody outside whether there is a newer one. */
export const release = {
  'release.show': endpoint('GET', '/admin/v1/about', {
    summary: 'Which release runs, what is new in it, and the versions of the databases',
    answer: Release,
  }),
} as const

/** Lines of an answer where nobody says how many. */
const LINES_USUAL = 200

const LineLevel = z.enum(['error', 'warn', 'info', 'debug'])

const Line = named('LogLine', 'A line of the log.', {
  seq: count('Its number; later ones have higher numbers, and a restart begins anew.'),
  at: epochMs('When it was written.'),
  level: LineLevel.describe('How grave it is.'),
  what: text('One sentence.'),
  fields: z.record(z.string(), z.unknown()).describe('Facts beside it.'),
})
export type LogLineView = Plain<z.output<typeof Line>>

const Level = z.enum(LOG_LEVELS).describe('Lines of this level and graver ones are written.')
const whole = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`))
    .transform(Number)

/** The log, as far as it is in memory. */
export const log = {
  'log.list': endpoint('GET', '/admin/v1/log', {
    summary: 'The newest lines of the log, the oldest first, as far as they are in memory',
    query: z.strictObject({
      level: LineLevel.optional().describe('Lines of this level and graver ones.'),
      since: whole(16).optional().describe('Lines from then on, epoch ms.'),
      after: whole(16).optional().describe('Lines after the one of this `seq`.'),
      limit: whole(4)
        .pipe(z.int().min(1).max(LOG_LINES_MAX))
        .default(LINES_USUAL)
        .describe('So many of them at most: the newest.'),
    }),
    answer: z.looseObject({
      level: Level,
      run: text('Another one after each start, which gives lines new numbers.'),
      lines: z.array(Line).describe('The lines.'),
    }),
  }),
  'log.level': endpoint('PUT', '/admin/v1/log/level', {
    summary: 'Change what is written to the log, until the next start',
    body: z.strictObject({ level: Level }),
    answer: z.looseObject({ level: Level }),
  }),
} as const
