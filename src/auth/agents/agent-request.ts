import type { Knobs } from '../../exposure/knobs.ts'
import type { Cause } from '../../home/model/events.ts'
import type { Via, HostedClient } from '../credentials/credentials.ts'
import type { IntegrationReader } from '../../exposure/integration.ts'
import type { Random } from '../../lib/random.ts'
import { siteOf } from '../../lib/network-of.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'

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

/** Access of an accepted agent. */
export interface Grant {
  readonly integration: string
  readonly kind: 'agent' | 'session'
  /** The credential that ends when the new one is collected (Replace), or null (Add). */
  readonly replaces: string | null
}

/** A sender's block or reservation; `until` is steady time in ms. */
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
  /** Marks a stored request as the user of the reserved place. */
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

/** Spec 8: a pending request waits about 10 minutes. */
export const PENDING_MS = 10 * 60_000
/** An agent has at least this long to collect its token after being accepted. */
export const COLLECT_MS = 2 * 60_000

/** Status of a request (Spec 3). `expired` is computed from the time and never stored. */
export type RequestStatus = AgentRequest['state'] | 'expired'

/** Steady ms at which a pending request expires, or an accepted one can no longer be collected. */
export function endOf({ steadyAskedAt, state, decision }: AgentRequest): number {
  const pendingUntil = steadyAskedAt + PENDING_MS
  return state === 'accepted' && decision ? Math.max(pendingUntil, decision.steadyAt + COLLECT_MS) : pendingUntil
}

/**
 * Steady ms at which the request ends by itself: 0 if its integration was deleted, Infinity once denied or collected.
 */
export function ownEndOf(request: AgentRequest, integrations: Pick<IntegrationReader, 'get'>): number {
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

/** A matching code as people see it: `XXXX-XXXX`. */
export function shownCode(userCode: string): string {
  return `${userCode.slice(0, 4)}-${userCode.slice(4)}`
}

/** Converts a typed matching code to its stored form. */
export function typedCode(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z]/g, '')
}

/** Consonants without look-alikes (RFC 8628 section 6.1), which never spell a word by chance. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
/** Larger bytes are drawn again, so that all letters are equally likely. */
const BYTE_LIMIT = Math.floor(256 / LETTERS.length) * LETTERS.length
const CODES = 1_000_000
const CODE_LIMIT = Math.floor(2 ** 32 / CODES) * CODES

/** Letters that people can read aloud; all are equally likely. */
export function randomLetters(random: Random, length: number): string {
  let letters = ''
  while (letters.length < length) {
    const [byte = BYTE_LIMIT] = random.bytes(1)
    if (byte < BYTE_LIMIT) letters += LETTERS[byte % LETTERS.length]
  }
  return letters
}

/** Like `randomLetters`, but not in `taken`, so that one spoken code names one request. */
export function unusedLetters(random: Random, length: number, taken: readonly string[]): string {
  for (;;) {
    const letters = randomLetters(random, length)
    if (!taken.includes(letters)) return letters
  }
}

/** Six random digits; all codes are equally likely. */
export function randomCode(random: Random): string {
  for (;;) {
    const drawn = random.bytes(4).readUInt32BE()
    if (drawn < CODE_LIMIT) return String(drawn % CODES).padStart(6, '0')
  }
}

/** Requests of the whole home (Spec 8). */
const PER_HOME = { minute: 5, hour: 30 }
/** One source may use the home's whole limit per minute, but only a third of its limit per hour. */
const PER_SOURCE = { minute: 5, hour: 10 }
/** A relay account linked to the home may use the home's whole limit per hour. */
const PER_ACCOUNT = { minute: 5, hour: 30 }
/** Most pending requests that notify administrators, in total and per source. */
const NOTICES = { all: 3, perSource: 2 }
/** Length of a block. */
export const BLOCK_MS = 24 * HOUR_MS
/** Most blocked sources; a new block beyond it removes the earliest-ending one. */
export const BLOCKS_MAX = 256
/** Ended requests stay stored this long, because they count towards these limits. */
export const COUNTED_MS = HOUR_MS

type Origin = Pick<AgentRequest, 'via' | 'peer' | 'hosted'>

/** Sender of a request: the relay account for a hosted platform, else the network address. */
export function senderOf({ hosted, peer }: Origin): string {
  return hosted?.account ?? peer
}

/** Key of the rate limit: route and sender, with an IPv6 address reduced to its /48. */
export function sourceOf(request: Origin): string {
  return sourceAt(request.via, senderOf(request))
}

/** Rate limit key of a given route and sender. */
export function sourceAt(via: Via, sender: string): string {
  return `${via} ${siteOf(sender)}`
}

/** True for an account at the relay: a network address has no at sign. */
const isAccount = (source: string): boolean => source.startsWith('cloud ') && source.includes('@')

interface RateCount {
  /** All requests of the last hour, oldest first. */
  readonly requests: readonly AgentRequest[]
  readonly blocks: ReadonlyMap<string, number>
  readonly now: number
}

/** Milliseconds until `source` may send another request; 0 if it may now. */
function waitOf(source: string, { requests, blocks, now }: RateCount): number {
  const blocked = (source: string): boolean => (blocks.get(source) ?? 0) > now
  if (blocked(source)) return (blocks.get(source) ?? now) - now
  const times = (list: readonly AgentRequest[]): number[] => list.map((request) => request.steadyAskedAt)
  // Requests of a blocked source do not count against other sources.
  const home = times(requests.filter((request) => !blocked(sourceOf(request))))
  const own = times(requests.filter((request) => sourceOf(request) === source))
  const perSource = isAccount(source) ? PER_ACCOUNT : PER_SOURCE
  return Math.max(
    within(home, PER_HOME.minute, MINUTE_MS, now),
    within(home, PER_HOME.hour, HOUR_MS, now),
    within(own, perSource.minute, MINUTE_MS, now),
    within(own, perSource.hour, HOUR_MS, now),
  )
}

/** Milliseconds until fewer than `max` of these times lie within the last `span`. */
function within(times: readonly number[], max: number, span: number, now: number): number {
  const counted = times.filter((at) => at > now - span)
  const oldest = counted.at(-max)
  return oldest === undefined ? 0 : oldest + span - now
}

/** Chooses the pending requests that notify administrators, oldest first. No single source takes all places. */
function noticed(pending: readonly AgentRequest[]): ReadonlySet<string> {
  const calling = new Set<string>()
  const perSource = new Map<string, number>()
  for (const request of pending) {
    const source = sourceOf(request)
    const count = perSource.get(source) ?? 0
    if (calling.size >= NOTICES.all || count >= NOTICES.perSource) continue
    calling.add(request.request)
    perSource.set(source, count + 1)
  }
  return calling
}

/** Length of a reservation for one request. */
const RESERVED_MS = 10 * 60_000

interface SourceParts {
  readonly requests: AgentRequestStore
  readonly steady: Pick<SteadyTime, 'now'>
}

/** A sender as route (`home` or `cloud`) and address or account; `until` in epoch ms. */
export interface Sender {
  readonly source: string
  readonly until: number
}

/**
 * Senders of access requests: blocks, rate limits and the reserved place. An administrator can reserve one place, for
 * one request. Blocks and reservation are stored.
 */
export class PairingSources {
  readonly #parts: SourceParts

  constructor(parts: SourceParts) {
    this.#parts = parts
  }

  /** Milliseconds until this sender may send another request; 0 if it may now. */
  waitOf(source: string): number {
    const { requests, steady } = this.#parts
    if (this.reserved?.source === source) return 0
    return waitOf(source, { requests: requests.list(), blocks: requests.blocks(), now: steady.now() })
  }

  /** Uses the sender's reservation, if there is one, for a newly stored request. */
  useReservation(request: AgentRequest): void {
    if (this.reserved?.source === sourceOf(request)) this.#parts.requests.useReservation(request.request)
  }

  /**
   * Ids of pending requests that notify administrators. Requests with a reserved place always do and take no other's
   * place.
   */
  noticed(pending: readonly AgentRequest[]): ReadonlySet<string> {
    const all = this.#parts.requests.withReservation()
    const withReservation = pending.map(({ request }) => request).filter((request) => all.has(request))
    return new Set([...withReservation, ...noticed(pending.filter(({ request }) => !all.has(request)))])
  }

  /** The reservation that has not expired. */
  get reserved(): TimedSource | null {
    const { requests, steady } = this.#parts
    const reservation = requests.reservation()
    return reservation !== null && reservation.until > steady.now() ? reservation : null
  }

  /** Reserves the place for this sender, replacing an earlier reservation; `now` in steady ms. */
  reserve(source: string, now: number): void {
    this.#parts.requests.reserve({ source, until: now + RESERVED_MS })
  }

  /** Blocked senders, earliest end first. */
  blocked(): readonly TimedSource[] {
    const now = this.#parts.steady.now()
    return [...this.#parts.requests.blocks()]
      .map(([source, until]) => ({ source, until }))
      .filter(({ until }) => until > now)
  }

  /** Blocked senders and the reservation, with epoch times for administrators; `now` in epoch ms. */
  senders(now: number): { readonly blocked: readonly Sender[]; readonly reserved: Sender | null } {
    const offset = now - this.#parts.steady.now()
    const toSender = ({ source, until }: TimedSource): Sender => ({ source, until: until + offset })
    const { reserved } = this
    return { blocked: this.blocked().map(toSender), reserved: reserved && toSender(reserved) }
  }

  block(source: string): void {
    const { requests, steady } = this.#parts
    const blockedSources = [...requests.blocks().keys()].filter((blocked) => blocked !== source)
    for (const blocked of blockedSources.slice(0, Math.max(0, blockedSources.length + 1 - BLOCKS_MAX)))
      requests.unblock(blocked)
    requests.block(source, steady.now() + BLOCK_MS)
  }

  unblock(source: string): void {
    this.#parts.requests.unblock(source)
  }

  /** Removes expired blocks. */
  prune(): void {
    const now = this.#parts.steady.now()
    for (const [source, until] of this.#parts.requests.blocks()) if (until <= now) this.unblock(source)
  }
}
