import type { Knobs } from '../../exposure/knobs.ts'
import type { Cause } from '../../home/model/events.ts'
import type { Via, HostedClient } from '../credentials/credentials.ts'
import type { IntegrationReader } from '../../exposure/integration.ts'
import type { Random } from '../../lib/random.ts'
import { siteOf } from '../../lib/network-of.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'

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

/** An agent that asks for access. Name and platform are plain text that cannot disguise itself. */
export type Ask = Pick<AgentRequest, 'name' | 'platform' | 'record' | 'hosted' | 'suggested' | 'via' | 'peer'>

/** What the agent is answered; `userCode` as `XXXX-XXXX`, the others in seconds. */
export interface Asked {
  readonly code: string
  readonly userCode: string
  readonly interval: number
  readonly expiresIn: number
}

/** `retryAfter` in seconds. */
export type AskRefusal =
  | { readonly kind: 'agent_access_disabled' | 'cloud_access_disabled' }
  | { readonly kind: 'rate_limited'; readonly retryAfter: number }

/** `suspended`: accepted, but the integration takes no agents now; the token still waits. */
export type Polled =
  | { readonly kind: 'pending' | 'slow_down' | 'denied' | 'expired' | 'suspended' }
  | { readonly kind: 'token'; readonly token: string; readonly credentialKind: Grant['kind'] }

/** Spec 8: a pending request waits about 10 minutes. */
export const PENDING_MS = 10 * 60_000
/** An agent that was accepted at the last moment still has this long to collect its token. */
export const COLLECT_MS = 2 * 60_000

/** What has become of a request (Spec 3). `expired` is a matter of time and stored nowhere. */
export type RequestStatus = AgentRequest['state'] | 'expired'

/** Steady ms until which the request can be answered, or its token collected. */
export function endOf({ steadyAskedAt, state, decision }: AgentRequest): number {
  const asked = steadyAskedAt + PENDING_MS
  return state === 'accepted' && decision ? Math.max(asked, decision.steadyAt + COLLECT_MS) : asked
}

/**
 * Steady ms at which the request ends by itself, at once where its integration is gone; Infinity once it was denied or
 * collected.
 */
export function ownEndOf(request: AgentRequest, integrations: Pick<IntegrationReader, 'get'>): number {
  if (request.state === 'denied' || request.state === 'collected') return Infinity
  return isForNothing(request, integrations) ? 0 : endOf(request)
}

/** Its status at the steady time `now`. A request for an integration that is gone is as good as denied. */
export function statusOf(
  request: AgentRequest,
  now: number,
  integrations: Pick<IntegrationReader, 'get'>,
): RequestStatus {
  const { state } = request
  if (state === 'denied' || state === 'collected') return state
  if (isForNothing(request, integrations)) return 'denied'
  return now >= endOf(request) ? 'expired' : state
}

/** Whether the integration that the request is for no longer exists. */
function isForNothing(
  { state, decision, record }: AgentRequest,
  integrations: Pick<IntegrationReader, 'get'>,
): boolean {
  const wanted = state === 'accepted' ? decision?.grant?.integration : record
  return wanted === undefined || (wanted !== null && !integrations.get(wanted))
}

/** A matching code as people see it: `XXXX-XXXX`. */
export function shownCode(userCode: string): string {
  return `${userCode.slice(0, 4)}-${userCode.slice(4)}`
}

/** What a person typed, as a matching code is stored. */
export function typedCode(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z]/g, '')
}

/** Consonants without look-alikes, as RFC 8628 section 6.1 offers them: they spell no words by chance. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
/** Bytes from here on would make some letters likelier than others. */
const BYTE_LIMIT = Math.floor(256 / LETTERS.length) * LETTERS.length
const CODES = 1_000_000
const CODE_LIMIT = Math.floor(2 ** 32 / CODES) * CODES

/** Letters that people can read to each other, each equally likely. */
export function randomLetters(random: Random, length: number): string {
  let letters = ''
  while (letters.length < length) {
    const [byte = BYTE_LIMIT] = random.bytes(1)
    if (byte < BYTE_LIMIT) letters += LETTERS[byte % LETTERS.length]
  }
  return letters
}

/** As `randomLetters`, but none of `taken`: two people who say the same letters speak of the same request. */
export function unusedLetters(random: Random, length: number, taken: readonly string[]): string {
  for (;;) {
    const letters = randomLetters(random, length)
    if (!taken.includes(letters)) return letters
  }
}

/** Six digits, each code equally likely. */
export function randomCode(random: Random): string {
  for (;;) {
    const drawn = random.bytes(4).readUInt32BE()
    if (drawn < CODE_LIMIT) return String(drawn % CODES).padStart(6, '0')
  }
}

/** Spec 8, for the whole home. */
const PER_HOME = { minute: 5, hour: 30 }
/** A source may use up the home's minute, which is over soon, but of the home's hour only a third. */
const PER_SOURCE = { minute: 5, hour: 10 }
/** An account that is linked to the home signed in at the relay: it may use all of the home's hour. */
const PER_ACCOUNT = { minute: 5, hour: 30 }
/** Pending requests that call for an administrator's attention: in all, and of one source. */
const NOTICES = { all: 3, perSource: 2 }
/** How long a source stays turned away. */
export const BLOCK_MS = 24 * HOUR_MS
/** Sources turned away at once; beyond, the block that would end first goes. */
export const BLOCKS_MAX = 256
/** Ended requests are kept this long, because they count towards these limits. */
export const COUNTED_MS = HOUR_MS

type Sent = Pick<AgentRequest, 'via' | 'peer' | 'hosted'>

/** Who sends a request: an address; of a hosted platform, which serves all the world, the account at the relay. */
export function senderOf({ hosted, peer }: Sent): string {
  return hosted?.account ?? peer
}

/** What requests are counted by: their sender, of an IPv6 address its /48. */
export function sourceOf(request: Sent): string {
  return sourceAt(request.via, senderOf(request))
}

/** The same of a sender that somebody names. */
export function sourceAt(via: Via, sender: string): string {
  return `${via} ${siteOf(sender)}`
}

/** Whether a source is an account at the relay: no network address has an at sign. */
const isAccount = (source: string): boolean => source.startsWith('cloud ') && source.includes('@')

interface Counting {
  /** Everything asked within the last hour, in the order in which it was asked. */
  readonly requests: readonly AgentRequest[]
  readonly blocks: ReadonlyMap<string, number>
  readonly now: number
}

/** Steady ms until one more request of `source` is taken; 0 when it is at once. */
function waitOf(source: string, { requests, blocks, now }: Counting): number {
  const blocked = (each: string): boolean => (blocks.get(each) ?? 0) > now
  if (blocked(source)) return (blocks.get(source) ?? now) - now
  const times = (list: readonly AgentRequest[]): number[] => list.map((each) => each.steadyAskedAt)
  // Requests of a source that was turned away since do not count against the others.
  const home = times(requests.filter((each) => !blocked(sourceOf(each))))
  const own = times(requests.filter((each) => sourceOf(each) === source))
  const perSource = isAccount(source) ? PER_ACCOUNT : PER_SOURCE
  return Math.max(
    within(home, PER_HOME.minute, MINUTE_MS, now),
    within(home, PER_HOME.hour, HOUR_MS, now),
    within(own, perSource.minute, MINUTE_MS, now),
    within(own, perSource.hour, HOUR_MS, now),
  )
}

/** How long until fewer than `max` of these times lie within the last `span`. */
function within(times: readonly number[], max: number, span: number, now: number): number {
  const counted = times.filter((at) => at > now - span)
  const oldest = counted.at(-max)
  return oldest === undefined ? 0 : oldest + span - now
}

/**
 * Which of the pending requests, in the order in which they were asked, call for attention: no source takes all the
 * places.
 */
function noticed(pending: readonly AgentRequest[]): ReadonlySet<string> {
  const calling = new Set<string>()
  const perSource = new Map<string, number>()
  for (const each of pending) {
    const source = sourceOf(each)
    const count = perSource.get(source) ?? 0
    if (calling.size >= NOTICES.all || count >= NOTICES.perSource) continue
    calling.add(each.request)
    perSource.set(source, count + 1)
  }
  return calling
}

/** How long a place is kept for one agent's request for access. */
const RESERVED_MS = 10 * 60_000

interface SourceParts {
  readonly requests: AgentRequestStore
  readonly steady: Pick<SteadyTime, 'now'>
}

/** Whoever sends requests, as `home` or `cloud` and the address or account; `until` in epoch ms. */
export interface Sender {
  readonly source: string
  readonly until: number
}

/**
 * Where requests for access come from: which senders are turned away, how long each has to wait, and for whom an
 * administrator keeps a place. There is one such place, for one request. All of it is stored.
 */
export class PairingSources {
  readonly #parts: SourceParts

  constructor(parts: SourceParts) {
    this.#parts = parts
  }

  /** Steady ms until one more request of this sender is taken; 0 when it is at once. */
  waitOf(source: string): number {
    const { requests, steady } = this.#parts
    if (this.reserved?.source === source) return 0
    return waitOf(source, { requests: requests.list(), blocks: requests.blocks(), now: steady.now() })
  }

  /** A request was stored: it takes the place that was kept for its sender. */
  took(request: AgentRequest): void {
    if (this.reserved?.source === sourceOf(request)) this.#parts.requests.takePlace(request.request)
  }

  /** Which of the pending requests call for attention: those that took a place do beside all others. */
  noticed(pending: readonly AgentRequest[]): ReadonlySet<string> {
    const all = this.#parts.requests.placed()
    const placed = pending.map(({ request }) => request).filter((request) => all.has(request))
    return new Set([...placed, ...noticed(pending.filter(({ request }) => !all.has(request)))])
  }

  /** For whom a place is kept now. */
  get reserved(): SourceUntil | null {
    const { requests, steady } = this.#parts
    const kept = requests.keptPlace()
    return kept !== null && kept.until > steady.now() ? kept : null
  }

  /** Keeps the place for this sender, in the place of any other; `now` in steady ms. */
  reserve(source: string, now: number): void {
    this.#parts.requests.keepPlace({ source, until: now + RESERVED_MS })
  }

  /** Who is turned away, the one first whose block ends first. */
  blocked(): readonly SourceUntil[] {
    const now = this.#parts.steady.now()
    return [...this.#parts.requests.blocks()]
      .map(([source, until]) => ({ source, until }))
      .filter(({ until }) => until > now)
  }

  /** Who is turned away, and for whom a place is kept, as administrators see it; `now` in epoch ms. */
  shown(now: number): { readonly blocked: readonly Sender[]; readonly reserved: Sender | null } {
    const offset = now - this.#parts.steady.now()
    const shown = ({ source, until }: SourceUntil): Sender => ({ source, until: until + offset })
    const { reserved } = this
    return { blocked: this.blocked().map(shown), reserved: reserved && shown(reserved) }
  }

  block(source: string): void {
    const { requests, steady } = this.#parts
    const others = [...requests.blocks().keys()].filter((each) => each !== source)
    for (const each of others.slice(0, Math.max(0, others.length + 1 - BLOCKS_MAX))) requests.unblock(each)
    requests.block(source, steady.now() + BLOCK_MS)
  }

  unblock(source: string): void {
    this.#parts.requests.unblock(source)
  }

  /** Forgets the blocks that ended. */
  prune(): void {
    const now = this.#parts.steady.now()
    for (const [source, until] of this.#parts.requests.blocks()) if (until <= now) this.unblock(source)
  }
}
