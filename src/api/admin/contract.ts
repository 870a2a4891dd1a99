import { z } from 'zod'
import { ADDRESS_MAX, Currency, TimeZone } from '../../home/house/house-file.ts'
import { GANG_CLASSES } from '../../home/model/device.ts'
import { EXPORT_TABLES } from '../../home/record/csv-export.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { Suggested } from '../contract/pairing.ts'
import { SomeSettings } from '../contract/knobs.ts'
import { PlainName } from '../contract/shapes.ts'

/**
 * The administrators' API, `/admin/v1`, reached through the socket file in the data folder: whoever may open that file is an
 * administrator. Declared like the rest.
 */
const expose = z.array(z.string().max(100)).min(1).max(5_000)
const anything = z.looseObject({})
const common = { spec: 'admin', answer: anything } as const
const LocalRoom = z.string().max(40)

const integrations = {
  'integrations.list': endpoint('GET', '/admin/v1/integrations', {
    ...common,
    summary: 'All integrations with what they show and may do',
  }),
  'integrations.create': endpoint('POST', '/admin/v1/integrations', {
    ...common,
    summary: 'Create an integration',
    status: 201,
    body: z.strictObject({ name: PlainName, expose: expose.optional(), settings: SomeSettings.optional() }),
  }),
  'integrations.show': endpoint('GET', '/admin/v1/integrations/{id}', {
    ...common,
    summary: 'One integration with its credentials',
    errors: ['not_found'],
  }),
  'integrations.change': endpoint('PATCH', '/admin/v1/integrations/{id}', {
    ...common,
    summary: 'Change knobs, exposure, or whether it is enabled',
    errors: ['not_found'],
    body: z.strictObject({
      settings: SomeSettings.optional(),
      expose: expose.optional(),
      enabled: z.boolean().optional(),
    }),
  }),
  'integrations.delete': endpoint('DELETE', '/admin/v1/integrations/{id}', {
    ...common,
    summary: 'Delete it with its credentials',
    errors: ['not_found'],
  }),
} as const

const keys = {
  'keys.list': endpoint('GET', '/admin/v1/keys', {
    ...common,
    summary: 'All credentials, without their secrets',
  }),
  'keys.create': endpoint('POST', '/admin/v1/keys', {
    ...common,
    summary: 'Create a key; its token is shown this once',
    status: 201,
    errors: ['not_found'],
    body: z.strictObject({ integration: z.string(), name: z.string().trim().max(64).default('') }),
  }),
  'keys.revoke': endpoint('DELETE', '/admin/v1/keys/{id}', {
    ...common,
    summary: 'Revoke a credential by its link',
    errors: ['not_found'],
  }),
} as const

/** Spec 2.8, with what else an administrator may want to know before answering. */
export const AgentRequestShape = z.looseObject({
  code: z.string().regex(/^[A-Z]{4}-[A-Z]{4}$/),
  expiresAt: z.int(),
  hosted: z.boolean(),
  name: z.string(),
  platform: z.string(),
  record: z.string().nullable(),
  request: z.string(),
  suggested: Suggested.nullable(),
  via: z.enum(['home', 'cloud']),
  peer: z.string(),
  /** Links of what the same agent has already. */
  known: z.array(z.string()),
  askedAt: z.int(),
})

/** A request by its matching code or its id. */
const RequestParams = z.strictObject({ id: z.string().min(1).max(60) })

const agents = {
  'agents.requests': endpoint('GET', '/admin/v1/agents/requests', {
    ...common,
    summary: 'Agents that ask for access, with their matching codes',
    answer: z.looseObject({ requests: z.array(AgentRequestShape) }),
  }),
  'agents.accept': endpoint('POST', '/admin/v1/agents/requests/{id}/accept', {
    ...common,
    summary: 'Accept an agent; it collects its token itself',
    params: RequestParams,
    errors: ['not_found'],
    body: z.strictObject({
      integration: z.string().max(64).optional(),
      session: z.boolean().default(false),
      replace: z.union([z.string().min(1).max(64), z.literal(true)]).optional(),
      add: z.boolean().default(false),
    }),
  }),
  'agents.deny': endpoint('POST', '/admin/v1/agents/requests/{id}/deny', {
    ...common,
    summary: 'Deny an agent; with block its sender is turned away for a day',
    params: RequestParams,
    errors: ['not_found'],
    body: z.strictObject({ block: z.boolean().default(false) }),
  }),
  'agents.list': endpoint('GET', '/admin/v1/agents', {
    ...common,
    summary: 'Agents and sessions, without their secrets',
  }),
  'agents.create': endpoint('POST', '/admin/v1/agents', {
    ...common,
    summary: 'Make the credential of an agent without its asking; the token is shown this once',
    status: 201,
    errors: ['not_found'],
    body: z.strictObject({
      integration: z.string().max(64),
      name: PlainName,
      platform: PlainName,
      session: z.boolean().default(false),
    }),
  }),
  'agents.revoke': endpoint('DELETE', '/admin/v1/agents/{id}', {
    ...common,
    summary: 'Revoke an agent or session by its link',
    errors: ['not_found'],
  }),
  'confirmations.list': endpoint('GET', '/admin/v1/confirmations', {
    ...common,
    summary: 'What agents wait for a word for, with the codes',
  }),
  'confirmations.answer': endpoint('POST', '/admin/v1/confirmations/{id}', {
    ...common,
    summary: 'Confirm or decline one call of an agent',
    params: RequestParams,
    errors: ['not_found'],
    body: z.strictObject({ confirm: z.boolean() }),
  }),
} as const

const house = {
  'home.show': endpoint('GET', '/admin/v1/home', {
    ...common,
    summary: 'Name, time zone, place and currency of the home',
  }),
  'home.set': endpoint('PATCH', '/admin/v1/home', {
    ...common,
    summary: 'Change name, time zone, place or currency',
    body: z.strictObject({
      name: PlainName.optional(),
      timeZone: TimeZone.optional(),
      latitude: z.number().min(-90).max(90).nullable().optional(),
      longitude: z.number().min(-180).max(180).nullable().optional(),
      currency: Currency.optional(),
    }),
  }),
  'house.show': endpoint('GET', '/admin/v1/house', {
    ...common,
    summary: 'The whole house with local ids, and units on the bus that it does not know yet',
  }),
  'house.export': endpoint('GET', '/admin/v1/house/file', { ...common, summary: 'The house as a file' }),
  'house.import': endpoint('PUT', '/admin/v1/house/file', {
    ...common,
    summary: 'Replace the house by a file, or only check it',
    body: z.strictObject({ file: z.string().max(4 * 1024 * 1024), check: z.boolean().default(false) }),
  }),
  'house.place': endpoint('POST', '/admin/v1/house/place', {
    ...common,
    summary: 'Take in a unit found on the bus, or move or rename one',
    errors: ['not_found'],
    body: z.strictObject({
      unit: z.string().max(40).optional(),
      address: z.int().min(1).max(ADDRESS_MAX).optional(),
      name: PlainName.optional(),
      room: LocalRoom.nullable().optional(),
      gangs: z
        .array(
          z.strictObject({
            gang: z.int().min(0).max(3),
            name: PlainName.optional(),
            class: z.enum(GANG_CLASSES).optional(),
            room: LocalRoom.nullable().optional(),
          }),
        )
        .max(4)
        .optional(),
    }),
  }),
} as const

const LocalParams = z.strictObject({ id: z.string().min(1).max(60) })
const local = { ...common, params: LocalParams, errors: ['not_found'] } as const

const intents = {
  'intents.show': endpoint('GET', '/admin/v1/devices/{id}/intents', {
    ...local,
    summary: "A device's settings and own schedules, as last confirmed",
  }),
} as const

const rules = {
  'scenes.list': endpoint('GET', '/admin/v1/scenes', {
    ...common,
    summary: 'All scenes, their steps in words',
  }),
  'scenes.show': endpoint('GET', '/admin/v1/scenes/{id}', { ...local, summary: 'One scene' }),
  'scenes.delete': endpoint('DELETE', '/admin/v1/scenes/{id}', {
    ...local,
    summary: 'Delete a scene',
    query: z.strictObject({ force: z.enum(['true', 'false']).optional() }),
  }),
  'automations.list': endpoint('GET', '/admin/v1/automations', {
    ...common,
    summary: 'All automations in words',
  }),
  'automations.show': endpoint('GET', '/admin/v1/automations/{id}', { ...local, summary: 'One automation' }),
  'automations.delete': endpoint('DELETE', '/admin/v1/automations/{id}', { ...local, summary: 'Delete an automation' }),
  'automations.try': endpoint('GET', '/admin/v1/automations/{id}/try', {
    ...local,
    summary: 'What it would do if it were set off now; nothing is done',
  }),
  'runs.next': endpoint('GET', '/admin/v1/runs', {
    ...common,
    summary: 'What the clock sets off in the coming days',
    query: z.strictObject({ days: z.coerce.number().int().min(1).max(31).optional() }),
  }),
  'schedules.list': endpoint('GET', '/admin/v1/schedules', {
    ...common,
    summary: 'All schedules in words, with their next run',
  }),
  'schedules.show': endpoint('GET', '/admin/v1/schedules/{id}', { ...local, summary: 'One schedule' }),
  'schedules.delete': endpoint('DELETE', '/admin/v1/schedules/{id}', { ...local, summary: 'Delete a schedule' }),
} as const

const record = {
  'tariff.show': endpoint('GET', '/admin/v1/tariff', {
    ...common,
    summary: 'What electricity costs, as it was set',
  }),
  'tariff.set': endpoint('PUT', '/admin/v1/tariff', {
    ...common,
    summary: 'Take the tariff from a file; all costs are worked out anew',
    body: z.strictObject({ file: z.string().max(256 * 1024) }),
  }),
  'tariff.clear': endpoint('DELETE', '/admin/v1/tariff', { ...common, summary: 'Forget the tariff' }),
  'history.export': endpoint('POST', '/admin/v1/history/export', {
    ...common,
    summary: 'Write a table of the history to a new CSV file',
    body: z.strictObject({
      table: z.enum(EXPORT_TABLES),
      file: z.string().max(4_096),
      from: z.int().min(0).optional(),
      to: z.int().min(0).optional(),
    }),
  }),
} as const

const gateway = {
  'tls.show': endpoint('GET', '/admin/v1/tls', {
    ...common,
    summary: "The CA's fingerprint and the certificate's names and dates",
  }),
  'tls.renew': endpoint('POST', '/admin/v1/tls/renew', {
    ...common,
    summary: 'Renew the certificate now',
  }),
  'tls.regenerateCa': endpoint('POST', '/admin/v1/tls/regenerate-ca', {
    ...common,
    summary: 'Make a new CA; every client has to trust it anew',
  }),
  'status.get': endpoint('GET', '/admin/v1/status', { ...common, summary: 'How the gateway is doing' }),
  'backup.write': endpoint('POST', '/admin/v1/backup', {
    ...common,
    summary: 'Write a consistent copy of the configuration to a new file',
    body: z.strictObject({ file: z.string().max(4_096) }),
  }),
} as const

export const adminContract = {
  ...integrations,
  ...keys,
  ...agents,
  ...house,
  ...intents,
  ...rules,
  ...record,
  ...gateway,
} as const satisfies Record<string, Endpoint>
export type AdminContract = typeof adminContract
