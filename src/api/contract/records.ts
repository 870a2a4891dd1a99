import { z } from 'zod'
import { EXPLAIN_KINDS } from '../../home/explain/explanation.ts'
import { ACTIVITY_KINDS } from '../../home/model/activity.ts'
import { CAUSE_SOURCES } from '../../home/model/cause.ts'
import { UNIT_CLASSES } from '../../home/model/device.ts'
import { DETECTIONS } from '../../home/ports/unit-bus.ts'
import { ENERGY_PERIODS } from '../../home/record/energy-range.ts'
import { endpoint } from '../endpoint.ts'
import { Id, inRoomOrOf } from './shapes.ts'

/** The last millisecond that clients may name: the end of the range of dates. */
const EPOCH_MAX = 8_640_000_000_000_000
/** Numbers in a query are text; only plain whole numbers are read. */
const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/, `must be a whole number from ${min}${max === EPOCH_MAX ? '' : ` to ${max}`}`)
    .transform(Number)
    .pipe(z.int().min(min).max(max))
const epoch = wholeNumber(0, EPOCH_MAX)
const pageLimit = wholeNumber(1, 200)

export const Readings = z
  .looseObject({
    temperature: z.number().optional(),
    humidity: z.number().optional(),
    light: z.number().optional(),
    motion: z.boolean().optional(),
    co2: z.number().optional(),
    door: z.boolean().optional(),
    battery: z.number().optional(),
    power: z.number().optional(),
  })
  .meta({
    id: 'Readings',
    description: 'Degrees Celsius, percent, lux, motion seen, ppm, door open, percent of battery, watts.',
  })

export const CauseShape = z
  .looseObject({
    source: z.enum(CAUSE_SOURCES),
    name: z.string(),
    ref: z
      .string()
      .optional()
      .meta({ description: 'The id of the exposed device, scene, automation or schedule that the cause is.' }),
    link: z.string().optional().meta({ description: "The credential, where it is one of this integration's own." }),
    confirmedBy: z.string().optional().meta({ description: 'The person whose word an agent needed and had.' }),
    get by() {
      return CauseShape.optional()
    },
  })
  .meta({
    id: 'Cause',
    description: 'Who did it; `by` is what set that off. What is hidden reads "something outside this integration".',
  })

export const ActivityEntry = z
  .looseObject({
    id: z.string(),
    at: z.int(),
    device: z.string().nullable(),
    kind: z.enum(ACTIVITY_KINDS),
    what: z.string(),
    cause: CauseShape,
  })
  .meta({ id: 'ActivityEntry' })

export const ExplainItem = z
  .looseObject({
    kind: z.enum(EXPLAIN_KINDS),
    source: z.enum(['live', 'cache']),
    at: z.int().nullable(),
    what: z.string(),
    cause: CauseShape.nullable(),
    device: z.string().nullable(),
    asOf: z.int().optional(),
  })
  .meta({ id: 'ExplainItem' })

const explainAnswer = z.looseObject({
  device: z.string(),
  from: z.int(),
  to: z.int(),
  items: z.array(ExplainItem).meta({ description: 'The first item answers the question; the others add to it.' }),
  note: z.string(),
})

/** What happened, what is measured, what it cost, and why. */
export const records = {
  'sensors.list': endpoint('GET', '/v1/sensors', {
    summary: "Every exposed sensor's readings, from the cache",
    spec: '4; docs/activity.md',
    errors: ['not_found'],
    query: inRoomOrOf(UNIT_CLASSES),
    answer: z.looseObject({
      sensors: z.array(
        z.looseObject({
          id: z.string(),
          name: z.string(),
          class: z.string(),
          room: z.string().nullable(),
          floor: z.string().nullable(),
          readings: Readings,
          asOf: z.int().nullable(),
        }),
      ),
    }),
  }),
  'sensors.detections': endpoint('GET', '/v1/sensors/{id}/detections', {
    summary: 'What a sensor detected, newest first, a page at a time',
    spec: '4; docs/activity.md',
    subject: 'device',
    query: z.strictObject({ cursor: z.string().max(200).optional(), limit: pageLimit.optional() }),
    answer: z.looseObject({
      device: z.string(),
      detections: z.array(z.looseObject({ at: z.int(), kind: z.enum(DETECTIONS), value: z.boolean() })),
      nextCursor: z.string().nullable(),
    }),
  }),
  'energy.get': endpoint('GET', '/v1/energy', {
    summary: 'Energy and cost of the house, a floor, a room or a device: always of its exposed devices',
    spec: '4; docs/energy.md',
    errors: ['not_found'],
    query: z.strictObject({
      scope: z
        .string()
        .max(300)
        .optional()
        .meta({ description: '`house` (default), `room:<id>`, `floor:<id>` or `device:<id>`.' }),
      period: z.enum(ENERGY_PERIODS).optional(),
      from: epoch.optional(),
      to: epoch.optional(),
    }),
    answer: z.looseObject({
      scope: z.string(),
      from: z.int(),
      to: z.int(),
      energy: z.number().meta({ description: 'Wh' }),
      cost: z.number().nullable(),
      currency: z.string(),
      tariff: z.string().nullable(),
      series: z.array(z.looseObject({ at: z.int(), energy: z.number(), cost: z.number().nullable() })),
    }),
  }),
  'activity.list': endpoint('GET', '/v1/activity', {
    summary: 'What happened and who did it, newest first; the 30 days before now unless from says otherwise',
    spec: '2.6, 4.rule4; docs/activity.md',
    errors: ['not_found'],
    query: z.strictObject({
      device: Id.optional(),
      from: epoch.optional(),
      to: epoch.optional(),
      limit: pageLimit.optional(),
      kind: z.enum(ACTIVITY_KINDS).optional().meta({ description: 'Only entries of this kind.' }),
      source: z.enum(CAUSE_SOURCES).optional().meta({ description: 'Only entries whose `cause.source` is this.' }),
      rule: Id.optional().meta({
        description: 'Only entries about this automation or schedule, or that have it in the chain of their cause.',
      }),
    }),
    answer: z.looseObject({ entries: z.array(ActivityEntry), nextTo: z.int().nullable() }),
  }),
  'explain.get': endpoint('GET', '/v1/devices/{id}/explain', {
    summary: 'Why a device is as it is, or why something did not happen; the last 24 hours unless told otherwise',
    spec: '4.rule9; docs/explain.md',
    subject: 'thing',
    query: z.strictObject({ from: epoch.optional(), to: epoch.optional() }),
    answer: explainAnswer,
  }),
  'explain.post': endpoint('POST', '/v1/explain', {
    summary: 'The same as the GET',
    reads: true,
    spec: '2.6, 4.rule9',
    errors: ['not_found'],
    body: z
      .strictObject({
        device: Id,
        from: z.int().min(0).max(EPOCH_MAX).nullish(),
        to: z.int().min(0).max(EPOCH_MAX).nullish(),
      })
      .meta({ id: 'ExplainRequest' }),
    answer: explainAnswer,
  }),
} as const
