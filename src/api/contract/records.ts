import { z } from 'zod'
import { EXPLAIN_KINDS } from '../../home/explain/explanation.ts'
import { ACTIVITY_KINDS, CAUSE_SOURCES } from '../../home/model/events.ts'
import { UNIT_CLASSES, RECORDED_KINDS, DETECTIONS } from '../../home/model/device.ts'
import { GROUP_WORDS } from '../../home/model/groups.ts'
import { ENERGY_PERIODS } from '../../home/record/energy-range.ts'
import { endpoint } from './endpoint.ts'
import { ActivityEntry, CauseShape } from './activity-entry.ts'
import { epochMs, growing, idOf, Name, text, textOrNull, whether, wholeNumber, named } from './fields.ts'
import { Id, inRoomOrOf } from './shapes.ts'
import { Readings } from './states.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

/** Latest time that clients may name: the end of the range of dates. */
const EPOCH_MAX = 8_640_000_000_000_000
export const moment = (description: string) => wholeNumber(0, EPOCH_MAX, `${description} Epoch ms.`)
export const pageLimit = wholeNumber(1, 200, 'Page size; 50 by default.')
/** Number of requests that a call counts as, because it reads a day or years of the history. */
export const EXPLAIN_WEIGHT = 20
export const READINGS_WEIGHT = 10
/** Limit of points in one series of readings. */
export const POINTS_MAX = 1_000

export const ExplainItem = named('ExplainItem', 'One reason.', () => ({
  kind: growing(EXPLAIN_KINDS, 'Origin of the reason.'),
  source: growing(['live', 'cache'], 'cache: the last confirmed value, which may be old.'),
  at: epochMs('Time of the event; null for a permanent reason.').nullable(),
  what: text('The reason in one sentence.'),
  cause: CauseShape.nullable().describe('The cause of an action; null without an action.'),
  device: textOrNull('The id of the subject, or null.'),
  asOf: epochMs('Time of the last confirmation; only with source cache.').optional(),
}))

const cost = z.number().nullable().describe('In `currency`; null without a tariff.')

const explainAnswer = looseObject(() => ({
  device: idOf('the device or scene'),
  from: epochMs('Start of the range.'),
  to: epochMs('End of the range.'),
  items: z.array(ExplainItem).describe('The first item answers the question; the others add details.'),
  note: text('Advice for wording the answer.'),
}))

/** Events, readings, energy and explanations. */
export const records = {
  'sensors.list': endpoint('GET', '/v1/sensors', {
    summary: "Every exposed sensor's readings, from the cache",
    spec: '4; docs/activity.md',
    errors: ['not_found'],
    query: inRoomOrOf([...UNIT_CLASSES, ...GROUP_WORDS]),
    answer: looseObject(() => ({
      sensors: z.array(
        named('Sensor', 'Last readings of a unit that measures, or of a gang with power and energy.', () => ({
          id: idOf('the unit or gang'),
          name: Name,
          class: text('Class of the device.'),
          room: textOrNull('The id of its room, or null.'),
          floor: textOrNull('The id of its floor, or null.'),
          readings: Readings,
          asOf: epochMs('Time of the last report, or null.').nullable(),
        })),
      ),
    })),
  }),
  'sensors.detections': endpoint('GET', '/v1/sensors/{id}/detections', {
    summary: 'Detections of a sensor, newest first, a page at a time',
    spec: '4; docs/activity.md',
    subject: 'device',
    query: strictObject(() => ({
      cursor: z.string().max(200).optional().describe('The nextCursor of the previous page.'),
      limit: pageLimit.optional(),
    })),
    answer: looseObject(() => ({
      device: idOf('the device'),
      detections: z.array(
        named('Detection', 'A detection of a sensor.', () => ({
          at: epochMs('Time of the detection.'),
          kind: growing(DETECTIONS, 'Kind of detection.'),
          value: whether('False: it ended.'),
        })),
      ),
      nextCursor: textOrNull('Cursor of the next page; null after the last.'),
    })),
  }),
  'devices.readings': endpoint('GET', '/v1/devices/{id}/readings', {
    weight: READINGS_WEIGHT,
    summary: 'Readings of a device over time; the last 24 hours by default',
    spec: 'docs/activity.md',
    subject: 'device',
    query: strictObject(() => ({
      kind: z.enum(RECORDED_KINDS).describe('Kind of reading.'),
      from: moment('Start of the range; a day before `to` by default, never before 1970.').optional(),
      to: moment('End of the range, exclusive; now by default.').optional(),
      points: wholeNumber(1, POINTS_MAX, 'Number of equal parts of the range; 100 by default.').optional(),
    })),
    answer: looseObject(() => ({
      device: idOf('the device'),
      kind: growing(RECORDED_KINDS, 'Kind of reading.'),
      from: epochMs('Start of the range.'),
      to: epochMs('End of the range, exclusive.'),
      series: z
        .array(
          named('ReadingPoint', 'Units as in Readings; true is 1, false is 0.', () => ({
            at: epochMs('Start of this part of the range.'),
            min: z.number().describe('The least value, in the unit of measure of the reading.'),
            mean: z.number().describe('The mean of all values to 0.01, in the unit of measure of the reading.'),
            max: z.number().describe('The greatest value, in the unit of measure of the reading.'),
          })),
        )
        .describe('Oldest first; parts without measurements are left out.'),
    })),
  }),
  'energy.get': endpoint('GET', '/v1/energy', {
    summary: 'Energy and cost of the exposed devices of the house, a floor, a room or a device',
    spec: '4; docs/energy.md',
    errors: ['not_found'],
    query: strictObject(() => ({
      scope: z.string().max(300).optional().describe('`house` (default), `room:<id>`, `floor:<id>` or `device:<id>`.'),
      period: z
        .enum(ENERGY_PERIODS)
        .optional()
        .describe('Period up to now; a day by default. Not together with from and to.'),
      from: moment('Start of the range.').optional(),
      to: moment('End of the range.').optional(),
    })),
    answer: looseObject(() => ({
      scope: text('The scope of the request.'),
      from: epochMs('Start of the range.'),
      to: epochMs('End of the range.'),
      energy: z.number().describe('Watt-hours.'),
      cost,
      currency: text('ISO 4217.'),
      tariff: textOrNull('The tariff in effect at the end of the range, or now if that is in the future; or null.'),
      gone: looseObject(() => ({ energy: z.number().describe('Watt-hours.'), cost }))
        .optional()
        .describe(
          'The part of `energy` and `cost` of devices that were removed from the house. Only for integrations that expose everything.',
        ),
      series: z.array(
        named('EnergyPart', 'One part of the range.', () => ({
          at: epochMs('Start of this part.'),
          energy: z.number().describe('Watt-hours.'),
          cost,
        })),
      ),
    })),
  }),
  'activity.list': endpoint('GET', '/v1/activity', {
    summary: 'Events and their causes, newest first; the last 30 days by default',
    spec: '2.6, 4.rule4; docs/activity.md',
    errors: ['not_found'],
    query: strictObject(() => ({
      device: Id.optional().describe('Only of this device, scene, group, room, floor, automation or schedule.'),
      from: moment('Start of the range.').optional(),
      to: moment('End of the range.').optional(),
      limit: pageLimit.optional(),
      kind: z.enum(ACTIVITY_KINDS).optional().describe('Only entries of this kind.'),
      source: z.enum(CAUSE_SOURCES).optional().describe('Only entries with this `cause.source`.'),
      rule: Id.optional().describe(
        'Only entries about this automation or schedule, or with it in the chain of their cause.',
      ),
    })),
    answer: looseObject(() => ({
      entries: z.array(ActivityEntry),
      nextTo: epochMs('The `to` of the next page; null after the last.').nullable(),
    })),
  }),
  'explain.get': endpoint('GET', '/v1/devices/{id}/explain', {
    summary: 'Explain the state of a device, or why something did not happen; the last 24 hours by default',
    spec: '4.rule9; docs/explain.md',
    subject: 'thing',
    weight: EXPLAIN_WEIGHT,
    query: strictObject(() => ({
      from: moment('Start of the range.').optional(),
      to: moment('End of the range.').optional(),
    })),
    answer: explainAnswer,
  }),
  'explain.post': endpoint('POST', '/v1/explain', {
    summary: 'Same as the GET',
    reads: true,
    weight: EXPLAIN_WEIGHT,
    spec: '2.6, 4.rule9',
    errors: ['not_found'],
    body: strictObject(() => ({
      device: Id,
      from: z.int().min(0).max(EPOCH_MAX).nullish().describe('Start of the range. Epoch ms.'),
      to: z.int().min(0).max(EPOCH_MAX).nullish().describe('End of the range. Epoch ms.'),
    })).meta({ id: 'ExplainRequest', description: 'The device to explain and the range of time.' }),
    answer: explainAnswer,
  }),
} as const
