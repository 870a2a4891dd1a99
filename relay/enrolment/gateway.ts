import { z } from 'zod'
import { ACCOUNTS_OF_HOME_MAX } from '@hm-gateway/wire/control.ts'

/** The stored record of a gateway, by its serial. */
export const Gateway = z.object({
  /** Ed25519, raw, base64url. */
  key: z.string(),
  accounts: z.array(z.string()).max(ACCOUNTS_OF_HOME_MAX),
  /** A client's request has gone to the gateway of this key. Records of earlier versions count as if one had. */
  served: z.boolean().default(true),
})
export type Gateway = z.infer<typeof Gateway>

/**
 * `not_yours`: the serial has another key, and only an account that is linked to it may change that. `replaces`: this
 * one may, with its password. `still_connected`: not while the gateway with the other key is.
 */
export type Refused = 'not_yours' | 'replaces' | 'still_connected' | 'too_many_homes' | 'too_many_accounts'

/**
 * Whether another key may have the serial: nobody is linked to the present one, and no client has sent it a token. So
 * an invented gateway does not hold somebody's serial for good.
 */
export function isFree({ accounts, served }: Gateway): boolean {
  return accounts.length === 0 && !served
}

/** Why an account may not be linked to the gateway of this key; null if it may. */
export function whyNot(gateway: Gateway, key: string, account: string, replaces: boolean): Refused | null {
  const isTheirs = gateway.accounts.includes(account)
  if (gateway.key !== key && isFree(gateway)) return null
  if (gateway.key !== key && !isTheirs) return 'not_yours'
  if (gateway.key !== key && !replaces) return 'replaces'
  return !isTheirs && gateway.accounts.length >= ACCOUNTS_OF_HOME_MAX ? 'too_many_accounts' : null
}
