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
 * Whether the client's name is proved by a domain: its id is then the address of the document that says the name. Any
 * other client has named itself.
 */
export function isProved({ client }: Pick<HostedClient, 'client'>): boolean {
  return client.startsWith('https://')
}
