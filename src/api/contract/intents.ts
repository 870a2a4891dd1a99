import { z } from 'zod'
import { intentById } from '../../intents/index.ts'
import { endpoint } from './endpoint.ts'
import { COMMAND_ARGS } from './control.ts'
import { epochMs, idOf, text, textOrNull, whether, named } from './fields.ts'
import { needs } from './knobs.ts'

const IntentAccess = z.enum(['read_write', 'read_only']).describe('read_only: changed in the app alone.')

/** A JSON Schema, as a value of an answer: its keywords, but for those that say nothing of type. */
export const IntentShape = z
  .looseObject({
    type: z.string().optional().describe('integer, number, boolean, string or object.'),
    description: z.string().optional().describe('What the value means.'),
    minimum: z.number().optional().describe('The least that is taken.'),
    maximum: z.number().optional().describe('The most that is taken.'),
    multipleOf: z.number().optional().describe('The step between values.'),
    enum: z.array(z.unknown()).optional().describe('The values that are taken.'),
    const: z.unknown().optional().describe('The only value that is taken.'),
    get properties() {
      return z.record(z.string(), IntentShape).optional().describe('Of an object: its fields.')
    },
    additionalProperties: z.boolean().optional().describe('Of an object: false where it takes no other field.'),
    required: z.array(z.string()).optional().describe('Of an object: the fields that it needs.'),
    get anyOf() {
      return z.array(IntentShape).optional().describe('Any of these.')
    },
  })
  .meta({ id: 'IntentShape', description: 'The shape of a value, as JSON Schema 2020-12.' })

const title = text('What people call the setting.')
const appAction = text('The screen of the app where a read-only intent is changed.')
const guidance = text('For a read-only intent: what to do instead.')

export const IntentDef = named('IntentDef', 'One setting of units in plain words.', {
  id: text('The name of the intent, as in the paths.'),
  title,
  meaning: text('What the setting does, for people.'),
  when: text('When to use it.'),
  notWhen: text('When something else is meant, and what.'),
  prerequisites: z.array(z.string()).describe('What has to be so before.'),
  sideEffects: text('What else it changes.'),
  errors: z.array(z.string()).describe('The error codes that a change can get.'),
  examples: z.array(
    named('IntentExample', 'What a person says, and the call that does it.', {
      ask: text('What a person says.'),
      call: text('The call that does it.'),
    }),
  ),
  value: IntentShape,
  access: IntentAccess,
  appAction: appAction.nullable(),
  guidance: guidance.nullable(),
  models: z.array(z.string()).describe('The hardware models that have it.'),
  perGang: whether('Whether a module has it gang by gang.'),
})

export const IntentItem = named('IntentItem', 'One setting of a device with its value.', {
  intent: text('The name of the intent, as in the paths.'),
  title,
  access: IntentAccess,
  value: z
    .unknown()
    .describe(
      'Shaped by the intent; null before the unit confirmed it; raw numbers without a known meaning stand under `unknown`.',
    ),
  source: z.literal('cache').describe('Values come from what was last confirmed, never from the bus.'),
  asOf: epochMs('When the unit confirmed it last, or null.').nullable(),
  guidance: guidance.optional(),
  appAction: appAction.optional(),
})

export const IntentValue = z
  .strictObject({ value: z.unknown().describe('As the `value` of the definition says.') })
  .refine((body) => 'value' in body, 'a value is missing')
  .meta({ id: 'IntentValue', description: 'The new value of a setting.' })

export const UnitScheduleEntry = named('UnitSchedule', "One of the unit's own schedules.", {
  slot: z.int().describe('Its place in the memory of the unit.'),
  enabled: whether('Whether the unit follows it.'),
  gang: z.int().nullable().describe('The gang that it moves, or null.'),
  days: z.array(z.int().min(1).max(7)).describe('ISO weekdays: 1 Monday to 7 Sunday.'),
  time: text('Local time of the home, HH:MM.'),
  op: text('What it does, as an operation of control.'),
  args: z.looseObject(COMMAND_ARGS).partial().optional().describe('What the operation takes.'),
})

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
      model: textOrNull('The hardware model where it is known.'),
      access: z.enum(['read', 'read_write']).describe("What this integration's advanced_config allows."),
      intents: z.array(IntentItem),
      note: text('How to read the list, in a sentence.'),
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
