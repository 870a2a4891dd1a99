import * as z from 'zod'
import { INTEGRATION_KINDS, KNOB_VALUES, OPENINGS, PEOPLE_SHOWN, WEEK_TIME } from '../../exposure/knobs.ts'
import { ADDRESS_MAX, Currency, TimeOfDay, TimeZone } from '../../home/house/house-file.ts'
import { ACTIVITY_KINDS, CAUSE_SOURCES } from '../../home/model/events.ts'
import { GANG_CLASSES, OTHER_MODELS, SWITCH_MODELS, UNIT_CLASSES } from '../../home/model/device.ts'
import { PRESENCES } from '../../home/model/presence.ts'
import { AUDIENCES, URGENCIES } from '../../home/model/recipients.ts'
import { DELIVERY_STATES } from '../../home/model/deliveries.ts'
import { WEBHOOK_FORMATS } from '../../home/model/webhooks.ts'
import { sourceFields, sourceIn } from '../../home/model/calendar-schema.ts'
import { LOCAL_ID } from '../../home/model/house.ts'
import { parseTariffs } from '../../home/record/tariff.ts'
import { NAME_CHARACTERS_MAX, type RuleKind } from '../../home/model/rules.ts'
import { DEFINITION_SCHEMAS } from '../../home/rules/schema.ts'
import { sceneStepsSchema, stepSchema } from '../../home/rules/step-schema.ts'
import { keysOf } from '../../lib/keys-of.ts'
import { plainText } from '../../lib/plain-text.ts'
import { type Db, readCell } from '../database.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

const origin = looseObject(() => ({ integration: z.string(), link: z.string() }))

/**
 * Schemas of the JSON in core.db, as far as readers rely on it. Unknown fields come from later versions and are not
 * damage.
 */
const causeForm: z.ZodType = looseObject(() => ({
  source: z.enum(CAUSE_SOURCES),
  name: z.string(),
  ref: z.string().optional(),
  integration: z.string().optional(),
  link: z.string().optional(),
  confirmedBy: z.string().optional(),
  behind: z.array(origin).optional(),
  answerable: z.array(origin).optional(),
  get by() {
    return causeForm.optional()
  },
}))

const principal = looseObject(() => ({
  integration: z.string(),
  link: z.string(),
  confirmedBy: z.string().optional(),
}))

/** A missing knob has its first value. */
const knobs = z.strictObject(Object.fromEntries(keysOf(KNOB_VALUES).map((knob) => [knob, z.enum(KNOB_VALUES[knob])])))

const SUBJECTS_WITHOUT_ID = ['home', 'mode'] as const
const SUBJECTS = [
  'device',
  'steps',
  'scene',
  'group',
  'room',
  'floor',
  'automation',
  'schedule',
  'integration',
  'person',
] as const
const subject = looseObject(() => ({
  kind: z.enum([...SUBJECTS_WITHOUT_ID, ...SUBJECTS]),
  id: z.string().optional(),
  devices: z.array(z.string()).optional(),
}))

const messageSubjects = z.record(z.string(), z.array(z.unknown()))

const FORMS = {
  cause: causeForm,
  principals: z.array(principal),
  failures: z.array(looseObject(() => ({ step: z.int(), reason: z.string() }))),
  place: looseObject(() => ({
    path: z.array(z.union([z.string(), z.int()])),
    rounds: z.array(z.int()),
    performed: z.int(),
    lastedMs: z.number(),
    steadyEnd: z.number().optional(),
    changed: z
      .array(
        looseObject(() => ({
          device: z.string(),
          before: z.looseObject({}),
          after: z.looseObject({}),
          isTheirs: z.boolean(),
        })),
      )
      .optional(),
    answerable: z.array(origin).optional(),
  })),
  knobs: knobs.partial(),
  scope: looseObject(() => ({
    exposure: z.union([z.literal('All'), z.array(z.string())]).optional(),
    settings: z.record(z.string(), z.string()).optional(),
  })),
  edits: z.array(strictObject(() => ({ devices: z.array(z.string()).nullable(), count: z.int().min(1) }))).min(1),
  door: z.string().regex(/^mcp(?:\/r\/[0-9a-f-]{36})?$/),
  subjects: messageSubjects,
  trigger: looseObject(() => ({
    device: z.string().nullable(),
    value: z.string().nullable(),
    subjects: messageSubjects,
  })),
  event: looseObject(() => ({ begins: z.number(), ends: z.number(), title: z.string() })),
  notice: looseObject(() => ({
    message: looseObject(() => ({ title: z.string(), kind: z.string(), urgency: z.enum(URGENCIES) })),
    repeat: z.int(),
  })),
  headers: z.record(z.string(), z.string()),
  draft: looseObject(() => ({
    at: z.number(),
    kind: z.enum(ACTIVITY_KINDS),
    subject: subject.refine(({ kind, id }) => kind === 'home' || kind === 'mode' || id !== undefined),
    what: z.string(),
    cause: causeForm,
    data: z.record(z.string(), z.unknown()).optional(),
  })),
} as const

export const isDraft = (value: unknown): boolean => FORMS.draft.safeParse(value).success

/** A schema for each table. Unknown columns come from later versions and are not damage. */
type Rows = Readonly<Record<string, z.ZodType>>

const GANG_MAX = 3
/** Kinds of picks. */
const PICK_KINDS = ['floor', 'room', 'unit', 'gang', 'scene', 'group', 'mode', 'calendar'] as const
/** The last moment that a `Date` can express. */
const TIME_MAX = 8.64e15
const SHA256_BYTES = 32

const text = z.string().min(1)
const weekTime = z.string().regex(WEEK_TIME)
const count = z.int().min(0)
const revision = z.int().min(1)
const time = z.int().min(0).max(TIME_MAX)
const steady = z.int()
const flag = z.literal([0, 1])
const bytes = z.instanceof(Uint8Array).refine(({ length }) => length > 0)
const sha256 = bytes.refine(({ length }) => length === SHA256_BYTES)
/** An id of a credential, person, session or operator. */
const link = z.string().regex(/^[a-z0-9]{10}$/)
/** Link of a credential, or the id of the record of a person or tablet. */
const linkOrRecord = z.string().regex(/^(?:[a-z0-9]{10}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/)
const light = flag.nullable()

/** JSON text of a value with this schema. */
const json = (form: z.ZodType): z.ZodType =>
  z.string().refine((value) => form.safeParse(readCell<unknown>(value, undefined)).success)

const name = plainText(NAME_CHARACTERS_MAX)
/** An id inside the home. */
const localId = z.string().regex(LOCAL_ID)
const authors = {
  origin_integration: text.nullable(),
  origin_link: z.string().nullable(),
  author_integration: text.nullable(),
  author_link: z.string().nullable(),
}
const hosted = {
  hosted_client: text.nullable(),
  redirect_host: text.nullable(),
  door: FORMS.door.nullable(),
  account: text.nullable(),
}
const decision = { decided_by: json(FORMS.cause).nullable(), steady_decided_at: steady.nullable() }

const HOUSE_ROWS: Rows = {
  home: looseObject(() => ({
    one: z.literal(1),
    serial: text,
    name,
    time_zone: TimeZone,
    latitude: z.number().min(-90).max(90).nullable(),
    longitude: z.number().min(-180).max(180).nullable(),
    currency: Currency,
    welcomed: flag,
    quiet_from: TimeOfDay.nullable(),
    quiet_until: TimeOfDay.nullable(),
  })),
  floors: looseObject(() => ({ id: localId, name, position: z.int() })),
  rooms: looseObject(() => ({ id: localId, name, floor: localId.nullable(), position: z.int() })),
  units: looseObject(() => ({
    ...{ id: localId, name, light, room: localId.nullable(), position: z.int() },
    address: z.int().min(1).max(ADDRESS_MAX),
    model: z.enum([...SWITCH_MODELS, ...OTHER_MODELS]).nullable(),
    class: z.enum(UNIT_CLASSES),
  })),
  gangs: looseObject(() => ({
    ...{ unit: localId, name, light, room: localId.nullable() },
    gang: z.int().min(0).max(GANG_MAX),
    class: z.enum(GANG_CLASSES),
  })),
  scenes: looseObject(() => ({
    ...{ id: localId, name, revision, floor: localId.nullable(), room: localId.nullable(), position: z.int() },
    ...authors,
    icon: name.nullable(),
    steps: json(sceneStepsSchema),
    edits: json(FORMS.edits),
  })),
  device_groups: looseObject(() => ({
    ...{ id: localId, name, revision, position: z.int() },
    ...authors,
    members: json(z.array(text)),
    edits: json(FORMS.edits),
  })),
  modes: looseObject(() => ({ id: localId, name, position: z.int() })),
  held_mode: looseObject(() => ({
    ...{ one: z.literal(1), mode: localId, since: time, until: time.nullable(), previous: localId.nullable() },
    cause: json(FORMS.cause),
  })),
  presence: looseObject(() => ({ person: text, state: z.enum(PRESENCES), since: time, cause: json(FORMS.cause) })),
  calendars: looseObject(() => ({
    ...{ id: localId, name, position: z.int() },
    source: json(strictObject(sourceFields).refine((source) => sourceIn(source) !== null)),
  })),
  calendar_readings: looseObject(() => ({
    ...{ calendar: localId, text: z.string().nullable(), zone: TimeZone, events: json(z.array(FORMS.event)) },
    left_out: json(z.array(strictObject(() => ({ title: z.string(), reason: z.string() })))),
    ...{ read_at: time, expanded_at: time, changed_at: time },
  })),
  ended_revisions: looseObject(() => ({ kind: text, id: localId, revision })),
  tariff: looseObject(() => ({
    one: z.literal(1),
    content: json(z.unknown().refine((value) => parseTariffs(value).ok)),
  })),
}

const ruleRow = (kind: RuleKind) =>
  looseObject(() => ({
    ...{ id: localId, name, enabled: flag, revision, paused: flag, changed_at: time, ...authors },
    kind: z.literal(kind),
    definition: json(DEFINITION_SCHEMAS[kind]),
  }))

const RULE_ROWS: Rows = {
  rules: z.discriminatedUnion('kind', [ruleRow('automation'), ruleRow('schedule')]),
  rule_runs: looseObject(() => ({
    ...{ id: text, kind: text, rule: text, priority: text, started_at: time, step: count, resume_at: time.nullable() },
    steps: json(z.array(stepSchema)),
    cause: json(FORMS.cause),
    principals: json(FORMS.principals),
    failures: json(FORMS.failures),
    place: json(FORMS.place).nullable(),
    trigger: json(FORMS.trigger).nullable(),
  })),
  rule_claims: looseObject(() => ({
    ...{ owner: text, slot: z.string(), date: text, at: time, missed: flag, steady_at: steady.nullable() },
  })),
  rule_switch_ends: looseObject(() => ({ rule: text, enabled: flag, until: time, cause: json(FORMS.cause) })),
  rule_holds: looseObject(() => ({
    ...{ owner: text, slot: z.string(), since: time, fired: flag },
    cause: json(FORMS.cause).nullable(),
  })),
}

const ACCESS_ROWS: Rows = {
  integrations: looseObject(() => ({
    ...{ id: text, name, enabled: flag, expose: text, created_at: time },
    knobs: json(FORMS.knobs),
    people: z.enum(PEOPLE_SHOWN),
    reports: json(z.array(text)),
    until: time.nullable(),
    hours: json(z.array(looseObject(() => ({ from: weekTime, until: weekTime })))),
    kind: z.enum(INTEGRATION_KINDS),
    opening: z.enum(OPENINGS),
  })),
  picks: looseObject(() => ({
    integration: text,
    kind: z.enum(PICK_KINDS),
    id: z.string(),
    gang: z.int().min(-1).max(GANG_MAX),
  })),
  doubts: looseObject(() => ({ integration: text, incident: count })),
  credentials: looseObject(() => ({
    ...{ link, integration: text, kind: text, name: z.string(), platform: z.string(), ...hosted },
    secret_sha256: sha256.nullable(),
    ...{ created_at: time, revoked_at: time.nullable(), expired_at: time.nullable(), last_used_at: time.nullable() },
    last_used_via: z.enum(['home', 'cloud']).nullable(),
    ...{ steady_created_at: steady, steady_used_at: steady.nullable() },
  })),
  hosted_tokens: looseObject(() => ({
    ...{ sha256, link, kind: text, generation: count, steady_made_at: steady, steady_used_at: steady.nullable() },
  })),
  agent_session_key: looseObject(() => ({ one: z.literal(1), key: bytes })),
  ended_agent_sessions: looseObject(() => ({ id: count, link, nonce: text })),
  guess_waits: looseObject(() => ({ link: linkOrRecord, declines: count, steady_until: steady })),
  idempotency_keys: looseObject(() => ({
    ...{ link, key: text, request_sha256: sha256, steady_at: steady, body: z.string().nullable() },
    status: z.int().min(100).max(599).nullable(),
    headers: json(FORMS.headers).nullable(),
  })),
  operators: looseObject(() => ({
    ...{ id: link, name: text, scopes: z.string(), secret_sha256: sha256 },
    ...{ created_at: time, used_at: time.nullable() },
  })),
}

const AGENT_ROWS: Rows = {
  agent_requests: looseObject(() => ({
    ...{ request: text, user_code: z.string(), code_sha256: sha256.nullable(), challenge: bytes.nullable() },
    ...{ name: z.string(), platform: z.string(), record: z.string().nullable(), via: text, peer: z.string() },
    ...{ asked_at: time, steady_asked_at: steady, interval_s: count, state: text, kind: text.nullable() },
    ...{ integration: text.nullable(), replaces: z.string().nullable(), handed_out: z.string().nullable() },
    ...{ suggested: json(FORMS.scope).nullable(), ...hosted, ...decision },
  })),
  pairing_blocks: looseObject(() => ({ source: text, steady_until: steady })),
  pairing_place: looseObject(() => ({ one: z.literal(1), source: text, steady_until: steady })),
  pairing_placed: looseObject(() => ({ request: text })),
  confirmations: looseObject(() => ({
    ...{ id: text, link: linkOrRecord, subject: text, call_sha256: sha256, op: text, what: text, code: text },
    wrong_codes: count,
    ...{ asked_at: time, steady_asked_at: steady, state: text, ...decision },
  })),
}

const OTHER_ROWS: Rows = {
  persons: looseObject(() => ({
    ...{ id: link, name: text, password: text.nullable(), created_at: time, integration: text.nullable() },
    two_factors: flag,
  })),
  passkeys: looseObject(() => ({
    ...{ id: link, person: link, name: text, site: text, credential: text, public_key: bytes, counter: count },
    ...{ created_at: time, used_at: time.nullable() },
  })),
  console_sessions: looseObject(() => ({
    ...{ id: link, person: link.nullable(), cookie_sha256: sha256, half_sha256: sha256, own_device: flag },
    ...{ browser: z.string(), peer: z.string(), created_at: time, used_at: time },
    ...{ steady_created_at: steady, steady_used_at: steady, steady_proved_at: steady },
    ...{ maker_session: z.string().nullable(), maker_person: z.string().nullable(), integration: text.nullable() },
  })),
  tablet_pins: looseObject(() => ({ integration: text, pin: text, tries: count, steady_rests_until: steady })),
  messages: looseObject(() => ({
    ...{ n: count, id: text, at: time, kind: text, urgency: z.enum(URGENCIES), recipients: z.enum(AUDIENCES) },
    ...{ title: text, device: text.nullable(), go: text.nullable(), subjects: json(FORMS.subjects), ref: text },
    ...{ lasts: flag, ended_at: time.nullable(), acknowledged_at: time.nullable(), notices: count },
    ...{ acknowledged_by: z.string().nullable(), next_at: time.nullable() },
  })),
  webhooks: looseObject(() => ({
    ...{ id: text, name: text, url: text, format: z.enum(WEBHOOK_FORMATS), least: z.enum(URGENCIES) },
    ...{ secret: text, created_at: time },
  })),
  push_key: looseObject(() => ({ one: z.literal(1), private_key: bytes })),
  push_subscriptions: looseObject(() => ({
    ...{ id: text, person: link, session: link, browser: z.string(), endpoint: text, p256dh: bytes, auth: bytes },
    ...{ names: flag, created_at: time },
  })),
  deliveries: looseObject(() => ({
    ...{ n: count, id: text, webhook: text.nullable(), push: text.nullable(), message: text },
    notice: json(FORMS.notice),
    ...{ state: z.enum(DELIVERY_STATES), attempts: count, created_at: time, at: time, error: text.nullable() },
  })),
  incidents: looseObject(() => ({ id: count, at: time, what: text })),
  activity_outbox: looseObject(() => ({ id: count, draft: json(FORMS.draft) })),
  steady_time: looseObject(() => ({
    ...{ one: z.literal(1), steady, wall: z.int(), boot: z.string().nullable(), uptime: z.int() },
  })),
}

export const CORE_ROWS: Rows = { ...HOUSE_ROWS, ...RULE_ROWS, ...ACCESS_ROWS, ...AGENT_ROWS, ...OTHER_ROWS }

/** Checks every row of every table. Returns the place of the first invalid one, or null. */
export function refusedRow(db: Db): string | null {
  for (const [table, schema] of Object.entries(CORE_ROWS)) {
    for (const row of db.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).iterate()) {
      const read = schema.safeParse(row)
      if (!read.success) return `a row of its table ${table} cannot be read (${columnsOf(read.error)})`
    }
  }
  const broken = db.pragma('foreign_key_check') as readonly { readonly table: string; readonly parent: string }[]
  const [first] = broken
  return first === undefined ? null : `a row of its table ${first.table} names a row of ${first.parent} that is missing`
}

const columnsOf = ({ issues }: z.ZodError): string =>
  [...new Set(issues.map(({ path }) => String(path[0] ?? 'row')))].join(', ')
