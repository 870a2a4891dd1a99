import { z } from 'zod'
import { whether } from '../../api/contract/fields.ts'
import type { Plain } from '../../api/contract/endpoint.ts'
import { Credential } from './integrations.ts'
import { ConfirmationShape, RequestShape } from './agents.ts'

/** Where administrators watch: one JSON object a line, until either side ends it. */
export const EVENTS_PATH = '/admin/v1/events'

/** A line of it. First comes what waits now, then `watching`; after that everything is new. */
export const AdminEventShape = z
  .discriminatedUnion('kind', [
    z.looseObject({
      kind: z.literal('agent_request'),
      notice: whether('Whether it should call for attention.'),
      request: RequestShape,
    }),
    z.looseObject({
      kind: z.literal('agent_request_ended'),
      how: z.enum(['accepted', 'denied', 'expired', 'collected']).describe('How it ended.'),
      request: RequestShape,
    }),
    z.looseObject({
      kind: z.literal('agent_ended'),
      why: z
        .enum(['refresh_reused', 'code_reused'])
        .describe(
          '`refresh_reused`: a refresh token of it came back after it was used. `code_reused`: so did its authorization code.',
        ),
      agent: Credential,
    }),
    z.looseObject({
      kind: z.literal('confirmation'),
      notice: whether('Whether it should call for attention.'),
      confirmation: ConfirmationShape,
    }),
    z.looseObject({
      kind: z.literal('confirmation_ended'),
      how: z.enum(['confirmed', 'declined', 'expired', 'used']).describe('How it ended.'),
      confirmation: ConfirmationShape,
    }),
    z.looseObject({ kind: z.literal('watching') }),
  ])
  .meta({ id: 'AdminEvent', description: 'Something that administrators are told.' })
export type AdminEvent = Plain<z.output<typeof AdminEventShape>>
