import type { ServerResponse } from 'node:http'
import { type ErrorCode, errorBody } from '@hm-gateway/wire/errors.ts'
import type { Result } from '@hm-gateway/lib/result.ts'
import { PASSKEY_NAME_LENGTH_MAX, type Passkey } from '../accounts/account.ts'
import { type PasskeyFailure, passkeyId } from '../accounts/passkeys.ts'
import { browserWords } from '../accounts/visitor.ts'
import { goToAccount } from './account-page.ts'
import { errorPart, proofInputs, reauthenticate, scriptAlert, signInPage } from './account-pages.ts'
import { html, type Html } from './html.ts'
import { begin, field, go, nextOf, type OwnVisit, sessionOf, show, type Visit, visitorOf } from './http.ts'
import { PAGE_HEADERS } from './page.ts'
import { failureWords, type PageError } from './words.ts'

/** Pages for signing in with a passkey, and for adding, renaming and removing passkeys. */

export async function passkeySignIn(visit: Visit): Promise<void> {
  const next = nextOf(field(visit, 'next'))
  const signedIn = await visit.relay.passkeys.signIn(field(visit, 'response'), visitorOf(visit))
  if (signedIn.ok) return begin(visit, signedIn.value, next)
  signInPage(visit, next, failureWords(signedIn.error))
}

/** WebAuthn options of a sign-in, for the script. */
export async function signInOptions(visit: Visit): Promise<void> {
  sendOptions(visit, await visit.relay.passkeys.requestOptions(null, visit))
}

/** WebAuthn options for authenticating again with a passkey of the account, for the script. */
export async function proofOptions(visit: OwnVisit): Promise<void> {
  sendOptions(visit, await visit.relay.passkeys.requestOptions(visit.account, visit))
}

/** WebAuthn options of a new passkey, for the script. Requires the person to authenticate again. */
export async function creationOptions(visit: OwnVisit): Promise<void> {
  const authenticated = await reauthenticate(visit)
  if (!authenticated.ok) return refuse(visit.response, failureWords(authenticated.error))
  sendOptions(visit, await visit.relay.passkeys.creationOptions(visit.account))
}

export async function addPasskey(visit: OwnVisit): Promise<void> {
  if (visit.method === 'GET') return addPage(visit)
  const added = await visit.relay.passkeys.add(visit.account, field(visit, 'name'), field(visit, 'made'))
  if (!added.ok) return addPage(visit, failureWords(added.error))
  goToAccount(visit, 'added')
}

/** The page of one passkey: rename or remove it. */
export async function passkey(visit: OwnVisit): Promise<void> {
  const { account, relay } = visit
  const id = field(visit, 'id')
  const found = account.passkeys.find((own) => passkeyId(own) === id)
  if (found === undefined) return go(visit.response, '/account')
  if (visit.method === 'GET') return passkeyPage(visit, found)
  if (visit.form.get('end') === null) {
    await relay.passkeys.rename(account, id, field(visit, 'name'))
    return goToAccount(visit, 'renamed')
  }
  const authenticated = await reauthenticate(visit)
  if (!authenticated.ok) return passkeyPage(visit, found, failureWords(authenticated.error))
  await relay.passkeys.remove(account, id, sessionOf(visit.request))
  goToAccount(visit, 'removed')
}

function addPage(visit: OwnVisit, error: PageError | null = null): void {
  show(visit, {
    error,
    title: 'Add a passkey',
    body: html`<h1>Add a passkey</h1>
      <p>
        Sign in with your fingerprint, face or PIN, without a password. Your device or password manager keeps the
        passkey; the relay stores only its public key.
      </p>
      ${errorPart(error)}
      <p class="note" data-unsupported>
        This browser cannot create passkeys, or scripts are off. Use a current browser and allow scripts on this page.
      </p>
      <form method="post" action="/account/passkeys">
        ${nameInput(visit.form.get('name') ?? browserWords(visit.request.headers['user-agent']))} ${proofInputs(visit)}
        <input type="hidden" name="made" value="" />
        <div class="deeds">
          <button data-passkey="make" data-options="/account/passkeys/options" data-field="made" hidden>
            Add the passkey</button
          ><a class="button second" href="/account">Cancel</a>
        </div>
        ${scriptAlert()}
      </form>`,
  })
}

function passkeyPage(visit: OwnVisit, ownPasskey: Passkey, error: PageError | null = null): void {
  const id = html`<input type="hidden" name="id" value="${passkeyId(ownPasskey)}" />`
  show(visit, {
    error,
    title: 'A passkey',
    body: html`<h1>${ownPasskey.name}</h1>
      ${errorPart(error)}
      <form method="post" action="/account/passkey">
        ${id} ${nameInput(ownPasskey.name)}
        <div class="deeds"><button class="second">Rename</button></div>
      </form>
      <h2>Remove this passkey</h2>
      <p>
        It can no longer be used to sign in, and browsers that used it are signed out. Your password and other passkeys
        stay valid.
      </p>
      <form method="post" action="/account/passkey">
        ${id} <input type="hidden" name="end" value="yes" /> ${proofInputs(visit)}
        <div class="deeds">
          <button class="danger">Remove the passkey</button><a class="button second" href="/account">Keep it</a>
        </div>
        ${scriptAlert()}
      </form>`,
  })
}

const nameInput = (name: string): Html =>
  html`<label for="name">Name of the passkey</label>
    <input id="name" name="name" type="text" value="${name}" maxlength="${PASSKEY_NAME_LENGTH_MAX}" required />`

function sendOptions({ response }: Visit, options: Result<object, PasskeyFailure>): void {
  if (options.ok) sendJson(response, 200, options.value)
  else refuse(response, failureWords(options.error))
}

const CODES: Readonly<Record<number, ErrorCode>> = { 429: 'rate_limited', 503: 'relay_unavailable' }

function refuse(response: ServerResponse, { status, sentence, retryAfter }: PageError): void {
  const details = { message: sentence, ...(retryAfter === undefined ? {} : { retryAfter }) }
  sendJson(response, status, errorBody(CODES[status] ?? 'validation', details))
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...PAGE_HEADERS, 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body))
}
