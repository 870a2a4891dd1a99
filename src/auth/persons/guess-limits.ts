import { AddressLimits } from '../../lib/address-limits.ts'
import type { Clock } from '../../lib/clock.ts'
import { plainAddress } from '../../lib/network-of.ts'
import { TokenBucket, TokenBuckets } from '../../lib/token-bucket.ts'
import { SESSIONS_MAX } from './console-session.ts'

/** docs/limits.md#console: tries from one address, and in all by strangers, or from one known address. */
const PER_ADDRESS = { perSecond: 5 / 60, burst: 5 }
const IN_ALL = { perSecond: 30 / 3_600, burst: 30 }
/** Addresses and sessions that are counted one by one: as many as there are sessions. */
const KNOWN = { keysMax: SESSIONS_MAX }

/** How often one kind of secret may be tried. Strangers use up the tries of nobody at home. */
export class GuessLimits {
  readonly #perStranger: AddressLimits
  readonly #ofStrangers: TokenBucket
  readonly #perKnown: ProofLimits
  readonly #isKnown: (address: string) => boolean

  /** @param isKnown whether a session that holds began at an address (`plainAddress`) */
  constructor(clock: Clock, isKnown: (address: string) => boolean) {
    this.#perStranger = new AddressLimits(clock, PER_ADDRESS)
    this.#ofStrangers = new TokenBucket(clock, IN_ALL)
    this.#perKnown = new ProofLimits(clock)
    this.#isKnown = isKnown
  }

  /** Takes one try of an address; answers the seconds until there is one, 0 where there is one now. */
  take(peer: string): number {
    const address = plainAddress(peer)
    // A guest is in the same /64 network of IPv6 as the home: only the very address is known.
    if (this.#isKnown(address)) return this.#perKnown.take(address)
    const wait = this.#perStranger.take(address)
    if (wait > 0) return wait
    return this.#ofStrangers.take() ? 0 : Math.ceil(this.#ofStrangers.waitSeconds)
  }
}

/** Tries of one session that proves itself again, or of one known address. Strangers use up none of them. */
export class ProofLimits {
  readonly #perMinute: TokenBuckets
  readonly #perHour: TokenBuckets

  constructor(clock: Clock) {
    this.#perMinute = new TokenBuckets(clock, { ...PER_ADDRESS, ...KNOWN })
    this.#perHour = new TokenBuckets(clock, { ...IN_ALL, ...KNOWN })
  }

  /** Takes one try of a session or known address; answers the seconds until there is one, 0 for none. */
  take(key: string): number {
    return this.#perMinute.take(key) || this.#perHour.take(key)
  }
}
