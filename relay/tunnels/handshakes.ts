import { AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { type BucketOptions, TokenBucket } from '@hm-gateway/lib/token-bucket.ts'

/** Tunnels that begin at this node. No share is reserved: 900 sites together do not use it up. */
export const HANDSHAKES = { perSecond: 300, burst: 600 }
/** Tunnels that begin from one address. */
export const HANDSHAKES_OF_ADDRESS = { perSecond: 20 / 60, burst: 20 }

/** How often tunnels begin. */
export class Handshakes {
  readonly #all: TokenBucket
  readonly #ofAddress: AddressLimits

  /** @param ofAddress for load tests; otherwise `HANDSHAKES_OF_ADDRESS`. */
  constructor(clock: Clock, ofAddress: BucketOptions = HANDSHAKES_OF_ADDRESS) {
    this.#all = new TokenBucket(clock, HANDSHAKES)
    this.#ofAddress = new AddressLimits(clock, ofAddress)
  }

  /** Whether one more may begin from this address; a refused address takes nothing of the others' share. */
  take(address: string): boolean {
    return this.#ofAddress.take(address) === 0 && this.#all.take()
  }
}
