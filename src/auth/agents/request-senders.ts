import { HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import { siteOf } from '../../lib/network-of.ts'
import type { Via } from '../credentials/credentials.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'
import type { AgentRequest, AgentRequestStore, TimedSource } from './agent-request.ts'

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

/**
 * Source of a request, the key of limits and blocks: route and sender, such as `home 192.168.1.7` or
 * `cloud anna@example.org`. An IPv6 address is reduced to its /48.
 */
export function sourceOf(request: Origin): string {
  return sourceAt(request.via, senderOf(request))
}

/** Source by route and sender. */
export function sourceAt(via: Via, sender: string): string {
  return `${via} ${siteOf(sender)}`
}

/** True for the source of a relay account: a network address has no at sign. */
const isAccount = (source: string): boolean => source.startsWith('cloud ') && source.includes('@')

/** Requests and blocks that the limits count. */
interface RateCount {
  /** All requests of the last hour, oldest first. */
  readonly requests: readonly AgentRequest[]
  /** Steady ms at which the block of a source ends. */
  readonly blocks: ReadonlyMap<string, number>
  /** Steady ms. */
  readonly now: number
}

/** Milliseconds until `source` may send another request; 0 if it may now. */
function waitMsOf(source: string, { requests, blocks, now }: RateCount): number {
  const blocked = (source: string): boolean => (blocks.get(source) ?? 0) > now
  if (blocked(source)) return (blocks.get(source) ?? now) - now
  const times = (counted: readonly AgentRequest[]): number[] => counted.map((request) => request.steadyAskedAt)
  // Requests of a blocked source do not count against other sources.
  const home = times(requests.filter((request) => !blocked(sourceOf(request))))
  const own = times(requests.filter((request) => sourceOf(request) === source))
  const perSource = isAccount(source) ? PER_ACCOUNT : PER_SOURCE
  return Math.max(
    waitForLimit(home, PER_HOME.minute, MINUTE_MS, now),
    waitForLimit(home, PER_HOME.hour, HOUR_MS, now),
    waitForLimit(own, perSource.minute, MINUTE_MS, now),
    waitForLimit(own, perSource.hour, HOUR_MS, now),
  )
}

/** Milliseconds until fewer than `max` of these times lie within the last `span` milliseconds. */
function waitForLimit(times: readonly number[], max: number, span: number, now: number): number {
  const counted = times.filter((at) => at > now - span)
  const oldest = counted.at(-max)
  return oldest === undefined ? 0 : oldest + span - now
}

/** Chooses the pending requests that notify administrators, oldest first. No single source takes all places. */
function chooseNotified(pending: readonly AgentRequest[]): ReadonlySet<string> {
  const chosen = new Set<string>()
  const perSource = new Map<string, number>()
  for (const request of pending) {
    const source = sourceOf(request)
    const count = perSource.get(source) ?? 0
    if (chosen.size >= NOTICES.all || count >= NOTICES.perSource) continue
    chosen.add(request.request)
    perSource.set(source, count + 1)
  }
  return chosen
}

/** Length of a reservation for one request. */
const RESERVED_MS = 10 * 60_000

interface SourceParts {
  readonly requests: AgentRequestStore
  readonly steady: Pick<SteadyTime, 'now'>
}

/** A blocked source or the source with the reserved place; `until` in epoch ms. */
export interface Sender {
  readonly source: string
  readonly until: number
}

/**
 * Senders of access requests: blocks, rate limits and the reserved place. An administrator can reserve one place, for
 * one request. Blocks and reservation are stored.
 */
export class RequestSenders {
  readonly #parts: SourceParts

  constructor(parts: SourceParts) {
    this.#parts = parts
  }

  /** Milliseconds until this source may send another request; 0 if it may now. */
  waitOf(source: string): number {
    const { requests, steady } = this.#parts
    if (this.reserved?.source === source) return 0
    return waitMsOf(source, { requests: requests.list(), blocks: requests.blocks(), now: steady.now() })
  }

  /** Uses the sender's reservation, if there is one, for a newly stored request. */
  useReservation(request: AgentRequest): void {
    if (this.reserved?.source === sourceOf(request)) this.#parts.requests.useReservation(request.request)
  }

  /**
   * Ids of pending requests that notify administrators. Requests with a reserved place always do and take no other's
   * place.
   */
  notifying(pending: readonly AgentRequest[]): ReadonlySet<string> {
    const all = this.#parts.requests.withReservation()
    const withReservation = pending.map(({ request }) => request).filter((request) => all.has(request))
    return new Set([...withReservation, ...chooseNotified(pending.filter(({ request }) => !all.has(request)))])
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
