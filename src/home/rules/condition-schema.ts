import * as z from 'zod'
import { DETECTIONS, READING_KINDS } from '../model/device.ts'
import { MODES_MAX } from '../model/modes.ts'
import { areInOrder, areOfOneForm, dateSchema, DATES_FORM, DATES_ORDER } from '../model/calendar-schema.ts'
import { EVENT_TITLE_MAX } from '../model/calendars.ts'
import { TESTED_PRESENCES } from '../model/presence.ts'
import { plainText } from '../../lib/plain-text.ts'
import { partsOf, type PartPath } from '../model/rule-parts.ts'
import {
  CHANGE_CAUSES,
  type Condition,
  GROUP_QUANTIFIERS,
  type GroupCondition,
  CONDITION_DEPTH_MAX,
  CONDITIONS_MAX,
  FOR_SECONDS_MAX,
  STATE_FIELDS,
  SUN_PLACES,
  WEEKDAYS,
} from '../model/rules.ts'
import { hasOnePlace, isGroupTest, ONE_PLACE, testedGroup } from './group-schema.ts'
import {
  CONDITION_DETAILS,
  hasOneSpan,
  hasOneTest,
  ONE_SPAN,
  ONE_SUBJECT_SCHEMA,
  ONE_TEST,
  ONE_TEST_SCHEMA,
} from './one-test.ts'

/**
 * Metadata of a form of triggers, conditions, steps or times. Documents and agents get the sentence and the example,
 * which works in the demo home.
 */
export const form = (id: string, description: string, example: object) => ({ id, description, examples: [example] })

export const reference = z.string().min(1).max(120).meta({ description: 'The id of a device or scene.' })
const windowPoint = z
  .string()
  .regex(/^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|sunrise|sunset)$/, 'must be HH:MM, sunrise or sunset')
  .meta({ description: 'Local time of the home, HH:MM, or sunrise or sunset.' })
export const weekdaysSchema = z
  .array(z.literal(WEEKDAYS).meta({ id: 'Weekday', type: 'integer', description: 'ISO: 1 Monday to 7 Sunday.' }))
  .min(1)
  .max(WEEKDAYS.length)
  .refine((list) => new Set(list).size === list.length, 'must not name a day twice')
  .meta({ description: 'ISO weekdays: 1 Monday to 7 Sunday.', uniqueItems: true })
export const valueSchema = z
  .union([z.boolean(), z.number(), z.string().max(40)])
  .meta({ id: 'TestValue', description: 'A value as the state or reading holds it.' })
export const stateField = z.literal(STATE_FIELDS).meta({ id: 'StateField', description: 'A field of a state.' })
export const readingKind = z.literal(READING_KINDS).meta({ id: 'ReadingKind', description: 'Kind of measurement.' })
export const testFields = {
  is: valueSchema.optional(),
  above: z
    .number()
    .optional()
    .meta({ description: 'The value is greater than this, in the unit of measure of the state or reading.' }),
  below: z
    .number()
    .optional()
    .meta({ description: 'The value is less than this, in the unit of measure of the state or reading.' }),
}
const pastSeconds = z.number().min(1).max(FOR_SECONDS_MAX)
const detectedWithin = pastSeconds.meta({ description: 'Seconds within which it was detected.' })
/** A test in the past holds one of these at most. */
const pastFields = {
  for: pastSeconds.optional().meta({ description: 'Seconds for which the test has held.' }),
  within: pastSeconds.optional().meta({ description: 'Seconds within which the test held at some time.' }),
}
export const reachableField = z.boolean().meta({ description: 'True: the unit answers. False: it does not.' })
const changeCause = z
  .literal(CHANGE_CAUSES)
  .meta({ id: 'ChangeCause', description: 'Way in which a state changed, as the unit reports it.' })
export const byField = changeCause.optional()
export const daysField = weekdaysSchema.optional()
export const calendarId = z.string().min(1).max(40).meta({ description: 'The id of a calendar of the home.' })
export const eventTitle = plainText(EVENT_TITLE_MAX).meta({
  description: 'Text in the title of the event, in upper or lower case. Default: any event.',
})
export const detectionKind = z.literal(DETECTIONS).meta({ id: 'DetectionKind', description: 'Kind of detection.' })
/** The value of a test of a group; each test has one. */
export const subjectFields = {
  state: stateField.optional(),
  reading: readingKind.optional(),
  detection: detectionKind.optional(),
  reachable: reachableField.optional(),
}
export const modeId = z.string().min(1).max(40).meta({ description: 'The id of a mode of the home.' })

export const personFields = {
  person: z.string().min(1).max(20).meta({ description: 'The id of a person, or `anyone`.' }),
  is: z.literal(TESTED_PRESENCES).meta({
    id: 'TestedPresence',
    description: 'home or away. `anyone` is home while one person is, and away when all are.',
  }),
}

/** Getters, because a condition may hold conditions. */
const innerConditions = (): z.ZodArray<z.ZodType<Condition>> =>
  z.array(conditionSchema).min(1).meta({ description: 'Conditions inside it.' })

const anyConditionSchema = z
  .strictObject({
    get any() {
      return innerConditions()
    },
  })
  .meta(form('AnyCondition', 'Conditions of which at least one holds.', { any: [{ sun: 'down' }, { days: [6, 7] }] }))
const allConditionSchema = z
  .strictObject({
    get all() {
      return innerConditions()
    },
  })
  .meta(form('AllCondition', 'Conditions that all hold.', { all: [{ sun: 'down' }, { days: [6, 7] }] }))
const notConditionSchema = z
  .strictObject({
    get not(): z.ZodType<Condition> {
      return conditionSchema
    },
  })
  .meta(
    form('NotCondition', 'The condition does not hold. An unknown value passes no test here either.', {
      not: { from: '06-20', until: '08-31' },
    }),
  )

const quantifier = () =>
  z.literal(GROUP_QUANTIFIERS).meta({
    id: 'GroupQuantifier',
    description: 'any: at least one device of the group; all: each that has the value.',
  })
const groupCondition = () =>
  z
    .strictObject({ ...testedGroup(), of: quantifier(), ...subjectFields, ...testFields, ...pastFields, by: byField })
    .refine(hasOnePlace, ONE_PLACE)
    .transform((test, context) => (isGroupTest(test, CONDITION_DETAILS, context) ? (test as GroupCondition) : z.NEVER))
const groupConditionSchema = z.lazy(groupCondition).meta({
  ...ONE_SUBJECT_SCHEMA,
  ...form('GroupCondition', 'One or each device of a group passes a test: the test of a condition about a device.', {
    group: 'light',
    room: 'kitchen',
    state: 'on',
    is: true,
    of: 'any',
  }),
})

export const conditionSchema = z
  .union([
    z
      .strictObject({
        device: reference,
        state: stateField,
        ...testFields,
        ...pastFields,
        by: byField,
      })
      .refine(hasOneTest, ONE_TEST)
      .refine(hasOneSpan, ONE_SPAN)
      .meta({
        ...ONE_TEST_SCHEMA,
        ...form('StateCondition', 'A state passes the test: `is`, or one or both of `above` and `below`.', {
          device: 'hall-light',
          state: 'on',
          is: true,
          by: 'touch',
          within: 1_800,
        }),
      }),
    z
      .strictObject({ device: reference, reading: readingKind, ...testFields, ...pastFields })
      .refine(hasOneTest, ONE_TEST)
      .refine(hasOneSpan, ONE_SPAN)
      .meta({
        ...ONE_TEST_SCHEMA,
        ...form('ReadingCondition', 'A reading passes the test: `is`, or one or both of `above` and `below`.', {
          device: 'landing-sensor',
          reading: 'light',
          below: 20,
          for: 600,
        }),
      }),
    z.strictObject({ device: reference, detection: detectionKind, within: detectedWithin }).meta(
      form('DetectionCondition', 'A unit detects something, or did so within this time.', {
        device: 'landing-sensor',
        detection: 'motion',
        within: 1_800,
      }),
    ),
    z
      .strictObject({ after: windowPoint.optional(), before: windowPoint.optional(), days: daysField })
      .refine((window) => Object.keys(window).length > 0, {
        error: 'needs `after`, `before` or `days`',
        params: { needs: ['after', 'before', 'days'] },
        abort: true,
      })
      .meta({
        ...form('WindowCondition', 'The present time is inside a window that starts on one of these days.', {
          after: '22:00',
          before: '06:00',
          days: [5, 6],
        }),
        minProperties: 1,
      }),
    z
      .strictObject({
        device: reference,
        reachable: reachableField,
        ...pastFields,
      })
      .refine(hasOneSpan, ONE_SPAN)
      .meta(form('ReachableCondition', 'A unit answers, or does not.', { device: 'landing-sensor', reachable: true })),
    z
      .strictObject({ mode: z.array(modeId).min(1).max(MODES_MAX).meta({ description: 'Ids of modes of the home.' }) })
      .meta(form('ModeCondition', 'The mode of the home is one of these.', { mode: ['home', 'guest'] })),
    z.strictObject(personFields).meta(
      form('PresenceCondition', 'A person, or anyone, is home or away. An unknown presence passes no test.', {
        person: 'anyone',
        is: 'home',
      }),
    ),
    z
      .strictObject({
        sun: z.literal(SUN_PLACES).meta({ id: 'SunPlace', description: 'Above or below the horizon.' }),
      })
      .meta(form('SunCondition', 'The sun is up, or down.', { sun: 'up' })),
    z
      .strictObject({ from: dateSchema, until: dateSchema })
      .refine(areOfOneForm, DATES_FORM)
      .refine(areInOrder, DATES_ORDER)
      .meta(
        form('DatesCondition', 'The local date is one of these, both ends included.', {
          from: '12-20',
          until: '01-06',
        }),
      ),
    z
      .strictObject({ calendar: calendarId, title: eventTitle.optional() })
      .meta(form('CalendarCondition', 'An event of a calendar is on.', { calendar: 'days-off', title: 'school' })),
    anyConditionSchema,
    allConditionSchema,
    notConditionSchema,
    // The last form, because a start makes the schemas that it tries for the rules of the home.
    groupConditionSchema,
  ])
  .meta({ id: 'Condition', description: 'Requirement for a rule to run.' })

/** The conditions of a rule. Conditions inside others count too. */
export const conditions = z
  .array(conditionSchema)
  .max(CONDITIONS_MAX)
  .check((checked) => {
    const places = [...partsOf({ if: checked.value })].map(({ path }) => path)
    const refused = (path: PartPath, message: string): void =>
      void checked.issues.push({ code: 'custom', input: checked.value, path: path.slice(1), message })
    if (places.length > CONDITIONS_MAX) refused([], `must hold at most ${CONDITIONS_MAX}, those inside others included`)
    const tooDeep = places.find((path) => formsAround(path) > CONDITION_DEPTH_MAX)
    if (tooDeep) refused(tooDeep, `is inside more than ${CONDITION_DEPTH_MAX} of any, all and not`)
  })
  .meta({ description: 'All of them must hold.' })

/** Forms around a condition: `['if', 0, 'any', 1, 'not']` stands in two. */
const formsAround = (path: PartPath): number => path.filter((key) => typeof key === 'string').length - 1
