import { type Credential, credentialLabel } from '../../auth/credential.ts'
import type { Credentials } from '../../auth/credentials.ts'
import { type HostedClient, isProved } from '../../auth/hosted-client.ts'
import type { LastUsed } from '../../auth/last-used.ts'
import type { Integration } from '../../exposure/integration.ts'
import { changedBy, type IntegrationAdmin, type IntegrationChange } from '../../exposure/integration-admin.ts'
import { formatExposure, parseExposure } from '../../exposure/pick-text.ts'
import type { Cause } from '../../home/model/cause.ts'
import type { Origin } from '../../home/model/house.ts'
import type { House } from '../../home/house/house.ts'
import type { Rules } from '../../home/rules/rules.ts'
import { connectionCode, type GatewayPlace } from '../../lib/connection-code.ts'
import type { Refuse } from '../errors.ts'
import type { AdminContract } from './contract/index.ts'
import type { ChangeBody, CredentialView, HostedView, IntegrationView } from './contract/integrations.ts'
import type { AdminHandlersOf } from './dispatch.ts'
import { differencesOf } from './preview.ts'

export interface AccessParts {
  readonly integrations: IntegrationAdmin
  readonly credentials: Credentials
  readonly lastUsed: LastUsed
  readonly house: House
  readonly rules: Pick<Rules, 'openers' | 'automations' | 'schedules'>
  /** Where clients find the gateway now. */
  readonly place: () => GatewayPlace
}

type AccessNames =
  | 'integrations.list'
  | 'integrations.create'
  | 'integrations.show'
  | 'integrations.change'
  | 'integrations.preview'
  | 'integrations.delete'
  | 'keys.list'
  | 'keys.create'
  | 'keys.revoke'

/** Integrations and credentials, as administrators handle them. */
export function accessHandlers(parts: AccessParts): AdminHandlersOf<Pick<AdminContract, AccessNames>> {
  return { ...integrationHandlers(parts), ...changeHandlers(parts), ...keyHandlers(parts) }
}

type ChangeNames = 'integrations.change' | 'integrations.preview' | 'integrations.delete'
type KeyNames = Extract<AccessNames, `keys.${string}`>
type IntegrationNames = Exclude<AccessNames, ChangeNames | KeyNames>

function integrationHandlers(parts: AccessParts): AdminHandlersOf<Pick<AdminContract, IntegrationNames>> {
  return {
    'integrations.list': () => ({ integrations: parts.integrations.list().map((each) => integrationOf(each, parts)) }),
    'integrations.show': ({ params, refuse }) => ({
      integration: integrationOf(find(params.id, parts, refuse), parts),
    }),
    'integrations.create': ({ body, cause, refuse }) => {
      const exposure = exposureOf(body.expose ?? ['all'], parts, refuse)
      const made = parts.integrations.create(body.name, exposure, body.settings ?? {}, cause)
      return made.ok ? { integration: integrationOf(made.value, parts) } : refuse('validation', { message: made.error })
    },
  }
}

function changeHandlers(parts: AccessParts): AdminHandlersOf<Pick<AdminContract, ChangeNames>> {
  const { openers } = parts.rules
  return {
    'integrations.change': ({ params, body, cause, refuse }) => {
      const { stored, change, whose, knobsOff } = planned(params.id, body, parts, refuse)
      const told = leaveEnds(whose, parts)
      const off = whose === null ? [] : openers.switchOff(whose, cause)
      const changed = parts.integrations.change(stored, change, cause, off)
      if (!changed.ok) return refuse('validation', { message: changed.error })
      return { integration: integrationOf(changed.value, parts), ...told, ...knobsOff }
    },
    'integrations.preview': ({ params, body, refuse }) => {
      const { stored, now, whose, knobsOff } = planned(params.id, body, parts, refuse)
      const credentials = parts.credentials.list().filter((each) => each.integration === stored.id)
      const { automations, schedules } = parts.rules
      const home = { house: parts.house, automations: automations.list(), schedules: schedules.list() }
      return {
        integration: integrationOf(now, parts),
        ...differencesOf(stored, now, { home, credentials, stateOf: (each, of) => stateOf(each, of, parts) }),
        ...leaveEnds(whose, parts),
        ...knobsOff,
      }
    },
    'integrations.delete': ({ params, cause, refuse }) => {
      const stored = find(params.id, parts, refuse)
      const whose = byIntegration(stored.id)
      const told = leaveEnds(whose, parts)
      parts.integrations.remove(stored, cause, openers.switchOff(whose, cause))
      return { deleted: params.id, ...told }
    },
  }
}

/** What a new credential is handed over with. */
export function handedOver(
  token: string,
  { link }: Credential,
  { place }: Pick<AccessParts, 'place'>,
): { readonly token: string; readonly link: string; readonly fingerprint: string; readonly connectionCode: string } {
  const where = place()
  return { token, link, fingerprint: where.fingerprint, connectionCode: connectionCode(where, token) }
}

function keyHandlers(parts: AccessParts): AdminHandlersOf<Pick<AdminContract, KeyNames>> {
  return {
    'keys.list': () => ({ keys: parts.credentials.list().map((each) => keyOf(each, parts)) }),
    'keys.create': ({ body, cause, refuse }) => {
      const { token, credential } = parts.credentials.create(
        { integration: find(body.integration, parts, refuse).id, kind: 'key', name: body.name, platform: '' },
        cause,
      )
      return handedOver(token, credential, parts)
    },
    'keys.revoke': ({ params, cause, refuse }) => {
      const credential =
        parts.credentials.get(params.id) ??
        refuse('not_found', { message: `There is no credential ${params.id}; \`bin/hm key list\` shows them.` })
      return revoked(credential, parts, cause)
    },
  }
}

function find(
  id: string,
  { integrations }: Pick<AccessParts, 'integrations'>,
  refuse: Refuse<'not_found'>,
): Integration {
  return (
    integrations.get(id) ??
    refuse('not_found', { message: `There is no integration ${id}; \`bin/hm integration list\` shows them.` })
  )
}

function exposureOf(
  words: readonly string[],
  { house }: Pick<AccessParts, 'house'>,
  refuse: Refuse,
): Integration['exposure'] {
  const parsed = parseExposure(words, house)
  return parsed.ok ? parsed.value : refuse('validation', { message: parsed.error })
}

/** A change that an administrator asks for, and what comes of it. */
interface Planned {
  readonly stored: Integration
  readonly change: IntegrationChange
  readonly now: Integration
  /** Whose rules that open a lock or gate go off with it; null where nobody's do. */
  readonly whose: ((author: Origin) => boolean) | null
  readonly knobsOff: { readonly knobsOff?: string[] }
}

/** What a change and its preview share: what is asked for, judged. */
function planned(id: string, body: ChangeBody, parts: AccessParts, refuse: Refuse<'not_found'>): Planned {
  const stored = find(id, parts, refuse)
  const exposure = body.expose && exposureOf(body.expose, parts, refuse)
  const change = { name: body.name, exposure, knobs: body.settings, enabled: body.enabled }
  const changed = changedBy(change, stored)
  if (!changed.ok) return refuse('validation', { message: changed.error })
  const now = changed.value
  const lapsed = stored.knobs.structural === 'on' && now.knobs.structural === 'off'
  return {
    stored,
    change,
    now,
    whose: now.enabled && now.knobs.allow_unlock === 'on' ? null : byIntegration(id),
    knobsOff: lapsed && body.settings?.structural === undefined ? { knobsOff: ['structural'] } : {},
  }
}

function byIntegration(id: string): (author: Origin) => boolean {
  return ({ integration }) => integration === id
}

interface LeaveEnds {
  readonly switchedOff?: string[]
  readonly scenesRefused?: string[]
}

/** The rules and scenes that open by the leave that ends with somebody's, by name; asked before it ends. */
function leaveEnds(
  whose: ((author: Origin) => boolean) | null,
  { rules, house }: Pick<AccessParts, 'rules' | 'house'>,
): LeaveEnds {
  if (whose === null) return {}
  const off = rules.openers.of(whose).map(({ name }) => name)
  const refused = rules.openers.lapsing(whose, house.scenes.values()).map(({ name }) => name)
  return { ...(off.length > 0 && { switchedOff: off }), ...(refused.length > 0 && { scenesRefused: refused }) }
}

/** Ends a credential, and with it the rules that open by its authority. */
export function revoked(
  credential: Credential,
  parts: Pick<AccessParts, 'credentials' | 'rules' | 'house'>,
  cause: Cause,
): { revoked: string } & LeaveEnds {
  const whose = (author: Origin): boolean => author.link === credential.link
  const told = leaveEnds(whose, parts)
  parts.credentials.revoke(credential, cause, parts.rules.openers.switchOff(whose, cause))
  return { revoked: credential.link, ...told }
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
      .map((each) => keyOf(each, parts, integration)),
  }
}

/** A credential as administrators see it, whatever its kind; the secret is nowhere. */
export function keyOf(
  credential: Credential,
  parts: Pick<AccessParts, 'integrations' | 'lastUsed'>,
  integration = parts.integrations.get(credential.integration),
): CredentialView {
  const used = parts.lastUsed.of(credential)
  return {
    link: credential.link,
    integration: credential.integration,
    kind: credential.kind,
    name: credential.name,
    platform: credential.platform,
    client: clientOf(credential.hosted),
    label: credentialLabel(credential, integration?.name ?? ''),
    state: stateOf(credential, integration, parts),
    stale: parts.lastUsed.stale(credential),
    createdAt: credential.createdAt,
    lastUsed: used ? { at: used.at, via: used.via } : null,
  }
}

/** The client of a hosted platform, as administrators see it. */
export function clientOf(hosted: HostedClient | null): HostedView | null {
  if (hosted === null) return null
  const { client, redirectHost, door, account } = hosted
  return { id: client, redirectHost, proved: isProved(hosted), account, door }
}

/** The states of Spec 3, as an administrator sees them. */
function stateOf(
  credential: Credential,
  integration: Integration | undefined,
  { lastUsed }: Pick<AccessParts, 'lastUsed'>,
): CredentialView['state'] {
  if (credential.revokedAt !== null) return 'ended'
  if (lastUsed.sessionOver(credential)) return 'expired'
  if (!integration?.enabled) return 'disabled'
  return credential.kind !== 'key' && integration.knobs.agent_access === 'off' ? 'suspended' : 'active'
}
