import type { Clock } from './clock.ts'
import { addressKeys } from './network-of.ts'
import { type BucketOptions, TokenBuckets } from './token-bucket.ts'

/** The /48 network of an IPv6 address has this many times the limit of one address. */
export const SITE_SHARE = 4
/** Number of addresses, and of sites, that one limit counts. */
export const ADDRESSES_MAX = 20_000
/** Limit of a site in the half reserved for newcomers: three in a day. */
export const NEWCOMER = { perSecond: 3 / 86_400, burst: 3 }

/** The limit of one address, and optionally the shared limit of all addresses. */
export interface AddressLimit extends BucketOptions {
  readonly all?: BucketOptions
}

/**
 * A rate limit for unauthenticated callers, by address. An IPv4 address has one limit, an IPv6 address one for its /64
 * and one for its /48. Half of the shared limit is reserved for sites that took little lately, so that a few busy ones
 * leave room for newcomers.
 */
export class AddressLimits {
  readonly #networks: TokenBuckets
  readonly #sites: TokenBuckets
  readonly #all: Shared | null

  constructor(clock: Clock, { perSecond, burst, all }: AddressLimit) {
    const site = { perSecond: SITE_SHARE * perSecond, burst: SITE_SHARE * burst }
    this.#networks = new TokenBuckets(clock, { perSecond, burst, keysMax: ADDRESSES_MAX })
    this.#sites = new TokenBuckets(clock, { ...site, keysMax: ADDRESSES_MAX })
    this.#all = all === undefined ? null : new Shared(clock, all)
  }

  /**
   * Takes one token for an address; returns the seconds to wait, 0 for none. A refusal of the address takes nothing
   * from the shared limits. @param scope counts separately, such as the home of the request
   */
  take(address: string, scope = ''): number {
    const { network, site } = addressKeys(address)
    const sharedKey = `${scope} ${site}`
    const hasSite = site !== network
    // A site without tokens adds no networks to the count: they would displace others.
    const wait = (hasSite ? this.#sites.waitOf(sharedKey) : 0) || this.#networks.take(`${scope} ${network}`)
    if (wait > 0) return wait
    if (hasSite) this.#sites.take(sharedKey)
    return this.#all?.take(scope, sharedKey) ?? 0
  }
}

/** The shared limit of all addresses: one half for all, one for newcomers. */
class Shared {
  readonly #everybody: TokenBuckets
  readonly #reserved: TokenBuckets
  readonly #newcomers: TokenBuckets

  constructor(clock: Clock, { perSecond, burst }: BucketOptions) {
    const half = { perSecond: perSecond / 2, burst: burst / 2, keysMax: ADDRESSES_MAX }
    this.#everybody = new TokenBuckets(clock, half)
    this.#reserved = new TokenBuckets(clock, half)
    this.#newcomers = new TokenBuckets(clock, { ...NEWCOMER, keysMax: ADDRESSES_MAX })
  }

  take(scope: string, site: string): number {
    const wait = this.#everybody.take(scope)
    if (wait === 0 || this.#reserved.waitOf(scope) > 0 || this.#newcomers.take(site) > 0) return wait
    return this.#reserved.take(scope)
  }
}
