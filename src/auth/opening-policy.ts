import type { IntegrationReader } from '../exposure/integration.ts'
import type { OpeningPolicy, OpeningRefusal, Principal } from '../home/ports/opening-policy.ts'
import type { CredentialReader } from './credential.ts'
import type { LastUsed } from './last-used.ts'

export interface OpeningPolicyParts {
  readonly integrations: Pick<IntegrationReader, 'get'>
  readonly credentials: Pick<CredentialReader, 'get'>
  readonly lastUsed: Pick<LastUsed, 'sessionOver'>
}

/**
 * Who may open locks and gates now, from what is stored: an integration that is there, enabled and has allow_unlock on,
 * by a key that has not ended, or by an agent whose one run an administrator confirmed (Spec 4 rule 2).
 */
export function openingPolicy({ integrations, credentials, lastUsed }: OpeningPolicyParts): OpeningPolicy {
  return {
    refusalOf: (principal: Principal): OpeningRefusal | null => {
      const integration = integrations.get(principal.integration)
      if (!integration) return 'integration_deleted'
      if (!integration.enabled) return 'integration_disabled'
      if (integration.knobs.allow_unlock === 'off') return 'unlock_off'
      const credential = credentials.get(principal.link)
      if (credential?.integration !== integration.id) return 'credential_ended'
      if (credential.revokedAt !== null || lastUsed.sessionOver(credential)) return 'credential_ended'
      if (credential.kind === 'key') return null
      if (integration.knobs.agent_access === 'off') return 'credential_ended'
      return principal.confirmedBy === undefined ? 'unconfirmed' : null
    },
  }
}
