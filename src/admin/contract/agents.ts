import { z } from 'zod'
import { Suggested } from '../../api/contract/pairing.ts'
import { epochMs, text, textOrNull, whether, named, listOf } from '../../api/contract/fields.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { Credential, Hosted, NewCredential, leaveEnds } from './integrations.ts'
import { LocalId, unstored } from './shapes.ts'

const request = {
  request: text('The id of the request.'),
  code: z
    .string()
    .regex(/^[A-Z]{4}-[A-Z]{4}$/)
    .describe('What the agent shows.'),
  name: text('What the agent calls itself.'),
  platform: text('Where it says that it runs.'),
  record: textOrNull('The integration that it asked for by id.'),
  hosted: whether('Whether it runs on a hosted platform.'),
  client: Hosted.nullable(),
  suggested: Suggested.nullable(),
  via: z.enum(['home', 'cloud']).describe('Which way it came.'),
  peer: text('The network address it came from.'),
  askedAt: epochMs('When it asked.'),
}
const pending = {
  expiresAt: epochMs('Until when it waits.'),
  known: z.array(z.string()).describe('Links of what the same agent has already.'),
}

/** Spec 2.8, with what else an administrator may want to know before answering. */
export const AgentRequestShape = named('AgentRequest', 'An agent that asks for access.', { ...request, ...pending })

export type PendingRequestView = Plain<z.output<typeof AgentRequestShape>>

/** A request that may be decided already: `expiresAt` and `known` only while it is pending. */
export const RequestShape = named('DecidedRequest', 'An agent that asks for access, or asked.', {
  ...request,
  expiresAt: pending.expiresAt.optional(),
  known: pending.known.optional(),
})
export type RequestView = Plain<z.output<typeof RequestShape>>

/** A call that needs a person's confirmation. The code is shown to administrators alone. */
export const ConfirmationShape = named('Confirmation', 'A call of an agent that needs a person.', {
  id: text('The id of the confirmation.'),
  link: text('The credential of the agent.'),
  what: text('In words: `open lock "Front door" (HMLK front-door)`.'),
  scene: z.string().optional().describe('The scene that would run, by its name; only where one would.'),
  opens: listOf('A lock or gate.', {
    id: LocalId,
    name: text('What it is called now; an agent may have been allowed to rename it.'),
    class: text('`lock` or `gate`.'),
    model: textOrNull('The hardware model where it is known.'),
    after: z.number().min(0).describe('After how many seconds it opens.'),
  })
    .optional()
    .describe('What would open; not told once the device is gone or the scene another.'),
  code: text('What the person enters.'),
  askedAt: epochMs('When it asked.'),
  label: text('The agent as the activity log names it.'),
  integration: textOrNull('The name of its integration.'),
  expiresAt: epochMs('Until when it waits; only while it is pending.').optional(),
})
export type ConfirmationView = Plain<z.output<typeof ConfirmationShape>>
export type OpeningView = NonNullable<ConfirmationView['opens']>[number]

const Sender = named('Sender', 'Whoever sends requests for access.', {
  address: text('Its address; of an IPv6 one the network.'),
  via: z.enum(['home', 'cloud']).describe('Which way it comes.'),
  until: epochMs('Until when.'),
})
export type SenderView = Plain<z.output<typeof Sender>>

/** A request by its matching code or its id. */
const RequestParams = z.strictObject({ id: z.string().min(1).max(60) })

export const agents = {
  'agents.requests': endpoint('GET', '/admin/v1/agents/requests', {
    summary: 'Agents that ask for access, with their matching codes',
    answer: z.looseObject({ requests: z.array(AgentRequestShape) }),
  }),
  'agents.accept': endpoint('POST', '/admin/v1/agents/requests/{id}/accept', {
    summary: 'Accept an agent; it collects its token itself',
    // A session of an agent ends by itself; other credentials last until they are revoked.
    stepUp: (body) => !(body as { readonly session: boolean }).session,
    params: RequestParams,
    body: z.strictObject({
      integration: z.string().max(64).optional().describe('The integration that it gets access through.'),
      session: whether('Whether it is for a while only.').default(false),
      replace: z
        .union([z.string().min(1).max(64), z.literal(true)])
        .optional()
        .describe('The link of the credential that it replaces; true: the one that it has.'),
      add: whether('Whether it is to have one more than it has.').default(false),
    }),
    answer: z.looseObject({
      accepted: RequestShape,
      integration: textOrNull('The name of its integration.'),
      session: whether('Whether it is for a while only.'),
      replaces: textOrNull('The credential that ends once the new one is collected.'),
    }),
    errors: ['not_found'],
  }),
  'agents.deny': endpoint('POST', '/admin/v1/agents/requests/{id}/deny', {
    summary: 'Deny an agent; with block its sender is turned away for a day',
    params: RequestParams,
    body: z.strictObject({ block: whether('Whether its sender is turned away for a day.').default(false) }),
    answer: z.looseObject({ denied: RequestShape, blocked: whether('Whether its sender is turned away for a day.') }),
    errors: ['not_found'],
  }),
  'agents.senders': endpoint('GET', '/admin/v1/agents/senders', {
    summary: 'Whose requests are turned away, and for whom a place is kept',
    answer: z.looseObject({
      blocked: z.array(Sender).describe('Who is turned away.'),
      reserved: Sender.nullable().describe('For whom a place is kept.'),
    }),
  }),
  'agents.unblock': endpoint('DELETE', '/admin/v1/agents/senders/{id}', {
    summary: 'Take requests of an address again that was turned away',
    params: RequestParams,
    answer: z.looseObject({ unblocked: text('The address.') }),
    errors: ['not_found'],
  }),
  'agents.reserve': endpoint('POST', '/admin/v1/agents/reservation', {
    summary: 'Keep a place for one request from an address at home or an account at the relay, whatever others ask',
    body: z.strictObject({
      address: z.string().max(60).optional().describe('An IPv4 or IPv6 address at home.'),
      account: z.string().max(254).optional().describe('The e-mail address of an account at the relay.'),
    }),
    answer: z.looseObject({ reserved: Sender.nullable() }),
  }),
  'agents.list': endpoint('GET', '/admin/v1/agents', {
    summary: 'Agents and sessions, without their secrets',
    answer: z.looseObject({ agents: z.array(Credential) }),
  }),
  'agents.create': endpoint('POST', '/admin/v1/agents', {
    summary: 'Make the credential of an agent without its asking; the token is shown this once',
    status: 201,
    stepUp: true,
    body: z.strictObject({
      integration: z.string().max(64).describe('The id of its integration.'),
      name: PlainName,
      platform: PlainName,
      session: whether('Whether it is for a while only.').default(false),
    }),
    answer: z.looseObject({
      ...NewCredential,
      suspended: whether('True while agent_access of its integration is off.'),
    }),
    errors: ['not_found'],
  }),
  'agents.revoke': endpoint('DELETE', '/admin/v1/agents/{id}', {
    summary: 'Revoke an agent or session by its link',
    answer: z.looseObject({ revoked: text('The link of the credential.'), ...leaveEnds, ...unstored }),
    errors: ['not_found'],
  }),
  'confirmations.list': endpoint('GET', '/admin/v1/confirmations', {
    summary: 'What agents need a confirmation for, with the codes',
    answer: z.looseObject({ confirmations: z.array(ConfirmationShape) }),
  }),
  'confirmations.answer': endpoint('POST', '/admin/v1/confirmations/{id}', {
    summary: 'Confirm or decline one call of an agent',
    params: RequestParams,
    body: z.strictObject({ confirm: whether('False: the call is declined.') }),
    answer: z.looseObject({ confirmed: ConfirmationShape.optional(), declined: ConfirmationShape.optional() }),
    errors: ['not_found'],
  }),
} as const
