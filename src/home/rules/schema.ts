import { plainText } from '../../lib/plain-text.ts'
import * as z from 'zod'
import { originSchema, PRESSES, TOUCH_KEYS } from '../model/device.ts'
import { CALENDAR_EDGES, CALENDAR_OFFSET_MINUTES_MAX } from '../model/calendars.ts'
import { LOCAL_ID } from '../model/house.ts'
import {
  FOR_SECONDS_MAX,
  type GroupTrigger,
  NAME_CHARACTERS_MAX,
  RUN_MODES,
  RANDOM_MINUTES_MAX,
  SUN_EVENTS,
  SUN_OFFSET_MINUTES_MAX,
  TRIGGERS_MAX,
} from '../model/rules.ts'
import {
  byField,
  calendarId,
  conditions,
  detectionKind,
  eventTitle,
  form,
  modeId,
  personFields,
  reachableField,
  readingKind,
  reference,
  stateField,
  subjectFields,
  testFields,
  daysField,
  weekdaysSchema,
} from './condition-schema.ts'
import { hasOnePlace, isGroupTest, ONE_PLACE, testedGroup } from './group-schema.ts'
import { hasOneTest, ONE_SUBJECT_SCHEMA, ONE_TEST, ONE_TEST_SCHEMA, TRIGGER_DETAILS } from './one-test.ts'
import { steps } from './step-schema.ts'

/**
 * The body shapes of docs/automations.md. The objects are strict. Devices and scenes are plain strings, because a
 * reference is a device id on the wire and a device key in the store.
 */
const name = plainText(NAME_CHARACTERS_MAX).meta({
  description:
    'Name for people. It may not contain control, direction-changing, invisible or line-breaking characters.',
})
const timeOfDay = z
  .string()
  .regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, 'must be a local time HH:MM')
  .meta({ description: 'Local time of the home, HH:MM.' })
const sunOffset = z
  .int()
  .min(-SUN_OFFSET_MINUTES_MAX)
  .max(SUN_OFFSET_MINUTES_MAX)
  .meta({ description: 'Minutes after the event; negative: before it.' })
const random = z
  .int()
  .min(1)
  .max(RANDOM_MINUTES_MAX)
  .meta({ description: 'Up to this many minutes later, chosen anew for each date.' })
const forSeconds = z.number().min(1).max(FOR_SECONDS_MAX).meta({ description: 'Seconds for which the test must hold.' })
const forField = forSeconds.optional()
const randomField = random.optional()
const offsetField = sunOffset.optional()
const revision = z.int().min(1).meta({ description: 'The value that was read.' })
const ifRevision = z.int().min(1).meta({ description: 'For an edit: the revision that was read.' })
/** For bodies that create: the specification has the field, but a new object has no revision. */
export const noRevisionYet = z
  .unknown()
  .refine((value) => value === undefined || value === null, 'is only for edits: a new object has no revision yet')
  .optional()
  .meta({
    // Client generators know no type that is only null, and ignore `not`.
    anyOf: [{ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, { type: 'null' }],
    not: { type: 'integer' },
    description: 'Only for edits: must be null or left out here.',
  })
const sunEvent = z
  .literal(SUN_EVENTS)
  .meta({ id: 'SunEvent', description: 'Sunrise, sunset, or the begin (dawn) and end (dusk) of civil twilight.' })

const stateTriggerSchema = z
  .strictObject({
    device: reference,
    state: stateField,
    ...testFields,
    for: forField,
    by: byField,
  })
  .refine(hasOneTest, ONE_TEST)
  .meta({
    ...ONE_TEST_SCHEMA,
    ...form('StateTrigger', 'A state starts to pass the test: `is`, or one or both of `above` and `below`.', {
      device: 'hall-light',
      state: 'on',
      is: true,
      for: 600,
      by: 'touch',
    }),
  })
const readingTriggerSchema = z
  .strictObject({ device: reference, reading: readingKind, ...testFields, for: forField })
  .refine(hasOneTest, ONE_TEST)
  .meta({
    ...ONE_TEST_SCHEMA,
    ...form('ReadingTrigger', 'A reading starts to pass the test: `is`, or one or both of `above` and `below`.', {
      device: 'landing-sensor',
      reading: 'temperature',
      above: 25,
    }),
  })
const detectionTriggerSchema = z
  .strictObject({
    device: reference,
    detection: detectionKind,
    is: z.boolean().optional().meta({ description: 'False: the detection ends. Default: true.' }),
  })
  .meta(form('DetectionTrigger', 'A detection starts or ends.', { device: 'landing-sensor', detection: 'motion' }))
const touchTriggerSchema = z
  .strictObject({
    device: reference,
    touch: z
      .literal(TOUCH_KEYS)
      .meta({ id: 'TouchKey', description: 'Key of the device; the sides are those of a module.' }),
    press: z
      .literal(PRESSES)
      .optional()
      .meta({ id: 'Press', description: 'long: two seconds or more. Default: any touch.' }),
  })
  .meta(
    form('TouchTrigger', 'A key is touched, whether or not a state changes.', {
      device: 'kitchen-panel:0',
      touch: 'down',
      press: 'long',
    }),
  )
const reachableTriggerSchema = z.strictObject({ device: reference, reachable: reachableField, for: forField }).meta(
  form('ReachableTrigger', 'A unit stops answering, or answers again.', {
    device: 'landing-sensor',
    reachable: false,
    for: 600,
  }),
)
const timeTriggerSchema = z
  .strictObject({ time: timeOfDay, random: randomField, days: daysField })
  .meta(form('TimeTrigger', 'A time of day is reached.', { time: '07:00', days: [1, 2, 3, 4, 5] }))
const sunTriggerSchema = z
  .strictObject({
    sun: sunEvent,
    offset: offsetField,
    random: randomField,
    days: daysField,
  })
  .meta(
    form('SunTrigger', 'The sun rises or sets, or its twilight begins or ends.', {
      sun: 'dusk',
      offset: -30,
      random: 20,
    }),
  )
const calendarTriggerSchema = z
  .strictObject({
    calendar: calendarId,
    event: z.literal(CALENDAR_EDGES).meta({ id: 'CalendarEdge', description: 'Begin or end of an event.' }),
    offset: z
      .int()
      .min(-CALENDAR_OFFSET_MINUTES_MAX)
      .max(CALENDAR_OFFSET_MINUTES_MAX)
      .optional()
      .meta({ description: 'Minutes after that moment; negative: before it.' }),
    title: eventTitle.optional(),
  })
  .meta(
    form('CalendarTrigger', 'An event of a calendar begins or ends.', {
      calendar: 'bins',
      event: 'begins',
      offset: -720,
      title: 'paper',
    }),
  )
const sceneTriggerSchema = z
  .strictObject({ scene: reference })
  .meta(form('SceneTrigger', 'A scene starts.', { scene: 'movie-night' }))
const modeTriggerSchema = z
  .strictObject({ mode: modeId })
  .meta(form('ModeTrigger', 'The home gets this mode.', { mode: 'away' }))
const presenceTriggerSchema = z
  .strictObject({ ...personFields, for: forField })
  .meta(
    form('PresenceTrigger', 'A person, or anyone, comes home or leaves.', { person: 'anyone', is: 'away', for: 600 }),
  )

const groupTrigger = () =>
  z
    .strictObject({ ...testedGroup(), ...subjectFields, ...testFields, for: forField, by: byField })
    .refine(hasOnePlace, ONE_PLACE)
    .transform((test, context) => (isGroupTest(test, TRIGGER_DETAILS, context) ? (test as GroupTrigger) : z.NEVER))
const groupTriggerSchema = z.lazy(groupTrigger).meta({
  ...ONE_SUBJECT_SCHEMA,
  ...form('GroupTrigger', 'A device of a group starts to pass a test: the test of a trigger about a device.', {
    group: 'any',
    reading: 'battery',
    below: 15,
  }),
})

export const triggerSchema = z
  .union([
    stateTriggerSchema,
    readingTriggerSchema,
    detectionTriggerSchema,
    touchTriggerSchema,
    reachableTriggerSchema,
    timeTriggerSchema,
    sunTriggerSchema,
    calendarTriggerSchema,
    sceneTriggerSchema,
    modeTriggerSchema,
    presenceTriggerSchema,
    groupTriggerSchema,
  ])
  .meta({ id: 'Trigger', description: 'Event that starts an automation.' })

export const runModeSchema = z.literal(RUN_MODES).meta({
  id: 'RunMode',
  description:
    'Reaction to a trigger while it runs: single ignores it, restart starts again, queued runs once more afterwards.',
})
const automationFields = {
  name,
  enabled: z.boolean().meta({ description: 'False: it never runs by itself. Default: true.' }),
  when: z.array(triggerSchema).min(1).max(TRIGGERS_MAX).meta({ description: 'Any of them starts it.' }),
  if: conditions,
  then: steps,
  mode: runModeSchema,
}
export const atSchema = z
  .union([
    z
      .strictObject({ time: timeOfDay, random: randomField })
      .meta(form('AtTime', 'A time of day.', { time: '07:00', random: 20 })),
    z
      .strictObject({ sun: sunEvent, offset: offsetField, random: randomField })
      .meta(form('AtSun', 'A time before or after sunrise, sunset, dawn or dusk.', { sun: 'dusk', offset: -30 })),
  ])
  .meta({ id: 'ScheduleTime', description: 'A time of day, or a time before or after sunrise or sunset.' })
const scheduleFields = {
  name,
  enabled: automationFields.enabled,
  at: atSchema,
  days: weekdaysSchema,
  if: conditions,
  then: steps,
}

/** The stored definition of a rule without its name and state, by kind. */
export const DEFINITION_SCHEMAS = {
  automation: z.object(automationFields).omit({ name: true, enabled: true }),
  // Schedules stored by earlier versions have no conditions.
  schedule: z.object({ ...scheduleFields, if: conditions.default([]) }).omit({ name: true, enabled: true }),
}

/** Read-only fields that an edit may repeat unchanged, because clients send back whole objects. */
const readOnlyFields = {
  id: z.string().optional().meta({ description: 'The value that was read.' }),
  revision: revision.optional(),
  origin: originSchema.optional(),
}

export const automationCreateSchema = z.strictObject({
  ...automationFields,
  enabled: automationFields.enabled.optional(),
  if: automationFields.if.optional(),
  mode: automationFields.mode.optional(),
  ifRevision: noRevisionYet,
})
export const automationEditSchema = z.strictObject({
  ...z.strictObject(automationFields).partial().shape,
  ...readOnlyFields,
  paused: z.boolean().optional().meta({ description: 'The value that was read.' }),
  ifRevision,
})
export const scheduleCreateSchema = z.strictObject({
  ...scheduleFields,
  enabled: scheduleFields.enabled.optional(),
  days: scheduleFields.days.optional(),
  if: scheduleFields.if.optional(),
  ifRevision: noRevisionYet,
})
export const scheduleEditSchema = z.strictObject({
  ...z.strictObject(scheduleFields).partial().shape,
  ...readOnlyFields,
  next: z.int().nullable().optional().meta({ description: 'The value that was read. Epoch ms.' }),
  ifRevision,
})

const localId = z.string().regex(LOCAL_ID, 'must be 1 to 40 of a-z, 0-9 and -')

/** Whole rules, as the house file holds them; `author` only if it differs from `origin`. */
export const automationFileSchema = z.strictObject({
  ...automationFields,
  id: localId,
  revision: revision.default(1),
  origin: originSchema.default(null),
  author: originSchema.optional(),
})
export const scheduleFileSchema = z.strictObject({
  ...scheduleFields,
  if: scheduleFields.if.default([]),
  id: localId,
  revision: revision.default(1),
  origin: originSchema.default(null),
  author: originSchema.optional(),
})
