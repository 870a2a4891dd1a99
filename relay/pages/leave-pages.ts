import type { Account } from '../accounts/account.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Enrolment } from '../enrolment/enrolment.ts'
import { currentPasswordInput, saidHeaders, saidPart } from './account-pages.ts'
import { html } from './html.ts'
import { endSession, send, type Visit } from './http.ts'
import { passwordWords, type Said } from './words.ts'

export interface LeavePagesParts {
  readonly accounts: Accounts
  readonly enrolment: Enrolment
}

/** Deletes the account of whoever is signed in, after their password. */
export class LeavePages {
  readonly #parts: LeavePagesParts

  constructor(parts: LeavePagesParts) {
    this.#parts = parts
  }

  async leave(visit: Visit, account: Account): Promise<void> {
    const { accounts, enrolment } = this.#parts
    if (visit.method === 'GET') return leavePage(visit, account, null)
    const proved = await accounts.proves(account, visit.form.get('current') ?? '')
    if (!proved.ok) return leavePage(visit, account, passwordWords(proved.error))
    await enrolment.deleteAccount(account)
    endSession(visit.response)
    send(visit.response, {
      title: 'The account is deleted',
      body: html`<h1>Your account is deleted</h1>
        <p>The relay keeps nothing of it any more. Every home was unlinked.</p>`,
    })
  }
}

function leavePage({ response }: Visit, account: Account, said: Said | null): void {
  send(response, {
    status: said?.status ?? 200,
    headers: saidHeaders(said),
    title: 'Delete the account',
    account: account.email,
    body: html`<h1>Delete your account?</h1>
      <p>
        All your homes are unlinked from it, and you are signed out everywhere. A home that is linked to nobody else is
        not reached through this relay any more, by programs and agents neither. Nothing at the homes themselves
        changes.
      </p>
      ${saidPart(said)}
      <form method="post" action="/account/delete">
        ${currentPasswordInput()}
        <div class="deeds"><button>Delete the account</button><a class="button second" href="/account">Keep it</a></div>
      </form>`,
  })
}
