import { z } from 'zod'
import { Suggested } from '../../api/contract/pairing.ts'
import { epochMs, text, textOrNull, whether, named, listOf } from '../../api/contract/fields.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { Credential, Hosted, NewCredential, leaveEnds } from './integrations.ts'
import { LocalId, unstored } from './shapes.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

const request = {
  request: text('The id of the request.'),
  code: z
    .string()
    .regex(/^[A-Z]{4}-[A-Z]{4}$/)
    .describe('The code that the agent shows.'),
  name: text("The agent's own name for itself."),
  platform: text('Platform on which the agent says it runs.'),
  record: textOrNull('The id of the integration that it asked for, or null.'),
  hosted: whether('True if it runs on a hosted platform.'),
  client: Hosted.nullable(),
  suggested: Suggested.nullable(),
  via: z.enum(['home', 'cloud']).describe('Origin of the request: home network or relay.'),
  peer: text('Network address of the sender.'),
  askedAt: epochMs('When it asked.'),
}
const pending = {
  expiresAt: epochMs('Time of expiry.'),
  known: z.array(z.string()).describe('Links of the existing credentials of the same agent.'),
}

/** A pending request (Spec 2.8) with further facts for the administrator's decision. */
export const AgentRequestShape = named('AgentRequest', 'A pending request of an agent for access.', () => ({
  ...request,
  ...pending,
}))

export type PendingRequestView = Plain<z.output<typeof AgentRequestShape>>

/** A pending or decided request: `expiresAt` and `known` only while it is pending. */
export const RequestShape = named('DecidedRequest', 'A pending or decided request of an agent for access.', () => ({
  ...request,
  expiresAt: pending.expiresAt.optional(),
  known: pending.known.optional(),
}))
export type RequestView = Plain<z.output<typeof RequestShape>>

/** A call that needs a person's confirmation. Only administrators see the code. */
export const ConfirmationShape = named(
  'Confirmation',
  "A call of an agent that needs a person's confirmation.",
  () => ({
    id: text('The id of the confirmation.'),
    link: text('The credential of the agent.'),
    what: text('The call in words: `open lock "Front door" (HMLK front-door)`.'),
    scene: z.string().optional().describe('Name of the scene, if the call runs one.'),
    opens: listOf('A lock or gate.', () => ({
      id: LocalId,
      name: text('Current name; an agent may have been allowed to change it.'),
      class: text('`lock` or `gate`.'),
      model: textOrNull('The hardware model, if known.'),
      after: z.number().min(0).describe('Seconds until it opens.'),
    }))
      .optional()
      .describe('Locks and gates that would open; missing after the device was removed or the scene changed.'),
    code: text('The code that the person enters.'),
    askedAt: epochMs('When it asked.'),
    label: text('Name of the agent in the activity.'),
    integration: textOrNull('The name of its integration.'),
    expiresAt: epochMs('Time of expiry; only while it is pending.').optional(),
  }),
)
export type ConfirmationView = Plain<z.output<typeof ConfirmationShape>>
export type OpeningView = NonNullable<ConfirmationView['opens']>[number]

const Sender = named('Sender', 'A sender of requests for access.', () => ({
  address: text('Its address; for IPv6 the network.'),
  via: z.enum(['home', 'cloud']).describe('Origin of its requests: home network or relay.'),
  until: epochMs('End of the block or reservation.'),
}))
export type SenderView = Plain<z.output<typeof Sender>>

/** A request by its matching code or its id. */
const RequestParams = strictObject(() => ({ id: z.string().min(1).max(60) }))

export const agents = {
  'agents.requests': endpoint('GET', '/admin/v1/agents/requests', {
    summary: 'Agents that ask for access, with their matching codes',
    for: 'member',
    query: strictObject(() => ({
      code: z
        .string()
        .max(20)
        .optional()
        .describe('The matching code of a request that named no integration, which a member may then decide.'),
    })),
    errors: ['rate_limited'],
    answer: looseObject(() => ({ requests: z.array(AgentRequestShape) })),
  }),
  'agents.accept': endpoint('POST', '/admin/v1/agents/requests/{id}/accept', {
    summary: 'Accept an agent; it collects its token itself',
    for: 'member',
    // An agent's session expires by itself; other credentials last until they are revoked.
    stepUp: (body) => !(body as { readonly session: boolean }).session,
    params: RequestParams,
    body: strictObject(() => ({
      integration: z.string().max(64).optional().describe('The integration of the new credential.'),
      session: whether('True for a session, which expires by itself.').default(false),
      replace: z
        .union([z.string().min(1).max(64), z.literal(true)])
        .optional()
        .describe('The link of the credential to replace; true: its only one.'),
      add: whether('True to give it a further credential.').default(false),
    })),
    answer: looseObject(() => ({
      accepted: RequestShape,
      integration: textOrNull('The name of its integration.'),
      session: whether('True for a session, which expires by itself.'),
      replaces: textOrNull('The credential that ends when the new one is collected.'),
    })),
    errors: ['not_found', 'rate_limited'],
  }),
  'agents.deny': endpoint('POST', '/admin/v1/agents/requests/{id}/deny', {
    summary: 'Deny an agent; with block its sender is refused for a day',
    for: 'member',
    params: RequestParams,
    body: strictObject(() => ({ block: whether('True to refuse its sender for a day.').default(false) })),
    answer: looseObject(() => ({ denied: RequestShape, blocked: whether('True to refuse its sender for a day.') })),
    errors: ['not_found', 'rate_limited'],
  }),
  'agents.senders': endpoint('GET', '/admin/v1/agents/senders', {
    summary: 'Blocked senders and the sender with a reserved place',
    answer: looseObject(() => ({
      blocked: z.array(Sender).describe('Blocked senders.'),
      reserved: Sender.nullable().describe('The sender with a reserved place.'),
    })),
  }),
  'agents.unblock': endpoint('DELETE', '/admin/v1/agents/senders/{id}', {
    summary: 'Unblock the requests of an address',
    params: RequestParams,
    answer: looseObject(() => ({ unblocked: text('The address.') })),
    errors: ['not_found'],
  }),
  'agents.reserve': endpoint('POST', '/admin/v1/agents/reservation', {
    summary: 'Reserve a place for one request from an address at home or an account at the relay',
    body: strictObject(() => ({
      address: z.string().max(60).optional().describe('An IPv4 or IPv6 address at home.'),
      account: z.string().max(254).optional().describe('The e-mail address of an account at the relay.'),
    })),
    answer: looseObject(() => ({ reserved: Sender.nullable() })),
  }),
  'agents.list': endpoint('GET', '/admin/v1/agents', {
    summary: 'Agents and sessions, without their secrets',
    for: 'member',
    answer: looseObject(() => ({ agents: z.array(Credential) })),
  }),
  'agents.create': endpoint('POST', '/admin/v1/agents', {
    summary: 'Create the credential of an agent without a request; the token is shown once',
    status: 201,
    stepUp: true,
    body: strictObject(() => ({
      integration: z.string().max(64).describe('The id of its integration.'),
      name: PlainName,
      platform: PlainName,
      session: whether('True for a session, which expires by itself.').default(false),
    })),
    answer: looseObject(() => ({
      ...NewCredential,
      suspended: whether('True while agent_access of its integration is off.'),
    })),
    errors: ['not_found'],
  }),
  'agents.revoke': endpoint('DELETE', '/admin/v1/agents/{id}', {
    summary: 'Revoke an agent or session by its link',
    for: 'member',
    answer: looseObject(() => ({ revoked: text('The link of the credential.'), ...leaveEnds, ...unstored })),
    errors: ['not_found'],
  }),
  'confirmations.list': endpoint('GET', '/admin/v1/confirmations', {
    summary: 'Calls of agents that wait for a confirmation, with the codes',
    for: 'member',
    answer: looseObject(() => ({ confirmations: z.array(ConfirmationShape) })),
  }),
  'confirmations.answer': endpoint('POST', '/admin/v1/confirmations/{id}', {
    summary: 'Confirm or decline one call of an agent',
    for: 'member',
    params: RequestParams,
    body: strictObject(() => ({ confirm: whether('False: the call is declined.') })),
    answer: looseObject(() => ({ confirmed: ConfirmationShape.optional(), declined: ConfirmationShape.optional() })),
    errors: ['not_found'],
  }),
} as const
