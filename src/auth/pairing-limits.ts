import { networkOf } from '../lib/network-of.ts'
import type { AgentRequest } from './agent-request.ts'
import type { Via } from './credential.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Spec 8, for the whole home. */
export const PER_HOME = { minute: 5, hour: 30 }
/** A source may use up the home's minute, which is over soon, but of the home's hour only a third. */
export const PER_SOURCE = { minute: 5, hour: 10 }
/** Pending requests that call for an administrator's attention: in all, and of one source. */
export const NOTICES = { all: 3, perSource: 2 }
/** How long a source stays turned away. */
export const BLOCK_MS = 24 * HOUR_MS
/** Sources turned away at once; beyond, the block that would end first goes. */
export const BLOCKS_MAX = 256
/** Ended requests are kept this long, because they count towards these limits. */
export const COUNTED_MS = HOUR_MS

/** The sender of a request: an address, or the network of an IPv6 one. */
export function sourceOf(via: Via, peer: string): string {
  return `${via} ${networkOf(peer)}`
}

export interface Counting {
  /** Everything asked within the last hour, in the order in which it was asked. */
  readonly requests: readonly AgentRequest[]
  readonly blocks: ReadonlyMap<string, number>
  readonly now: number
}

/** Steady ms until one more request of `source` is taken; 0 when it is at once. */
export function waitOf(source: string, { requests, blocks, now }: Counting): number {
  const blocked = (each: string): boolean => (blocks.get(each) ?? 0) > now
  if (blocked(source)) return (blocks.get(source) ?? now) - now
  const sourceOfEach = (each: AgentRequest): string => sourceOf(each.via, each.peer)
  const times = (list: readonly AgentRequest[]): number[] => list.map((each) => each.steadyAskedAt)
  // Requests of a source that was turned away since do not count against the others.
  const home = times(requests.filter((each) => !blocked(sourceOfEach(each))))
  const own = times(requests.filter((each) => sourceOfEach(each) === source))
  return Math.max(
    within(home, PER_HOME.minute, MINUTE_MS, now),
    within(home, PER_HOME.hour, HOUR_MS, now),
    within(own, PER_SOURCE.minute, MINUTE_MS, now),
    within(own, PER_SOURCE.hour, HOUR_MS, now),
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
export function noticed(pending: readonly AgentRequest[]): ReadonlySet<string> {
  const calling = new Set<string>()
  const perSource = new Map<string, number>()
  for (const { request, via, peer } of pending) {
    const source = sourceOf(via, peer)
    const count = perSource.get(source) ?? 0
    if (calling.size >= NOTICES.all || count >= NOTICES.perSource) continue
    calling.add(request)
    perSource.set(source, count + 1)
  }
  return calling
}
