import type { Result } from '@hm-gateway/lib/result.ts'
import { EMAIL_LENGTH_MAX, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../accounts/account.ts'
import type { SignInFailure } from '../accounts/accounts.ts'
import { html, type Html } from './html.ts'
import {
  begin,
  endSession,
  field,
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
import type { PageContent } from './page.ts'
import { failureWords, type PageError } from './words.ts'

/** Pages for signing in and out, for signing up, and for resetting a password. */

const NO_MATCH: PageError = { status: 422, sentence: 'E-mail address or password is wrong.' }

export async function signIn(visit: Visit): Promise<void> {
  const next = nextOf(field(visit, 'next'))
  if (visit.method === 'GET') return signInPage(visit, next)
  const email = field(visit, 'email')
  const signedIn = await visit.relay.accounts.signIn(email, field(visit, 'password'), visitorOf(visit))
  if (signedIn.ok) return begin(visit, signedIn.value, next)
  signInPage(visit, next, signedIn.error.kind === 'wrong' ? NO_MATCH : failureWords(signedIn.error), email)
}

export async function signUp(visit: Visit): Promise<void> {
  const { accounts } = visit.relay
  const [invite, email, password] = [field(visit, 'invite'), field(visit, 'email'), field(visit, 'password')]
  if (visit.method === 'GET')
    return (await accounts.isInvited(invite)) ? signUpPage(visit, invite) : send(visit.response, NOT_INVITED)
  const signedUp = await accounts.signUp({ email, password, invite }, visitorOf(visit))
  if (signedUp.ok) return begin(visit, signedUp.value, '/')
  signUpPage(visit, invite, failureWords(signedUp.error, 'Too many accounts were created from here.'), email)
}

export async function signOut({ relay, request, response }: Visit): Promise<void> {
  const session = sessionOf(request)
  if (session !== null) await relay.accounts.sessions.end(session)
  endSession(response)
  go(response, '/signin')
}

/** Resets a password with a link of the relay's operator (docs/relay.md#accounts). */
export async function reset(visit: Visit): Promise<void> {
  const { accounts } = visit.relay
  const link = field(visit, 'link')
  const account = await accounts.resettable(link)
  if (account === null) return send(visit.response, NO_LINK)
  if (visit.method === 'GET') return resetPage(visit, account.email, link)
  const changed = await accounts.setPassword(link, field(visit, 'password'), visitorOf(visit))
  if (!changed.ok) return resetPage(visit, account.email, link, failureWords(changed.error))
  leaveNote(visit, 'changed')
  begin(visit, changed.value, '/account')
}

const NOT_INVITED: PageContent = {
  status: 404,
  title: 'No invite',
  body: html`<h1>This invite is not valid</h1>
    <p>It was already used, or its 7 days are over. Ask the person who sent it for a new one.</p>
    <p><a href="/signin">Sign in</a></p>`,
}

export const errorPart = (error: PageError | null): Html | null =>
  error === null ? null : html`<p class="bad" role="alert">${error.sentence}</p>`

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

export function signInPage(visit: Visit, next: string, error: PageError | null = null, email = ''): void {
  show(visit, {
    error,
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
      ${error === null && next.startsWith('/connect/') ? html`<p>An agent asks for access to your home. Sign in to continue.</p>` : null}
      ${errorPart(error)}
      <form method="post" action="/signin">
        <input type="hidden" name="next" value="${next}" />
        ${emailInput(email)} ${passwordInput('password', 'Password')}
        <div class="deeds"><button>Sign in</button></div>
      </form>
      ${visit.relay.passkeys.isOffered ? passkeyForm(next) : null}`,
  })
}

/** Hidden until the script shows it; only the script submits it. */
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

function signUpPage(visit: Visit, invite: string, error: PageError | null = null, email = ''): void {
  show(visit, {
    error,
    title: 'Create your account',
    body: html`<h1>Create your account</h1>
      <p>You need it to link your home to this relay, and to give agents access.</p>
      ${errorPart(error)}
      <form method="post" action="/signup">
        <input type="hidden" name="invite" value="${invite}" />
        ${emailInput(email)} ${newPasswordInput('Password')}
        <div class="deeds"><button>Create account</button></div>
      </form>`,
  })
}

const NO_LINK: PageContent = {
  status: 404,
  title: 'No link',
  body: html`<h1>This link is not valid</h1>
    <p>It was already used, or its hour is over. Ask the operator of this relay for a new one.</p>
    <p><a href="/signin">Sign in</a></p>`,
}

function resetPage(visit: Visit, email: string, link: string, error: PageError | null = null): void {
  show(visit, {
    error,
    title: 'A new password',
    body: html`<h1>A new password</h1>
      <p>Choose a new password for <b>${email}</b>. The account is then signed out everywhere else.</p>
      ${errorPart(error)}
      <form method="post" action="/reset">
        <input type="hidden" name="link" value="${link}" />
        ${newPasswordInput('New password')}
        <div class="deeds"><button>Set the password</button></div>
      </form>`,
  })
}

const passwordInput = (id: string, label: string): Html =>
  html`<label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${id}"
      type="password"
      autocomplete="current-password"
      maxlength="${PASSWORD_LENGTH_MAX}"
      required
    />`

export const currentPasswordInput = (): Html => passwordInput('current', 'Current password')

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
      At least ${PASSWORD_LENGTH_MIN} characters. A few words that only you would combine are good.
    </p>`

/** Inputs for authenticating again, with the password or with a passkey instead. */
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

/** Checks the password or passkey of such a form. */
export async function reauthenticate(visit: OwnVisit): Promise<Result<void, SignInFailure>> {
  const { accounts, passkeys } = visit.relay
  const proof = field(visit, 'proof')
  if (proof === '') return accounts.checkPassword(visit.account, field(visit, 'current'), visit)
  return passkeys.check(visit.account, proof, visit)
}

/** The script shows its error messages here. */
export const scriptAlert = (): Html => html`<p class="bad" role="alert" data-alert hidden></p>`
