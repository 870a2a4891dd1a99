import { AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { siteOf } from '@hm-gateway/lib/network-of.ts'
import { TokenBuckets } from '@hm-gateway/lib/token-bucket.ts'

/** Sign-ins from one address, and questions for the password of whoever is signed in. */
export const SIGN_INS = { perSecond: 5 / 60, burst: 5, keysMax: 20_000 }
/** Sign-ins of one account from the addresses of one site: far fewer than the account has, so that others are left. */
export const SIGN_INS_OF_SITE = { perSecond: 10 / 60, burst: 15, keysMax: 20_000 }
/** Sign-ins of one account from everywhere: so many that whoever tries it from one address locks nobody out. */
export const SIGN_INS_OF_ACCOUNT = { perSecond: 30 / 60, burst: 60, keysMax: 20_000 }

/** Sign-ins from one device that the account knows, which strangers cannot use up. */
export const SIGN_INS_OF_DEVICE = { perSecond: 5 / 60, burst: 10, keysMax: 20_000 }

/** How often passwords are tried. Each take answers the seconds to wait, 0 for none. */
export interface SignInLimits {
  /** What an address or its site has no leave to try takes nothing of the account's. */
  readonly takeFrom: (peer: string, account: string) => number
  /** Takes nothing of the limits of addresses, sites and accounts. */
  readonly takeOfDevice: (device: string) => number
  /** Of whoever is signed in, which no stranger can use up. */
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
