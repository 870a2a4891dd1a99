import type { Integration, IntegrationReader } from '../../exposure/integration.ts'
import type { RecordTimes } from '../../exposure/record-times.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import {
  type AgentRequest,
  type Grant,
  type AgentRequestStore,
  type Decision,
  COLLECT_MS,
  endOf,
} from './agent-request.ts'
import type { Credential, CredentialReader, Credentials, NewCredential } from '../credentials/credentials.ts'
import type { LastUsed } from '../credentials/last-used.ts'
import type { AccessChange } from '../../exposure/access-change.ts'
import { type Cause, GATEWAY_CAUSE } from '../../home/model/events.ts'
import type { RecordActivity, UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { RequestChange } from './expiring-requests.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'
import { nullIfDiskFails } from '../../lib/storage-failure.ts'

/** An administrator's choice for an agent (Spec 3). */
export interface Choice {
  /** Id of the integration; optional if only one is possible. */
  readonly integration?: string
  readonly kind: 'agent' | 'session'
  /** Replace: link of the credential to end, or true for the agent's only one. */
  readonly replaces?: string | true
  /** Add: the agent's other credentials stay. */
  readonly add?: boolean
}

/** Reason why a decision is impossible; `message` is one plain sentence, the lists hold the possible choices. */
export interface PairingProblem {
  readonly kind:
    | 'not_found'
    | 'decided'
    | 'expired'
    | 'choose_integration'
    | 'no_integration'
    | 'other_integration'
    | 'integration_disabled'
    | 'integration_over'
    | 'outside_hours'
    | 'agent_access_disabled'
    | 'cloud_access_disabled'
    | 'session_not_offered'
    | 'known_agent'
    | 'no_such_credential'
  readonly message: string
  /** Ids to choose from. */
  readonly integrations?: readonly string[]
  readonly links?: readonly string[]
}

interface ChoiceParts {
  readonly integrations: IntegrationReader
  readonly times: Pick<RecordTimes, 'closedNow'>
  readonly credentials: Pick<CredentialReader, 'get' | 'list'>
  readonly lastUsed: Pick<LastUsed, 'sessionOver'>
}

/** Reason why an integration cannot take the request's agent at the moment, or null (Spec 5 point 8). */
export function closedReason(
  integration: Integration,
  { hosted }: Pick<AgentRequest, 'hosted'>,
  times: ChoiceParts['times'],
): keyof typeof CLOSED_WORDS | null {
  const { enabled, knobs } = integration
  if (!enabled) return 'integration_disabled'
  const closed = times.closedNow(integration)
  if (closed !== null) return closed.closed === 'ended' ? 'integration_over' : 'outside_hours'
  if (knobs.agent_access === 'off') return 'agent_access_disabled'
  return hosted && knobs.cloud_access === 'off' ? 'cloud_access_disabled' : null
}

/** Reason why no possible integration takes the request's agent at the moment, or null if one does. */
export function closedReasonForAll(
  request: Pick<AgentRequest, 'hosted' | 'record'>,
  { integrations, times }: Pick<ChoiceParts, 'integrations' | 'times'>,
): 'agent_access_disabled' | 'cloud_access_disabled' | null {
  const { record } = request
  const candidates =
    record === null ? integrations.list() : [integrations.get(record)].flatMap((integration) => integration ?? [])
  const reasons = candidates.map((integration) => closedReason(integration, request, times))
  if (reasons.includes(null)) return null
  return reasons.includes('cloud_access_disabled') ? 'cloud_access_disabled' : 'agent_access_disabled'
}

/** Active credentials of the same agent (same name and platform), in one integration or, if null, in all. */
export function credentialsOfAgent(
  { name, platform }: Pick<AgentRequest, 'name' | 'platform'>,
  integration: string | null,
  parts: ChoiceParts,
): readonly Credential[] {
  return parts.credentials
    .list()
    .filter(
      (credential) =>
        isActiveAgent(credential, parts) &&
        credential.name === name &&
        credential.platform === platform &&
        (integration === null || credential.integration === integration),
    )
}

/** Converts an administrator's choice into a grant, or explains why that is impossible. */
export function grantOf(request: AgentRequest, choice: Choice, parts: ChoiceParts): Result<Grant, PairingProblem> {
  const found = integrationOf(request, choice, parts)
  if (!found.ok) return found
  const { id, name } = found.value
  const closed = closedReason(found.value, request, parts.times)
  if (closed) return fail({ kind: closed, message: `${name} cannot take this agent: ${CLOSED_WORDS[closed]}.` })
  if (request.hosted && choice.kind === 'session') {
    return fail({
      kind: 'session_not_offered',
      message: 'An agent on a hosted platform cannot be accepted for one session; accept or deny it.',
    })
  }
  const known = credentialsOfAgent(request, id, parts).map(({ link }) => link)
  const { replaces, add = false } = choice
  if (replaces === undefined) {
    if (known.length === 0 || add) return ok({ integration: id, kind: choice.kind, replaces: null })
    return fail({
      kind: 'known_agent',
      links: known,
      message: `The agent already has ${known.join(', ')} in ${name}: replace it, or add another credential.`,
    })
  }
  const link = replaces === true && known.length === 1 ? known[0] : replaces
  const old = typeof link === 'string' ? parts.credentials.get(link) : undefined
  if (old && old.integration === id && isActiveAgent(old, parts))
    return ok({ integration: id, kind: choice.kind, replaces: old.link })
  return fail({ kind: 'no_such_credential', links: known, message: replacementProblem(replaces, known, name) })
}

const CLOSED_WORDS = {
  integration_disabled: 'it is disabled',
  integration_over: 'its time has ended',
  outside_hours: 'it is outside its hours',
  agent_access_disabled: 'agent_access is off',
  cloud_access_disabled: 'it runs on a hosted platform, and cloud_access is off',
} as const

function replacementProblem(replaces: string | true, known: readonly string[], name: string): string {
  if (replaces !== true) return `${replaces} is not an active credential of an agent in ${name}.`
  return known.length === 0
    ? `The agent has no credential in ${name} to replace.`
    : `The agent has ${known.join(', ')} in ${name}: choose the one to replace.`
}

/** The requested integration, else the chosen one, else the only possible one. */
function integrationOf(
  request: AgentRequest,
  choice: Choice,
  { integrations, times }: Pick<ChoiceParts, 'integrations' | 'times'>,
): Result<Integration, PairingProblem> {
  if (request.record !== null && choice.integration !== undefined && choice.integration !== request.record) {
    return fail({
      kind: 'other_integration',
      integrations: [request.record],
      message: `The agent requested the integration ${request.record}; it can only be accepted for that one.`,
    })
  }
  const integrationId = request.record ?? choice.integration
  if (integrationId !== undefined) {
    const integration = integrations.get(integrationId)
    return integration
      ? ok(integration)
      : fail({ kind: 'no_integration', message: `There is no integration ${integrationId}.` })
  }
  const possible = integrations.list().filter((candidate) => closedReason(candidate, request, times) === null)
  const [only] = possible
  if (only && possible.length === 1) return ok(only)
  const message = only
    ? `Choose an integration for the agent: ${possible.map(({ id, name }) => `${name} (${id})`).join(', ')}.`
    : 'No enabled integration takes this agent: turn agent_access on, and for a hosted platform cloud_access too.'
  return fail({
    kind: only ? 'choose_integration' : 'agent_access_disabled',
    integrations: possible.map(({ id }) => id),
    message,
  })
}

function isActiveAgent(credential: Credential, { lastUsed }: ChoiceParts): boolean {
  return credential.kind !== 'key' && credential.revokedAt === null && !lastUsed.sessionOver(credential)
}

/** A token counts as arrived this long after sending, if the gateway did not crash. */
export const ARRIVED_AFTER_MS = 10_000
/** Life of an unused credential whose token a crash may have lost. */
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

/**
 * Makes the granted credential from a draft, inside the change that hands it out. Returns its link, and the result for
 * the agent: one token or a pair of tokens.
 */
export type Mint<T> = (
  draft: Omit<NewCredential, 'kind'>,
  by: Cause,
  record: RecordActivity,
) => { readonly link: string; readonly result: T }

type GrantedRequest = AgentRequest & { readonly decision: Decision & { readonly grant: Grant } }

/** True for a request that was accepted, also after its token was collected. */
export function hasGrant(request: AgentRequest): request is GrantedRequest {
  return request.decision !== null && request.decision.grant !== null
}

/**
 * Hands each accepted agent its token, once. An unused token that a crash may have lost can be collected again
 * (docs/agents.md#pairing).
 */
export class TokenHandout {
  readonly #parts: TokenHandoutParts
  /** Cancels the arrival timer, by id of a request whose token this process sent moments ago. */
  readonly #sent = new Map<string, () => void>()

  constructor(parts: TokenHandoutParts) {
    this.#parts = parts
  }

  /** True if the token can be collected: for the first time, or again because a crash may have lost it. */
  isCollectable(request: GrantedRequest): boolean {
    return request.state === 'accepted' || this.#recollectable(request) !== null
  }

  /**
   * Returns the result of `mint`, or null if the token was already collected. One transaction ends the replaced
   * credential, makes the new one and marks the request as collected. A token that a crash may have lost ends when its
   * successor is collected.
   */
  collect<T>(request: GrantedRequest, mint: Mint<T>): T | null {
    const { credentials } = this.#parts
    const { grant } = request.decision
    const lost = request.state === 'accepted' ? null : this.#recollectable(request)
    if (request.state !== 'accepted' && lost === null) return null
    const replaced = lost ?? (grant.replaces === null ? undefined : credentials.get(grant.replaces))
    const result = this.#parts.change((change) => this.#handOut(request, replaced, mint, change))
    if (result === null) return null
    this.#startArrivalTimer(request.request)
    this.#parts.changes.emit({ integration: grant.integration, deleted: false })
    return result
  }

  /** Ends an unused credential whose token was probably lost. */
  endLost(request: AgentRequest, change: RequestChange): void {
    const { credentials, changes, clock } = this.#parts
    const lost = this.#lostCredential(request)
    if (lost === null) return
    credentials.end(lost, GATEWAY_CAUSE, change.record)
    clock.after(0, () => changes.emit({ integration: lost.integration, deleted: false }))
  }

  /** Steady ms at which the credential of a possibly lost token ends; null if the token is not lost. */
  lostTokenEndsAt(request: AgentRequest): number | null {
    const lost = this.#lostCredential(request)
    return lost && lost.steadyCreatedAt + LOST_AFTER_MS
  }

  /** Marks all sent tokens as arrived, because an orderly stop loses no response. */
  stop(): void {
    for (const [request, cancel] of this.#sent) {
      cancel()
      this.#markArrived(request)
    }
  }

  #handOut<T>(
    request: GrantedRequest,
    replaced: Credential | undefined,
    mint: Mint<T>,
    change: RequestChange,
  ): T | null {
    const { credentials, requests } = this.#parts
    const { grant, by } = request.decision
    const isSecondTime = request.state === 'collected'
    if (!requests.update({ ...request, state: 'collected' }, request.state)) return null
    if (replaced && replaced.revokedAt === null) credentials.end(replaced, by, change.record)
    const { name, platform } = request
    const { link, result } = mint({ integration: grant.integration, name, platform }, by, change.record)
    const collected: AgentRequest = { ...request, state: 'collected', handedOut: link }
    requests.update(collected, 'collected')
    if (!isSecondTime) change.emit({ kind: 'agent_request_ended', request: collected, how: 'collected' })
    return result
  }

  #startArrivalTimer(request: string): void {
    this.#sent.set(
      request,
      this.#parts.clock.after(ARRIVED_AFTER_MS, () => this.#markArrived(request)),
    )
  }

  /** The unused credential whose token a crash may have lost, or null. */
  #lostCredential({ request, handedOut }: AgentRequest): Credential | null {
    const credential =
      handedOut === null || this.#sent.has(request) ? undefined : this.#parts.credentials.get(handedOut)
    if (!credential || credential.revokedAt !== null) return null
    return this.#parts.lastUsed.of(credential) === null ? credential : null
  }

  /** The lost credential, while its successor can still be collected. */
  #recollectable(request: GrantedRequest): Credential | null {
    const lost = this.#lostCredential(request)
    return lost !== null && this.#parts.steady.now() < this.#collectableUntil(request, lost) ? lost : null
  }

  /** Steady ms until which a possibly lost token can be collected again. */
  #collectableUntil(request: AgentRequest, { steadyCreatedAt }: Credential): number {
    return Math.max(endOf({ ...request, state: 'accepted' }), steadyCreatedAt + COLLECT_MS)
  }

  #markArrived(id: string): void {
    const { requests, work } = this.#parts
    // If the disk fails, the same agent could collect the token again after a restart.
    nullIfDiskFails(() => {
      // Read again, because the integration may have been deleted.
      const request = requests.list().find((stored) => stored.request === id)
      if (request) work.change(() => requests.update({ ...request, handedOut: null }, 'collected'))
      this.#sent.delete(id)
    })
  }
}
