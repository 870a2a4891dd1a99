import type { Knobs } from '../exposure/knobs.ts'
import type { Cause } from '../home/model/cause.ts'
import type { Via } from './credential.ts'
import type { HostedClient } from './hosted-client.ts'

/**
 * An agent that asks for access (Spec 2.8 and 3): pending until an administrator accepts or denies it or its time runs
 * out; accepted until its token is collected, once. Times with `steady` are steady time in ms, others epoch ms.
 */
export interface AgentRequest {
  /** Its id, by which administrators name it; the agent never gets it. */
  readonly request: string
  /** The matching code that the agent shows and an administrator sees: 8 letters, shown as `XXXX-XXXX`. */
  readonly userCode: string
  /** Of the code that the agent polls with, which itself is not stored; null of a hosted platform's. */
  readonly codeSha256: Buffer | null
  /** Of a hosted platform's: the SHA-256 of the verifier that redeems the request (RFC 7636, S256); else null. */
  readonly challenge: Buffer | null
  readonly name: string
  readonly platform: string
  /** The integration that it asked for by id, or null. */
  readonly record: string | null
  /** The client of a hosted platform, which gets no lasting secret (Spec 5 point 4); null of every other agent. */
  readonly hosted: HostedClient | null
  readonly suggested: SuggestedScope | null
  readonly via: Via
  /** The network address it came from, for the administrator's eyes. */
  readonly peer: string
  readonly askedAt: number
  readonly steadyAskedAt: number
  /** Seconds between two polls; grows for good with every `slow_down`. */
  readonly interval: number
  readonly state: 'pending' | 'accepted' | 'denied' | 'collected'
  readonly decision: Decision | null
  /**
   * The link of the credential whose token was sent moments ago, which a crash may have lost; null before, and once it
   * has surely arrived.
   */
  readonly handedOut: string | null
}

/** What the agent would like, in words and knob values; it decides nothing. */
export interface SuggestedScope {
  /** `All`, or names of floors, rooms and units as its user calls them. */
  readonly exposure?: 'All' | readonly string[]
  readonly settings?: Partial<Knobs>
}

export interface Decision {
  readonly steadyAt: number
  readonly by: Cause
  /** Null when denied, and when the integration was deleted since. */
  readonly grant: Grant | null
}

/** What an accepted agent gets. */
export interface Grant {
  readonly integration: string
  readonly kind: 'agent' | 'session'
  /** The credential that ends when the new one is collected (Replace), or null (Add). */
  readonly replaces: string | null
}

/** Writes run inside `UnitOfWork.change`, as those of credentials. */
/** A sender of requests until a moment of steady time. */
export interface SourceUntil {
  readonly source: string
  readonly until: number
}

export interface AgentRequestStore {
  list(): readonly AgentRequest[]
  insert(request: AgentRequest): void
  /**
   * State, interval, decision and `handedOut` are what changes. False, and nothing stored, when the stored one is no
   * longer in the state `was`.
   */
  update(request: AgentRequest, was: AgentRequest['state']): boolean
  remove(request: string): void
  /** Sources turned away, with the steady time until which they are; the one that ends first comes first. */
  blocks(): ReadonlyMap<string, number>
  block(source: string, steadyUntil: number): void
  unblock(source: string): void
  /** For whom a place is kept, and until which steady time; null once it was taken, or where there was none. */
  keptPlace(): SourceUntil | null
  keepPlace(place: SourceUntil): void
  /** A stored request takes the place. */
  takePlace(request: string): void
  /** The stored requests that took a place. */
  placed(): ReadonlySet<string>
}
