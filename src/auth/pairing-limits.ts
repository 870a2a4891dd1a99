import { siteOf } from '../lib/network-of.ts'
import type { AgentRequest } from './agent-request.ts'
import type { Via } from './credential.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/durations.ts'

/** Spec 8, for the whole home. */
export const PER_HOME = { minute: 5, hour: 30 }
/** A source may use up the home's minute, which is over soon, but of the home's hour only a third. */
export const PER_SOURCE = { minute: 5, hour: 10 }
/** An account that is linked to the home signed in at the relay: it may use all of the home's hour. */
export const PER_ACCOUNT = { minute: 5, hour: 30 }
/** Pending requests that call for an administrator's attention: in all, and of one source. */
export const NOTICES = { all: 3, perSource: 2 }
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
export function noticed(pending: readonly AgentRequest[]): ReadonlySet<string> {
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
