import { EMAIL_LENGTH_MAX, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../accounts/account.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Passkeys } from '../accounts/passkeys.ts'
import { html, type Html } from './html.ts'
import { begin, endSession, go, nextOf, send, sessionOf, type Visit, visitorOf } from './http.ts'
import { type Said, signInWords, signUpWords } from './words.ts'

export interface AccountPagesParts {
  readonly accounts: Accounts
  readonly passkeys: Passkeys
}

/** Sign in, sign up by invite, sign out. */
export class AccountPages {
  readonly #parts: AccountPagesParts

  constructor(parts: AccountPagesParts) {
    this.#parts = parts
  }

  async signIn(visit: Visit): Promise<void> {
    const next = nextOf((visit.method === 'POST' ? visit.form : visit.query).get('next'))
    const takesPasskeys = this.#parts.passkeys.isOffered
    if (visit.method === 'GET') return signInPage(visit, { next, takesPasskeys })
    const email = visit.form.get('email') ?? ''
    const signedIn = await this.#parts.accounts.signIn(email, visit.form.get('password') ?? '', visitorOf(visit))
    if (!signedIn.ok) return signInPage(visit, { next, email, said: signInWords(signedIn.error), takesPasskeys })
    begin(visit, signedIn.value, next)
  }

  async signUp(visit: Visit): Promise<void> {
    const given = visit.method === 'POST' ? visit.form : visit.query
    const invite = given.get('invite') ?? ''
    if (visit.method === 'GET') {
      const invited = await this.#parts.accounts.isInvited(invite)
      return invited ? signUpPage(visit, invite, '', null) : send(visit.response, NOT_INVITED)
    }
    const email = given.get('email') ?? ''
    const password = given.get('password') ?? ''
    const signedUp = await this.#parts.accounts.signUp({ email, password, invite }, visitorOf(visit))
    if (!signedUp.ok) return signUpPage(visit, invite, email, signUpWords(signedUp.error))
    begin(visit, signedUp.value, '/')
  }

  async signOut(visit: Visit): Promise<void> {
    const session = sessionOf(visit.request)
    if (session !== null) await this.#parts.accounts.sessions.end(session)
    endSession(visit.response)
    go(visit.response, '/signin')
  }
}

const NOT_INVITED = {
  status: 404,
  title: 'No invite',
  body: html`<h1>This invite is not valid</h1>
    <p>It was used, or its 7 days are over. Ask whoever sent it for another one.</p>
    <p><a href="/signin">Sign in</a></p>`,
}

export const saidPart = (said: Said | null): Html | null =>
  said === null ? null : html`<p class="bad" role="alert">${said.sentence}</p>`

export const saidHeaders = (said: Said | null): Record<string, string> =>
  said?.retryAfter === undefined ? {} : { 'retry-after': String(said.retryAfter) }

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

export interface SignInShown {
  readonly next: string
  readonly email?: string
  readonly said?: Said | null
  readonly takesPasskeys: boolean
}

export function signInPage({ response }: Visit, { next, email = '', said = null, takesPasskeys }: SignInShown): void {
  send(response, {
    status: said?.status ?? 200,
    headers: saidHeaders(said),
    title: 'Sign in',
    takesPasskeys,
    body: html`<h1>Sign in</h1>
      ${said === null && next.startsWith('/connect/') ? html`<p>An agent asks for access to your home. Sign in to go on.</p>` : null}
      ${saidPart(said)}
      <form method="post" action="/signin">
        <input type="hidden" name="next" value="${next}" />
        ${emailInput(email)}
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          maxlength="${PASSWORD_LENGTH_MAX}"
          required
        />
        <div class="deeds"><button>Sign in</button></div>
      </form>
      ${takesPasskeys ? passkeyForm(next) : null}`,
  })
}

/** Only the script sends it, and shows its button. */
const passkeyForm = (next: string): Html =>
  html`<form method="post" action="/signin/passkey">
    <input type="hidden" name="next" value="${next}" /><input type="hidden" name="response" value="" />
    <p class="bad" role="alert" data-alert hidden></p>
    <div class="deeds">
      <button class="second" data-passkey="show" data-options="/signin/options" data-field="response" hidden>
        Sign in with a passkey
      </button>
    </div>
  </form>`

function signUpPage({ response }: Visit, invite: string, email: string, said: Said | null): void {
  send(response, {
    status: said?.status ?? 200,
    headers: saidHeaders(said),
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

export const currentPasswordInput = (): Html =>
  html`<label for="current">Current password</label>
    <input
      id="current"
      name="current"
      type="password"
      autocomplete="current-password"
      maxlength="${PASSWORD_LENGTH_MAX}"
      required
    />`

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
