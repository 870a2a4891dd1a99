import type { NewPasswordFailure, SignInFailure, SignUpFailure } from '../accounts/accounts.ts'
import { PASSKEYS_MAX } from '../accounts/account.ts'
import type { PasskeyFailure } from '../accounts/passkeys.ts'
import type { LinkFailure } from '../enrolment/enrolment.ts'
import type { HomeRefusal } from '../model/homes.ts'
import type { AskFailure } from '../oauth/approvals.ts'

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

const BUSY = said(503, 'The relay has too much to do right now. Try again in a moment.', 5)

const NOT_TAKEN = said(422, 'The passkey could not be checked. Try it again.')

export function passkeyWords(failure: PasskeyFailure): Said {
  switch (failure.kind) {
    case 'limited':
      return limited('Too many tries.', failure.retryAfter)
    case 'not_taken':
      return NOT_TAKEN
    case 'too_many':
      return said(409, `An account has ${PASSKEYS_MAX} passkeys at most. Remove one first.`)
    case 'known':
      return said(409, 'This passkey belongs to an account already.')
    case 'no_site':
      return said(409, 'Passkeys need a name, and this relay has an address alone.')
  }
}

export function signInWords(failure: SignInFailure): Said {
  return failure.kind === 'wrong' ? said(422, 'E-mail address or password is not right.') : passwordWords(failure)
}

/** Of whoever is signed in already, or has a link of the operator. */
export function passwordWords(failure: SignInFailure | NewPasswordFailure): Said {
  switch (failure.kind) {
    case 'limited':
      return limited('Too many tries.', failure.retryAfter)
    case 'busy':
      return BUSY
    case 'wrong':
      return said(422, 'The current password is not right.')
    case 'not_taken':
      return NOT_TAKEN
    case 'changed':
      return said(409, 'The password was changed meanwhile. Sign in with the new one.')
    case 'invalid':
      return said(422, failure.message)
  }
}

export function signUpWords(failure: SignUpFailure): Said {
  switch (failure.kind) {
    case 'limited':
      return limited('Too many accounts were tried from here.', failure.retryAfter)
    case 'busy':
      return BUSY
    case 'no_invite':
      return said(422, 'This invite was used or is over. Ask for another one.')
    case 'email_taken':
      return said(409, 'This e-mail address has an account: sign in with it.')
    case 'invalid':
      return said(422, failure.message)
  }
}

export function linkWords(failure: LinkFailure): Said {
  switch (failure.kind) {
    case 'limited':
      return limited('Too many codes were tried.', failure.retryAfter)
    case 'unknown_code':
      return said(422, 'There is no such code, or its 10 minutes are over. Ask the gateway for a new one.')
    case 'not_yours':
      return said(
        409,
        'This gateway was linked with another key. Someone who is linked to it has to confirm the new one, or the operator of this relay.',
      )
    case 'replaces':
      return said(409, 'This code replaces a gateway of yours. Type it once more, and your password.')
    case 'still_connected':
      return said(
        409,
        'Your present gateway with this serial is connected, and this code is of another one. If you replace it, stop it first; if you do not, do nothing.',
      )
    case 'wrong':
    case 'not_taken':
    case 'busy':
      return passwordWords(failure)
    case 'too_many_homes':
      return said(409, 'This account has as many homes as it may have. Unlink one first.')
    case 'too_many_accounts':
      return said(409, 'This home has as many accounts as it may have. Someone has to unlink it first.')
  }
}

export function askWords(failure: AskFailure | { readonly kind: 'not_linked' }): Said {
  switch (failure.kind) {
    case 'not_linked':
      return said(422, 'Choose one of your homes.')
    case 'already_asking':
      return said(409, 'The home is being asked already. Wait a moment.')
    case 'unknown_record':
      return said(
        404,
        'This home does not have the integration in the address of the connector. Choose another home, or check the address.',
      )
    case 'gateway_offline':
      return said(
        503,
        `The gateway of this home is not connected right now. Try again in ${time(failure.retryAfter)}.`,
        failure.retryAfter,
      )
    case 'gateway_timeout':
      return said(
        504,
        `The gateway of this home did not answer in time. Try again in ${time(failure.retryAfter)}.`,
        failure.retryAfter,
      )
    case 'refused':
      return refusedWords(failure)
  }
}

/** What the gateway says in its own sentence. */
function refusedWords({ status, code, message, retryAfter }: HomeRefusal): Said {
  if (code === 'rate_limited') return limited('This home was asked for too many agents.', retryAfter ?? 60)
  return said(status >= 400 && status < 600 ? status : 503, message, retryAfter)
}
