import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { needs } from './knobs.ts'

const IntentAccess = z.enum(['read_write', 'read_only'])

export const IntentDef = z
  .looseObject({
    id: z.string(),
    title: z.string(),
    meaning: z.string(),
    when: z.string(),
    notWhen: z.string(),
    prerequisites: z.array(z.string()),
    sideEffects: z.string(),
    errors: z.array(z.string()),
    examples: z.array(z.looseObject({ ask: z.string(), call: z.string() })),
    value: z.looseObject({}).meta({ description: 'The shape of its value, as JSON Schema 2020-12.' }),
    access: IntentAccess,
    appAction: z.string().nullable(),
    guidance: z.string().nullable(),
    models: z.array(z.string()),
    perGang: z.boolean(),
  })
  .meta({ id: 'IntentDef' })

export const IntentItem = z
  .looseObject({
    intent: z.string(),
    title: z.string(),
    access: IntentAccess,
    value: z.unknown().meta({
      description:
        'Shaped by the intent; null before the unit confirmed it; raw numbers without a known meaning stand under `unknown`.',
    }),
    source: z.literal('cache'),
    asOf: z.int().nullable(),
    guidance: z.string().optional(),
    appAction: z.string().optional(),
  })
  .meta({ id: 'IntentItem' })

export const IntentValue = z
  .strictObject({ value: z.unknown() })
  .refine((body) => 'value' in body, 'a value is missing')
  .meta({ id: 'IntentValue' })

export const UnitScheduleEntry = z
  .looseObject({
    slot: z.int(),
    enabled: z.boolean(),
    gang: z.int().nullable(),
    days: z.array(z.int().min(1).max(7)),
    time: z.string(),
    op: z.string(),
  })
  .meta({
    id: 'UnitSchedule',
    description: "One of the unit's own schedules; `days` are ISO weekdays, `time` is local.",
  })

/** Unit settings in plain words, and the units' own schedules: both from the cache. */
export const intents = {
  'intents.definitions': endpoint('GET', '/v1/intents', {
    summary: 'What every intent means, when to use it and how its value looks',
    spec: '2.7, 4',
    answer: z.looseObject({ intents: z.array(IntentDef) }),
  }),
  'intents.list': endpoint('GET', '/v1/devices/{id}/intents', {
    summary: "The device's settings as last confirmed; sends no frame",
    spec: '2.7, 1.6',
    subject: 'device',
    gate: needs.settings('read'),
    answer: z.looseObject({
      device: z.string(),
      model: z.string().nullable(),
      access: z.enum(['read', 'read_write']).meta({ description: "What this integration's advanced_config allows." }),
      intents: z.array(IntentItem),
      note: z.string(),
    }),
  }),
  'intents.write': endpoint('PUT', '/v1/devices/{id}/intents/{intent}', {
    summary: 'Change a setting: written to the unit, read back, then answered',
    spec: '2.7, 4',
    subject: 'device',
    gate: needs.settings('read_write'),
    body: IntentValue,
    answer: z.looseObject({ device: z.string(), intent: IntentItem }),
    errors: ['not_offered', 'hmhc_unavailable', 'unit_unreachable', 'overloaded'],
  }),
  'devices.schedules': endpoint('GET', '/v1/devices/{id}/schedules', {
    summary: "The unit's own schedules as last read; sends no frame",
    spec: '4, 4.rule8',
    subject: 'device',
    gate: needs.schedules,
    answer: z.looseObject({
      device: z.string(),
      schedules: z.array(UnitScheduleEntry),
      source: z.literal('cache'),
      asOf: z.int().nullable(),
    }),
  }),
} as const
