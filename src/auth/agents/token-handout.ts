import type { Integration, IntegrationReader } from '../../exposure/integration.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import {
  type AgentRequest,
  type Grant,
  type AgentRequestStore,
  type Decision,
  COLLECT_MS,
  endOf,
} from './agent-request.ts'
import type {
  Credential,
  CredentialReader,
  Credentials,
  NewCredential,
  RecordActivity,
} from '../credentials/credentials.ts'
import type { LastUsed } from '../credentials/last-used.ts'
import type { AccessChange } from '../../exposure/access-change.ts'
import { type Cause, GATEWAY_CAUSE } from '../../home/model/events.ts'
import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { RequestChange } from './expiring-requests.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'
import { unlessDiskFails } from '../../lib/storage-failure.ts'

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

interface ChoiceParts {
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

/** A token that was sent so long ago, with no crash since, has arrived. */
export const ARRIVED_AFTER_MS = 10_000
/** A credential whose token a crash may have lost, and which nobody has used, ends so long after it was made. */
export const LOST_AFTER_MS = 60 * 60_000

interface TokenHandoutParts {
  readonly requests: Pick<AgentRequestStore, 'list' | 'update'>
  readonly credentials: Pick<Credentials, 'get' | 'end'>
  readonly lastUsed: Pick<LastUsed, 'of'>
  readonly steady: Pick<SteadyTime, 'now'>
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly changes: Pick<Emitter<AccessChange>, 'emit'>
  /** Changes requests in one transaction. */
  readonly change: <T>(run: (change: RequestChange) => T) => T
}

/** Makes what an accepted request grants, inside the change that hands it out; `link` is the credential's. */
export type Mint<T> = (
  what: Omit<NewCredential, 'kind'>,
  by: Cause,
  record: RecordActivity,
) => { readonly link: string; readonly handed: T }

type Accepted = AgentRequest & { readonly decision: Decision & { readonly grant: Grant } }

export function isAccepted(request: AgentRequest): request is Accepted {
  return request.decision !== null && request.decision.grant !== null
}

/**
 * Hands tokens out to agents that were accepted, each once. One whose answer a crash may have lost can be collected
 * again while nobody has used it; else nobody would hold it (docs/agents.md#pairing).
 */
export class TokenHandout {
  readonly #parts: TokenHandoutParts
  /** Ids of requests whose tokens this run of the gateway sent, each with what cancels its timer. */
  readonly #sent = new Map<string, () => void>()

  constructor(parts: TokenHandoutParts) {
    this.#parts = parts
  }

  /** Whether an accepted request still gives something: once, and again where a crash may have lost that. */
  offers(request: Accepted): boolean {
    return request.state === 'accepted' || this.#again(request) !== null
  }

  /**
   * The first who collects gets what `mint` makes; whatever replaces, makes and marks is one transaction. A token that
   * a crash may have lost ends when another is collected in its place. Null where nothing is left to be had.
   */
  collect<T>(request: Accepted, mint: Mint<T>): T | null {
    const { credentials } = this.#parts
    const { grant } = request.decision
    const lost = request.state === 'accepted' ? null : this.#again(request)
    if (request.state !== 'accepted' && lost === null) return null
    const replaced = lost ?? (grant.replaces === null ? undefined : credentials.get(grant.replaces))
    const handed = this.#parts.change((change) => this.#handOut(request, replaced, mint, change))
    if (handed === null) return null
    this.#keepInMind(request.request)
    this.#parts.changes.emit({ integration: grant.integration, deleted: false })
    return handed
  }

  /** Ends a credential that nobody holds, as far as can be told. */
  drop(request: AgentRequest, change: RequestChange): void {
    const { credentials, changes, clock } = this.#parts
    const lost = this.#lost(request)
    if (lost === null) return
    credentials.end(lost, GATEWAY_CAUSE, change.record)
    clock.after(0, () => changes.emit({ integration: lost.integration, deleted: false }))
  }

  /** Steady ms at which such a credential ends; null where there is none. */
  endsAt(request: AgentRequest): number | null {
    const lost = this.#lost(request)
    return lost && lost.steadyCreatedAt + LOST_AFTER_MS
  }

  /** A stop in order loses no answer. */
  stop(): void {
    for (const [request, cancel] of this.#sent) {
      cancel()
      this.#arrived(request)
    }
  }

  #handOut<T>(request: Accepted, replaced: Credential | undefined, mint: Mint<T>, change: RequestChange): T | null {
    const { credentials, requests } = this.#parts
    const { grant, by } = request.decision
    const again = request.state === 'collected'
    if (!requests.update({ ...request, state: 'collected' }, request.state)) return null
    if (replaced && replaced.revokedAt === null) credentials.end(replaced, by, change.record)
    const { name, platform } = request
    const { link, handed } = mint({ integration: grant.integration, name, platform }, by, change.record)
    const collected: AgentRequest = { ...request, state: 'collected', handedOut: link }
    requests.update(collected, 'collected')
    if (!again) change.emit({ kind: 'agent_request_ended', request: collected, how: 'collected' })
    return handed
  }

  #keepInMind(request: string): void {
    this.#sent.set(
      request,
      this.#parts.clock.after(ARRIVED_AFTER_MS, () => this.#arrived(request)),
    )
  }

  /** The unused credential whose token a crash may have lost, or null. */
  #lost({ request, handedOut }: AgentRequest): Credential | null {
    const credential =
      handedOut === null || this.#sent.has(request) ? undefined : this.#parts.credentials.get(handedOut)
    if (!credential || credential.revokedAt !== null) return null
    return this.#parts.lastUsed.of(credential) === null ? credential : null
  }

  /** The same, while another can be collected in its place. */
  #again(request: Accepted): Credential | null {
    const lost = this.#lost(request)
    return lost !== null && this.#parts.steady.now() < this.#collectableUntil(request, lost) ? lost : null
  }

  /** Steady ms until which the token that a crash may have lost can be collected again. */
  #collectableUntil(request: AgentRequest, { steadyCreatedAt }: Credential): number {
    return Math.max(endOf({ ...request, state: 'accepted' }), steadyCreatedAt + COLLECT_MS)
  }

  #arrived(id: string): void {
    const { requests, work } = this.#parts
    // Where the disk fails it could be collected again after a restart, by the same agent alone.
    unlessDiskFails(() => {
      // Read again: its integration may be gone since.
      const request = requests.list().find((each) => each.request === id)
      if (request) work.change(() => requests.update({ ...request, handedOut: null }, 'collected'))
      this.#sent.delete(id)
    })
  }
}
