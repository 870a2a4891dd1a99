import type { Result } from '@hm-gateway/lib/result.ts'
import type { Account } from '../accounts/account.ts'
import type { SignInFailure } from '../accounts/accounts.ts'
import type { Passkeys } from '../accounts/passkeys.ts'
import { currentPasswordInput } from './account-pages.ts'
import { html, type Html } from './html.ts'
import type { PageParts, Visit } from './http.ts'

/** Inputs for a fresh proof that the owner of the account is there: its password, or a passkey in its place. */
export const proofInputs = (account: Account, { isOffered }: Passkeys): Html =>
  html`${currentPasswordInput()}
  ${
    account.passkeys.length === 0 || !isOffered
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
export async function proved(
  visit: Visit,
  account: Account,
  { accounts, passkeys }: PageParts,
): Promise<Result<void, SignInFailure>> {
  const { form } = visit
  const proof = form.get('proof') ?? ''
  if (proof === '') return accounts.proves(account, form.get('current') ?? '', visit)
  return passkeys.proves(account, proof, visit)
}

/** Where the script shows its sentence. */
export const scriptAlert = (): Html => html`<p class="bad" role="alert" data-alert hidden></p>`
