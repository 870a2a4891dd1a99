import { type ErrorCode, errorBody } from '@hm-gateway/wire/errors.ts'
import type { Result } from '@hm-gateway/lib/result.ts'
import { type Account, PASSKEY_NAME_LENGTH_MAX, type Passkey } from '../accounts/account.ts'
import { type PasskeyFailure, passkeyId } from '../accounts/passkeys.ts'
import { browserWords } from '../accounts/visitor.ts'
import { goToAccount } from './account-page.ts'
import { saidPart, signInPage } from './account-pages.ts'
import { html, type Html } from './html.ts'
import { begin, go, nextOf, type PageParts, send, sessionOf, type Visit, visitorOf } from './http.ts'
import { PAGE_HEADERS } from './page.ts'
import { proofInputs, proved, scriptAlert } from './proof.ts'
import { passkeyWords, passwordWords, type Said } from './words.ts'

/** Passkeys: sign in with one, add, rename and remove them. */
export class PasskeyPages {
  readonly #parts: PageParts

  constructor(parts: PageParts) {
    this.#parts = parts
  }

  async signIn(visit: Visit): Promise<void> {
    const next = nextOf(visit.form.get('next'))
    const signedIn = await this.#parts.passkeys.signIn(visit.form.get('response') ?? '', visitorOf(visit))
    if (signedIn.ok) return begin(visit, signedIn.value, next)
    signInPage(visit, { next, said: passkeyWords(signedIn.error), takesPasskeys: true })
  }

  /** For the script: the options of a sign-in. */
  async signInOptions(visit: Visit): Promise<void> {
    sendOptions(visit, await this.#parts.passkeys.request(null, visitorOf(visit)))
  }

  /** For the script: the options of a proof by a passkey of the account. */
  async proofOptions(visit: Visit, account: Account): Promise<void> {
    sendOptions(visit, await this.#parts.passkeys.request(account, visitorOf(visit)))
  }

  /** For the script: the options of a new passkey, for a fresh proof. */
  async makingOptions(visit: Visit, account: Account): Promise<void> {
    const given = await proved(visit, account, this.#parts)
    if (!given.ok) return refuse(visit, passwordWords(given.error))
    sendOptions(visit, await this.#parts.passkeys.creation(account))
  }

  async add(visit: Visit, account: Account): Promise<void> {
    if (visit.method === 'GET') return this.#addPage(visit, account, null)
    const { passkeys } = this.#parts
    const added = await passkeys.add(account, visit.form.get('name') ?? '', visit.form.get('made') ?? '')
    if (!added.ok) return this.#addPage(visit, account, passkeyWords(added.error))
    goToAccount(visit, 'added')
  }

  /** One passkey: its name, and its end. */
  async passkey(visit: Visit, account: Account): Promise<void> {
    const given = visit.method === 'GET' ? visit.query : visit.form
    const id = given.get('id') ?? ''
    const passkey = account.passkeys.find((each) => passkeyId(each) === id)
    if (passkey === undefined) return go(visit.response, '/account')
    if (visit.method === 'GET') return this.#passkeyPage(visit, account, passkey, null)
    if (given.get('end') === null) {
      await this.#parts.passkeys.rename(account, id, given.get('name') ?? '')
      return goToAccount(visit, 'renamed')
    }
    const proof = await proved(visit, account, this.#parts)
    if (!proof.ok) return this.#passkeyPage(visit, account, passkey, passwordWords(proof.error))
    await this.#parts.passkeys.remove(account, id, sessionOf(visit.request))
    goToAccount(visit, 'removed')
  }

  #addPage({ request, response, form }: Visit, account: Account, said: Said | null): void {
    send(response, {
      said,
      title: 'Add a passkey',
      account: account.email,
      takesPasskeys: true,
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
          ${nameInput(form.get('name') ?? browserWords(request.headers['user-agent']))}
          ${proofInputs(account, this.#parts.passkeys)}
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

  #passkeyPage({ response }: Visit, account: Account, passkey: Passkey, said: Said | null): void {
    const id = html`<input type="hidden" name="id" value="${passkeyId(passkey)}" />`
    send(response, {
      said,
      title: 'A passkey',
      account: account.email,
      takesPasskeys: true,
      body: html`<h1>${passkey.name}</h1>
        ${saidPart(said)}
        <form method="post" action="/account/passkey">
          ${id} ${nameInput(passkey.name)}
          <div class="deeds"><button class="second">Rename</button></div>
        </form>
        <h2>Remove this passkey</h2>
        <p>Nobody signs in with it any more, and browsers that did are signed out. Your other ways in stay.</p>
        <form method="post" action="/account/passkey">
          ${id} <input type="hidden" name="end" value="yes" /> ${proofInputs(account, this.#parts.passkeys)}
          <div class="deeds">
            <button class="danger">Remove the passkey</button><a class="button second" href="/account">Keep it</a>
          </div>
          ${scriptAlert()}
        </form>`,
    })
  }
}

const nameInput = (name: string): Html =>
  html`<label for="name">Name of the passkey</label>
    <input id="name" name="name" type="text" value="${name}" maxlength="${PASSKEY_NAME_LENGTH_MAX}" required />`

function sendOptions(visit: Visit, options: Result<object, PasskeyFailure>): void {
  if (options.ok) sendJson(visit, 200, options.value)
  else refuse(visit, passkeyWords(options.error))
}

const CODES: Readonly<Record<number, ErrorCode>> = { 429: 'rate_limited', 503: 'relay_unavailable' }

function refuse(visit: Visit, { status, sentence, retryAfter }: Said): void {
  const details = { message: sentence, ...(retryAfter === undefined ? {} : { retryAfter }) }
  sendJson(visit, status, errorBody(CODES[status] ?? 'validation', details))
}

function sendJson({ response }: Visit, status: number, body: object): void {
  response.writeHead(status, { ...PAGE_HEADERS, 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body))
}
