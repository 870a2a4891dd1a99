import { z } from 'zod'
import { GANG_CLASSES, UNIT_CLASSES } from '../../home/model/device.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { epochMs } from '../../api/contract/fields.ts'
import { BackupState } from './backups.ts'
import { EnergyJumpShape } from './records.ts'
import { GAVE_WAY, PendingRequest, RELAY_STATE, RIVAL_AT } from './relay.ts'
import { count, FilePath, text } from './shapes.ts'
import { LOG_LEVELS } from '../../lib/log.ts'
import { LOG_LINES_MAX } from '../../lib/log-lines.ts'

const Tls = z
  .looseObject({
    ca: z
      .looseObject({
        pem: text('The CA certificate, PEM.'),
        fingerprint: text('Its SHA-256.'),
        notAfter: epochMs('Until when it holds.'),
        file: text('The file of the certificate on the disk of the gateway.'),
      })
      .meta({ description: 'The CA of the gateway.' }),
    certificate: z
      .looseObject({
        notBefore: epochMs('From when it holds.'),
        notAfter: epochMs('Until when it holds.'),
        names: z.array(z.string()).meta({ description: 'The names and addresses that it is for.' }),
        fingerprint: text('Its SHA-256.'),
      })
      .meta({ description: 'The certificate that clients see.' }),
  })
  .meta({ id: 'Tls', description: 'What the connections of clients are secured with.' })
export type TlsView = Plain<z.output<typeof Tls>>

const Failures = z
  .looseObject({
    address: z.string().nullable().meta({ description: 'Whose they are; null: several more addresses together.' }),
    via: z.enum(['home', 'cloud']).nullable().meta({
      description: 'Whether they came through the relay, by whose word the address stands; null: both, or unknown.',
    }),
    count: count('How many.'),
    from: epochMs('The first of them.'),
    to: epochMs('The last of them.'),
  })
  .meta({ id: 'FailedAuthentications', description: 'Requests without a valid credential, of one address.' })

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

const Attention = z
  .looseObject({
    kind: z.enum(ATTENTION_KINDS).meta({ description: 'What it is about.' }),
    level: z.enum(['attention', 'broken']).meta({
      description: '`broken`: something that the home needs does not work.',
    }),
    what: text('One sentence, with what to do.'),
    count: count('How many units it stands for: more than one where the others are told together; otherwise 1.'),
    device: z.string().nullable().meta({ description: 'The local id of the device that it is about, or null.' }),
    at: z
      .int()
      .nullable()
      .meta({ description: 'When it was noticed, epoch milliseconds, or null where it is so now.' }),
    jump: z
      .string()
      .optional()
      .meta({ description: 'The number of the jump that waits for an answer, where it is about one.' }),
  })
  .meta({ id: 'Attention', description: 'Something that a person should look at.' })
export type AttentionView = Plain<z.output<typeof Attention>>

/** How the gateway is doing, in facts that can be compared from day to day. */
const Status = z
  .looseObject({
    gateway: text('The id of the gateway: its serial.'),
    home: text('The name of the home.'),
    port: count('The port of the service.'),
    socketElsewhere: z.string().nullable().meta({
      description:
        'The socket file of administrators, where it does not lie in the data folder because that takes none.',
    }),
    upSeconds: count('Seconds since it started.'),
    addresses: z.array(z.string()).meta({ description: 'Its addresses in the network.' }),
    attention: z.array(Attention).meta({ description: 'What a person should look at, the gravest first.' }),
    certificateUntil: z.string().meta({ description: 'ISO 8601.' }),
    caUntil: z.string().meta({ description: 'Until when the CA holds, ISO 8601.' }),
    clock: z.enum(['believed', 'behind', 'ahead']).meta({
      description:
        'Whether certificates are dated by the clock: not while it is behind a time seen before, or far ahead.',
    }),
    units: z
      .looseObject({
        link: z.string().meta({ description: '`up`, or why it is down.' }),
        onTheBus: count('Units that the adapter knows.'),
        reachable: count('Units that answer.'),
        inTheHouse: count('Units that the house knows.'),
        unreachable: z.array(z.string()).meta({ description: 'Local ids of units that do not answer.' }),
        withoutPlace: count('Units that the house does not know yet.'),
        otherClass: z
          .array(
            z
              .looseObject({
                device: text('The local id of the device.'),
                house: DeviceClass.meta({ description: 'Its class in the house.' }),
                bus: DeviceClass.nullable().meta({
                  description: 'Its class on the bus; null for a gang that the module on the bus does not have.',
                }),
              })
              .meta({ description: 'A device of two classes.' }),
          )
          .meta({ description: 'Devices that are of another class on the bus than in the house.' }),
        lowBatteries: z
          .array(
            z
              .looseObject({ unit: text('Its local id.'), percent: count('What is left, in percent.') })
              .meta({ description: 'A unit whose battery is low.' }),
          )
          .meta({ description: 'Units whose battery has 15 % or less.' }),
      })
      .meta({ description: 'The units.' }),
    energyJumps: z
      .array(EnergyJumpShape)
      .optional()
      .meta({ description: 'Jumps of counters that wait for an answer, the oldest first.' }),
    linkCounters: z
      .record(z.string(), z.int().min(0))
      .meta({ description: 'What the line went through since the start.' }),
    streams: z
      .looseObject({
        sockets: count('Sockets that are open.'),
        listening: count('Sockets that asked for events.'),
        delivered: count('Events that were sent.'),
        collapsed: count('Events that a newer one took the place of, for slow readers.'),
        silent: count('Sockets that were closed because their peer was gone.'),
      })
      .meta({ description: 'The live streams.' })
      .nullable(),
    announcement: z
      .looseObject({
        silent: z
          .array(
            z
              .looseObject({ interface: text('The network interface.'), address: text('The address of the gateway.') })
              .meta({ description: 'A network without the announcement.' }),
          )
          .meta({ description: 'Networks on which the gateway does not hear its own announcement.' }),
        conflicts: z
          .array(
            z
              .looseObject({
                address: text('The address of the other machine.'),
                name: text('The name that both announce.'),
                at: epochMs('When it was noticed first.'),
              })
              .meta({ description: 'Another machine with a name of the gateway.' }),
          )
          .meta({ description: 'Machines that announce a name of the gateway, heard in the last five minutes.' }),
      })
      .optional()
      .meta({ description: 'The announcement on the home network; missing where the gateway announces nothing.' }),
    relay: z
      .looseObject({
        state: RELAY_STATE,
        trouble: z.string().nullable().meta({ description: 'Why there is no tunnel, in one sentence, or null.' }),
        fullAt: z.int().nullable().optional().meta({
          description: 'When all places of a tunnel were taken last, epoch milliseconds, within an hour; else null.',
        }),
        gaveWay: z.boolean().optional().meta({ description: GAVE_WAY }),
        rivalAt: z.int().nullable().optional().meta({ description: RIVAL_AT }),
        pending: PendingRequest.nullable().optional(),
      })
      .meta({ description: 'The relay through which the home is reached from outside.' }),
    integrations: count('Integrations that there are.'),
    failedAuthentications: count('Requests without a valid credential in the last 24 hours.'),
    history: z
      .looseObject({
        written: count('Rows that were written since the start.'),
        shed: count('Rows that were left out because there were too many.'),
        failed: count('Rows that could not be written.'),
        leftOutLately: count('Rows of the last 24 hours, to the hour, that were left out for one reason or the other.'),
        bytes: count('The size of the history in bytes.'),
        damaged: z
          .string()
          .nullable()
          .meta({ description: 'Where the damaged file is that was replaced since the start, or null.' }),
      })
      .meta({ description: 'What is recorded.' }),
    disk: z
      .looseObject({
        bytes: count('Its size in bytes.'),
        bytesFree: count('What is free of it in bytes.'),
        state: z.enum(['ok', 'low', 'full', 'failing']).meta({
          description: 'Of the disk under the data folder: `low` from 10 % free, `failing` while changes are refused.',
        }),
      })
      .meta({ description: 'The disk under the data folder.' }),
    configuration: z
      .looseObject({ bytes: count('Its size in bytes.') })
      .meta({ description: 'What the home is set up as.' }),
    incidents: z
      .array(
        z
          .looseObject({
            id: count('Its number; later ones have higher numbers.'),
            at: epochMs('When it was noticed.'),
            what: text('One sentence.'),
          })
          .meta({ description: 'Something that befell the configuration.' }),
      )
      .meta({ description: 'What befell the configuration and nobody has acknowledged yet, the oldest first.' }),
    backup: BackupState,
    memory: z
      .looseObject({ residentMiB: count('Memory of the process in MiB.') })
      .meta({ description: 'What the process takes.' }),
  })
  .meta({ id: 'Status', description: 'How the gateway is doing.' })
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
    answer: z.looseObject({ failures: z.array(Failures).meta({ description: 'The 200 newest.' }) }),
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
      units: z.enum(['0', '1']).default('0').meta({
        description: 'With 1 each unit by itself, with its local id and name: whether it answers, its battery.',
      }),
    }),
    answer: z.string(),
  }),
} as const

const Tables = (what: string) =>
  z
    .looseObject({
      version: count('How many steps brought its tables to where they are.'),
      step: text('The name of the last one.'),
    })
    .meta({ description: what })

const Release = z
  .looseObject({
    version: text('Version of the program.'),
    interface: text('Version of the interface that it serves.'),
    node: text('The Node that runs it.'),
    platform: text('System and processor, such as `linux arm64`.'),
    configuration: Tables('The database of the configuration.'),
    history: Tables('The database of the history.'),
    changes: z
      .looseObject({
        heading: text('The release, with its date where it has one; `Unreleased` for what is not in one yet.'),
        parts: z
          .array(
            z
              .looseObject({
                title: text('Added, Changed, Fixed and the like.'),
                entries: z
                  .array(z.string())
                  .meta({ description: 'One for each change, with Markdown for code alone.' }),
              })
              .meta({ description: 'Changes of one kind.' }),
          )
          .meta({ description: 'In the order of the changelog.' }),
      })
      .meta({ description: 'What the newest release brought; null where the changelog was not installed.' })
      .nullable(),
  })
  .meta({ id: 'Release', description: 'What program runs, and what it made of the databases.' })
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

const Line = z
  .looseObject({
    seq: count('Its number; later ones have higher numbers, and a restart begins anew.'),
    at: epochMs('When it was written.'),
    level: LineLevel.meta({ description: 'How grave it is.' }),
    what: text('One sentence.'),
    fields: z.record(z.string(), z.unknown()).meta({ description: 'Facts beside it.' }),
  })
  .meta({ id: 'LogLine', description: 'A line of the log.' })
export type LogLineView = Plain<z.output<typeof Line>>

const Level = z.enum(LOG_LEVELS).meta({ description: 'Lines of this level and graver ones are written.' })
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
      level: LineLevel.optional().meta({ description: 'Lines of this level and graver ones.' }),
      since: whole(16).optional().meta({ description: 'Lines from then on, epoch ms.' }),
      after: whole(16).optional().meta({ description: 'Lines after the one of this `seq`.' }),
      limit: whole(4)
        .pipe(z.int().min(1).max(LOG_LINES_MAX))
        .default(LINES_USUAL)
        .meta({ description: 'So many of them at most: the newest.' }),
    }),
    answer: z.looseObject({
      level: Level,
      run: text('Another one after each start, which gives lines new numbers.'),
      lines: z.array(Line).meta({ description: 'The lines.' }),
    }),
  }),
  'log.level': endpoint('PUT', '/admin/v1/log/level', {
    summary: 'Change what is written to the log, until the next start',
    body: z.strictObject({ level: Level }),
    answer: z.looseObject({ level: Level }),
  }),
} as const
