import { z } from 'zod'
import { ACCOUNTS_OF_HOME_MAX } from '@hm-gateway/wire/relay-messages.ts'

/** Stored record of a gateway. */
export const Gateway = z.object({
  /** Ed25519, raw, base64url. */
  key: z.string(),
  accounts: z.array(z.string()).max(ACCOUNTS_OF_HOME_MAX),
  /** True once a gateway with this key has received a client's request. Records of earlier versions count as true. */
  served: z.boolean().default(true),
})
export type Gateway = z.infer<typeof Gateway>

/**
 * - `not_yours`: the serial has another key, and the account is not linked to it.
 * - `replaces`: the account may replace the key, with its password.
 * - `still_connected`: the gateway with the present key must disconnect first.
 */
export type LinkRefusal = 'not_yours' | 'replaces' | 'still_connected' | 'too_many_homes' | 'too_many_accounts'

/**
 * True if any other key may take the serial: no account is linked, and no client has sent a token. This way an
 * invented gateway cannot block a serial forever.
 */
export function isFree({ accounts, served }: Gateway): boolean {
  return accounts.length === 0 && !served
}

/** Reason why the account may not be linked to the gateway with this key, or null. */
export function linkRefusal(gateway: Gateway, key: string, account: string, replaces: boolean): LinkRefusal | null {
  const isLinked = gateway.accounts.includes(account)
  if (gateway.key !== key && isFree(gateway)) return null
  if (gateway.key !== key && !isLinked) return 'not_yours'
  if (gateway.key !== key && !replaces) return 'replaces'
  return !isLinked && gateway.accounts.length >= ACCOUNTS_OF_HOME_MAX ? 'too_many_accounts' : null
}
