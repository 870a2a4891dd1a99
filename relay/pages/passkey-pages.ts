import type { ServerResponse } from 'node:http'
import { type ErrorCode, errorBody } from '@hm-gateway/wire/errors.ts'
import type { Result } from '@hm-gateway/lib/result.ts'
import { PASSKEY_NAME_LENGTH_MAX, type Passkey } from '../accounts/account.ts'
import { type PasskeyFailure, passkeyId } from '../accounts/passkeys.ts'
import { browserWords } from '../accounts/visitor.ts'
import { goToAccount } from './account-page.ts'
import { proofInputs, proved, saidPart, scriptAlert, signInPage } from './account-pages.ts'
import { html, type Html } from './html.ts'
import { begin, given, go, nextOf, type OwnVisit, sessionOf, show, type Visit, visitorOf } from './http.ts'
import { PAGE_HEADERS } from './page.ts'
import { failureWords, type Said } from './words.ts'

/** Passkeys: sign in with one, add, rename and remove them. */

export async function passkeySignIn(visit: Visit): Promise<void> {
  const next = nextOf(given(visit, 'next'))
  const signedIn = await visit.relay.passkeys.signIn(given(visit, 'response'), visitorOf(visit))
  if (signedIn.ok) return begin(visit, signedIn.value, next)
  signInPage(visit, next, failureWords(signedIn.error))
}

/** For the script: the options of a sign-in. */
export async function signInOptions(visit: Visit): Promise<void> {
  sendOptions(visit, await visit.relay.passkeys.request(null, visit))
}

/** For the script: the options of a proof by a passkey of the account. */
export async function proofOptions(visit: OwnVisit): Promise<void> {
  sendOptions(visit, await visit.relay.passkeys.request(visit.account, visit))
}

/** For the script: the options of a new passkey, for a fresh proof. */
export async function makingOptions(visit: OwnVisit): Promise<void> {
  const proof = await proved(visit)
  if (!proof.ok) return refuse(visit.response, failureWords(proof.error))
  sendOptions(visit, await visit.relay.passkeys.creation(visit.account))
}

export async function addPasskey(visit: OwnVisit): Promise<void> {
  if (visit.method === 'GET') return addPage(visit)
  const added = await visit.relay.passkeys.add(visit.account, given(visit, 'name'), given(visit, 'made'))
  if (!added.ok) return addPage(visit, failureWords(added.error))
  goToAccount(visit, 'added')
}

/** One passkey: its name, and its end. */
export async function passkey(visit: OwnVisit): Promise<void> {
  const { account, relay } = visit
  const id = given(visit, 'id')
  const found = account.passkeys.find((each) => passkeyId(each) === id)
  if (found === undefined) return go(visit.response, '/account')
  if (visit.method === 'GET') return passkeyPage(visit, found)
  if (visit.form.get('end') === null) {
    await relay.passkeys.rename(account, id, given(visit, 'name'))
    return goToAccount(visit, 'renamed')
  }
  const proof = await proved(visit)
  if (!proof.ok) return passkeyPage(visit, found, failureWords(proof.error))
  await relay.passkeys.remove(account, id, sessionOf(visit.request))
  goToAccount(visit, 'removed')
}

function addPage(visit: OwnVisit, said: Said | null = null): void {
  show(visit, {
    said,
    title: 'Add a passkey',
    body: html`<h1>Add a passkey</h1>
      <p>
        You sign in with it by your finger, face or PIN, without a password. Your device or password manager keeps it;
        the relay stores its public half alone.
      </p>
      ${saidPart(said)}
      <p class="note" data-unsupported>
        This browser cannot make passkeys, or scripts are off. Use a current browser, with scripts allowed for this
        page.
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

function passkeyPage(visit: OwnVisit, shown: Passkey, said: Said | null = null): void {
  const id = html`<input type="hidden" name="id" value="${passkeyId(shown)}" />`
  show(visit, {
    said,
    title: 'A passkey',
    body: html`<h1>${shown.name}</h1>
      ${saidPart(said)}
      <form method="post" action="/account/passkey">
        ${id} ${nameInput(shown.name)}
        <div class="deeds"><button class="second">Rename</button></div>
      </form>
      <h2>Remove this passkey</h2>
      <p>Nobody signs in with it any more, and browsers that did are signed out. Your other ways in stay.</p>
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

function refuse(response: ServerResponse, { status, sentence, retryAfter }: Said): void {
  const details = { message: sentence, ...(retryAfter === undefined ? {} : { retryAfter }) }
  sendJson(response, status, errorBody(CODES[status] ?? 'validation', details))
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...PAGE_HEADERS, 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body))
}
