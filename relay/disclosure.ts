import { keysOf } from '@hm-gateway/lib/keys-of.ts'
import { TABLES, type TableName } from './store/store.ts'

/** Contents of each table, for people who ask what the relay stores about them (docs/what-the-relay-sees.md). */
const CONTENTS: Readonly<Record<TableName, string>> = {
  accounts:
    'E-mail address, hash of the password, serials of linked homes, hashes of sessions and known devices, public keys and names of passkeys.',
  gateways: 'Serial and public key of a gateway, and its linked accounts.',
  facts: 'The first account, and the key from which client secrets are derived.',
  sessions: 'Account of each session; the cookie as a hash; name of the browser, shortened address, times.',
  passkeys: 'Account of each passkey; the passkey as a hash.',
  challenges: 'Pending challenges of passkeys, as hashes.',
  events:
    'Events of accounts for the operator: kind, time, browser, shortened address, serial, OAuth client. They are deleted with the account.',
  invites: 'Account that sent the invite; the link as a hash.',
  resets: 'Account whose password can be reset; the link as a hash.',
  notices: 'Undelivered notices of sign-ins from new devices: account, browser, shortened address, time.',
  links: 'Gateway that waits to be linked; its code as a hash.',
  registrations: 'Metadata of OAuth clients that have registered but are not approved yet.',
  clients: 'Metadata of OAuth clients that a home has approved.',
  flows: 'Running sign-ins of agents; their codes and ids as hashes.',
}

interface AboutParts {
  readonly origin: string
  readonly logsRequests: boolean
}

/** `GET /.well-known/hm-relay`: the data that this relay sees and stores (docs/what-the-relay-sees.md). */
export function aboutRelay({ origin, logsRequests }: AboutParts): object {
  return {
    service: 'Home Control relay',
    base_url: origin,
    mcp_url: `${origin}/mcp`,
    documentation: 'docs/what-the-relay-sees.md',
    modes: {
      terminated: {
        offered: true,
        sees: ['requests and responses in transit, including their tokens', 'addresses, sizes and times'],
      },
      passthrough: {
        offered: true,
        server_name: 'hm-{serial}.local',
        sees: ['name of the gateway', 'addresses, sizes and times'],
      },
    },
    keeps: keysOf(TABLES).map((name) => {
      const lifetimeMs = TABLES[name]
      return { name, what: CONTENTS[name], seconds: lifetimeMs === null ? null : lifetimeMs / 1_000 }
    }),
    keepsNot: [
      'access and refresh tokens, keys and sessions of the service',
      'names, states, activity and other data of a home',
      'requests, responses and codes of the device flow',
    ],
    logs: logsRequests
      ? 'Route, serial, status, time and reference of each request. Connection, disconnection and full tunnel of a gateway. Gateway and duration of an end-to-end connection. No address, query, header, body or e-mail address.'
      : 'Errors and warnings. No line for a request, no address, query, header, body or e-mail address.',
  }
}
