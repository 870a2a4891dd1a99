import { z } from 'zod'
import { EXPLAIN_KINDS } from '../../home/explain/explanation.ts'
import { ACTIVITY_KINDS, CAUSE_SOURCES } from '../../home/model/events.ts'
import { UNIT_CLASSES, RECORDED_KINDS, DETECTIONS } from '../../home/model/device.ts'
import { ENERGY_PERIODS } from '../../home/record/energy-range.ts'
import { endpoint } from './endpoint.ts'
import { ActivityEntry, CauseShape } from './activity-entry.ts'
import { epochMs, growing, idOf, Name, text, textOrNull, whether, named } from './fields.ts'
import { Id, inRoomOrOf } from './shapes.ts'
import { Readings } from './states.ts'

/** The last millisecond that clients may name: the end of the range of dates. */
const EPOCH_MAX = 8_640_000_000_000_000
/** Numbers in a query are text; only plain whole numbers are read. */
const wholeNumber = (min: number, max: number, description: string) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,16}$/.test(text),
      `must be a whole number from ${min}${max === EPOCH_MAX ? '' : ` to ${max}`}`,
    )
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max, description })
const moment = (description: string) => wholeNumber(0, EPOCH_MAX, `${description} Epoch ms.`)
const pageLimit = wholeNumber(1, 200, 'How many at most; 50 unless told otherwise.')
/** Requests that one of these counts as: each looks through a day or years of the history. */
export const EXPLAIN_WEIGHT = 20
export const READINGS_WEIGHT = 10
/** Points of one series of readings. */
export const POINTS_MAX = 1_000

export const ExplainItem = named('ExplainItem', 'One reason.', {
  kind: growing(EXPLAIN_KINDS, 'Where the reason comes from.'),
  source: growing(['live', 'cache'], 'cache: what the unit last confirmed, which may be old.'),
  at: epochMs('When it happened; null for what simply is so.').nullable(),
  what: text('The reason in one sentence.'),
  cause: CauseShape.nullable().describe('Who or what did it, where something was done.'),
  device: textOrNull('The id of what it is about, or null.'),
  asOf: epochMs('When the unit confirmed it last; only with source cache.').optional(),
})

const cost = z.number().nullable().describe('In `currency`; null without a tariff.')

const explainAnswer = z.looseObject({
  device: idOf('the device or scene'),
  from: epochMs('Where the range begins.'),
  to: epochMs('Where the range ends.'),
  items: z.array(ExplainItem).describe('The first item answers the question; the others add to it.'),
  note: text('How to word the answer.'),
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
        named('Sensor', 'A unit that measures, or a gang with its power and energy: the last readings.', {
          id: idOf('the unit or gang'),
          name: Name,
          class: text('What it is and can do.'),
          room: textOrNull('The id of its room, or null.'),
          floor: textOrNull('The id of its floor, or null.'),
          readings: Readings,
          asOf: epochMs('When it reported last, or null.').nullable(),
        }),
      ),
    }),
  }),
  'sensors.detections': endpoint('GET', '/v1/sensors/{id}/detections', {
    summary: 'What a sensor detected, newest first, a page at a time',
    spec: '4; docs/activity.md',
    subject: 'device',
    query: z.strictObject({
      cursor: z.string().max(200).optional().describe('The nextCursor of the page before.'),
      limit: pageLimit.optional(),
    }),
    answer: z.looseObject({
      device: idOf('the device'),
      detections: z.array(
        named('Detection', 'Something that a sensor detected.', {
          at: epochMs('When it was detected.'),
          kind: growing(DETECTIONS, 'What was detected.'),
          value: whether('False: it ended.'),
        }),
      ),
      nextCursor: textOrNull('For the next page; null after the last.'),
    }),
  }),
  'devices.readings': endpoint('GET', '/v1/devices/{id}/readings', {
    weight: READINGS_WEIGHT,
    summary: 'What a device measured over time; the last 24 hours unless told otherwise',
    spec: 'docs/activity.md',
    subject: 'device',
    query: z.strictObject({
      kind: z.enum(RECORDED_KINDS).describe('Which of its readings.'),
      from: moment('A day before `to` unless told otherwise, never before 1970.').optional(),
      to: moment('Exclusive; now unless told otherwise.').optional(),
      points: wholeNumber(
        1,
        POINTS_MAX,
        'Into how many equal parts the range is cut: 100 unless told otherwise.',
      ).optional(),
    }),
    answer: z.looseObject({
      device: idOf('the device'),
      kind: growing(RECORDED_KINDS, 'Which of its readings.'),
      from: epochMs('Where the range begins.'),
      to: epochMs('Where the range ends, exclusive.'),
      series: z
        .array(
          named('ReadingPoint', 'Units as in Readings; true is 1, false is 0.', {
            at: epochMs('Where this part of the range begins.'),
            min: z.number().describe('The least value, in the unit of measure of the reading.'),
            mean: z.number().describe('The mean of all values to 0.01, in the unit of measure of the reading.'),
            max: z.number().describe('The greatest value, in the unit of measure of the reading.'),
          }),
        )
        .describe('Oldest first; parts in which nothing was measured are left out.'),
    }),
  }),
  'energy.get': endpoint('GET', '/v1/energy', {
    summary: 'Energy and cost of the house, a floor, a room or a device: always of its exposed devices',
    spec: '4; docs/energy.md',
    errors: ['not_found'],
    query: z.strictObject({
      scope: z.string().max(300).optional().describe('`house` (default), `room:<id>`, `floor:<id>` or `device:<id>`.'),
      period: z
        .enum(ENERGY_PERIODS)
        .optional()
        .describe('Up to now; a day unless told otherwise. Not together with from and to.'),
      from: moment('Where the range begins.').optional(),
      to: moment('Where the range ends.').optional(),
    }),
    answer: z.looseObject({
      scope: text('As asked for.'),
      from: epochMs('Where the range begins.'),
      to: epochMs('Where the range ends.'),
      energy: z.number().describe('Watt-hours.'),
      cost,
      currency: text('ISO 4217.'),
      tariff: textOrNull('The tariff in effect at the end of the range, or now where that is in the future; or null.'),
      gone: z
        .looseObject({ energy: z.number().describe('Watt-hours.'), cost })
        .optional()
        .describe(
          'The part of `energy` and `cost` that devices took which are no longer in the house. Only for integrations that expose everything.',
        ),
      series: z.array(
        named('EnergyPart', 'One part of the range.', {
          at: epochMs('Where this part begins.'),
          energy: z.number().describe('Watt-hours.'),
          cost,
        }),
      ),
    }),
  }),
  'activity.list': endpoint('GET', '/v1/activity', {
    summary: 'What happened and who did it, newest first; the 30 days before now unless from says otherwise',
    spec: '2.6, 4.rule4; docs/activity.md',
    errors: ['not_found'],
    query: z.strictObject({
      device: Id.optional().describe('Only of this device, scene, room, floor, automation or schedule.'),
      from: moment('Where the range begins.').optional(),
      to: moment('Where the range ends.').optional(),
      limit: pageLimit.optional(),
      kind: z.enum(ACTIVITY_KINDS).optional().describe('Only entries of this kind.'),
      source: z.enum(CAUSE_SOURCES).optional().describe('Only entries whose `cause.source` is this.'),
      rule: Id.optional().describe(
        'Only entries about this automation or schedule, or that have it in the chain of their cause.',
      ),
    }),
    answer: z.looseObject({
      entries: z.array(ActivityEntry),
      nextTo: epochMs('The `to` of the next page; null after the last.').nullable(),
    }),
  }),
  'explain.get': endpoint('GET', '/v1/devices/{id}/explain', {
    summary: 'Why a device is as it is, or why something did not happen; the last 24 hours unless told otherwise',
    spec: '4.rule9; docs/explain.md',
    subject: 'thing',
    weight: EXPLAIN_WEIGHT,
    query: z.strictObject({
      from: moment('Where the range begins.').optional(),
      to: moment('Where the range ends.').optional(),
    }),
    answer: explainAnswer,
  }),
  'explain.post': endpoint('POST', '/v1/explain', {
    summary: 'The same as the GET',
    reads: true,
    weight: EXPLAIN_WEIGHT,
    spec: '2.6, 4.rule9',
    errors: ['not_found'],
    body: z
      .strictObject({
        device: Id,
        from: z.int().min(0).max(EPOCH_MAX).nullish().describe('Where the range begins. Epoch ms.'),
        to: z.int().min(0).max(EPOCH_MAX).nullish().describe('Where the range ends. Epoch ms.'),
      })
      .meta({ id: 'ExplainRequest', description: 'What to explain, and of which time.' }),
    answer: explainAnswer,
  }),
} as const
