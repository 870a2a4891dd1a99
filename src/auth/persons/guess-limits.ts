import type { Clock } from '../../lib/clock.ts'
import { networkOf, plainAddress } from '../../lib/network-of.ts'
import { TokenBucket, TokenBuckets } from '../../lib/token-bucket.ts'
import { SESSIONS_MAX } from './console-session.ts'

/** docs/limits.md#console: tries from one address, and in all by strangers, or from one known address. */
const PER_ADDRESS = { perSecond: 5 / 60, burst: 5, keysMax: 1_000 }
const IN_ALL = { perSecond: 30 / 3_600, burst: 30 }
/** Addresses and sessions that are counted one by one: as many as there are sessions. */
const KNOWN = { keysMax: SESSIONS_MAX }

/** How often one kind of secret may be tried. Strangers use up the tries of nobody at home. */
export class GuessLimits {
  readonly #perAddress: TokenBuckets
  readonly #ofStrangers: TokenBucket
  readonly #perKnown: TokenBuckets
  readonly #isKnown: (address: string) => boolean

  /** @param isKnown whether a session that holds began at an address (`plainAddress`) */
  constructor(clock: Clock, isKnown: (address: string) => boolean) {
    this.#perAddress = new TokenBuckets(clock, PER_ADDRESS)
    this.#ofStrangers = new TokenBucket(clock, IN_ALL)
    this.#perKnown = new TokenBuckets(clock, { ...IN_ALL, ...KNOWN })
    this.#isKnown = isKnown
  }

  /** Takes one try of an address; answers the seconds until there is one, 0 where there is one now. */
  take(peer: string): number {
    const address = plainAddress(peer)
    // A guest is in the same /64 network of IPv6 as the home: only the very address is known.
    if (this.#isKnown(address)) return this.#perAddress.take(address) || this.#perKnown.take(address)
    const wait = this.#perAddress.take(networkOf(address))
    if (wait > 0) return wait
    return this.#ofStrangers.take() ? 0 : Math.ceil(this.#ofStrangers.waitSeconds)
  }
}

/** How often sessions may show their secret again, each by itself: whatever strangers try, a person may. */
export class ProofLimits {
  readonly #perMinute: TokenBuckets
  readonly #perHour: TokenBuckets

  constructor(clock: Clock) {
    this.#perMinute = new TokenBuckets(clock, { ...PER_ADDRESS, ...KNOWN })
    this.#perHour = new TokenBuckets(clock, { ...IN_ALL, ...KNOWN })
  }

  /** Takes one try of a session; answers the seconds until there is one, 0 where there is one now. */
  take(session: string): number {
    return this.#perMinute.take(session) || this.#perHour.take(session)
  }
}
