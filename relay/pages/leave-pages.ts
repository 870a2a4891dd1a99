import type { Account } from '../accounts/account.ts'
import type { Passkeys } from '../accounts/passkeys.ts'
import type { Enrolment } from '../enrolment/enrolment.ts'
import { saidHeaders, saidPart } from './account-pages.ts'
import { html } from './html.ts'
import { endSession, send, type Visit } from './http.ts'
import { proofInputs, type ProofParts, proved, scriptAlert } from './proof.ts'
import { passwordWords, type Said } from './words.ts'

export interface LeavePagesParts extends ProofParts {
  readonly enrolment: Enrolment
}

/** Deletes the account of whoever is signed in, after their password. */
export class LeavePages {
  readonly #parts: LeavePagesParts

  constructor(parts: LeavePagesParts) {
    this.#parts = parts
  }

  async leave(visit: Visit, account: Account): Promise<void> {
    const { enrolment, passkeys } = this.#parts
    if (visit.method === 'GET') return leavePage(visit, account, passkeys, null)
    const proof = await proved(visit, account, this.#parts)
    if (!proof.ok) return leavePage(visit, account, passkeys, passwordWords(proof.error))
    await enrolment.deleteAccount(account)
    endSession(visit.response)
    send(visit.response, {
      title: 'The account is deleted',
      body: html`<h1>Your account is deleted</h1>
        <p>The relay keeps nothing of it any more. Every home was unlinked.</p>`,
    })
  }
}

function leavePage({ response }: Visit, account: Account, passkeys: Passkeys, said: Said | null): void {
  send(response, {
    status: said?.status ?? 200,
    headers: saidHeaders(said),
    title: 'Delete the account',
    account: account.email,
    takesPasskeys: account.passkeys.length > 0,
    body: html`<h1>Delete your account?</h1>
      <p>
        All your homes are unlinked from it, and you are signed out everywhere. A home that is linked to nobody else is
        not reached through this relay any more, by programs and agents neither. Nothing at the homes themselves
        changes.
      </p>
      ${saidPart(said)}
      <form method="post" action="/account/delete">
        ${proofInputs(account, passkeys)}
        <div class="deeds">
          <button class="danger">Delete the account</button><a class="button second" href="/account">Keep it</a>
        </div>
        ${scriptAlert()}
      </form>`,
  })
}
