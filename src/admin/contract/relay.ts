import { z } from 'zod'
import { epochMs, text, textOrNull, count, shape, named, listOf } from '../../api/contract/fields.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { strictObject } from '../../lib/late-object.ts'

const PASSTHROUGH =
  'End-to-end TLS to the gateway through the relay, which cannot read it: `off`, `on` in addition to requests that the relay can read, or `only`.'

export const RIVAL_AT =
  'Last connection of another gateway with a copy of this data folder within a day, epoch milliseconds; else null. The gateway that connected first gives way.'

export const GAVE_WAY =
  'True while this gateway leaves the home to another one with a copy of its data folder. An administrator ends it by connecting the relay again.'

export const RELAY_STATE = z
  .enum(['off', 'connecting', 'unlinked', 'linked'])
  .describe('`off`: no relay is connected; `unlinked`: no account may reach the home yet.')

export const PendingRelayRequest = named(
  'PendingRelayRequest',
  'A request without a confirmation by the relay. The gateway repeats it with each connection to that relay.',
  () => ({
    wish: z
      .enum(['link', 'unlink'])
      .describe(
        '`unlink`: forget all accounts; nobody reaches the home through the relay meanwhile. `link`: make a code.',
      ),
    url: text('The address of the relay.'),
    since: epochMs("Time of the administrator's request."),
  }),
)

const Relay = named('Relay', 'The relay for access from outside.', () => ({
  serial: text('The id of this gateway; the page of the relay shows it for comparison.'),
  state: RELAY_STATE,
  url: textOrNull('The address of the relay, or null.'),
  fingerprint: textOrNull("SHA-256 of the relay's own CA if only that is trusted, or null."),
  accounts: z.array(z.string()).describe('Linked accounts, as the relay reports them.'),
  passthrough: z.enum(['off', 'on', 'only']).describe(PASSTHROUGH),
  trouble: textOrNull('Reason for a missing tunnel in one sentence, or null.'),
  gaveWay: z.boolean().optional().describe(GAVE_WAY),
  rivalAt: z.int().nullable().describe(RIVAL_AT),
  tunnels: listOf('A connection to the relay.', () => ({
    slot: count('0 or 1.'),
    node: text('Node of the relay.'),
    silentMs: count("Milliseconds since the relay's last response."),
    streams: count('Active requests and sockets.'),
  })).describe('Open connections.'),
  pending: PendingRelayRequest.nullable(),
  link: shape('Code for linking an account.', () => ({
    code: text('Code that the owner enters there.'),
    url: text('The page of the relay.'),
    expiresAt: epochMs('Time of expiry.'),
  })).nullable(),
}))
export type RelayView = Plain<z.output<typeof Relay>>

export const relay = {
  'relay.status': endpoint('GET', '/admin/v1/relay', { summary: 'The connected relay and its state', answer: Relay }),
  'relay.connect': endpoint('POST', '/admin/v1/relay', {
    summary: 'Connect a relay',
    stepUp: true,
    body: strictObject(() => ({
      url: z.string().max(300).describe('`https://host[:port]`.'),
      fingerprint: z
        .string()
        .max(200)
        .nullish()
        .describe(
          "SHA-256 of the relay's own CA. Without it, the present relay keeps its CA, and another relay needs a public certificate.",
        ),
    })),
    answer: Relay,
    errors: ['unauthorized'],
  }),
  'relay.disconnect': endpoint('DELETE', '/admin/v1/relay', { summary: 'Disconnect the relay', answer: Relay }),
  'relay.link': endpoint('POST', '/admin/v1/relay/link', {
    summary: 'Request a code from the relay to link one more account',
    stepUp: true,
    answer: Relay,
  }),
  'relay.passthrough': endpoint('PUT', '/admin/v1/relay/passthrough', {
    summary: 'Set end-to-end access through the relay: off, in addition to other requests, or only',
    stepUp: true,
    body: strictObject(() => ({ mode: z.enum(['off', 'on', 'only']).describe(PASSTHROUGH) })),
    answer: Relay,
  }),
  'relay.unlink': endpoint('POST', '/admin/v1/relay/unlink', {
    summary: 'Unlink all accounts of this home at the relay',
    answer: Relay,
  }),
} as const
