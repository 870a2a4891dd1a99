import { type Account, EMAIL_LENGTH_MAX, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../accounts/account.ts'
import { html, type Html } from './html.ts'
import {
  begin,
  endSession,
  go,
  leaveNote,
  nextOf,
  type PageParts,
  send,
  sessionOf,
  type Visit,
  visitorOf,
} from './http.ts'
import type { Page } from './page.ts'
import { passwordWords, type Said, signInWords, signUpWords } from './words.ts'

/** Sign in, sign up by invite, sign out, a new password by the operator's link. */
export class AccountPages {
  readonly #parts: PageParts

  constructor(parts: PageParts) {
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

  /** Sets a forgotten password anew, by a link that the relay's operator made (docs/relay.md#accounts). */
  async reset(visit: Visit): Promise<void> {
    const link = (visit.method === 'POST' ? visit.form : visit.query).get('link') ?? ''
    const account = await this.#parts.accounts.resettable(link)
    if (account === null) return send(visit.response, NO_LINK)
    if (visit.method === 'GET') return resetPage(visit, account, link, null)
    const changed = await this.#parts.accounts.setPassword(link, visit.form.get('password') ?? '', visitorOf(visit))
    if (!changed.ok) return resetPage(visit, account, link, passwordWords(changed.error))
    leaveNote(visit, 'changed')
    begin(visit, changed.value, '/account')
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
    said,
    title: 'Sign in',
    takesPasskeys,
    body: html`<h1>Sign in</h1>
      ${said === null && next.startsWith('/connect/') ? html`<p>An agent asks for access to your home. Sign in to go on.</p>` : null}
      ${saidPart(said)}
      <form method="post" action="/signin">
        <input type="hidden" name="next" value="${next}" />
        ${emailInput(email)} ${knownPasswordInput('password', 'Password')}
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

function resetPage({ response }: Visit, account: Account, link: string, said: Said | null): void {
  send(response, {
    said,
    title: 'A new password',
    body: html`<h1>A new password</h1>
      <p>For the account of <b>${account.email}</b>. Every sign-in of it ends.</p>
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
