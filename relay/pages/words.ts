import type { NewPasswordFailure, SignInFailure, SignUpFailure } from '../accounts/accounts.ts'
import { PASSKEYS_MAX } from '../accounts/account.ts'
import type { PasskeyFailure } from '../accounts/passkeys.ts'
import type { LinkFailure } from '../enrolment/enrolment.ts'
import type { HomeFailure, HomeRefusal } from '../model/homes.ts'
import type { AccessRequestFailure } from '../oauth/approvals.ts'

/** An error message for people, which says what happened and what to do. */
export interface PageError {
  readonly status: number
  readonly sentence: string
  readonly retryAfter?: number
}

export const time = (seconds: number): string =>
  seconds < 90 ? `${Math.max(1, Math.ceil(seconds))} seconds` : `${Math.ceil(seconds / 60)} minutes`

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Elapsed time in the largest fitting unit: `3 hours ago`. */
export function ago(ms: number): string {
  const words = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'} ago`
  if (ms < MINUTE_MS) return 'just now'
  if (ms < HOUR_MS) return words(Math.floor(ms / MINUTE_MS), 'minute')
  return ms < DAY_MS ? words(Math.floor(ms / HOUR_MS), 'hour') : words(Math.floor(ms / DAY_MS), 'day')
}

const pageError = (status: number, sentence: string, retryAfter?: number): PageError => ({
  status,
  sentence,
  ...(retryAfter === undefined ? {} : { retryAfter }),
})

const limited = (what: string, retryAfter: number): PageError =>
  pageError(429, `${what} Try again in ${time(retryAfter)}.`, retryAfter)

/** Messages without variable parts. */
const ERRORS = {
  busy: pageError(503, 'The relay is busy right now. Try again in a moment.', 5),
  wrong: pageError(422, 'The current password is wrong.'),
  changed: pageError(409, 'The password was changed meanwhile. Sign in with the new one.'),
  not_taken: pageError(422, 'The passkey could not be checked. Try again.'),
  too_many: pageError(409, `An account can have at most ${PASSKEYS_MAX} passkeys. Remove one first.`),
  known: pageError(409, 'This passkey already belongs to an account.'),
  no_site: pageError(409, 'Passkeys need a host name, but this relay has only an IP address.'),
  no_invite: pageError(422, 'This invite was already used or has expired. Ask for a new one.'),
  email_taken: pageError(409, 'This e-mail address already has an account. Sign in with it.'),
  unknown_code: pageError(422, 'This code is unknown, or its 10 minutes are over. Get a new one from the gateway.'),
  not_yours: pageError(
    409,
    'This gateway was linked with another key. A person who is linked to it, or the operator of this relay, must confirm the new key.',
  ),
  replaces: pageError(409, 'This code replaces one of your gateways. Type it again with your password.'),
  still_connected: pageError(
    409,
    'This code belongs to another gateway with the serial of yours. Your gateway is still connected: stop it first if you want to replace it. Otherwise do nothing.',
  ),
  too_many_homes: pageError(409, 'This account has the most homes that it can have. Unlink one first.'),
  too_many_accounts: pageError(
    409,
    'This home has the most accounts that it can have. One of them must unlink it first.',
  ),
  not_linked: pageError(422, 'Choose one of your homes.'),
  already_asking: pageError(409, 'The request is already being sent to the home. Wait a moment.'),
  unknown_record: pageError(
    404,
    'This home does not have the integration in the address of the connector. Choose another home, or check the address.',
  ),
} as const

export type PageFailure =
  | SignInFailure
  | NewPasswordFailure
  | SignUpFailure
  | PasskeyFailure
  | LinkFailure
  | AccessRequestFailure
  | { readonly kind: 'not_linked' }

/** @param tries first sentence of the message about a rate limit. */
export function failureWords(failure: PageFailure, tries = 'Too many tries.'): PageError {
  switch (failure.kind) {
    case 'limited':
      return limited(tries, failure.retryAfter)
    case 'invalid':
      return pageError(422, failure.message)
    case 'gateway_offline':
      return unreachable(503, 'is not connected right now', failure)
    case 'gateway_timeout':
      return unreachable(504, 'did not answer in time', failure)
    case 'refused':
      return refusalWords(failure)
    default:
      return ERRORS[failure.kind]
  }
}

const unreachable = (status: number, problem: string, { retryAfter }: HomeFailure): PageError =>
  pageError(status, `The gateway of this home ${problem}. Try again in ${time(retryAfter)}.`, retryAfter)

/** Passes on the gateway's own message. */
function refusalWords({ status, code, message, retryAfter }: HomeRefusal): PageError {
  if (code === 'rate_limited') return limited('This home received too many requests from agents.', retryAfter ?? 60)
  return pageError(status >= 400 && status < 600 ? status : 503, message, retryAfter)
}
