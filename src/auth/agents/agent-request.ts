import type { Knobs } from '../../exposure/knobs.ts'
import type { Cause } from '../../home/model/events.ts'
import type { Via, HostedClient } from '../credentials/credentials.ts'
import type { IntegrationReader } from '../../exposure/integration.ts'

/**
 * An agent's request for access (Spec 2.8 and 3). It is pending until an administrator decides or it expires. An
 * accepted request waits until its token is collected, once. Times with `steady` are steady time in ms, others epoch
 * ms.
 */
export interface AgentRequest {
  /** Id for administrators; the agent never gets it. */
  readonly request: string
  /** The matching code that the agent shows and an administrator sees: 8 letters, shown as `XXXX-XXXX`. */
  readonly userCode: string
  /** SHA-256 of the polling code, which itself is not stored; null for a hosted platform. */
  readonly codeSha256: Buffer | null
  /** SHA-256 of a hosted platform's code verifier (RFC 7636, S256); null for other agents. */
  readonly challenge: Buffer | null
  readonly name: string
  readonly platform: string
  /** Id of the requested integration; null if the agent named none. */
  readonly record: string | null
  /** Client of a hosted platform, which gets no lasting secret (Spec 5 point 4); null for other agents. */
  readonly hosted: HostedClient | null
  readonly suggested: SuggestedScope | null
  readonly via: Via
  /** Network address of the sender, shown to administrators. */
  readonly peer: string
  readonly askedAt: number
  readonly steadyAskedAt: number
  /** Seconds between two polls; every `slow_down` increases it permanently. */
  readonly interval: number
  readonly state: 'pending' | 'accepted' | 'denied' | 'collected'
  readonly decision: Decision | null
  /**
   * Link of a credential whose token was just sent and could be lost in a crash. Null before that, and once the token
   * has arrived.
   */
  readonly handedOut: string | null
}

/** The agent's own suggestion for exposure and knobs; administrators decide. */
export interface SuggestedScope {
  /** `All`, or names of floors, rooms and units as its user calls them. */
  readonly exposure?: 'All' | readonly string[]
  readonly settings?: Partial<Knobs>
}

export interface Decision {
  readonly steadyAt: number
  readonly by: Cause
  /** Null after a denial, and once the integration is deleted. */
  readonly grant: Grant | null
}

/** Access that an administrator grants to an agent. */
export interface Grant {
  readonly integration: string
  readonly kind: 'agent' | 'session'
  /** The credential that ends when the new one is collected (Replace), or null (Add). */
  readonly replaces: string | null
}

/** Block or reservation of a source (`sourceOf`); `until` is steady time in ms. */
export interface TimedSource {
  readonly source: string
  readonly until: number
}

export interface AgentRequestStore {
  list(): readonly AgentRequest[]
  insert(request: AgentRequest): void
  /**
   * Stores state, interval, decision and `handedOut`. Stores nothing and returns false if the stored state is not
   * `was`.
   */
  update(request: AgentRequest, was: AgentRequest['state']): boolean
  remove(request: string): void
  /** Blocked sources with the steady end of their block, earliest end first. */
  blocks(): ReadonlyMap<string, number>
  block(source: string, steadyUntil: number): void
  unblock(source: string): void
  /** The reserved place; null if there is none, or a request has used it. */
  reservation(): TimedSource | null
  reserve(place: TimedSource): void
  /** Notes that a stored request used the reserved place. */
  useReservation(request: string): void
  /** Ids of stored requests that used a reserved place. */
  withReservation(): ReadonlySet<string>
}

/** A new request for access. Name and platform are plain text without control or look-alike characters. */
export type AgentRequestInput = Pick<
  AgentRequest,
  'name' | 'platform' | 'record' | 'hosted' | 'suggested' | 'via' | 'peer'
>

/** Response to a new request; `userCode` as `XXXX-XXXX`, `interval` and `expiresIn` in seconds. */
export interface DeviceAuthorization {
  readonly code: string
  readonly userCode: string
  readonly interval: number
  readonly expiresIn: number
}

/** `retryAfter` in seconds. */
export type AgentRequestRefusal =
  | { readonly kind: 'agent_access_disabled' | 'cloud_access_disabled' }
  | { readonly kind: 'rate_limited'; readonly retryAfter: number }

/** `suspended`: accepted, but the integration takes no agents at the moment; the token stays available. */
export type PollResult =
  | { readonly kind: 'pending' | 'slow_down' | 'denied' | 'expired' | 'suspended' }
  | { readonly kind: 'token'; readonly token: string; readonly credentialKind: Grant['kind'] }

/** Time after which a pending request expires (Spec 8: about 10 minutes). */
export const REQUEST_LIFE_MS = 10 * 60_000
/** An agent has at least this long to collect its token after being accepted. */
export const COLLECT_MS = 2 * 60_000

/** Status of a request (Spec 3). `expired` is computed from the time and never stored. */
export type RequestStatus = AgentRequest['state'] | 'expired'

/** Steady ms at which a pending request expires, or an accepted one can no longer be collected. */
export function endOf({ steadyAskedAt, state, decision }: AgentRequest): number {
  const pendingUntil = steadyAskedAt + REQUEST_LIFE_MS
  return state === 'accepted' && decision ? Math.max(pendingUntil, decision.steadyAt + COLLECT_MS) : pendingUntil
}

/**
 * Steady ms at which the request ends without a decision: 0 if its integration was deleted, Infinity once denied or
 * collected.
 */
export function automaticEndOf(request: AgentRequest, integrations: Pick<IntegrationReader, 'get'>): number {
  if (request.state === 'denied' || request.state === 'collected') return Infinity
  return lacksIntegration(request, integrations) ? 0 : endOf(request)
}

/** Status at the steady time `now`. A request for a deleted integration counts as denied. */
export function statusOf(
  request: AgentRequest,
  now: number,
  integrations: Pick<IntegrationReader, 'get'>,
): RequestStatus {
  const { state } = request
  if (state === 'denied' || state === 'collected') return state
  if (lacksIntegration(request, integrations)) return 'denied'
  return now >= endOf(request) ? 'expired' : state
}

/** True if the requested or granted integration was deleted. */
function lacksIntegration(
  { state, decision, record }: AgentRequest,
  integrations: Pick<IntegrationReader, 'get'>,
): boolean {
  const integrationId = state === 'accepted' ? decision?.grant?.integration : record
  return integrationId === undefined || (integrationId !== null && !integrations.get(integrationId))
}
