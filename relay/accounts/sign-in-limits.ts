import type { Clock } from '../../src/lib/clock.ts'
import { TokenBuckets } from '../../src/lib/token-bucket.ts'

/** Sign-ins from one address, and questions for the password of whoever is signed in. */
export const SIGN_INS = { perSecond: 5 / 60, burst: 5, keysMax: 20_000 }
/** Sign-ins of one account from everywhere: so many that whoever tries it from one address locks nobody out. */
export const SIGN_INS_OF_ACCOUNT = { perSecond: 30 / 60, burst: 60, keysMax: 20_000 }

/** How often passwords are tried. Each take answers the seconds to wait, 0 for none. */
export class SignInLimits {
  readonly #ofAddress: TokenBuckets
  readonly #ofAccount: TokenBuckets
  readonly #signedIn: TokenBuckets

  constructor(clock: Clock) {
    this.#ofAddress = new TokenBuckets(clock, SIGN_INS)
    this.#ofAccount = new TokenBuckets(clock, SIGN_INS_OF_ACCOUNT)
    this.#signedIn = new TokenBuckets(clock, SIGN_INS)
  }

  /** What an address has no leave to try takes nothing of the account's. */
  takeFrom(network: string, account: string): number {
    return this.#ofAddress.take(network) || this.#ofAccount.take(account)
  }

  /** Of whoever is signed in, which no stranger can use up. */
  takeSignedIn(account: string): number {
    return this.#signedIn.take(account)
  }
}
