import { type Credential, credentialLabel } from '../../auth/credential.ts'
import type { Credentials } from '../../auth/credentials.ts'
import type { LastUsed } from '../../auth/last-used.ts'
import type { Integration } from '../../exposure/integration.ts'
import type { IntegrationAdmin } from '../../exposure/integration-admin.ts'
import { formatExposure, parseExposure } from '../../exposure/pick-text.ts'
import type { Cause } from '../../home/model/cause.ts'
import type { SwitchedOff } from '../../home/rules/openers.ts'
import type { House } from '../../home/house/house.ts'
import type { Rules } from '../../home/rules/rules.ts'
import type { Refuse } from '../errors.ts'
import type { AdminContract } from './contract/index.ts'
import type { CredentialView, IntegrationView } from './contract/integrations.ts'
import type { AdminHandlersOf } from './dispatch.ts'

export interface AccessParts {
  readonly integrations: IntegrationAdmin
  readonly credentials: Credentials
  readonly lastUsed: LastUsed
  readonly house: House
  readonly rules: Pick<Rules, 'openers'>
  readonly fingerprint: () => string
}

type AccessNames =
  | 'integrations.list'
  | 'integrations.create'
  | 'integrations.show'
  | 'integrations.change'
  | 'integrations.delete'
  | 'keys.list'
  | 'keys.create'
  | 'keys.revoke'

/** Integrations and credentials, as administrators handle them. */
export function accessHandlers(parts: AccessParts): AdminHandlersOf<Pick<AdminContract, AccessNames>> {
  const find = (id: string, refuse: Refuse<'not_found'>): Integration =>
    parts.integrations.get(id) ??
    refuse('not_found', { message: `There is no integration ${id}; \`bin/hm integration list\` shows them.` })
  const exposureOf = (words: readonly string[], refuse: Refuse): Integration['exposure'] => {
    const parsed = parseExposure(words, parts.house)
    return parsed.ok ? parsed.value : refuse('validation', { message: parsed.error })
  }
  return {
    'integrations.list': () => ({ integrations: parts.integrations.list().map((each) => integrationOf(each, parts)) }),
    'integrations.show': ({ params, refuse }) => ({ integration: integrationOf(find(params.id, refuse), parts) }),
    'integrations.create': ({ body, cause, refuse }) => {
      const exposure = exposureOf(body.expose ?? ['all'], refuse)
      const made = parts.integrations.create(body.name, exposure, body.settings ?? {}, cause)
      return made.ok ? { integration: integrationOf(made.value, parts) } : refuse('validation', { message: made.error })
    },
    'integrations.change': ({ params, body, cause, refuse }) => {
      const stored = find(params.id, refuse)
      const exposure = body.expose && exposureOf(body.expose, refuse)
      const changes = { exposure, knobs: body.settings, enabled: body.enabled }
      const { enabled = stored.enabled } = body
      const opens = enabled && (body.settings?.allow_unlock ?? stored.knobs.allow_unlock) === 'on'
      const off = opens ? NONE : parts.rules.openers.switchOff((author) => author.integration === stored.id, cause)
      const changed = parts.integrations.change(stored, changes, cause, off.parts)
      if (!changed.ok) return refuse('validation', { message: changed.error })
      const lapsed = stored.knobs.structural === 'on' && changed.value.knobs.structural === 'off'
      return {
        integration: integrationOf(changed.value, parts),
        ...namedIn(off),
        ...(lapsed && body.settings?.structural === undefined ? { knobsOff: ['structural'] } : {}),
      }
    },
    'integrations.delete': ({ params, cause, refuse }) => {
      const stored = find(params.id, refuse)
      const off = parts.rules.openers.switchOff((author) => author.integration === stored.id, cause)
      parts.integrations.remove(stored, cause, off.parts)
      return { deleted: params.id, ...namedIn(off) }
    },
    'keys.list': () => ({ keys: parts.credentials.list().map((each) => keyOf(each, parts)) }),
    'keys.create': ({ body, cause, refuse }) => {
      const { token, credential } = parts.credentials.create(
        { integration: find(body.integration, refuse).id, kind: 'key', name: body.name, platform: '' },
        cause,
      )
      return { token, link: credential.link, fingerprint: parts.fingerprint() }
    },
    'keys.revoke': ({ params, cause, refuse }) => {
      const credential =
        parts.credentials.get(params.id) ??
        refuse('not_found', { message: `There is no credential ${params.id}; \`bin/hm key list\` shows them.` })
      return revoked(credential, parts, cause)
    },
  }
}

const NONE: SwitchedOff = { names: [], parts: [] }

function namedIn({ names }: SwitchedOff): { switchedOff?: string[] } {
  return names.length > 0 ? { switchedOff: [...names] } : {}
}

/** Ends a credential, and with it the rules that open by its authority. */
export function revoked(
  credential: Credential,
  { credentials, rules }: Pick<AccessParts, 'credentials' | 'rules'>,
  cause: Cause,
): { revoked: string; switchedOff?: string[] } {
  const off = rules.openers.switchOff((author) => author.link === credential.link, cause)
  credentials.revoke(credential, cause, off.parts)
  return { revoked: credential.link, ...namedIn(off) }
}

function integrationOf(integration: Integration, parts: AccessParts): IntegrationView {
  return {
    id: integration.id,
    name: integration.name,
    enabled: integration.enabled,
    expose: formatExposure(integration.exposure),
    settings: integration.knobs,
    createdAt: integration.createdAt,
    credentials: parts.credentials
      .list()
      .filter((each) => each.integration === integration.id)
      .map((each) => keyOf(each, parts)),
  }
}

/** A credential as administrators see it, whatever its kind; the secret is nowhere. */
export function keyOf(credential: Credential, parts: Pick<AccessParts, 'integrations' | 'lastUsed'>): CredentialView {
  const used = parts.lastUsed.of(credential)
  return {
    link: credential.link,
    integration: credential.integration,
    kind: credential.kind,
    name: credential.name,
    platform: credential.platform,
    label: credentialLabel(credential, parts.integrations.get(credential.integration)?.name ?? ''),
    state: stateOf(credential, parts),
    stale: parts.lastUsed.stale(credential),
    createdAt: credential.createdAt,
    lastUsed: used ? { at: used.at, via: used.via } : null,
  }
}

/** The states of Spec 3, as an administrator sees them. */
function stateOf(
  credential: Credential,
  parts: Pick<AccessParts, 'integrations' | 'lastUsed'>,
): CredentialView['state'] {
  if (credential.revokedAt !== null) return 'ended'
  if (parts.lastUsed.sessionOver(credential)) return 'expired'
  const integration = parts.integrations.get(credential.integration)
  if (!integration?.enabled) return 'disabled'
  return credential.kind !== 'key' && integration.knobs.agent_access === 'off' ? 'suspended' : 'active'
}
