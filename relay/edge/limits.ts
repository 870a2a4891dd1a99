import { type AddressLimit, AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { type BucketOptions, TokenBuckets } from '@hm-gateway/lib/token-bucket.ts'
import { AdmittedCredentials, digestOf } from '../limits/admitted-credentials.ts'

/** Requests of one address; a /48 has a larger share (`SITE_SHARE`). See docs/limits.md#relay. */
export const REQUESTS_OF_ADDRESS = { perSecond: 100, burst: 300 }
export const FAILED_OF_ADDRESS = { perSecond: 1, burst: 60 }
/** Requests to one home by credentials that it has admitted. */
export const REQUESTS_OF_HOME = { perSecond: 400, burst: 1_000 }
/** Requests of one address, and of all addresses, to one home without an admitted credential. */
export const STRANGERS_OF_HOME = { perSecond: 5, burst: 60 }
export const STRANGERS_OF_HOME_ALL = { perSecond: 300, burst: 3_000 }
const KEYS_MAX = 20_000
/** Number of admitted credentials that the edge remembers. */
export const ADMITTED_AT_EDGE_MAX = 20_000

export interface EdgeLimits {
  readonly ofAddress: BucketOptions
  readonly ofHome: BucketOptions
  readonly ofStrangers: AddressLimit
}

/** Properties of a request to a home that its limits depend on. */
export interface LimitedRequest {
  readonly gateway: string
  readonly token: string | null
  readonly peer: string
}

const LIMITS: EdgeLimits = {
  ofAddress: REQUESTS_OF_ADDRESS,
  ofHome: REQUESTS_OF_HOME,
  ofStrangers: { ...STRANGERS_OF_HOME, all: STRANGERS_OF_HOME_ALL },
}

/** Rate limits of the edge. Each method returns the seconds to wait, or 0. */
export class Limits {
  readonly #addresses: AddressLimits
  readonly #failures: AddressLimits
  readonly #homes: TokenBuckets
  readonly #strangers: AddressLimits
  readonly #admitted = new AdmittedCredentials(ADMITTED_AT_EDGE_MAX)

  constructor(clock: Clock, limits: EdgeLimits = LIMITS) {
    this.#addresses = new AddressLimits(clock, limits.ofAddress)
    this.#failures = new AddressLimits(clock, FAILED_OF_ADDRESS)
    this.#homes = new TokenBuckets(clock, { ...limits.ofHome, keysMax: KEYS_MAX })
    this.#strangers = new AddressLimits(clock, limits.ofStrangers)
  }

  request(peer: string): number {
    return this.#addresses.take(peer)
  }

  /** Counts a request without a well-formed token. */
  failed(peer: string): number {
    return this.#failures.take(peer)
  }

  /** Strangers have their own share, apart from the home's own programs. */
  home({ gateway, token, peer }: LimitedRequest): number {
    const isAdmitted = token !== null && this.#admitted.has(digestOf(token))
    return isAdmitted ? this.#homes.take(gateway) : this.#strangers.take(peer, gateway)
  }

  /** Learns from the status of a home's response whether the home admits the token. */
  noteStatus(token: string | null, status: number): void {
    if (token !== null) this.#admitted.noteStatus(digestOf(token), status)
  }
}
