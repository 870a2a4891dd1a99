import type { Integration, IntegrationReader } from '../exposure/integration.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import type { AgentRequest, Grant } from './agent-request.ts'
import type { Credential, CredentialReader } from './credential.ts'
import type { LastUsed } from './last-used.ts'

/** What an administrator chooses for an agent (Spec 3). */
export interface Choice {
  /** Id of the integration; may be left out where only one comes into question. */
  readonly integration?: string
  readonly kind: 'agent' | 'session'
  /** Replace: the link of the credential that ends, or true for the only one that the same agent has. */
  readonly replaces?: string | true
  /** Add: the same agent keeps what it has. */
  readonly add?: boolean
}

/** Why a decision is not possible; `message` is one plain sentence, the lists are what there is to choose from. */
export interface PairingProblem {
  readonly kind:
    | 'not_found'
    | 'decided'
    | 'expired'
    | 'choose_integration'
    | 'no_integration'
    | 'other_integration'
    | 'integration_disabled'
    | 'agent_access_disabled'
    | 'cloud_access_disabled'
    | 'session_not_offered'
    | 'known_agent'
    | 'no_such_credential'
  readonly message: string
  /** Ids. */
  readonly integrations?: readonly string[]
  readonly links?: readonly string[]
}

export interface ChoiceParts {
  readonly integrations: IntegrationReader
  readonly credentials: Pick<CredentialReader, 'get' | 'list'>
  readonly lastUsed: Pick<LastUsed, 'sessionOver'>
}

/** Why an agent cannot be connected to an integration now, or null (Spec 5 point 8). */
export function closedTo(
  { enabled, knobs }: Integration,
  { hosted }: Pick<AgentRequest, 'hosted'>,
): 'integration_disabled' | 'agent_access_disabled' | 'cloud_access_disabled' | null {
  if (!enabled) return 'integration_disabled'
  if (knobs.agent_access === 'off') return 'agent_access_disabled'
  return hosted && knobs.cloud_access === 'off' ? 'cloud_access_disabled' : null
}

/** Why no integration that a request could get takes its agent now, or null where one does. */
export function closedToAll(
  request: Pick<AgentRequest, 'hosted' | 'record'>,
  integrations: IntegrationReader,
): 'agent_access_disabled' | 'cloud_access_disabled' | null {
  const { record } = request
  const wanted = record === null ? integrations.list() : [integrations.get(record)].flatMap((each) => each ?? [])
  const reasons = wanted.map((each) => closedTo(each, request))
  if (reasons.includes(null)) return null
  return reasons.includes('cloud_access_disabled') ? 'cloud_access_disabled' : 'agent_access_disabled'
}

/** The active credentials of the same agent: of the same name on the same platform. `integration` null: in any. */
export function knownOf(
  { name, platform }: Pick<AgentRequest, 'name' | 'platform'>,
  integration: string | null,
  parts: ChoiceParts,
): readonly Credential[] {
  return parts.credentials
    .list()
    .filter(
      (each) =>
        isActiveAgent(each, parts) &&
        each.name === name &&
        each.platform === platform &&
        (integration === null || each.integration === integration),
    )
}

/** What is granted when the administrator chooses so, or why it cannot be. */
export function grantOf(request: AgentRequest, choice: Choice, parts: ChoiceParts): Result<Grant, PairingProblem> {
  const found = integrationOf(request, choice, parts.integrations)
  if (!found.ok) return found
  const { id, name } = found.value
  const closed = closedTo(found.value, request)
  if (closed) return fail({ kind: closed, message: `${name} takes no such agent now: ${CLOSED[closed]}.` })
  if (request.hosted && choice.kind === 'session') {
    return fail({
      kind: 'session_not_offered',
      message: 'An agent on a hosted platform is accepted or denied; a session is not offered to it.',
    })
  }
  const known = knownOf(request, id, parts).map(({ link }) => link)
  const { replaces, add = false } = choice
  if (replaces === undefined) {
    if (known.length === 0 || add) return ok({ integration: id, kind: choice.kind, replaces: null })
    return fail({
      kind: 'known_agent',
      links: known,
      message: `The same agent has ${known.join(', ')} in ${name} already: replace that, or add another.`,
    })
  }
  const link = replaces === true && known.length === 1 ? known[0] : replaces
  const old = typeof link === 'string' ? parts.credentials.get(link) : undefined
  if (old && old.integration === id && isActiveAgent(old, parts))
    return ok({ integration: id, kind: choice.kind, replaces: old.link })
  return fail({ kind: 'no_such_credential', links: known, message: replacedWhat(replaces, known, name) })
}

const CLOSED = {
  integration_disabled: 'it is disabled',
  agent_access_disabled: 'agent_access is off',
  cloud_access_disabled: 'it runs on a hosted platform, and cloud_access is off',
} as const

function replacedWhat(replaces: string | true, known: readonly string[], name: string): string {
  if (replaces !== true) return `${replaces} is no active credential of an agent in ${name}.`
  return known.length === 0
    ? `The same agent has nothing in ${name} that could be replaced.`
    : `The same agent has ${known.join(', ')} in ${name}: say which to replace.`
}

/** The one that was asked for by id, else the chosen one, else the only one possible. */
function integrationOf(
  request: AgentRequest,
  choice: Choice,
  integrations: IntegrationReader,
): Result<Integration, PairingProblem> {
  if (request.record !== null && choice.integration !== undefined && choice.integration !== request.record) {
    return fail({
      kind: 'other_integration',
      integrations: [request.record],
      message: `The agent asks for the integration ${request.record} and gets that or none.`,
    })
  }
  const wanted = request.record ?? choice.integration
  if (wanted !== undefined) {
    const integration = integrations.get(wanted)
    return integration
      ? ok(integration)
      : fail({ kind: 'no_integration', message: `There is no integration ${wanted}.` })
  }
  const possible = integrations.list().filter((each) => closedTo(each, request) === null)
  const [only] = possible
  if (only && possible.length === 1) return ok(only)
  const message = only
    ? `Say which integration it shall have: ${possible.map(({ id, name }) => `${name} (${id})`).join(', ')}.`
    : 'No integration takes this agent now: an enabled one needs agent_access on, and for a hosted platform cloud_access too.'
  return fail({
    kind: only ? 'choose_integration' : 'agent_access_disabled',
    integrations: possible.map(({ id }) => id),
    message,
  })
}

function isActiveAgent(credential: Credential, { lastUsed }: ChoiceParts): boolean {
  return credential.kind !== 'key' && credential.revokedAt === null && !lastUsed.sessionOver(credential)
}
