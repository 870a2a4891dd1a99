import { z } from 'zod'
import { whether } from '../../api/contract/fields.ts'
import type { Plain } from '../../api/contract/endpoint.ts'
import { Credential } from './integrations.ts'
import { ConfirmationShape, RequestShape } from './agents.ts'
import { looseObject } from '../../lib/late-object.ts'

/** Path of administrators' live events: one JSON object a line, until either side ends it. */
export const EVENTS_PATH = '/admin/v1/events'

/** A live event. Pending requests come first, then `watching`; all later events are new. */
export const AdminEventShape = z
  .discriminatedUnion('kind', [
    looseObject(() => ({
      kind: z.literal('agent_request'),
      notice: whether('True if it should notify a person.'),
      request: RequestShape,
    })),
    looseObject(() => ({
      kind: z.literal('agent_request_ended'),
      how: z.enum(['accepted', 'denied', 'expired', 'collected']).describe('Result of the request.'),
      request: RequestShape,
    })),
    looseObject(() => ({
      kind: z.literal('agent_ended'),
      why: z
        .enum(['refresh_reused', 'code_reused'])
        .describe(
          '`refresh_reused`: a used refresh token was presented again. `code_reused`: its authorization code was.',
        ),
      agent: Credential,
    })),
    looseObject(() => ({
      kind: z.literal('confirmation'),
      notice: whether('True if it should notify a person.'),
      confirmation: ConfirmationShape,
    })),
    looseObject(() => ({
      kind: z.literal('confirmation_ended'),
      how: z.enum(['confirmed', 'declined', 'expired', 'used']).describe('Result of the request.'),
      confirmation: ConfirmationShape,
    })),
    looseObject(() => ({ kind: z.literal('watching') })),
  ])
  .meta({ id: 'AdminEvent', description: 'A live event for administrators.' })
export type AdminEvent = Plain<z.output<typeof AdminEventShape>>
