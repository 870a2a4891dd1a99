import type { Grant, SuggestedScope } from './agent-request.ts'
import type { Via } from './credential.ts'

/** An agent that asks for access. Name and platform are plain text that cannot disguise itself. */
export interface Ask {
  readonly name: string
  readonly platform: string
  /** Id of the integration that it wants, or null. */
  readonly record: string | null
  readonly hosted: boolean
  readonly suggested: SuggestedScope | null
  readonly via: Via
  readonly peer: string
}

/** What the agent is told; `userCode` as `XXXX-XXXX`, the others in seconds. */
export interface Asked {
  readonly code: string
  readonly userCode: string
  readonly interval: number
  readonly expiresIn: number
}

/** `retryAfter` in seconds. */
export type AskRefusal = { readonly kind: 'agent_access_disabled' | 'cloud_access_disabled' } | { readonly kind: 'rate_limited'; readonly retryAfter: number }

/** `suspended`: accepted, but the integration takes no agents now; the token still waits. */
export type Polled =
  | { readonly kind: 'pending' | 'slow_down' | 'denied' | 'expired' | 'suspended' }
  | { readonly kind: 'token'; readonly token: string; readonly credentialKind: Grant['kind'] }
