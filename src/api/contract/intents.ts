import { z } from 'zod'
import { intentById } from '../../intents/index.ts'
import { endpoint } from './endpoint.ts'
import { COMMAND_ARGS } from './control.ts'
import { epochMs, idOf, text, textOrNull, whether, named } from './fields.ts'
import { needs } from './knobs.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

const IntentAccess = z.enum(['read_write', 'read_only']).describe('read_only: only the app can change it.')

/** A JSON Schema as a value of a response: its keywords, except those that hold for any type. */
export const IntentShape = z
  .looseObject({
    type: z.string().optional().describe('integer, number, boolean, string or object.'),
    description: z.string().optional().describe('Meaning of the value.'),
    minimum: z.number().optional().describe('Smallest allowed value.'),
    maximum: z.number().optional().describe('Largest allowed value.'),
    multipleOf: z.number().optional().describe('The step between values.'),
    enum: z.array(z.unknown()).optional().describe('Allowed values.'),
    const: z.unknown().optional().describe('Only allowed value.'),
    get properties() {
      return z.record(z.string(), IntentShape).optional().describe('Fields of an object.')
    },
    additionalProperties: z.boolean().optional().describe('False if an object takes no other field.'),
    required: z.array(z.string()).optional().describe('Required fields of an object.'),
    get anyOf() {
      return z.array(IntentShape).optional().describe('Any of these.')
    },
  })
  .meta({ id: 'IntentShape', description: 'The shape of a value, as JSON Schema 2020-12.' })

const title = text('Name of the setting for people.')
const appAction = text('Screen of the app that changes a read-only intent.')
const guidance = text('For a read-only intent: another way to change it.')

export const IntentDef = named('IntentDef', 'One setting of units in plain words.', () => ({
  id: text('The name of the intent, as in the paths.'),
  title,
  meaning: text('Effect of the setting, for people.'),
  when: text('Uses of the intent.'),
  notWhen: text('Wishes that need another intent, and which one.'),
  prerequisites: z.array(z.string()).describe('Conditions that have to be met before.'),
  sideEffects: text('Other things that it changes.'),
  errors: z.array(z.string()).describe('Possible error codes of a change.'),
  examples: z.array(
    named('IntentExample', 'A wish of a person with the call for it.', () => ({
      ask: text('Words of a person.'),
      call: text('The matching call.'),
    })),
  ),
  value: IntentShape,
  access: IntentAccess,
  appAction: appAction.nullable(),
  guidance: guidance.nullable(),
  models: z.array(z.string()).describe('Hardware models with this setting.'),
  perGang: whether('True if each gang of a module has its own value.'),
}))

export const IntentItem = named('IntentItem', 'One setting of a device with its value.', () => ({
  intent: text('The name of the intent, as in the paths.'),
  title,
  access: IntentAccess,
  value: z
    .unknown()
    .describe(
      'Shaped by the intent; null before the unit confirmed it; raw numbers without a known meaning stand under `unknown`.',
    ),
  source: z.literal('cache').describe('Values are the last confirmed ones; a read never goes to the bus.'),
  asOf: epochMs('When the unit confirmed it last, or null.').nullable(),
  guidance: guidance.optional(),
  appAction: appAction.optional(),
}))

export const IntentValue = strictObject(() => ({
  value: z.unknown().describe('Shaped by the `value` of the definition.'),
}))
  .refine((body) => 'value' in body, 'a value is missing')
  .meta({ id: 'IntentValue', description: 'The new value of a setting.' })

export const UnitScheduleEntry = named('UnitSchedule', 'A schedule that the unit runs itself.', () => ({
  slot: z.int().describe('Its place in the memory of the unit.'),
  enabled: whether('True if the unit follows it.'),
  gang: z.int().nullable().describe('The gang that it moves, or null.'),
  days: z.array(z.int().min(1).max(7)).describe('ISO weekdays: 1 Monday to 7 Sunday.'),
  time: text('Local time of the home, HH:MM.'),
  op: text('Its operation, as in control.'),
  args: z.looseObject(COMMAND_ARGS).partial().optional().describe('Arguments of the operation.'),
}))

/** Unit settings in plain words, and the units' own schedules: both from the cache. */
export const intents = {
  'intents.definitions': endpoint('GET', '/v1/intents', {
    summary: 'All intents with their meaning, use and value shape',
    spec: '2.7, 4',
    tagged: true,
    answer: looseObject(() => ({ intents: z.array(IntentDef) })),
  }),
  'intents.list': endpoint('GET', '/v1/devices/{id}/intents', {
    summary: "The device's last confirmed settings; sends no frame",
    spec: '2.7, 1.6',
    subject: 'device',
    gate: needs.settings('read'),
    tagged: true,
    answer: looseObject(() => ({
      device: idOf('the device'),
      model: textOrNull('The hardware model where it is known.'),
      access: z.enum(['read', 'read_write']).describe('Access that advanced_config gives this integration.'),
      intents: z.array(IntentItem),
      note: text('Advice for reading the list, in a sentence.'),
    })),
  }),
  'intents.write': endpoint('PUT', '/v1/devices/{id}/intents/{intent}', {
    summary: 'Change a setting: written to the unit, read back, then answered',
    spec: '2.7, 4',
    subject: 'device',
    // No knob allows a write to a read-only setting: it is refused as not offered.
    gate: {
      ...needs.settings('read_write'),
      also: { anyOf: ['read'], where: ({ intent = '' }) => intentById(intent)?.access === 'read_only' },
    },
    body: IntentValue,
    answer: looseObject(() => ({ device: idOf('the device'), intent: IntentItem })),
    errors: ['not_offered', 'rate_limited', 'hmhc_unavailable', 'unit_unreachable', 'overloaded'],
  }),
  'devices.schedules': endpoint('GET', '/v1/devices/{id}/schedules', {
    summary: "The unit's own schedules as last read; sends no frame",
    spec: '4, 4.rule8',
    subject: 'device',
    gate: needs.schedules,
    answer: looseObject(() => ({
      device: idOf('the device'),
      schedules: z.array(UnitScheduleEntry),
      source: z.literal('cache'),
      asOf: epochMs('When they were read last, or null.').nullable(),
    })),
  }),
} as const
