import { AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { TokenBucket } from '@hm-gateway/lib/token-bucket.ts'

/** Rate of new tunnels at this node, enough for 900 sites at their own limit. */
export const HANDSHAKES = { perSecond: 300, burst: 600 }
/** Rate of new tunnels from one address. */
export const HANDSHAKES_OF_ADDRESS = { perSecond: 20 / 60, burst: 20 }

/**
 * Rate limit of new tunnels: returns whether an address may begin one. Refused attempts do not count for the node.
 * @param ofAddress differs from the default in load tests.
 */
export function handshakeLimit(clock: Clock, ofAddress = HANDSHAKES_OF_ADDRESS): (address: string) => boolean {
  const all = new TokenBucket(clock, HANDSHAKES)
  const limits = new AddressLimits(clock, ofAddress)
  return (address) => limits.take(address) === 0 && all.take()
}
