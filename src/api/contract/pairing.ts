import { z } from 'zod'
import { PairedGateway, PollBody } from '../../wire/pairing.ts'
import { endpoint } from './endpoint.ts'
import { growing, text } from './fields.ts'
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
      .describe('`All`, or names of floors, rooms and units as the user calls them.'),
    settings: SomeSettings.optional().describe('The knobs that it would like.'),
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
      gateway: PairedGateway.describe('The 12-character id of the gateway that is meant.'),
      name: PlainName.describe('What the agent is called; administrators read it.'),
      platform: PlainName.describe('Where it runs.'),
      record: z.string().max(NAMED_ID_MAX).nullish().describe('An integration id, where it is to be that one.'),
      suggested: Suggested.nullish(),
    }),
    answer: z.looseObject({
      code: text('What the agent polls with. A secret.'),
      userCode: z
        .string()
        .regex(/^[A-Z]{4}-[A-Z]{4}$/)
        .describe('What the user compares with what the administrator sees.'),
      interval: z.int().describe('Seconds between two polls.'),
      expiresIn: z.int().describe('Seconds until nobody is asked any more.'),
    }),
    errors: ['not_found', 'agent_access_disabled', 'cloud_access_disabled', 'rate_limited'],
  }),
  'pair.token': endpoint('POST', '/v1/pair/token', {
    summary: 'Poll for the answer; the token is handed out once',
    spec: '4, 5.7, 7, 8; docs/agents.md',
    reach: 'open',
    body: PollBody.extend({
      code: PollBody.shape.code.describe('The code of the answer to the asking.'),
    }),
    answer: z.looseObject({
      access_token: text('The token, as a bearer. A secret.'),
      token_type: z.literal('Bearer'),
      kind: growing(['agent', 'session'], 'What kind of credential it is.'),
    }),
    literal: {
      400: z.looseObject({
        error: z
          .enum(['authorization_pending', 'access_denied', 'expired_token'])
          .describe('What there is instead of a token.'),
      }),
      429: z.looseObject({ error: z.literal('slow_down') }),
    },
    errors: ['agent_access_disabled', 'rate_limited'],
  }),
} as const
