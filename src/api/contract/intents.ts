import { z } from 'zod'
import { intentById } from '../../intents/index.ts'
import { endpoint } from './endpoint.ts'
import { COMMAND_ARGS } from './control.ts'
import { epochMs, idOf } from './fields.ts'
import { needs } from './knobs.ts'

const IntentAccess = z.enum(['read_write', 'read_only']).meta({ description: 'read_only: changed in the app alone.' })

/** A JSON Schema, as a value of an answer: its keywords, but for those that say nothing of type. */
export const IntentShape = z
  .looseObject({
    type: z.string().optional().meta({ description: 'integer, number, boolean, string or object.' }),
    description: z.string().optional().meta({ description: 'What the value means.' }),
    minimum: z.number().optional().meta({ description: 'The least that is taken.' }),
    maximum: z.number().optional().meta({ description: 'The most that is taken.' }),
    multipleOf: z.number().optional().meta({ description: 'The step between values.' }),
    enum: z.array(z.unknown()).optional().meta({ description: 'The values that are taken.' }),
    const: z.unknown().optional().meta({ description: 'The only value that is taken.' }),
    get properties() {
      return z.record(z.string(), IntentShape).optional().meta({ description: 'Of an object: its fields.' })
    },
    additionalProperties: z
      .boolean()
      .optional()
      .meta({ description: 'Of an object: false where it takes no other field.' }),
    required: z.array(z.string()).optional().meta({ description: 'Of an object: the fields that it needs.' }),
    get anyOf() {
      return z.array(IntentShape).optional().meta({ description: 'Any of these.' })
    },
  })
  .meta({ id: 'IntentShape', description: 'The shape of a value, as JSON Schema 2020-12.' })

const title = z.string().meta({ description: 'What people call the setting.' })
const appAction = z.string().meta({ description: 'The screen of the app where a read-only intent is changed.' })
const guidance = z.string().meta({ description: 'For a read-only intent: what to do instead.' })

export const IntentDef = z
  .looseObject({
    id: z.string().meta({ description: 'The name of the intent, as in the paths.' }),
    title,
    meaning: z.string().meta({ description: 'What the setting does, for people.' }),
    when: z.string().meta({ description: 'When to use it.' }),
    notWhen: z.string().meta({ description: 'When something else is meant, and what.' }),
    prerequisites: z.array(z.string()).meta({ description: 'What has to be so before.' }),
    sideEffects: z.string().meta({ description: 'What else it changes.' }),
    errors: z.array(z.string()).meta({ description: 'The error codes that a change can get.' }),
    examples: z.array(
      z
        .looseObject({
          ask: z.string().meta({ description: 'What a person says.' }),
          call: z.string().meta({ description: 'The call that does it.' }),
        })
        .meta({ id: 'IntentExample', description: 'What a person says, and the call that does it.' }),
    ),
    value: IntentShape,
    access: IntentAccess,
    appAction: appAction.nullable(),
    guidance: guidance.nullable(),
    models: z.array(z.string()).meta({ description: 'The hardware models that have it.' }),
    perGang: z.boolean().meta({ description: 'Whether a module has it gang by gang.' }),
  })
  .meta({ id: 'IntentDef', description: 'One setting of units in plain words.' })

export const IntentItem = z
  .looseObject({
    intent: z.string().meta({ description: 'The name of the intent, as in the paths.' }),
    title,
    access: IntentAccess,
    value: z.unknown().meta({
      description:
        'Shaped by the intent; null before the unit confirmed it; raw numbers without a known meaning stand under `unknown`.',
    }),
    source: z.literal('cache').meta({ description: 'Values come from what was last confirmed, never from the bus.' }),
    asOf: epochMs('When the unit confirmed it last, or null.').nullable(),
    guidance: guidance.optional(),
    appAction: appAction.optional(),
  })
  .meta({ id: 'IntentItem', description: 'One setting of a device with its value.' })

export const IntentValue = z
  .strictObject({ value: z.unknown().meta({ description: 'As the `value` of the definition says.' }) })
  .refine((body) => 'value' in body, 'a value is missing')
  .meta({ id: 'IntentValue', description: 'The new value of a setting.' })

export const UnitScheduleEntry = z
  .looseObject({
    slot: z.int().meta({ description: 'Its place in the memory of the unit.' }),
    enabled: z.boolean().meta({ description: 'Whether the unit follows it.' }),
    gang: z.int().nullable().meta({ description: 'The gang that it moves, or null.' }),
    days: z.array(z.int().min(1).max(7)).meta({ description: 'ISO weekdays: 1 Monday to 7 Sunday.' }),
    time: z.string().meta({ description: 'Local time of the home, HH:MM.' }),
    op: z.string().meta({ description: 'What it does, as an operation of control.' }),
    args: z.looseObject(COMMAND_ARGS).partial().optional().meta({ description: 'What the operation takes.' }),
  })
  .meta({ id: 'UnitSchedule', description: "One of the unit's own schedules." })

/** Unit settings in plain words, and the units' own schedules: both from the cache. */
export const intents = {
  'intents.definitions': endpoint('GET', '/v1/intents', {
    summary: 'What every intent means, when to use it and how its value looks',
    spec: '2.7, 4',
    tagged: true,
    answer: z.looseObject({ intents: z.array(IntentDef) }),
  }),
  'intents.list': endpoint('GET', '/v1/devices/{id}/intents', {
    summary: "The device's settings as last confirmed; sends no frame",
    spec: '2.7, 1.6',
    subject: 'device',
    gate: needs.settings('read'),
    tagged: true,
    answer: z.looseObject({
      device: idOf('the device'),
      model: z.string().nullable().meta({ description: 'The hardware model where it is known.' }),
      access: z.enum(['read', 'read_write']).meta({ description: "What this integration's advanced_config allows." }),
      intents: z.array(IntentItem),
      note: z.string().meta({ description: 'How to read the list, in a sentence.' }),
    }),
  }),
  'intents.write': endpoint('PUT', '/v1/devices/{id}/intents/{intent}', {
    summary: 'Change a setting: written to the unit, read back, then answered',
    spec: '2.7, 4',
    subject: 'device',
    // To write what is read-only no knob helps: it is refused as not offered.
    gate: {
      ...needs.settings('read_write'),
      also: { anyOf: ['read'], where: ({ intent = '' }) => intentById(intent)?.access === 'read_only' },
    },
    body: IntentValue,
    answer: z.looseObject({ device: idOf('the device'), intent: IntentItem }),
    errors: ['not_offered', 'rate_limited', 'hmhc_unavailable', 'unit_unreachable', 'overloaded'],
  }),
  'devices.schedules': endpoint('GET', '/v1/devices/{id}/schedules', {
    summary: "The unit's own schedules as last read; sends no frame",
    spec: '4, 4.rule8',
    subject: 'device',
    gate: needs.schedules,
    answer: z.looseObject({
      device: idOf('the device'),
      schedules: z.array(UnitScheduleEntry),
      source: z.literal('cache'),
      asOf: epochMs('When they were read last, or null.').nullable(),
    }),
  }),
} as const
