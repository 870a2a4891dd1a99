import { z } from 'zod'
import { PairedGateway, PollBody } from '../../wire/pairing.ts'
import { endpoint } from './endpoint.ts'
import { growing } from './fields.ts'
import { SomeSettings } from './knobs.ts'
import { PlainName } from './shapes.ts'

/** Real ones are shorter; a longer one names nothing. */
const NAMED_ID_MAX = 64
const SUGGESTED_PLACES_MAX = 50

/** What the agent would like, for the administrator to read; it decides nothing (Spec 2.8). */
export const Suggested = z
  .strictObject({
    exposure: z
      .union([z.literal('All'), z.array(PlainName).min(1).max(SUGGESTED_PLACES_MAX)])
      .optional()
      .meta({ description: '`All`, or names of floors, rooms and units as the user calls them.' }),
    settings: SomeSettings.optional().meta({ description: 'The knobs that it would like.' }),
  })
  .meta({
    id: 'SuggestedScope',
    description: 'The scope that the agent suggests. An administrator reads it; it decides nothing.',
  })

/** How an agent asks for access on the device flow (Spec 5 point 7, docs/agents.md#pairing). */
export const pairing = {
  'pair.ask': endpoint('POST', '/v1/pair', {
    summary: 'Ask an administrator for access; show the user code to the user',
    spec: '4, 5.7, 8; docs/agents.md',
    reach: 'open',
    body: z.strictObject({
      gateway: PairedGateway.meta({ description: 'The 12-character id of the gateway that is meant.' }),
      name: PlainName.meta({ description: 'What the agent is called; administrators read it.' }),
      platform: PlainName.meta({ description: 'Where it runs.' }),
      record: z
        .string()
        .max(NAMED_ID_MAX)
        .nullish()
        .meta({ description: 'An integration id, where it is to be that one.' }),
      suggested: Suggested.nullish(),
    }),
    answer: z.looseObject({
      code: z.string().meta({ description: 'What the agent polls with. A secret.' }),
      userCode: z
        .string()
        .regex(/^[A-Z]{4}-[A-Z]{4}$/)
        .meta({ description: 'What the user compares with what the administrator sees.' }),
      interval: z.int().meta({ description: 'Seconds between two polls.' }),
      expiresIn: z.int().meta({ description: 'Seconds until nobody is asked any more.' }),
    }),
    errors: ['not_found', 'agent_access_disabled', 'cloud_access_disabled', 'rate_limited'],
  }),
  'pair.token': endpoint('POST', '/v1/pair/token', {
    summary: 'Poll for the answer; the token is handed out once',
    spec: '4, 5.7, 7, 8; docs/agents.md',
    reach: 'open',
    body: PollBody.extend({
      code: PollBody.shape.code.meta({ description: 'The code of the answer to the asking.' }),
    }),
    answer: z.looseObject({
      access_token: z.string().meta({ description: 'The token, as a bearer. A secret.' }),
      token_type: z.literal('Bearer'),
      kind: growing(['agent', 'session'], 'What kind of credential it is.'),
    }),
    literal: {
      400: z.looseObject({
        error: z
          .enum(['authorization_pending', 'access_denied', 'expired_token'])
          .meta({ description: 'What there is instead of a token.' }),
      }),
      429: z.looseObject({ error: z.literal('slow_down') }),
    },
    errors: ['agent_access_disabled', 'rate_limited'],
  }),
} as const
