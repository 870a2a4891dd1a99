import { z } from 'zod'
import { GANG_CLASSES, UNIT_CLASSES } from '../../../home/model/device.ts'
import { endpoint, type Plain } from '../../endpoint.ts'
import { FilePath } from './shapes.ts'

const Tls = z
  .looseObject({
    ca: z.looseObject({ pem: z.string(), fingerprint: z.string() }),
    certificate: z.looseObject({
      notBefore: z.int(),
      notAfter: z.int(),
      names: z.array(z.string()),
      fingerprint: z.string(),
    }),
  })
  .meta({ id: 'Tls' })
export type TlsView = Plain<z.output<typeof Tls>>

const count = z.int().min(0)
const DeviceClass = z.enum([...UNIT_CLASSES, ...GANG_CLASSES])

/** How the gateway is doing, in facts that can be compared from day to day. */
const Status = z
  .looseObject({
    gateway: z.string(),
    home: z.string(),
    port: z.int(),
    upSeconds: count,
    addresses: z.array(z.string()),
    certificateUntil: z.string().meta({ description: 'ISO 8601.' }),
    units: z.looseObject({
      link: z.string().meta({ description: '`up`, or why it is down.' }),
      onTheBus: count,
      reachable: count,
      inTheHouse: count,
      unreachable: z.array(z.string()),
      withoutPlace: count,
      otherClass: z
        .array(z.looseObject({ device: z.string(), house: DeviceClass, bus: DeviceClass }))
        .meta({ description: 'Devices that are of another class on the bus than in the house.' }),
    }),
    linkCounters: z.record(z.string(), count).meta({ description: 'What the line went through since the start.' }),
    streams: z
      .looseObject({ sockets: count, listening: count, delivered: count, collapsed: count, silent: count })
      .nullable(),
    integrations: count,
    history: z.looseObject({
      written: count,
      shed: count,
      failed: count,
      bytes: count,
      damaged: z
        .string()
        .nullable()
        .meta({ description: 'Where the damaged file is that was replaced since the start, or null.' }),
    }),
    disk: z.looseObject({
      bytes: count,
      bytesFree: count,
      state: z.enum(['ok', 'low', 'full', 'failing']).meta({
        description: 'Of the disk under the data folder: `low` from 10 % free, `failing` while changes are refused.',
      }),
    }),
    configuration: z.looseObject({ bytes: count }),
    memory: z.looseObject({ residentMiB: count }),
  })
  .meta({ id: 'Status' })
export type StatusView = Plain<z.output<typeof Status>>

export const gateway = {
  'tls.show': endpoint('GET', '/admin/v1/tls', {
    summary: "The CA's fingerprint and the certificate's names and dates",
    answer: Tls,
  }),
  'tls.renew': endpoint('POST', '/admin/v1/tls/renew', { summary: 'Renew the certificate now', answer: Tls }),
  'tls.regenerateCa': endpoint('POST', '/admin/v1/tls/regenerate-ca', {
    summary: 'Make a new CA; every client has to trust it anew',
    answer: Tls,
  }),
  'status.get': endpoint('GET', '/admin/v1/status', { summary: 'How the gateway is doing', answer: Status }),
  'backup.write': endpoint('POST', '/admin/v1/backup', {
    summary: 'Write a consistent copy of the configuration to a new file',
    body: z.strictObject({ file: FilePath }),
    answer: z.looseObject({ file: z.string(), bytes: z.int() }),
  }),
} as const
