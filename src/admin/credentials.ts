import {
  type Credential,
  credentialLabel,
  type Credentials,
  type HostedClient,
  isProved,
} from '../auth/credentials/credentials.ts'
import type { LastUsed } from '../auth/credentials/last-used.ts'
import type { PendingRevocations } from '../auth/credentials/pending-revocations.ts'
import type { Integration } from '../exposure/integration.ts'
import type { RecordTimes } from '../exposure/record-times.ts'
import type { IntegrationAdmin } from '../exposure/integration-admin.ts'
import type { House } from '../home/house/house.ts'
import type { Cause } from '../home/model/events.ts'
import type { Origin } from '../home/model/house.ts'
import type { Rules } from '../home/rules/rules.ts'
import { connectionCode, type GatewayPlace } from '../lib/connection-code.ts'
import type { Refuse } from '../api/errors.ts'
import type { CredentialView, HostedView, keys, operators as declared, OperatorView } from './contract/integrations.ts'
import type { AdminHandlersOf } from './dispatch.ts'
import { type Operator, OPERATOR_SCOPES, type Operators } from '../auth/operators/operators.ts'

export interface CredentialParts {
  readonly integrations: IntegrationAdmin
  readonly credentials: Credentials
  /** Ends things while the disk accepts no writes. */
  readonly unstored: Pick<PendingRevocations, 'revoke'>
  readonly lastUsed: LastUsed
  readonly times: Pick<RecordTimes, 'closedNow'>
  readonly house: House
  readonly rules: Pick<Rules, 'openers'>
  /** Current addresses of the gateway for clients. */
  readonly place: () => GatewayPlace
  /** Number of open streams of a credential. */
  readonly streamsOf: (link: string) => number
  /** Number of refresh tokens that a hosted agent could exchange next. */
  readonly branchesOf: (link: string) => number
}

/** Handlers for credentials of all kinds. */
export function keyHandlers(parts: CredentialParts): AdminHandlersOf<typeof keys> {
  return {
    'keys.list': () => ({ keys: parts.credentials.list().map((credential) => keyOf(credential, parts)) }),
    'keys.create': ({ body, cause, refuse }) => {
      const integration = integrationBy(body.integration, parts, refuse)
      refuseMember(integration, 'key', refuse)
      const { token, credential } = parts.credentials.create(
        { integration: integration.id, kind: 'key', name: body.name, platform: '' },
        cause,
      )
      return newCredentialFields(token, credential, parts)
    },
    'keys.show': ({ params, refuse }) => {
      const credential = credentialBy(params.id, parts, refuse)
      return { key: keyOf(credential, parts), ...lostPermissions(byCredential(credential), parts) }
    },
    'keys.revoke': ({ params, cause, refuse }) => revoked(credentialBy(params.id, parts, refuse), parts, cause),
  }
}

/** Response with a new credential and its token. */
export function newCredentialFields(
  token: string,
  { link }: Credential,
  { place }: Pick<CredentialParts, 'place'>,
): { readonly token: string; readonly link: string; readonly fingerprint: string; readonly connectionCode: string } {
  const where = place()
  return { token, link, fingerprint: where.fingerprint, connectionCode: connectionCode(where, token) }
}

function credentialBy(
  link: string,
  { credentials }: Pick<CredentialParts, 'credentials'>,
  refuse: Refuse<'not_found'>,
): Credential {
  return credentials.get(link) ?? refuseUnknown('credential', link, 'key list', refuse)
}

/** Refuses an unknown id, and names the command that lists the known ones. */
export function refuseUnknown(what: string, id: string, command: string, refuse: Refuse<'not_found'>): never {
  return refuse('not_found', { message: `There is no ${what} ${id}; \`bin/hm ${command}\` lists them.` })
}

/** Finds an integration. @throws Refusal if the id is unknown */
export function integrationBy(
  id: string,
  { integrations }: Pick<CredentialParts, 'integrations'>,
  refuse: Refuse<'not_found'>,
): Integration {
  return integrations.get(id) ?? refuseUnknown('integration', id, 'integration list', refuse)
}

const NO_KEYS = 'A wall tablet has no keys: `bin/hm tablet link` makes a one-time link for it.'
const NOT_OF_PEOPLE = {
  delete: (name: string) =>
    `This is the record of ${name}. Remove the person: the record goes with them (\`bin/hm person remove\`).`,
  rename: (name: string) => `This is the record of ${name} and has the name of its person.`,
  key: (name: string) => `This is the record of ${name}, who signs in at the console: it has no keys.`,
} as const

/** Refuses what the record of a person, and of a wall tablet, does not take. */
export function refuseMember(integration: Integration, what: keyof typeof NOT_OF_PEOPLE, refuse: Refuse): void {
  if (integration.kind === 'tablet' && what === 'key') refuse('validation', { message: NO_KEYS })
  if (integration.kind === 'member') refuse('validation', { message: NOT_OF_PEOPLE[what](integration.name) })
}

/** Matches authors with this credential. */
const byCredential =
  ({ link }: Credential): ((author: Origin) => boolean) =>
  (author) =>
    author.link === link

export interface LostPermissions {
  readonly switchedOff?: string[]
  readonly scenesRefused?: string[]
  readonly groupRules?: string[]
}

/** Names of the rules and scenes that lose their permission to open with these authors; to be read before it ends. */
export function lostPermissions(
  authors: ((author: Origin) => boolean) | null,
  { rules, house }: Pick<CredentialParts, 'rules' | 'house'>,
): LostPermissions {
  if (authors === null) return {}
  const off = rules.openers.affectedRules(authors).map(({ name }) => name)
  const refused = rules.openers.affectedScenes(authors, house.scenes.values()).map(({ name }) => name)
  return { ...(off.length > 0 && { switchedOff: off }), ...(refused.length > 0 && { scenesRefused: refused }) }
}

/** Names of the rules that go off besides when these authors are deleted: their groups have the authors' devices. */
export function groupRulesOf(
  authors: (author: Origin) => boolean,
  { rules }: Pick<CredentialParts, 'rules'>,
): Pick<LostPermissions, 'groupRules'> {
  const names = rules.openers.emptiedRules(authors).map(({ name }) => name)
  return names.length === 0 ? {} : { groupRules: names }
}

/** Ends a credential, and switches off the rules that open by its authority. */
export function revoked(
  credential: Credential,
  parts: Pick<CredentialParts, 'credentials' | 'unstored' | 'rules' | 'house'>,
  cause: Cause,
): { revoked: string } & LostPermissions & Unstored {
  const authors = byCredential(credential)
  const ending = lostPermissions(authors, parts)
  const store = (): void => parts.credentials.revoke(credential, cause, parts.rules.openers.switchOff(authors, cause))
  const hold = (): void => parts.credentials.hold(credential)
  return {
    revoked: credential.link,
    ...ending,
    ...unlessStored(parts.unstored.revoke({ id: credential.link, store, retry: store, hold })),
  }
}

/** Marks an end that is not on the disk yet. */
export interface Unstored {
  readonly unstored?: true
}

export const unlessStored = (stored: boolean): Unstored => (stored ? {} : { unstored: true })

/** A credential for administrators, of any kind, without its secret. */
export function keyOf(
  credential: Credential,
  parts: Pick<CredentialParts, 'integrations' | 'lastUsed' | 'times' | 'streamsOf' | 'branchesOf'>,
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
    ...(credential.hosted === null ? {} : { branches: parts.branchesOf(credential.link) }),
    streams: parts.streamsOf(credential.link),
    lastUsed: used ? { at: used.at, via: used.via } : null,
  }
}

/** The client of a hosted platform for administrators. */
export function clientOf(hosted: HostedClient | null): HostedView | null {
  if (hosted === null) return null
  const { client, redirectHost, audience: door, account } = hosted
  return { id: client, redirectHost, proved: isProved(hosted), account, door }
}

/** State of a credential (Spec 3). */
export function stateOf(
  credential: Credential,
  integration: Integration | undefined,
  { lastUsed, times }: Pick<CredentialParts, 'lastUsed' | 'times'>,
): CredentialView['state'] {
  if (credential.revokedAt !== null) return 'ended'
  if (lastUsed.sessionOver(credential)) return 'expired'
  if (!integration?.enabled || times.closedNow(integration) !== null) return 'disabled'
  return credential.kind !== 'key' && integration.knobs.agent_access === 'off' ? 'suspended' : 'active'
}

/** Handlers for the tokens of operator programs. */
export function operatorAdminHandlers({
  operators,
  unstored,
}: {
  readonly operators: Operators
  readonly unstored: Pick<PendingRevocations, 'revoke'>
}): AdminHandlersOf<typeof declared> {
  return {
    'operators.list': () => ({ operators: operators.list().map(operatorView) }),
    'operators.create': ({ body, cause, refuse }) => {
      const made = operators.create(body, cause)
      if (!made.ok) return refuse('validation', { message: made.error })
      return { token: made.value.token, operator: operatorView(made.value.operator) }
    },
    'operators.delete': ({ params, cause, refuse }) => {
      const revocation = operators.revocation(params.id, cause)
      if (revocation) return { deleted: params.id, ...unlessStored(unstored.revoke(revocation)) }
      return refuseUnknown('operator token', params.id, 'operator list', refuse)
    },
  }
}

function operatorView({ id, name, scopes, createdAt, usedAt }: Operator): OperatorView {
  return {
    id,
    name,
    scopes: OPERATOR_SCOPES.filter((operatorScope) => scopes.includes(operatorScope)),
    createdAt,
    usedAt,
  }
}
