import type { AgentRequest, Grant } from './agent-request.ts'

/** An agent that asks for access. Name and platform are plain text that cannot disguise itself. */
export type Ask = Pick<AgentRequest, 'name' | 'platform' | 'record' | 'hosted' | 'suggested' | 'via' | 'peer'>

/** What the agent is answered; `userCode` as `XXXX-XXXX`, the others in seconds. */
export interface Asked {
  readonly code: string
  readonly userCode: string
  readonly interval: number
  readonly expiresIn: number
}

/** `retryAfter` in seconds. */
export type AskRefusal =
  | { readonly kind: 'agent_access_disabled' | 'cloud_access_disabled' }
  | { readonly kind: 'rate_limited'; readonly retryAfter: number }

/** `suspended`: accepted, but the integration takes no agents now; the token still waits. */
export type Polled =
  | { readonly kind: 'pending' | 'slow_down' | 'denied' | 'expired' | 'suspended' }
  | { readonly kind: 'token'; readonly token: string; readonly credentialKind: Grant['kind'] }
