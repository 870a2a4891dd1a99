import { z } from 'zod'
import { contract } from '../../api/contract/index.ts'
import { POINTS_MAX } from '../../api/contract/records.ts'
import { refuse } from '../../api/errors.ts'
import { ACTIVITY_KINDS, CAUSE_SOURCES } from '../../home/model/events.ts'
import { UNIT_CLASSES, RECORDED_KINDS } from '../../home/model/device.ts'
import { ENERGY_PERIODS } from '../../home/record/energy-range.ts'
import { pageOf, tool, Cursor, Id, Limit, LIMIT_DEFAULT, NextCursor, Row } from './tool.ts'
import { From, To } from './times.ts'

/** Explains a device's state (Spec 4 rule 9). */
export const explain = tool('explain', {
  title: 'Why a device is as it is',
  description:
    'Answers "why is it on", "why did it not happen": the first item is the answer, the others add to it (activity, automations, schedules, settings, sensors). Last 24 hours unless from and to say otherwise. Word items with source cache as "according to the last available data".',
  reads: true,
  input: z.strictObject({ device: Id, from: From, to: To, limit: Limit }),
  output: z.looseObject({
    house: z.string(),
    device: z.string(),
    items: z.array(Row),
    more: z.int(),
    note: z.string(),
  }),
  run: async ({ device, from, to, limit = LIMIT_DEFAULT }, { caller }) => {
    const answer = await caller
      .naming({ id: 'device' })
      .ask('explain.get', { id: device, query: caller.times.range({ from, to }) })
    // Parsed, so that fields have their declared order.
    const { items } = contract['explain.get'].answer.parse(answer)
    return { ...answer, items: items.slice(0, limit), more: Math.max(0, items.length - limit) }
  },
})

/** Kind that stands for messages for people. */
const MESSAGES = 'messages'

/** Activity with causes. */
export const activity = tool('activity', {
  title: 'Activity',
  description: `Events of the home or of one device with their causes, newest first; ${LIMIT_DEFAULT} entries by default. kind, source (of the cause) and rule (id of the automation or schedule that did it) filter them. kind messages: messages for people instead, alone. For more, call again with to = nextTo. Goes back 30 days from now; older needs from.`,
  reads: true,
  input: z.strictObject({
    device: Id.optional(),
    kind: z
      .enum([...ACTIVITY_KINDS, MESSAGES])
      .optional()
      .meta({ description: 'Only this kind.' }),
    source: z.enum(CAUSE_SOURCES).optional().meta({ description: 'Only this source.' }),
    rule: Id.optional().meta({ description: 'Id of an automation or schedule.' }),
    from: From,
    to: To,
    limit: Limit,
  }),
  output: z.looseObject({ house: z.string(), entries: z.array(Row), nextTo: z.string().nullable() }),
  run: async ({ from, to, limit = LIMIT_DEFAULT, kind, ...which }, { caller }) => {
    const query = { limit: String(limit) }
    if (kind === MESSAGES) {
      const unfit = Object.entries({ ...which, from, to }).find(([, value]) => value !== undefined)
      if (unfit) refuse('validation', { message: `${unfit[0]}: does not go with kind messages.` })
      const { house, messages } = await caller.ask('messages.list', { query })
      return { house, entries: messages, nextTo: null }
    }
    return caller.ask('activity.list', { query: { ...which, kind, ...caller.times.range({ from, to }), ...query } })
  },
})

/** Parameters without effect in each kind of sensor query, with their refusals. */
const UNFIT = {
  series: {
    names: ['room', 'class', 'limit', 'cursor'],
    message: 'does not go with reading, whose values are of one device and come whole.',
  },
  detections: {
    names: ['room', 'class', 'from', 'to', 'points'],
    message: 'does not go with device alone. Detections take limit and cursor; with reading: from, to and points.',
  },
  list: {
    names: ['from', 'to', 'points'],
    message: 'goes with device and reading only. Without them the last readings of all sensors are listed.',
  },
} as const

type SensorArguments = { readonly [N in (typeof UNFIT)[keyof typeof UNFIT]['names'][number]]?: unknown }

/** Refuses parameters that would be ignored, so that the model does not misread the result. */
function refuseUnfit(way: keyof typeof UNFIT, args: SensorArguments): void {
  const { names, message } = UNFIT[way]
  const unfit = names.find((name) => args[name] !== undefined)
  if (unfit !== undefined) refuse('validation', { message: `${unfit}: ${message}` })
}

/** Readings, and detections of one sensor. */
export const sensors = tool('sensors', {
  title: 'Sensor readings and detections',
  description:
    'Readings of every sensor (temperature °C, humidity %, light lux, motion, co2 ppm, door open, battery %, power W, smoke, water, tamper, energy counter Wh) with asOf, of one room or class of unit where given. With device: its detections (motion, door, smoke, water, tamper), newest first. With device and reading: its values over time, the range cut into points (min, mean, max); 24 hours unless from and to say otherwise.',
  reads: true,
  input: z.strictObject({
    device: Id.optional(),
    room: Id.optional().meta({ description: 'Id of a room.' }),
    class: z.enum(UNIT_CLASSES).optional().meta({ description: 'Only this class.' }),
    limit: Limit,
    cursor: Cursor,
    reading: z.enum(RECORDED_KINDS).optional().meta({ description: 'Kind of values over time.' }),
    from: From,
    to: To,
    points: z.int().min(1).max(POINTS_MAX).optional().meta({ description: 'Parts of the range.' }),
  }),
  output: z.looseObject({
    house: z.string(),
    sensors: z.array(Row).optional(),
    detections: z.array(Row).optional(),
    series: z.array(Row).optional(),
    nextCursor: NextCursor.optional(),
  }),
  run: async (args, { caller }) => {
    const { device, room, class: className, limit = LIMIT_DEFAULT, cursor, reading, from, to, points } = args
    if (reading !== undefined) {
      if (device === undefined) refuse('validation', { message: 'device: is missing. Whose readings?' })
      refuseUnfit('series', args)
      const range = { ...caller.times.range({ from, to }), points: points === undefined ? undefined : String(points) }
      return caller
        .naming({ id: 'device', kind: 'reading' })
        .ask('devices.readings', { id: device, query: { kind: reading, ...range } })
    }
    if (device !== undefined) {
      refuseUnfit('detections', args)
      return caller
        .naming({ id: 'device' })
        .ask('sensors.detections', { id: device, query: { limit: String(limit), cursor } })
    }
    refuseUnfit('list', args)
    const { house, sensors: all } = await caller.ask('sensors.list', { query: { room, class: className } })
    const { page, total, nextCursor } = pageOf(all, limit, cursor)
    return { house, sensors: page, total, nextCursor }
  },
})

/** Energy and cost; the series only on request. */
export const energy = tool('energy', {
  title: 'Energy and cost',
  description:
    'Energy (Wh) and cost of the house, a room, a floor or a device: scope house (default), room:<id>, floor:<id> or device:<id>. Either period or from and to. series true adds the values over time.',
  reads: true,
  input: z.strictObject({
    scope: z.string().max(300).optional().meta({ description: 'Part of the home.' }),
    period: z.enum(ENERGY_PERIODS).optional().meta({ description: 'Up to now.' }),
    from: From,
    to: To,
    series: z.boolean().optional().meta({ description: 'With values over time.' }),
  }),
  output: z.looseObject({
    house: z.string(),
    energy: z.number(),
    cost: z.number().nullable(),
    currency: z.string(),
    series: z.array(Row).optional(),
  }),
  run: async ({ series: withSeries = false, from, to, ...query }, { caller }) => {
    const { series, ...sums } = await caller.ask('energy.get', {
      query: { ...query, ...caller.times.range({ from, to }) },
    })
    return withSeries ? { ...sums, series } : sums
  },
})
