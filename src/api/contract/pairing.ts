import { z } from 'zod'
import { PairedGateway, PollBody } from '../../wire/pairing.ts'
import { endpoint } from './endpoint.ts'
import { growing, text } from './fields.ts'
import { SomeSettings } from './knobs.ts'
import { PlainName } from './shapes.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

/** Real ids are shorter; a longer one names nothing. */
const NAMED_ID_MAX = 64
const SUGGESTED_PLACES_MAX = 50

/** Scope that the agent suggests. The administrator reads it; it decides nothing (Spec 2.8). */
export const Suggested = strictObject(() => ({
  exposure: z
    .union([z.literal('All'), z.array(PlainName).min(1).max(SUGGESTED_PLACES_MAX)])
    .optional()
    .describe("`All`, or the user's names of floors, rooms and units."),
  settings: SomeSettings.optional().describe('Knobs that the agent asks for.'),
})).meta({
  id: 'SuggestedScope',
  description: 'The scope that the agent suggests. An administrator reads it; it decides nothing.',
})

/** Endpoints of the device flow, by which an agent asks for access (Spec 5 point 7, docs/agents.md#pairing). */
export const pairing = {
  'pair.ask': endpoint('POST', '/v1/pair', {
    summary: 'Ask an administrator for access; show the user code to the user',
    spec: '4, 5.7, 8; docs/agents.md',
    reach: 'open',
    body: strictObject(() => ({
      gateway: PairedGateway.describe('The 12-character id of the gateway.'),
      name: PlainName.describe('Name of the agent; administrators read it.'),
      platform: PlainName.describe('Platform on which the agent runs.'),
      record: z
        .string()
        .max(NAMED_ID_MAX)
        .nullish()
        .describe('The id of an integration, if the agent should join that one.'),
      suggested: Suggested.nullish(),
    })),
    answer: looseObject(() => ({
      code: text('Code for polling. A secret.'),
      userCode: z
        .string()
        .regex(/^[A-Z]{4}-[A-Z]{4}$/)
        .describe("Code that the user compares with the administrator's screen."),
      interval: z.int().describe('Seconds between two polls.'),
      expiresIn: z.int().describe('Seconds until the request expires.'),
    })),
    errors: ['not_found', 'agent_access_disabled', 'cloud_access_disabled', 'rate_limited'],
  }),
  'pair.token': endpoint('POST', '/v1/pair/token', {
    summary: "Poll for the administrator's decision; the token is handed out once",
    spec: '4, 5.7, 7, 8; docs/agents.md',
    reach: 'open',
    body: PollBody.extend({
      code: PollBody.shape.code.describe('The `code` of the response to POST /v1/pair.'),
    }),
    answer: looseObject(() => ({
      access_token: text('The token, as a bearer. A secret.'),
      token_type: z.literal('Bearer'),
      kind: growing(['agent', 'session'], 'Kind of credential.'),
    })),
    literal: {
      400: looseObject(() => ({
        error: z
          .enum(['authorization_pending', 'access_denied', 'expired_token'])
          .describe('Reason why there is no token.'),
      })),
      429: looseObject(() => ({ error: z.literal('slow_down') })),
    },
    errors: ['agent_access_disabled', 'rate_limited'],
  }),
} as const
