import { AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { TokenBucket } from '@hm-gateway/lib/token-bucket.ts'

/** Tunnels that begin at this node. No share is reserved: 900 sites together do not use it up. */
export const HANDSHAKES = { perSecond: 300, burst: 600 }
/** Tunnels that begin from one address. */
export const HANDSHAKES_OF_ADDRESS = { perSecond: 20 / 60, burst: 20 }

/**
 * Whether one more tunnel may begin from an address; a refused address takes nothing of the others' share.
 * @param ofAddress for load tests; otherwise `HANDSHAKES_OF_ADDRESS`.
 */
export function handshakes(clock: Clock, ofAddress = HANDSHAKES_OF_ADDRESS): (address: string) => boolean {
  const all = new TokenBucket(clock, HANDSHAKES)
  const limits = new AddressLimits(clock, ofAddress)
  return (address) => limits.take(address) === 0 && all.take()
}
