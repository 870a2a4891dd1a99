import { z } from 'zod'
import { Suggested } from '../../contract/pairing.ts'
import { PlainName } from '../../contract/shapes.ts'
import { endpoint, type Plain } from '../../endpoint.ts'
import { Credential, NewCredential, SwitchedOff } from './integrations.ts'

const request = {
  request: z.string(),
  code: z
    .string()
    .regex(/^[A-Z]{4}-[A-Z]{4}$/)
    .meta({ description: 'What the agent shows.' }),
  name: z.string(),
  platform: z.string(),
  record: z.string().nullable().meta({ description: 'The integration that it asked for by id.' }),
  hosted: z.boolean(),
  suggested: Suggested.nullable(),
  via: z.enum(['home', 'cloud']),
  peer: z.string().meta({ description: 'The network address it came from.' }),
  askedAt: z.int(),
}
const pending = {
  expiresAt: z.int(),
  known: z.array(z.string()).meta({ description: 'Links of what the same agent has already.' }),
}

/** Spec 2.8, with what else an administrator may want to know before answering. */
export const AgentRequestShape = z.looseObject({ ...request, ...pending }).meta({ id: 'AgentRequest' })

export type PendingRequestView = Plain<z.output<typeof AgentRequestShape>>

/** A request that may be decided already: `expiresAt` and `known` only while it is pending. */
export const RequestShape = z
  .looseObject({ ...request, expiresAt: pending.expiresAt.optional(), known: pending.known.optional() })
  .meta({ id: 'DecidedRequest' })
export type RequestView = Plain<z.output<typeof RequestShape>>

/** A call that needs a person's confirmation. The code is shown to administrators alone. */
export const ConfirmationShape = z
  .looseObject({
    id: z.string(),
    link: z.string(),
    what: z.string().meta({ description: 'In words: `open Front door`.' }),
    code: z.string(),
    askedAt: z.int(),
    label: z.string().meta({ description: 'The agent as the activity log names it.' }),
    integration: z.string().nullable().meta({ description: 'The name of its integration.' }),
    expiresAt: z.int().optional().meta({ description: 'Only while it is pending.' }),
  })
  .meta({ id: 'Confirmation' })
export type ConfirmationView = Plain<z.output<typeof ConfirmationShape>>

/** A request by its matching code or its id. */
const RequestParams = z.strictObject({ id: z.string().min(1).max(60) })

export const agents = {
  'agents.requests': endpoint('GET', '/admin/v1/agents/requests', {
    summary: 'Agents that ask for access, with their matching codes',
    answer: z.looseObject({ requests: z.array(AgentRequestShape) }),
  }),
  'agents.accept': endpoint('POST', '/admin/v1/agents/requests/{id}/accept', {
    summary: 'Accept an agent; it collects its token itself',
    params: RequestParams,
    body: z.strictObject({
      integration: z.string().max(64).optional(),
      session: z.boolean().default(false),
      replace: z.union([z.string().min(1).max(64), z.literal(true)]).optional(),
      add: z.boolean().default(false),
    }),
    answer: z.looseObject({
      accepted: RequestShape,
      integration: z.string().nullable(),
      session: z.boolean(),
      replaces: z.string().nullable().meta({ description: 'The credential that ends once the new one is collected.' }),
    }),
    errors: ['not_found'],
  }),
  'agents.deny': endpoint('POST', '/admin/v1/agents/requests/{id}/deny', {
    summary: 'Deny an agent; with block its sender is turned away for a day',
    params: RequestParams,
    body: z.strictObject({ block: z.boolean().default(false) }),
    answer: z.looseObject({ denied: RequestShape, blocked: z.boolean() }),
    errors: ['not_found'],
  }),
  'agents.list': endpoint('GET', '/admin/v1/agents', {
    summary: 'Agents and sessions, without their secrets',
    answer: z.looseObject({ agents: z.array(Credential) }),
  }),
  'agents.create': endpoint('POST', '/admin/v1/agents', {
    summary: 'Make the credential of an agent without its asking; the token is shown this once',
    status: 201,
    body: z.strictObject({
      integration: z.string().max(64),
      name: PlainName,
      platform: PlainName,
      session: z.boolean().default(false),
    }),
    answer: z.looseObject({
      ...NewCredential,
      suspended: z.boolean().meta({ description: 'True while agent_access of its integration is off.' }),
    }),
    errors: ['not_found'],
  }),
  'agents.revoke': endpoint('DELETE', '/admin/v1/agents/{id}', {
    summary: 'Revoke an agent or session by its link',
    answer: z.looseObject({ revoked: z.string(), switchedOff: SwitchedOff }),
    errors: ['not_found'],
  }),
  'confirmations.list': endpoint('GET', '/admin/v1/confirmations', {
    summary: 'What agents need a confirmation for, with the codes',
    answer: z.looseObject({ confirmations: z.array(ConfirmationShape) }),
  }),
  'confirmations.answer': endpoint('POST', '/admin/v1/confirmations/{id}', {
    summary: 'Confirm or decline one call of an agent',
    params: RequestParams,
    body: z.strictObject({ confirm: z.boolean() }),
    answer: z.looseObject({ confirmed: ConfirmationShape.optional(), declined: ConfirmationShape.optional() }),
    errors: ['not_found'],
  }),
} as const
