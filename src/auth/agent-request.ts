import type { Knobs } from '../exposure/knobs.ts'
import type { Cause } from '../home/model/cause.ts'
import type { Via } from './credential.ts'

/**
 * An agent that asks for access (Spec 2.8 and 3): pending until an administrator accepts or denies it or its time runs
 * out; accepted until its token is collected, once. Times with `steady` are steady time in ms, others epoch ms.
 */
export interface AgentRequest {
  /** Its id, by which administrators name it; the agent never gets it. */
  readonly request: string
  /** The matching code that the agent shows and an administrator sees: 8 letters, shown as `XXXX-XXXX`. */
  readonly userCode: string
  /** Of the code that the agent polls with; the code itself is not stored. */
  readonly codeSha256: Buffer
  readonly name: string
  readonly platform: string
  /** The integration that it asked for by id, or null. */
  readonly record: string | null
  /** Whether it runs on a hosted platform, which gets no lasting secret (Spec 5 point 4). */
  readonly hosted: boolean
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
}
