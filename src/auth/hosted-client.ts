import type { Door } from './door.ts'

/**
 * The OAuth client of an agent that runs on a hosted platform, as the relay tells of it (Spec 5 points 4 and 6,
 * docs/agents.md#hosted).
 */
export interface HostedClient {
  /** The OAuth client id. */
  readonly client: string
  /** The host that the answer to the request goes to. */
  readonly redirectHost: string
  /** The door that its tokens are for, and the only one. */
  readonly door: Door
  /** The account at the relay whose user asks; it names, and proves nothing to the gateway. */
  readonly account: string
}

/**
 * Whether the client's name is proved by a domain: its id is the address of the document with the name, and the answer
 * goes to the same host. Any program on a computer can ask in the name of a document whose answers go there.
 */
export function isProved({ client, redirectHost }: Pick<HostedClient, 'client' | 'redirectHost'>): boolean {
  const url = client.startsWith('https://') ? URL.parse(client) : null
  return url !== null && url.hostname === redirectHost
}
