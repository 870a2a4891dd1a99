import type { z } from 'zod'
import type { agentRequest, agentRequestStatus, revocation, tokens } from '@hm-gateway/wire/control.ts'

export type AgentRequestAsk = z.infer<typeof agentRequest.ask>
export type AgentRequestAsked = z.infer<typeof agentRequest.answer>
export type AgentRequestStatus = z.infer<typeof agentRequestStatus.answer>['status']
export type TokensAsk = z.infer<typeof tokens.ask>
export type Tokens = Extract<z.infer<typeof tokens.answer>, { readonly access: string }>
export type RevocationAsk = z.infer<typeof revocation.ask>

/** The gateway did not answer; `retryAfter` in seconds. After `gateway_timeout` it may have done what was asked. */
export interface HomeFailure {
  readonly kind: 'gateway_offline' | 'gateway_timeout'
  readonly retryAfter: number
}

/** The gateway refused in the Error shape: its code, its sentence, and seconds to wait where it named them. */
export interface HomeRefusal {
  readonly kind: 'refused'
  readonly status: number
  readonly code: string
  readonly message: string
  readonly retryAfter?: number
}

/** The gateway's own words are OAuth's. */
export type TokensFailure =
  | HomeFailure
  | { readonly kind: 'invalid_grant' | 'invalid_target' }
  | { readonly kind: 'slow_down'; readonly retryAfter: number }
