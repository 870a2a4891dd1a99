import type { AgentRequest } from './agent-request.ts'
import type { Confirmation } from './confirmation.ts'
import type { Credential } from './credential.ts'

/**
 * What administrators receive as it happens. `notice`: whether it should call for their attention; too many at once
 * would only wear them out.
 */
export type AccessEvent =
  | { readonly kind: 'agent_request'; readonly request: AgentRequest; readonly notice: boolean }
  | {
      readonly kind: 'agent_request_ended'
      readonly request: AgentRequest
      readonly how: 'accepted' | 'denied' | 'expired' | 'collected'
    }
  /** A refresh token or an authorization code came back after it was used, so somebody else has it too. */
  | { readonly kind: 'agent_ended'; readonly credential: Credential; readonly why: 'refresh_reused' | 'code_reused' }
  | { readonly kind: 'confirmation'; readonly confirmation: Confirmation; readonly notice: boolean }
  | {
      readonly kind: 'confirmation_ended'
      readonly confirmation: Confirmation
      readonly how: 'confirmed' | 'declined' | 'expired' | 'used'
    }
