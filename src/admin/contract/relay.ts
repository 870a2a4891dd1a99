import { z } from 'zod'
import { epochMs, text, textOrNull, count, shape, named, listOf } from '../../api/contract/fields.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'

const PASSTHROUGH =
  "Whether clients reach the gateway's own TLS through the relay, which then cannot read what passes: not, beside requests that it can read, or in no other way."

export const RIVAL_AT =
  'When another gateway with a copy of this data folder was at the relay last, epoch milliseconds, within a day; else null. The gateway that connected first gives way.'

export const GAVE_WAY =
  'True while this gateway leaves the home to another one with a copy of its data folder. An administrator ends it by connecting the relay again.'

export const RELAY_STATE = z
  .enum(['off', 'connecting', 'unlinked', 'linked'])
  .describe('`off`: no relay is connected; `unlinked`: no account may reach the home yet, so nobody does.')

export const PendingRequest = named(
  'PendingRelayRequest',
  'The request that the relay has not confirmed yet. The gateway repeats it with each connection to that relay.',
  {
    wish: z
      .enum(['link', 'unlink'])
      .describe(
        '`unlink`: to forget all accounts; nobody reaches the home through it meanwhile. `link`: to make a code.',
      ),
    url: text('The address of the relay.'),
    since: epochMs('When an administrator asked for it.'),
  },
)

const Relay = named('Relay', 'The relay through which the home is reached from outside.', {
  serial: text('The id of this gateway, which the page of the relay shows for comparison.'),
  state: RELAY_STATE,
  url: textOrNull('The address of the relay, or null.'),
  fingerprint: textOrNull("SHA-256 of the relay's own CA where that alone is trusted, or null."),
  accounts: z.array(z.string()).describe('The accounts that are linked, as the relay told.'),
  passthrough: z.enum(['off', 'on', 'only']).describe(PASSTHROUGH),
  trouble: textOrNull('Why there is no tunnel, in one sentence, or null.'),
  gaveWay: z.boolean().optional().describe(GAVE_WAY),
  rivalAt: z.int().nullable().describe(RIVAL_AT),
  tunnels: listOf('A connection to the relay.', {
    slot: count('0 or 1.'),
    node: text('Which node of the relay it leads to.'),
    silentMs: count('Milliseconds since the relay answered last.'),
    streams: count('Requests and sockets that are under way over it.'),
  }).describe('The connections that are open now.'),
  pending: PendingRequest.nullable(),
  link: shape('How an account is linked now.', {
    code: text('What the owner types there.'),
    url: text('The page of the relay.'),
    expiresAt: epochMs('Until when it holds.'),
  }).nullable(),
})
export type RelayView = Plain<z.output<typeof Relay>>

export const relay = {
  'relay.status': endpoint('GET', '/admin/v1/relay', { summary: 'Which relay is connected, and how', answer: Relay }),
  'relay.connect': endpoint('POST', '/admin/v1/relay', {
    summary: 'Connect a relay',
    stepUp: true,
    body: z.strictObject({
      url: z.string().max(300).describe('`https://host[:port]`.'),
      fingerprint: z
        .string()
        .max(200)
        .nullish()
        .describe(
          "SHA-256 of the relay's own CA. Without it the relay of now keeps its CA, and another one needs a public certificate.",
        ),
    }),
    answer: Relay,
    errors: ['unauthorized'],
  }),
  'relay.disconnect': endpoint('DELETE', '/admin/v1/relay', { summary: 'Use no relay any more', answer: Relay }),
  'relay.link': endpoint('POST', '/admin/v1/relay/link', {
    summary: 'Have the relay make a code by which one more account is linked',
    stepUp: true,
    answer: Relay,
  }),
  'relay.passthrough': endpoint('PUT', '/admin/v1/relay/passthrough', {
    summary: 'Let clients reach the gateway end to end through the relay, beside other requests or alone',
    stepUp: true,
    body: z.strictObject({ mode: z.enum(['off', 'on', 'only']).describe(PASSTHROUGH) }),
    answer: Relay,
  }),
  'relay.unlink': endpoint('POST', '/admin/v1/relay/unlink', {
    summary: 'Have the relay forget every account of this home',
    answer: Relay,
  }),
} as const
