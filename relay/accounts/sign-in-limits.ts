import { AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { siteOf } from '@hm-gateway/lib/network-of.ts'
import { TokenBuckets } from '@hm-gateway/lib/token-bucket.ts'

/** Rate of sign-ins from one address, and of password checks of a signed-in account. */
export const SIGN_INS = { perSecond: 5 / 60, burst: 5, keysMax: 20_000 }
/** Rate of sign-ins to one account from one site, well below the account's own limit. */
export const SIGN_INS_OF_SITE = { perSecond: 10 / 60, burst: 15, keysMax: 20_000 }
/** Rate of sign-ins to one account from everywhere, high enough that one attacker cannot lock its owner out. */
export const SIGN_INS_OF_ACCOUNT = { perSecond: 30 / 60, burst: 60, keysMax: 20_000 }

/** Rate of sign-ins from a known device, which strangers cannot use up. */
export const SIGN_INS_OF_DEVICE = { perSecond: 5 / 60, burst: 10, keysMax: 20_000 }

/** Rate limits of password tries. Each method returns the seconds to wait, or 0. */
export interface SignInLimits {
  /** A try above the limit of its address or site does not count for the account. */
  readonly takeFrom: (peer: string, account: string) => number
  /** Known devices do not count for addresses, sites and accounts. */
  readonly takeOfDevice: (device: string) => number
  /** Strangers cannot use up the limit of a signed-in account. */
  readonly takeSignedIn: (account: string) => number
}

export function signInLimits(clock: Clock): SignInLimits {
  const ofAddress = new AddressLimits(clock, SIGN_INS)
  const ofSite = new TokenBuckets(clock, SIGN_INS_OF_SITE)
  const ofAccount = new TokenBuckets(clock, SIGN_INS_OF_ACCOUNT)
  const ofDevice = new TokenBuckets(clock, SIGN_INS_OF_DEVICE)
  const signedIn = new TokenBuckets(clock, SIGN_INS)
  return {
    takeFrom: (peer, account) =>
      ofAddress.take(peer) || ofSite.take(`${account} ${siteOf(peer)}`) || ofAccount.take(account),
    takeOfDevice: (device) => ofDevice.take(device),
    takeSignedIn: (account) => signedIn.take(account),
  }
}
