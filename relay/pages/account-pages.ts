import type { Result } from '@hm-gateway/lib/result.ts'
import { EMAIL_LENGTH_MAX, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../accounts/account.ts'
import type { SignInFailure } from '../accounts/accounts.ts'
import { html, type Html } from './html.ts'
import {
  begin,
  endSession,
  given,
  go,
  leaveNote,
  nextOf,
  type OwnVisit,
  send,
  sessionOf,
  show,
  type Visit,
  visitorOf,
} from './http.ts'
import type { Page } from './page.ts'
import { failureWords, type Said } from './words.ts'

/** Sign in, sign up by invite, sign out, a new password by the operator's link. */

const NO_MATCH: Said = { status: 422, sentence: 'E-mail address or password is not right.' }

export async function signIn(visit: Visit): Promise<void> {
  const next = nextOf(given(visit, 'next'))
  if (visit.method === 'GET') return signInPage(visit, next)
  const email = given(visit, 'email')
  const signedIn = await visit.relay.accounts.signIn(email, given(visit, 'password'), visitorOf(visit))
  if (signedIn.ok) return begin(visit, signedIn.value, next)
  signInPage(visit, next, signedIn.error.kind === 'wrong' ? NO_MATCH : failureWords(signedIn.error), email)
}

export async function signUp(visit: Visit): Promise<void> {
  const { accounts } = visit.relay
  const [invite, email, password] = [given(visit, 'invite'), given(visit, 'email'), given(visit, 'password')]
  if (visit.method === 'GET')
    return (await accounts.isInvited(invite)) ? signUpPage(visit, invite) : send(visit.response, NOT_INVITED)
  const signedUp = await accounts.signUp({ email, password, invite }, visitorOf(visit))
  if (signedUp.ok) return begin(visit, signedUp.value, '/')
  signUpPage(visit, invite, failureWords(signedUp.error, 'Too many accounts were tried from here.'), email)
}

export async function signOut({ relay, request, response }: Visit): Promise<void> {
  const session = sessionOf(request)
  if (session !== null) await relay.accounts.sessions.end(session)
  endSession(response)
  go(response, '/signin')
}

/** Sets a forgotten password anew, by a link that the relay's operator made (docs/relay.md#accounts). */
export async function reset(visit: Visit): Promise<void> {
  const { accounts } = visit.relay
  const link = given(visit, 'link')
  const account = await accounts.resettable(link)
  if (account === null) return send(visit.response, NO_LINK)
  if (visit.method === 'GET') return resetPage(visit, account.email, link)
  const changed = await accounts.setPassword(link, given(visit, 'password'), visitorOf(visit))
  if (!changed.ok) return resetPage(visit, account.email, link, failureWords(changed.error))
  leaveNote(visit, 'changed')
  begin(visit, changed.value, '/account')
}

const NOT_INVITED: Page = {
  status: 404,
  title: 'No invite',
  body: html`<h1>This invite is not valid</h1>
    <p>It was used, or its 7 days are over. Ask whoever sent it for another one.</p>
    <p><a href="/signin">Sign in</a></p>`,
}

export const saidPart = (said: Said | null): Html | null =>
  said === null ? null : html`<p class="bad" role="alert">${said.sentence}</p>`

const emailInput = (email: string): Html =>
  html`<label for="email">E-mail address</label>
    <input
      id="email"
      name="email"
      type="email"
      autocomplete="username"
      value="${email}"
      maxlength="${EMAIL_LENGTH_MAX}"
      required
      autofocus
    />`

export function signInPage(visit: Visit, next: string, said: Said | null = null, email = ''): void {
  show(visit, {
    said,
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
      ${said === null && next.startsWith('/connect/') ? html`<p>An agent asks for access to your home. Sign in to go on.</p>` : null}
      ${saidPart(said)}
      <form method="post" action="/signin">
        <input type="hidden" name="next" value="${next}" />
        ${emailInput(email)} ${knownPasswordInput('password', 'Password')}
        <div class="deeds"><button>Sign in</button></div>
      </form>
      ${visit.relay.passkeys.isOffered ? passkeyForm(next) : null}`,
  })
}

/** Only the script sends it, and shows its button. */
const passkeyForm = (next: string): Html =>
  html`<form method="post" action="/signin/passkey">
    <input type="hidden" name="next" value="${next}" /><input type="hidden" name="response" value="" />
    ${scriptAlert()}
    <div class="deeds">
      <button class="second" data-passkey="show" data-options="/signin/options" data-field="response" hidden>
        Sign in with a passkey
      </button>
    </div>
  </form>`

function signUpPage(visit: Visit, invite: string, said: Said | null = null, email = ''): void {
  show(visit, {
    said,
    title: 'Make an account',
    body: html`<h1>Make an account</h1>
      <p>With it you link your home to this relay, and sign in when an agent asks for access.</p>
      ${saidPart(said)}
      <form method="post" action="/signup">
        <input type="hidden" name="invite" value="${invite}" />
        ${emailInput(email)} ${newPasswordInput('Password')}
        <div class="deeds"><button>Make the account</button></div>
      </form>`,
  })
}

const NO_LINK: Page = {
  status: 404,
  title: 'No link',
  body: html`<h1>This link is not valid</h1>
    <p>It was used, or its hour is over. Ask the operator of this relay for another one.</p>
    <p><a href="/signin">Sign in</a></p>`,
}

function resetPage(visit: Visit, email: string, link: string, said: Said | null = null): void {
  show(visit, {
    said,
    title: 'A new password',
    body: html`<h1>A new password</h1>
      <p>For the account of <b>${email}</b>. Every sign-in of it ends.</p>
      ${saidPart(said)}
      <form method="post" action="/reset">
        <input type="hidden" name="link" value="${link}" />
        ${newPasswordInput('New password')}
        <div class="deeds"><button>Set the password</button></div>
      </form>`,
  })
}

const knownPasswordInput = (id: string, label: string): Html =>
  html`<label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${id}"
      type="password"
      autocomplete="current-password"
      maxlength="${PASSWORD_LENGTH_MAX}"
      required
    />`

export const currentPasswordInput = (): Html => knownPasswordInput('current', 'Current password')

export const newPasswordInput = (label: string): Html =>
  html`<label for="password">${label}</label>
    <input
      id="password"
      name="password"
      type="password"
      autocomplete="new-password"
      minlength="${PASSWORD_LENGTH_MIN}"
      maxlength="${PASSWORD_LENGTH_MAX}"
      required
      aria-describedby="rule"
    />
    <p class="soft" id="rule">
      At least ${PASSWORD_LENGTH_MIN} characters. A few words that only you put together are good.
    </p>`

/** Inputs for a fresh proof that the owner of the account is there: its password, or a passkey in its place. */
export const proofInputs = ({ account, relay }: OwnVisit): Html =>
  html`${currentPasswordInput()}
  ${
    account.passkeys.length === 0 || !relay.passkeys.isOffered
      ? null
      : html`<input type="hidden" name="proof" value="" />
          <p class="proof">
            <button
              class="second"
              type="button"
              data-passkey="show"
              data-options="/account/proof"
              data-field="proof"
              hidden
            >
              Use a passkey instead
            </button>
          </p>`
  }`

/** Whether a form has such a proof. */
export async function proved(visit: OwnVisit): Promise<Result<void, SignInFailure>> {
  const { accounts, passkeys } = visit.relay
  const proof = given(visit, 'proof')
  if (proof === '') return accounts.proves(visit.account, given(visit, 'current'), visit)
  return passkeys.proves(visit.account, proof, visit)
}

/** Where the script shows its sentence. */
export const scriptAlert = (): Html => html`<p class="bad" role="alert" data-alert hidden></p>`
