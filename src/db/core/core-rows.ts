import * as z from 'zod'
import { GANG_CLASSES, OTHER_MODELS, SWITCH_MODELS, UNIT_CLASSES } from '../../home/model/device.ts'
import type { RuleKind } from '../../home/rules/model.ts'
import type { Db } from '../database.ts'
import { FORMS } from './forms.ts'

/** Checks of the domain for values in core.db; JSON is parsed before. */
export interface CoreForms {
  readonly sceneSteps: (value: unknown) => boolean
  readonly runSteps: (value: unknown) => boolean
  readonly definition: (kind: RuleKind, value: unknown) => boolean
  readonly tariff: (value: unknown) => boolean
  readonly timeZone: (value: unknown) => boolean
  /** What people call a thing. */
  readonly name: (value: unknown) => boolean
  /** An id inside the home. */
  readonly localId: (value: unknown) => boolean
}

/** A schema for each table. Columns of later versions are no damage. */
type Rows = Readonly<Record<string, z.ZodType>>

const ADDRESS_MAX = 65_279
const GANG_MAX = 3
/** The last moment that a `Date` knows. */
const TIME_MAX = 8.64e15
const SHA256_BYTES = 32

const text = z.string().min(1)
const count = z.int().min(0)
const revision = z.int().min(1)
const time = z.int().min(0).max(TIME_MAX)
const steady = z.int()
const flag = z.literal([0, 1])
const bytes = z.instanceof(Uint8Array).refine(({ length }) => length > 0)
const sha256 = bytes.refine(({ length }) => length === SHA256_BYTES)
/** An id of a credential, person, session or operator. */
const link = z.string().regex(/^[a-z0-9]{10}$/)
const passing = (isSound: (value: unknown) => boolean): z.ZodType => z.unknown().refine(isSound)

/** Text that is JSON, of a value that has this form. */
const json = (form: z.ZodType): z.ZodType =>
  z
    .string()
    .transform((value, context) => {
      try {
        return JSON.parse(value) as unknown
      } catch {
        context.addIssue('is no JSON')
        return z.NEVER
      }
    })
    .pipe(form)

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

function houseRows(forms: CoreForms): Rows {
  const [id, name] = [passing(forms.localId), passing(forms.name)]
  const light = flag.nullable()
  return {
    home: z.looseObject({
      one: z.literal(1),
      serial: text,
      name,
      time_zone: passing(forms.timeZone),
      latitude: z.number().min(-90).max(90).nullable(),
      longitude: z.number().min(-180).max(180).nullable(),
      currency: z.string().regex(/^[A-Z]{3}$/),
      welcomed: flag,
    }),
    floors: z.looseObject({ id, name, position: z.int() }),
    rooms: z.looseObject({ id, name, floor: id.nullable(), position: z.int() }),
    units: z.looseObject({
      ...{ id, name, light, room: id.nullable(), position: z.int() },
      address: z.int().min(1).max(ADDRESS_MAX),
      model: z.enum([...SWITCH_MODELS, ...OTHER_MODELS]).nullable(),
      class: z.enum(UNIT_CLASSES),
    }),
    gangs: z.looseObject({
      ...{ unit: id, name, light, room: id.nullable() },
      gang: z.int().min(0).max(GANG_MAX),
      class: z.enum(GANG_CLASSES),
    }),
    scenes: z.looseObject({
      ...{ id, name, revision, floor: id.nullable(), room: id.nullable(), position: z.int(), ...authors },
      icon: name.nullable(),
      steps: json(passing(forms.sceneSteps)),
      edits: json(FORMS.edits),
    }),
    tariff: z.looseObject({ one: z.literal(1), content: json(passing(forms.tariff)) }),
  }
}

function ruleRows(forms: CoreForms): Rows {
  const rule = {
    ...{ id: passing(forms.localId), name: passing(forms.name), enabled: flag, revision },
    ...{ paused: flag, changed_at: time, ...authors },
  }
  const ofKind = (kind: RuleKind) =>
    z.looseObject({
      ...rule,
      kind: z.literal(kind),
      definition: json(passing((value) => forms.definition(kind, value))),
    })
  return {
    rules: z.discriminatedUnion('kind', [ofKind('automation'), ofKind('schedule')]),
    rule_runs: z.looseObject({
      ...{
        id: text,
        kind: text,
        rule: text,
        priority: text,
        started_at: time,
        step: count,
        resume_at: time.nullable(),
      },
      steps: json(passing(forms.runSteps)),
      cause: json(FORMS.cause),
      principals: json(FORMS.principals),
      failures: json(FORMS.failures),
    }),
    rule_claims: z.looseObject({
      ...{ owner: text, slot: z.string(), date: text, at: time, missed: flag, steady_at: steady.nullable() },
    }),
    rule_holds: z.looseObject({ owner: text, slot: z.string(), since: time, fired: flag }),
  }
}

function accessRows(forms: CoreForms): Rows {
  return {
    integrations: z.looseObject({
      ...{ id: text, name: passing(forms.name), enabled: flag, expose: text, created_at: time },
      knobs: json(FORMS.knobs),
    }),
    picks: z.looseObject({ integration: text, kind: text, id: text, gang: z.int().min(-1).max(GANG_MAX) }),
    doubts: z.looseObject({ integration: text, incident: count }),
    credentials: z.looseObject({
      ...{ link, integration: text, kind: text, name: z.string(), platform: z.string(), ...hosted },
      secret_sha256: sha256.nullable(),
      ...{ created_at: time, revoked_at: time.nullable(), expired_at: time.nullable(), last_used_at: time.nullable() },
      last_used_via: z.enum(['home', 'cloud']).nullable(),
      ...{ steady_created_at: steady, steady_used_at: steady.nullable() },
    }),
    hosted_tokens: z.looseObject({
      ...{ sha256, link, kind: text, generation: count, steady_made_at: steady, steady_used_at: steady.nullable() },
    }),
    agent_session_key: z.looseObject({ one: z.literal(1), key: bytes }),
    ended_agent_sessions: z.looseObject({ id: count, link, nonce: text }),
    guess_waits: z.looseObject({ link, declines: count, steady_until: steady }),
    idempotency_keys: z.looseObject({
      ...{ link, key: text, request_sha256: sha256, steady_at: steady, body: z.string().nullable() },
      status: z.int().min(100).max(599).nullable(),
      headers: json(FORMS.headers).nullable(),
    }),
    operators: z.looseObject({
      ...{ id: link, name: text, scopes: z.string(), secret_sha256: sha256 },
      ...{ created_at: time, used_at: time.nullable() },
    }),
  }
}

const AGENT_ROWS: Rows = {
  agent_requests: z.looseObject({
    ...{ request: text, user_code: z.string(), code_sha256: sha256.nullable(), challenge: bytes.nullable() },
    ...{ name: z.string(), platform: z.string(), record: z.string().nullable(), via: text, peer: z.string() },
    ...{ asked_at: time, steady_asked_at: steady, interval_s: count, state: text, kind: text.nullable() },
    ...{ integration: text.nullable(), replaces: z.string().nullable(), handed_out: z.string().nullable() },
    ...{ suggested: json(FORMS.scope).nullable(), ...hosted, ...decision },
  }),
  pairing_blocks: z.looseObject({ source: text, steady_until: steady }),
  pairing_place: z.looseObject({ one: z.literal(1), source: text, steady_until: steady }),
  pairing_placed: z.looseObject({ request: text }),
  confirmations: z.looseObject({
    ...{ id: text, link, subject: text, call_sha256: sha256, op: text, what: text, code: text, wrong_codes: count },
    ...{ asked_at: time, steady_asked_at: steady, state: text, ...decision },
  }),
}

const OTHER_ROWS: Rows = {
  persons: z.looseObject({ id: link, name: text, password: text.nullable(), created_at: time }),
  passkeys: z.looseObject({
    ...{ id: link, person: link, name: text, site: text, credential: text, public_key: bytes, counter: count },
    ...{ created_at: time, used_at: time.nullable() },
  }),
  console_sessions: z.looseObject({
    ...{ id: link, person: link.nullable(), cookie_sha256: sha256, half_sha256: sha256, own_device: flag },
    ...{ browser: z.string(), peer: z.string(), created_at: time, used_at: time },
    ...{ steady_created_at: steady, steady_used_at: steady, steady_proved_at: steady },
    ...{ maker_session: z.string().nullable(), maker_person: z.string().nullable() },
  }),
  incidents: z.looseObject({ id: count, at: time, what: text }),
  activity_outbox: z.looseObject({ id: count, draft: json(FORMS.draft) }),
  steady_time: z.looseObject({
    ...{ one: z.literal(1), steady, wall: z.int(), boot: z.string().nullable(), uptime: z.int() },
  }),
}

export function coreRows(forms: CoreForms): Rows {
  return { ...houseRows(forms), ...ruleRows(forms), ...accessRows(forms), ...AGENT_ROWS, ...OTHER_ROWS }
}

/** Every row of every table is read; answers where the first one stands that its schema refuses, or null. */
export function refusedRow(db: Db, forms: CoreForms): string | null {
  for (const [table, schema] of Object.entries(coreRows(forms))) {
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
