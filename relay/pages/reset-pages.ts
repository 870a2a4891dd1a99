import type { Account } from '../accounts/account.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { newPasswordInput, saidHeaders, saidPart } from './account-pages.ts'
import { html } from './html.ts'
import { begin, leaveNote, send, type Visit, visitorOf } from './http.ts'
import type { Page } from './page.ts'
import { passwordWords, type Said } from './words.ts'

/** Sets a forgotten password anew, by a link that the relay's operator made (docs/relay.md#accounts). */
export class ResetPages {
  readonly #accounts: Accounts

  constructor(accounts: Accounts) {
    this.#accounts = accounts
  }

  async reset(visit: Visit): Promise<void> {
    const link = (visit.method === 'POST' ? visit.form : visit.query).get('link') ?? ''
    const account = await this.#accounts.resettable(link)
    if (account === null) return send(visit.response, OVER)
    if (visit.method === 'GET') return resetPage(visit, account, link, null)
    const changed = await this.#accounts.setPassword(link, visit.form.get('password') ?? '', visitorOf(visit))
    if (!changed.ok) return resetPage(visit, account, link, passwordWords(changed.error))
    leaveNote(visit, 'changed')
    begin(visit, changed.value, '/account')
  }
}

const OVER: Page = {
  status: 404,
  title: 'No link',
  body: html`<h1>This link is not valid</h1>
    <p>It was used, or its hour is over. Ask the operator of this relay for another one.</p>
    <p><a href="/signin">Sign in</a></p>`,
}

function resetPage({ response }: Visit, account: Account, link: string, said: Said | null): void {
  send(response, {
    status: said?.status ?? 200,
    headers: saidHeaders(said),
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
