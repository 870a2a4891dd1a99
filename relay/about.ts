import { keysOf } from '@hm-gateway/lib/keys.ts'
import { TABLES, type TableName } from './store/store.ts'

/** What each table holds, in words for whoever asks what a relay keeps of them (docs/what-the-relay-sees.md). */
const HELD: Readonly<Record<TableName, string>> = {
  accounts:
    'E-mail address, hash of the password, serials of the homes of the account, hashes of its sessions and known devices, public halves and names of its passkeys.',
  gateways: 'Serial and public key of a gateway, and which accounts are linked to it.',
  facts: 'The first account, and the key from which client secrets are derived.',
  sessions: 'Who is signed in; the cookie as a hash; name of the browser, shortened address, times.',
  passkeys: 'The account of each passkey; the passkey as a hash.',
  challenges: 'Questions to authenticators that are not answered yet, as hashes.',
  events:
    'Events of accounts for the operator: kind, time, browser, shortened address, serial, OAuth client; they go with the account.',
  invites: 'Who invited; the link as a hash.',
  resets: 'Whose password its operator lets be set anew; the link as a hash.',
  notices: 'Sign-ins from new devices that a gateway was not told of yet: account, browser, shortened address, time.',
  links: 'A gateway that waits to be linked; its code as a hash.',
  registrations: 'Metadata of OAuth clients that registered and were not approved yet.',
  clients: 'Metadata of OAuth clients that were approved for a home.',
  flows: 'Sign-ins of agents under way; their codes and ids as hashes.',
}

interface AboutParts {
  readonly origin: string
  readonly logsRequests: boolean
}

/** `GET /.well-known/hm-relay`: what this relay sees, keeps, and for how long (docs/what-the-relay-sees.md). */
export function aboutRelay({ origin, logsRequests }: AboutParts): object {
  return {
    service: 'Home Control relay',
    base_url: origin,
    mcp_url: `${origin}/mcp`,
    documentation: 'docs/what-the-relay-sees.md',
    modes: {
      terminated: {
        offered: true,
        sees: ['requests and answers while they pass, with the tokens in them', 'addresses, sizes and times'],
      },
      passthrough: {
        offered: true,
        server_name: 'hm-{serial}.local',
        sees: ['the name of the gateway', 'addresses, sizes and times'],
      },
    },
    keeps: keysOf(TABLES).map((name) => {
      const kept = TABLES[name]
      return { name, what: HELD[name], seconds: kept === null ? null : kept / 1_000 }
    }),
    keepsNot: [
      'access and refresh tokens, keys and sessions of the service',
      'names, states, activity or anything else of a home',
      'requests, answers and codes of the device flow',
    ],
    logs: logsRequests
      ? 'Route, serial, status, time and a reference of each request, when a gateway connects or leaves or its tunnel is full, and which gateway an end-to-end connection went to and for how long; no address, query, header, body or e-mail address.'
      : 'What goes wrong; no line for a request, no address, query, header, body or e-mail address.',
  }
}
