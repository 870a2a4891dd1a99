import { z } from 'zod'
import type { Plain } from '../../endpoint.ts'
import { ConfirmationShape, RequestShape } from './agents.ts'

/** Where administrators watch: one JSON object a line, until either side ends it. */
export const EVENTS_PATH = '/admin/v1/events'

/** A line of it. First comes what waits now, then `watching`; after that everything is new. */
export const AdminEventShape = z
  .discriminatedUnion('kind', [
    z.looseObject({
      kind: z.literal('agent_request'),
      notice: z.boolean().meta({ description: 'Whether it should call for attention.' }),
      request: RequestShape,
    }),
    z.looseObject({
      kind: z.literal('agent_request_ended'),
      how: z.enum(['accepted', 'denied', 'expired', 'collected']),
      request: RequestShape,
    }),
    z.looseObject({ kind: z.literal('confirmation'), notice: z.boolean(), confirmation: ConfirmationShape }),
    z.looseObject({
      kind: z.literal('confirmation_ended'),
      how: z.enum(['confirmed', 'declined', 'expired', 'used']),
      confirmation: ConfirmationShape,
    }),
    z.looseObject({ kind: z.literal('watching') }),
  ])
  .meta({ id: 'AdminEvent' })
export type AdminEvent = Plain<z.output<typeof AdminEventShape>>
