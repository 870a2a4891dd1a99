import type { Account } from '../accounts/account.ts'
import type { Looked } from '../enrolment/enrolment.ts'
import { currentPasswordInput, saidPart } from './account-pages.ts'
import { html, type Html } from './html.ts'
import { go, type PageParts, send, type Visit } from './http.ts'
import { linkWords, type Said } from './words.ts'

/** A home as its account sees it; `house` null: its gateway does not answer, or tells the relay no name. */
export interface NamedHome {
  readonly serial: string
  readonly house: string | null
  readonly isAway: boolean
}

/** The names are asked of the gateways for each page; the relay keeps none. */
export async function namedHomes({ enrolment, homes }: PageParts, account: Account): Promise<NamedHome[]> {
  const serials = await enrolment.homesOf(account)
  return Promise.all(
    serials.map(async (serial) => {
      const label = await homes.label(serial)
      return { serial, house: label.ok ? label.value : null, isAway: !label.ok }
    }),
  )
}

/** The homes of an account, linking one more, unlinking one. */
export class HomePages {
  readonly #parts: PageParts

  constructor(parts: PageParts) {
    this.#parts = parts
  }

  async list({ response, query }: Visit, account: Account): Promise<void> {
    const homes = await namedHomes(this.#parts, account)
    const linked = homes.find(({ serial }) => serial === query.get('linked'))
    send(response, {
      title: 'Your homes',
      account: account.email,
      body: html`<h1>Your homes</h1>
        ${linked === undefined ? null : html`<p class="note" role="status">${linked.house ?? linked.serial} is linked to your account.</p>`}
        ${
          homes.length === 0
            ? html`<p>No home is linked to your account yet.</p>`
            : html`<ul>
                ${homes.map(homeRow)}
              </ul>`
        }
        <div class="deeds">
          <a class="button" href="/link">Link a home</a><a class="button second" href="/account">Your account</a>
        </div>`,
    })
  }

  async link(visit: Visit, account: Account): Promise<void> {
    const { form, query, method, peer, response } = visit
    const code = (method === 'POST' ? form : query).get('code')?.trim() ?? ''
    if (method === 'GET') return codePage(visit, account, code, null)
    if (form.get('confirm') !== 'yes') {
      const looked = await this.#parts.enrolment.look(code, account, peer)
      return looked.ok
        ? comparePage(visit, account, code, looked.value, null)
        : codePage(visit, account, code, linkWords(looked.error))
    }
    const linked = await this.#parts.enrolment.confirm(code, account, peer, form.get('current') ?? null)
    if (linked.ok) return go(response, `/?linked=${linked.value}`)
    const said = linkWords(linked.error)
    const looked = linked.error.kind === 'wrong' ? await this.#parts.enrolment.look(code, account, peer) : null
    if (looked?.ok === true) return comparePage(visit, account, code, looked.value, said)
    codePage(visit, account, code, said)
  }

  async unlink({ form, response }: Visit, account: Account): Promise<void> {
    const serial = form.get('home') ?? ''
    const home = (await namedHomes(this.#parts, account)).find((each) => each.serial === serial)
    if (home === undefined) return go(response, '/')
    if (form.get('confirm') !== 'yes') return unlinkPage(response, account, home)
    await this.#parts.enrolment.unlink(serial, account)
    go(response, '/')
  }
}

function homeRow({ serial, house, isAway }: NamedHome): Html {
  return html`<li>
    <span
      ><b>${house ?? (isAway ? 'Not connected right now' : 'Reached end to end alone')}</b><br /><span class="soft"
        >Gateway ${serial}</span
      ></span
    >
    <form method="post" action="/unlink">
      <input type="hidden" name="home" value="${serial}" /><button class="plain">Unlink</button>
    </form>
  </li>`
}

function codePage({ response }: Visit, account: Account, code: string, said: Said | null): void {
  send(response, {
    said,
    title: 'Link a home',
    account: account.email,
    body: html`<h1>Link a home</h1>
      <p>
        On the gateway run <b>bin/hm relay connect</b>, or <b>bin/hm relay link</b> where it is connected already. It
        shows a code.
      </p>
      ${saidPart(said)}
      <form method="post" action="/link">
        <label for="code">Code</label>
        <input
          class="code"
          id="code"
          name="code"
          type="text"
          value="${code}"
          maxlength="16"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          placeholder="XXXX-XXXX"
          required
          autofocus
        />
        <div class="deeds"><button>Go on</button><a class="button second" href="/">Cancel</a></div>
      </form>`,
  })
}

function comparePage(
  { response }: Visit,
  account: Account,
  code: string,
  { serial, replaces }: Looked,
  said: Said | null,
): void {
  if (replaces) return replacePage(response, account, { code, serial, said })
  send(response, {
    title: 'Compare the serial',
    account: account.email,
    body: html`<h1>Is this your gateway?</h1>
      <p>Compare this serial with the one that the gateway shows beside the code.</p>
      <p class="code-shown small">${serial}</p>
      <p class="soft">
        Once linked, ${account.email} can ask this home’s administrators to let agents in. Nobody gets in without their
        word.
      </p>
      <form method="post" action="/link">
        <input type="hidden" name="code" value="${code}" />
        <input type="hidden" name="confirm" value="yes" />
        <div class="deeds">
          <button>It is the same: link it</button><a class="button second" href="/link">It is another one</a>
        </div>
      </form>`,
  })
}

function replacePage(
  response: Visit['response'],
  account: Account,
  { code, serial, said }: { readonly code: string; readonly serial: string; readonly said: Said | null },
): void {
  send(response, {
    said,
    title: 'Replace your gateway',
    account: account.email,
    body: html`<h1>Replace your gateway?</h1>
      <p>
        You have a gateway with this serial, and this code is shown by <b>another one</b>: your present gateway is cut
        off, and the tokens of your programs and agents arrive at the other one from then on.
      </p>
      <p class="code-shown small">${serial}</p>
      <p>
        Go on only if you set up this home anew, on new hardware or without its key, and the code stands on your own
        screen. Has somebody sent you a code or a link? Then keep your gateway.
      </p>
      ${saidPart(said)}
      <form method="post" action="/link">
        <input type="hidden" name="code" value="${code}" />
        <input type="hidden" name="confirm" value="yes" />
        ${currentPasswordInput()}
        <div class="deeds"><button>Replace my gateway</button><a class="button second" href="/">Keep it</a></div>
      </form>`,
  })
}

function unlinkPage(response: Visit['response'], account: Account, { serial, house }: NamedHome): void {
  send(response, {
    title: 'Unlink a home',
    account: account.email,
    body: html`<h1>Unlink ${house ?? serial}?</h1>
      <p>
        Your account no longer asks this home’s administrators for anything. Agents and programs that they let in go on;
        they are ended at the gateway.
      </p>
      <form method="post" action="/unlink">
        <input type="hidden" name="home" value="${serial}" />
        <input type="hidden" name="confirm" value="yes" />
        <div class="deeds"><button>Unlink</button><a class="button second" href="/">Keep it</a></div>
      </form>`,
  })
}
