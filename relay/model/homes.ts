import type { z } from 'zod'
import type { agentRequest, agentRequestStatus, revocation, tokens } from '@hm-gateway/wire/relay-messages.ts'

export type NewAgentRequest = z.infer<typeof agentRequest.request>
export type PendingAgentRequest = z.infer<typeof agentRequest.response>
export type AgentRequestStatus = z.infer<typeof agentRequestStatus.response>['status']
export type TokenRequest = z.infer<typeof tokens.request>
export type Tokens = Extract<z.infer<typeof tokens.response>, { readonly access: string }>
export type RevocationRequest = z.infer<typeof revocation.request>

/** No response from the gateway; `retryAfter` in seconds. After `gateway_timeout` the request may be carried out. */
export interface HomeFailure {
  readonly kind: 'gateway_offline' | 'gateway_timeout'
  readonly retryAfter: number
}

/** Error response of the gateway; `retryAfter` in seconds. */
export interface HomeRefusal {
  readonly kind: 'refused'
  readonly status: number
  readonly code: string
  readonly message: string
  readonly retryAfter?: number
}

/** Error codes of OAuth, as the gateway sends them. */
export type TokensFailure =
  | HomeFailure
  | { readonly kind: 'invalid_grant' | 'invalid_target' }
  | { readonly kind: 'slow_down'; readonly retryAfter: number }
