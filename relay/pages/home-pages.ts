import type { LinkFailure, CodeTarget } from '../enrolment/enrolment.ts'
import { currentPasswordInput, saidPart } from './account-pages.ts'
import { html, type Html } from './html.ts'
import { given, go, type OwnVisit, show } from './http.ts'
import { failureWords, type Said } from './words.ts'

/** A home as its account sees it; `house` null: its gateway does not answer, or tells the relay no name. */
export interface NamedHome {
  readonly serial: string
  readonly house: string | null
  readonly isAway: boolean
}

/** The names are asked of the gateways for each page; the relay keeps none. */
export async function namedHomes({ relay: { enrolment, homes }, account }: OwnVisit): Promise<NamedHome[]> {
  const serials = await enrolment.homesOf(account)
  return Promise.all(
    serials.map(async (serial) => {
      const label = await homes.label(serial)
      return { serial, house: label.ok ? label.value : null, isAway: !label.ok }
    }),
  )
}

export async function listHomes(visit: OwnVisit): Promise<void> {
  const homes = await namedHomes(visit)
  const linked = homes.find(({ serial }) => serial === visit.query.get('linked'))
  show(visit, {
    title: 'Your homes',
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

export async function link(visit: OwnVisit): Promise<void> {
  const { account, form, peer } = visit
  const { enrolment } = visit.relay
  const code = given(visit, 'code').trim()
  if (visit.method === 'GET') return codePage(visit, code)
  if (form.get('confirm') !== 'yes') {
    const looked = await enrolment.look(code, account, peer)
    return looked.ok ? comparePage(visit, code, looked.value) : codePage(visit, code, linkWords(looked.error))
  }
  const linked = await enrolment.confirm(code, account, peer, form.get('current'))
  if (linked.ok) return go(visit.response, `/?linked=${linked.value}`)
  const said = linkWords(linked.error)
  const looked = linked.error.kind === 'wrong' ? await enrolment.look(code, account, peer) : null
  if (looked?.ok === true) return comparePage(visit, code, looked.value, said)
  codePage(visit, code, said)
}

export async function unlink(visit: OwnVisit): Promise<void> {
  const { account, form, response, relay } = visit
  const home = (await namedHomes(visit)).find(({ serial }) => serial === given(visit, 'home'))
  if (home === undefined) return go(response, '/')
  if (form.get('confirm') !== 'yes') return unlinkPage(visit, home)
  await relay.enrolment.unlink(home.serial, account)
  go(response, '/')
}

const linkWords = (failure: LinkFailure): Said => failureWords(failure, 'Too many codes were tried.')

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

function codePage(visit: OwnVisit, code: string, said: Said | null = null): void {
  show(visit, {
    said,
    title: 'Link a home',
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

function comparePage(visit: OwnVisit, code: string, { serial, replaces }: CodeTarget, said: Said | null = null): void {
  if (replaces) return replacePage(visit, code, serial, said)
  show(visit, {
    title: 'Compare the serial',
    body: html`<h1>Is this your gateway?</h1>
      <p>Compare this serial with the one that the gateway shows beside the code.</p>
      <p class="code-shown small">${serial}</p>
      <p class="soft">
        Once linked, ${visit.account.email} can ask this home’s administrators to let agents in. Nobody gets in without
        their word.
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

function replacePage(visit: OwnVisit, code: string, serial: string, said: Said | null): void {
  show(visit, {
    said,
    title: 'Replace your gateway',
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

function unlinkPage(visit: OwnVisit, { serial, house }: NamedHome): void {
  show(visit, {
    title: 'Unlink a home',
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
