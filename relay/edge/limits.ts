import type { Clock } from '../../src/lib/clock.ts'
import { networkOf } from '../../src/lib/network-of.ts'
import { type BucketOptions, TokenBuckets } from '../../src/lib/token-bucket.ts'

/** docs/limits.md#relay: of one address, and of one home. */
export const REQUESTS_OF_ADDRESS = { perSecond: 100, burst: 300 }
export const FAILED_OF_ADDRESS = { perSecond: 1, burst: 60 }
export const REQUESTS_OF_HOME = { perSecond: 400, burst: 1_000 }
const KEYS_MAX = 20_000

export interface EdgeLimits {
  readonly ofAddress: BucketOptions
  readonly ofHome: BucketOptions
}

/** How often the edge is asked; each answers seconds to wait, or 0. */
export class Limits {
  readonly #addresses: TokenBuckets
  readonly #failures: TokenBuckets
  readonly #homes: TokenBuckets

  constructor(clock: Clock, limits: EdgeLimits = { ofAddress: REQUESTS_OF_ADDRESS, ofHome: REQUESTS_OF_HOME }) {
    this.#addresses = new TokenBuckets(clock, { ...limits.ofAddress, keysMax: KEYS_MAX })
    this.#failures = new TokenBuckets(clock, { ...FAILED_OF_ADDRESS, keysMax: KEYS_MAX })
    this.#homes = new TokenBuckets(clock, { ...limits.ofHome, keysMax: KEYS_MAX })
  }

  request(peer: string): number {
    return this.#addresses.take(networkOf(peer))
  }

  /** A request without a token that could be one; those with a valid one are not counted here. */
  failed(peer: string): number {
    return this.#failures.take(networkOf(peer))
  }

  home(gateway: string): number {
    return this.#homes.take(gateway)
  }
}
