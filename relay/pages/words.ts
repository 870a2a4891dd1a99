import type { NewPasswordFailure, SignInFailure, SignUpFailure } from '../accounts/accounts.ts'
import { PASSKEYS_MAX } from '../accounts/account.ts'
import type { PasskeyFailure } from '../accounts/passkeys.ts'
import type { LinkFailure } from '../enrolment/enrolment.ts'
import type { HomeFailure, HomeRefusal } from '../model/homes.ts'
import type { AccessRequestFailure } from '../oauth/approvals.ts'

/** What people read where something is refused: what is so, and what to do. */

export interface Said {
  readonly status: number
  readonly sentence: string
  readonly retryAfter?: number
}

export const time = (seconds: number): string =>
  seconds < 90 ? `${Math.max(1, Math.ceil(seconds))} seconds` : `${Math.ceil(seconds / 60)} minutes`

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How long ago something was, in the largest unit that fits: `3 hours ago`. */
export function ago(ms: number): string {
  const words = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'} ago`
  if (ms < MINUTE_MS) return 'just now'
  if (ms < HOUR_MS) return words(Math.floor(ms / MINUTE_MS), 'minute')
  return ms < DAY_MS ? words(Math.floor(ms / HOUR_MS), 'hour') : words(Math.floor(ms / DAY_MS), 'day')
}

const said = (status: number, sentence: string, retryAfter?: number): Said => ({
  status,
  sentence,
  ...(retryAfter === undefined ? {} : { retryAfter }),
})

const limited = (what: string, retryAfter: number): Said =>
  said(429, `${what} Try again in ${time(retryAfter)}.`, retryAfter)

/** Answers that need no details. */
const SAID = {
  busy: said(503, 'The relay has too much to do right now. Try again in a moment.', 5),
  wrong: said(422, 'The current password is not right.'),
  changed: said(409, 'The password was changed meanwhile. Sign in with the new one.'),
  not_taken: said(422, 'The passkey could not be checked. Try it again.'),
  too_many: said(409, `An account has ${PASSKEYS_MAX} passkeys at most. Remove one first.`),
  known: said(409, 'This passkey belongs to an account already.'),
  no_site: said(409, 'Passkeys need a name, and this relay has an address alone.'),
  no_invite: said(422, 'This invite was used or is over. Ask for another one.'),
  email_taken: said(409, 'This e-mail address has an account: sign in with it.'),
  unknown_code: said(422, 'There is no such code, or its 10 minutes are over. Ask the gateway for a new one.'),
  not_yours: said(
    409,
    'This gateway was linked with another key. Someone who is linked to it has to confirm the new one, or the operator of this relay.',
  ),
  replaces: said(409, 'This code replaces a gateway of yours. Type it once more, and your password.'),
  still_connected: said(
    409,
    'Your present gateway with this serial is connected, and this code is of another one. If you replace it, stop it first; if you do not, do nothing.',
  ),
  too_many_homes: said(409, 'This account has as many homes as it may have. Unlink one first.'),
  too_many_accounts: said(409, 'This home has as many accounts as it may have. Someone has to unlink it first.'),
  not_linked: said(422, 'Choose one of your homes.'),
  already_asking: said(409, 'The home is being asked already. Wait a moment.'),
  unknown_record: said(
    404,
    'This home does not have the integration in the address of the connector. Choose another home, or check the address.',
  ),
} as const

export type Failure =
  | SignInFailure
  | NewPasswordFailure
  | SignUpFailure
  | PasskeyFailure
  | LinkFailure
  | AccessRequestFailure
  | { readonly kind: 'not_linked' }

/** @param tries what there were too many of, where a limit was reached. */
export function failureWords(failure: Failure, tries = 'Too many tries.'): Said {
  switch (failure.kind) {
    case 'limited':
      return limited(tries, failure.retryAfter)
    case 'invalid':
      return said(422, failure.message)
    case 'gateway_offline':
      return away(503, 'is not connected right now', failure)
    case 'gateway_timeout':
      return away(504, 'did not answer in time', failure)
    case 'refused':
      return refusedWords(failure)
    default:
      return SAID[failure.kind]
  }
}

const away = (status: number, how: string, { retryAfter }: HomeFailure): Said =>
  said(status, `The gateway of this home ${how}. Try again in ${time(retryAfter)}.`, retryAfter)

/** What the gateway says in its own sentence. */
function refusedWords({ status, code, message, retryAfter }: HomeRefusal): Said {
  if (code === 'rate_limited') return limited('This home was asked for too many agents.', retryAfter ?? 60)
  return said(status >= 400 && status < 600 ? status : 503, message, retryAfter)
}
