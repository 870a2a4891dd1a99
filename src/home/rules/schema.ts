import * as z from 'zod'
import { ARGS_OF } from '../model/command-schema.ts'
import { LOCAL_ID } from '../model/house.ts'
import { originSchema } from '../model/origin-schema.ts'
import { READING_KINDS } from '../model/state.ts'
import { DETECTIONS } from '../ports/unit-bus.ts'
import {
  CONDITIONS_MAX,
  DELAY_SECONDS_MAX,
  DELAY_SECONDS_MIN,
  FOR_SECONDS_MAX,
  NAME_CHARACTERS_MAX,
  RUN_MODES,
  STATE_FIELDS,
  STEPS_MAX,
  SUN_EVENTS,
  SUN_OFFSET_MINUTES_MAX,
  TRIGGERS_MAX,
  WEEKDAYS,
} from './model.ts'

/**
 * The shapes of docs/automations.md as bodies carry them: strict objects in which devices and scenes are plain strings,
 * since a reference is a device id on the wire and a device key in the store (see references.ts).
 */
const reference = z.string().min(1).max(120)
const name = z
  .string()
  .trim()
  .min(1)
  .max(NAME_CHARACTERS_MAX)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters')
const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a local time HH:MM')
const windowPoint = z
  .string()
  .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|sunrise|sunset)$/, 'must be HH:MM, sunrise or sunset')
const days = z
  .array(z.literal(WEEKDAYS))
  .min(1)
  .max(WEEKDAYS.length)
  .refine((list) => new Set(list).size === list.length, 'must not name a day twice')
const sunOffset = z.int().min(-SUN_OFFSET_MINUTES_MAX).max(SUN_OFFSET_MINUTES_MAX)
const forSeconds = z.number().min(1).max(FOR_SECONDS_MAX)
const value = z.union([z.boolean(), z.number(), z.string().max(40)])
const revision = z.int().min(1)

const test = { is: value.optional(), above: z.number().optional(), below: z.number().optional() }
const ONE_TEST = 'needs either `is`, or `above` and/or `below`'
const hasOneTest = (t: { is?: unknown; above?: number | undefined; below?: number | undefined }): boolean =>
  (t.is === undefined) !== (t.above === undefined && t.below === undefined)

export const stateTriggerSchema = z
  .strictObject({ device: reference, state: z.literal(STATE_FIELDS), ...test, for: forSeconds.optional() })
  .refine(hasOneTest, ONE_TEST)
export const readingTriggerSchema = z
  .strictObject({ device: reference, reading: z.literal(READING_KINDS), ...test, for: forSeconds.optional() })
  .refine(hasOneTest, ONE_TEST)
export const detectionTriggerSchema = z.strictObject({
  device: reference,
  detection: z.literal(DETECTIONS),
  is: z.boolean().optional(),
})
export const timeTriggerSchema = z.strictObject({ time: timeOfDay, days: days.optional() })
export const sunTriggerSchema = z.strictObject({
  sun: z.literal(SUN_EVENTS),
  offset: sunOffset.optional(),
  days: days.optional(),
})
export const sceneTriggerSchema = z.strictObject({ scene: reference })

export const triggerSchema = z.union([
  stateTriggerSchema,
  readingTriggerSchema,
  detectionTriggerSchema,
  timeTriggerSchema,
  sunTriggerSchema,
  sceneTriggerSchema,
])

export const conditionSchema = z.union([
  z.strictObject({ device: reference, state: z.literal(STATE_FIELDS), ...test }).refine(hasOneTest, ONE_TEST),
  z.strictObject({ device: reference, reading: z.literal(READING_KINDS), ...test }).refine(hasOneTest, ONE_TEST),
  z
    .strictObject({ after: windowPoint.optional(), before: windowPoint.optional(), days: days.optional() })
    .refine((window) => Object.keys(window).length > 0, 'needs `after`, `before` or `days`'),
])

const withArgs = <O extends keyof typeof ARGS_OF>(op: O) =>
  z.strictObject({ device: reference, op: z.literal(op), args: ARGS_OF[op] })

/**
 * One operation on a device, with the arguments of Spec 2.4. Operations without arguments tolerate an empty object or
 * null.
 */
export const deviceStepSchema = z.union([
  withArgs('set_power'),
  withArgs('set_brightness'),
  withArgs('set_position'),
  withArgs('set_mode'),
  withArgs('set_temp'),
  withArgs('set_ac_mode'),
  withArgs('set_fan'),
  withArgs('key'),
  z
    .strictObject({ device: reference, op: z.literal(['open', 'close', 'stop']), args: z.strictObject({}).nullish() })
    .transform(({ device, op }) => ({ device, op })),
])
export const delayStepSchema = z.strictObject({ delay: z.number().min(DELAY_SECONDS_MIN).max(DELAY_SECONDS_MAX) })

/** A step of a scene. */
export const sceneStepSchema = z.union([deviceStepSchema, delayStepSchema])
/** A step of an automation or schedule: these may also run a scene. */
export const stepSchema = z.union([deviceStepSchema, delayStepSchema, z.strictObject({ scene: reference })])

export const sceneStepsSchema = z.array(sceneStepSchema).max(STEPS_MAX)
const steps = z.array(stepSchema).min(1).max(STEPS_MAX)

const automationFields = {
  name,
  enabled: z.boolean(),
  when: z.array(triggerSchema).min(1).max(TRIGGERS_MAX),
  if: z.array(conditionSchema).max(CONDITIONS_MAX),
  then: steps,
  mode: z.literal(RUN_MODES),
}
const atSchema = z.union([
  z.strictObject({ time: timeOfDay }),
  z.strictObject({ sun: z.literal(SUN_EVENTS), offset: sunOffset.optional() }),
])
const scheduleFields = { name, enabled: z.boolean(), at: atSchema, days, then: steps }

/**
 * What a client that sends an object back as it read it may leave in an edit, as long as it is what the gateway has.
 */
const keptFields = { id: z.string().optional(), revision: revision.optional(), origin: originSchema.optional() }

export const automationCreateSchema = z.strictObject({
  ...automationFields,
  enabled: automationFields.enabled.optional(),
  if: automationFields.if.optional(),
  mode: automationFields.mode.optional(),
  ifRevision: revision.nullish(),
})
export const automationEditSchema = z.strictObject({
  ...z.strictObject(automationFields).partial().shape,
  ...keptFields,
  paused: z.boolean().optional(),
  ifRevision: revision,
})
export const scheduleCreateSchema = z.strictObject({
  ...scheduleFields,
  enabled: scheduleFields.enabled.optional(),
  days: scheduleFields.days.optional(),
  ifRevision: revision.nullish(),
})
export const scheduleEditSchema = z.strictObject({
  ...z.strictObject(scheduleFields).partial().shape,
  ...keptFields,
  next: z.int().nullable().optional(),
  ifRevision: revision,
})

const localId = z.string().regex(LOCAL_ID, 'must be 1 to 40 of a-z, 0-9 and -')

/** Whole rules, as the house file carries them; `author` where it is another than `origin`. */
export const automationFileSchema = z.strictObject({
  ...automationFields,
  id: localId,
  revision: revision.default(1),
  origin: originSchema.default(null),
  author: originSchema.optional(),
})
export const scheduleFileSchema = z.strictObject({
  ...scheduleFields,
  id: localId,
  revision: revision.default(1),
  origin: originSchema.default(null),
  author: originSchema.optional(),
})
