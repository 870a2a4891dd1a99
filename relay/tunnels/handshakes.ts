import type { Clock } from '../../src/lib/clock.ts'
import { networkOf } from '../../src/lib/network-of.ts'
import { type BucketOptions, TokenBucket, TokenBuckets } from '../../src/lib/token-bucket.ts'

/** Tunnels that begin, at this node and from one address. */
export const HANDSHAKES = { perSecond: 300, burst: 600 }
export const HANDSHAKES_OF_ADDRESS = { perSecond: 20 / 60, burst: 20, keysMax: 20_000 }

/** How often tunnels begin. */
export class Handshakes {
  readonly #all: TokenBucket
  readonly #ofAddress: TokenBuckets

  /** @param ofAddress for load tests; otherwise `HANDSHAKES_OF_ADDRESS`. */
  constructor(clock: Clock, ofAddress: BucketOptions = HANDSHAKES_OF_ADDRESS) {
    this.#all = new TokenBucket(clock, HANDSHAKES)
    this.#ofAddress = new TokenBuckets(clock, { ...HANDSHAKES_OF_ADDRESS, ...ofAddress })
  }

  /** Whether one more may begin from this address; what an address may not takes nothing of the others'. */
  take(address: string): boolean {
    return this.#ofAddress.take(networkOf(address)) === 0 && this.#all.take()
  }
}
