import { z } from 'zod'
import { typeOfReading, typeOfState } from '../../home/rules/possible.ts'
import { STATE_FIELDS } from '../../home/model/rules.ts'
import { FORM_FACTS, FORMS } from '../../home/rules/forms.ts'
import { triggerSchema } from '../../home/rules/schema.ts'
import { conditionSchema } from '../../home/rules/condition-schema.ts'
import { READING_KINDS } from '../../home/model/device.ts'
import { AutomationCreate, AutomationEdit, ScheduleCreate, ScheduleEdit } from '../../api/contract/rules.ts'
import { SceneCreate, SceneEdit } from '../../api/contract/scenes.ts'
import { refuse } from '../../api/errors.ts'
import type { Fields, McpCaller } from './mcp-caller.ts'
import { beginOf, cursorAfter, tool, Cursor, Id, Limit, LIMIT_DEFAULT, NextCursor, Row } from './tool.ts'

/** Schema of `is` by the type of the compared value. */
const IS = { boolean: z.boolean(), number: z.number(), string: z.string() } as const
const TYPES = ['boolean', 'number', 'string'] as const

/** Repeats a form of triggers or conditions for each type of tested values. Other forms stay unchanged. */
function typed(form: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (form instanceof z.ZodLazy) return typed(form.unwrap())
  if (form instanceof z.ZodUnion) return [z.union(form.options.flatMap((shape) => typed(shape)))]
  if (!(form instanceof z.ZodObject)) return [form]
  const { state, reading } = form.shape
  if (state === undefined && reading === undefined) return [form]
  return TYPES.flatMap((type) => {
    const names: readonly string[] =
      state === undefined
        ? READING_KINDS.filter((kind) => typeOfReading(kind) === type)
        : STATE_FIELDS.filter((field) => typeOfState(field) === type)
    if (names.length === 0) return []
    const tested = { [state === undefined ? 'reading' : 'state']: z.literal(names), is: IS[type].optional() }
    return [form.safeExtend(tested)]
  })
}

/** A form of conditions, with typed conditions inside. These are getters, because they may hold further ones. */
function typedInside(form: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (!(form instanceof z.ZodObject)) return typed(form)
  const field = (['any', 'all', 'not'] as const).find((name) => name in form.shape)
  if (field === undefined) return typed(form)
  const shape = Object.defineProperty({}, field, {
    enumerable: true,
    get: () => (field === 'not' ? CONDITION : z.array(CONDITION)),
  })
  return [z.strictObject(shape)]
}
const CONDITION: z.ZodType = z.union(conditionSchema.options.flatMap(typedInside))

const typedList = (forms: readonly z.core.$ZodType[]): z.ZodOptional =>
  z.array(z.union(forms.flatMap(typed))).optional()
const WHEN = typedList(triggerSchema.options)
const IF = z.array(CONDITION).optional()

/**
 * Schema of a rule's body in which `is` has the type of the compared state or reading. It shows which texts mean
 * numbers or booleans.
 */
function withTypedTests(body: z.ZodObject): z.ZodObject {
  return z.strictObject({ ...body.shape, ...('when' in body.shape && { when: WHEN }), if: IF })
}

/** Plural of each kind in endpoints and responses of the API. */
const MANY = { scene: 'scenes', automation: 'automations', schedule: 'schedules' } as const
const KINDS = ['scene', 'automation', 'schedule'] as const
const LISTS = { ...MANY, run: 'runs' } as const

const BODIES: Readonly<Record<string, readonly [create: z.ZodType, edit: z.ZodType]>> = {
  scene: [SceneCreate, SceneEdit],
  automation: [withTypedTests(AutomationCreate), withTypedTests(AutomationEdit)],
  schedule: [withTypedTests(ScheduleCreate), withTypedTests(ScheduleEdit)],
}

/** Schema of a body that creates a rule, or edits one if there is an id. */
function bodyOf(kind: unknown, id: unknown): z.ZodType | undefined {
  const [create, edit] = (typeof kind === 'string' && Object.hasOwn(BODIES, kind) && BODIES[kind]) || []
  return typeof id === 'string' ? edit : create
}

/** Fields of a rule in lists; a single rule has all. */
const LISTED: readonly string[] = [
  'id',
  'name',
  'enabled',
  'paused',
  'revision',
  'at',
  'days',
  'next',
  'room',
  'running',
  'runId',
  'kind',
  'of',
  'state',
  'startedAt',
  'until',
]

/** Scenes, automations and schedules (Spec 2.5), and the units' own schedules. */
export const rules = tool('rules', {
  title: 'Scenes, automations and schedules',
  description:
    'Without id: a list of one kind in short. With id: that scene, automation or schedule as a whole, with the revision that save_rule needs. unit_schedules with the id of a unit: its own schedules, read-only, from the cache. run: the present runs; with a runId also the results of its steps, for ten minutes after its end. forms: every form of when, if, then and at; starters: drafts for common jobs. To run a scene use control with op run. Dry run, which changes nothing: draft (a body as for save_rule; with id beside it, an edit of an automation or schedule), or id with dryRun: the steps with their refusals, the results of the conditions, the next runs.',
  reads: true,
  input: z.strictObject({
    kind: z.enum([...KINDS, 'unit_schedules', 'run', 'forms', 'starters']).meta({ description: 'Kind to read.' }),
    id: Id.optional(),
    draft: z.record(z.string(), z.unknown()).optional().meta({ description: 'A body of save_rule to try.' }),
    dryRun: z.boolean().optional().meta({ description: 'Try only.' }),
    limit: Limit,
    cursor: Cursor,
  }),
  inside: ({ kind, id }) => ({ draft: bodyOf(kind, id) }),
  output: z.looseObject({
    house: z.string(),
    rules: z.array(Row).optional(),
    rule: Row.optional(),
    schedules: z.array(Row).optional(),
    nextCursor: NextCursor.optional(),
  }),
  run: async ({ kind, id, draft, dryRun = false, limit = LIMIT_DEFAULT, cursor }, { caller }) => {
    const trial = draft === undefined ? (dryRun ? 'dryRun' : undefined) : 'draft'
    if (trial !== undefined && (kind === 'unit_schedules' || kind === 'run' || kind === 'forms' || kind === 'starters'))
      refuse('validation', { message: `${trial}: does not go with kind ${kind}; only ${KINDS.join(', ')} have one.` })
    if (kind === 'unit_schedules') {
      if (id === undefined) refuse('validation', { message: 'id: is missing. Whose schedules?' })
      return caller.ask('devices.schedules', { id })
    }
    if (kind === 'forms') return { house: (await caller.ask('integration.get')).house, forms: FORMS, ...FORM_FACTS }
    if (kind === 'starters') return caller.ask('starters.list')
    if (trial !== undefined && kind !== 'run') return tried(MANY[kind], id, draft, caller)
    const many = LISTS[kind]
    if (id !== undefined) return ruleOf(await caller.ask(`${many}.get`, { id }), kind)
    const from = beginOf(cursor)
    const { house, items, total } = await caller.listed(many, from, limit)
    return { house, rules: items.map(inShort), total, nextCursor: cursorAfter(from + limit, total) }
  },
})

/** Creates or edits a rule. */
export const saveRule = tool('save_rule', {
  title: 'Create or change a scene, automation or schedule',
  description:
    'First show your user what it will do (rules with draft shows it) and wait for their yes. Without id: creates one of body. With id: changes the fields in body; read it first (tool rules) and send its revision as ifRevision. Steps that open a lock or gate are refused; deleting is done in the app. ' +
    'Step: {device, op, args} or {delay: seconds}, also {scene} in automations and schedules. scene: {name, steps}. ' +
    'automation: {name, when: [{device, state: "on", is: true} | {device, detection: "motion"} | {time: "07:00"}], if?: [{device, reading, above|below} | {after, before}], then: [step]}. ' +
    'schedule: {name, at: {time}, days: [1 Monday to 7], then: [step]}. enabled true|false. More forms: tool rules, kind forms.',
  destructive: true,
  input: z.strictObject({
    kind: z.enum(KINDS).meta({ description: 'Kind to save.' }),
    id: Id.optional(),
    // The API refuses 0 with a better message.
    ifRevision: z.int().min(0).optional().meta({ description: 'The revision read.' }),
    body: z.record(z.string(), z.unknown()).meta({ description: 'Its fields.' }),
  }),
  inside: ({ kind, id }) => ({ body: bodyOf(kind, id) }),
  output: z.looseObject({ house: z.string(), rule: z.looseObject({ id: z.string(), revision: z.int() }) }),
  run: async ({ kind, id, ifRevision, body }, { caller }) => {
    const many = MANY[kind]
    const sender = caller.naming({ body: 'body' })
    const whole = ifRevision === undefined ? body : { ...body, ifRevision }
    if (id === undefined) return ruleOf(await sender.relay(`${many}.create`, { body: whole }), kind)
    return ruleOf(await sender.relay(`${many}.edit`, { id, body: whole }), kind)
  },
})

/** Dry run of a stored rule or of a draft. */
function tried(
  many: (typeof MANY)[keyof typeof MANY],
  id: string | undefined,
  draft: Fields | undefined,
  caller: McpCaller,
): Promise<Fields> {
  if (id !== undefined && draft === undefined) return caller.ask(`${many}.try`, { id })
  if (id === undefined && draft !== undefined)
    return caller.naming({ body: 'draft' }).relay(`${many}.tryDraft`, { body: draft })
  if (id !== undefined && draft !== undefined && many !== 'scenes')
    return caller.naming({ body: 'draft' }).relay(`${many}.tryEdit`, { id, body: draft })
  if (draft === undefined) refuse('validation', { message: 'dryRun: needs an id. For a new one, send draft.' })
  refuse('validation', { message: 'draft: does not go with id for a scene; leave out the one or the other.' })
}

function ruleOf(answer: Fields, kind: keyof typeof LISTS): Fields {
  return { house: answer['house'], rule: answer[kind] }
}

function inShort(rule: Fields): Fields {
  return Object.fromEntries(Object.entries(rule).filter(([key]) => LISTED.includes(key)))
}
