import type { Clock } from './clock.ts'
import { addressKeys } from './network-of.ts'
import { type BucketOptions, TokenBuckets } from './token-bucket.ts'

/** The /48 network of an IPv6 address gets so many times the limit of one address. */
export const SITE_SHARE = 4
/** Addresses, and sites, that one limit counts. */
export const ADDRESSES_MAX = 20_000
/** Takes of a site from the half that is reserved for newcomers: three in a day. */
export const NEWCOMER = { perSecond: 3 / 86_400, burst: 3 }

/** The limit of one address, and optionally the limit of all addresses together. */
export interface AddressLimit extends BucketOptions {
  readonly all?: BucketOptions
}

/**
 * A rate limit for strangers, who are known by their address alone. An IPv4 address has one limit, an IPv6 address one
 * for its /64 and one for its /48. Half of the limit of all addresses is reserved for sites that took little lately, so
 * that a few busy ones leave room for a person who comes for the first time.
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
   * Takes one for an address; answers the seconds to wait, 0 for none. A refusal of the address takes nothing of the
   * shared limits.
   * @param scope counts apart from other scopes, such as the home that a request is for.
   */
  take(address: string, scope = ''): number {
    const { network, site } = addressKeys(address)
    const sharedKey = `${scope} ${site}`
    const hasSite = site !== network
    // A site that may take nothing adds no networks to the count: they would push others out of it.
    const wait = (hasSite ? this.#sites.waitOf(sharedKey) : 0) || this.#networks.take(`${scope} ${network}`)
    if (wait > 0) return wait
    if (hasSite) this.#sites.take(sharedKey)
    return this.#all?.take(scope, sharedKey) ?? 0
  }
}

/** The limit of all addresses together: one half for everybody, one for newcomers. */
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
