import type { LinkFailure, CodeTarget } from '../enrolment/enrolment.ts'
import { currentPasswordInput, errorPart } from './account-pages.ts'
import { html, type Html } from './html.ts'
import { field, go, type OwnVisit, show } from './http.ts'
import { failureWords, type PageError } from './words.ts'

/** A linked home. `house` is null if its gateway is offline or does not tell the relay its name. */
export interface NamedHome {
  readonly serial: string
  readonly house: string | null
  readonly isOffline: boolean
}

/** Asks the gateways for their names, which the relay does not store. */
export async function namedHomes({ relay: { enrolment, homes }, account }: OwnVisit): Promise<NamedHome[]> {
  const serials = await enrolment.homesOf(account)
  return Promise.all(
    serials.map(async (serial) => {
      const label = await homes.label(serial)
      return { serial, house: label.ok ? label.value : null, isOffline: !label.ok }
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
  const code = field(visit, 'code').trim()
  if (visit.method === 'GET') return codePage(visit, code)
  if (form.get('confirm') !== 'yes') {
    const target = await enrolment.look(code, account, peer)
    return target.ok ? comparePage(visit, code, target.value) : codePage(visit, code, linkWords(target.error))
  }
  const linked = await enrolment.confirm(code, account, peer, form.get('current'))
  if (linked.ok) return go(visit.response, `/?linked=${linked.value}`)
  const error = linkWords(linked.error)
  const target = linked.error.kind === 'wrong' ? await enrolment.look(code, account, peer) : null
  if (target?.ok === true) return comparePage(visit, code, target.value, error)
  codePage(visit, code, error)
}

export async function unlink(visit: OwnVisit): Promise<void> {
  const { account, form, response, relay } = visit
  const home = (await namedHomes(visit)).find(({ serial }) => serial === field(visit, 'home'))
  if (home === undefined) return go(response, '/')
  if (form.get('confirm') !== 'yes') return unlinkPage(visit, home)
  await relay.enrolment.unlink(home.serial, account)
  go(response, '/')
}

const linkWords = (failure: LinkFailure): PageError => failureWords(failure, 'Too many codes were tried.')

function homeRow({ serial, house, isOffline }: NamedHome): Html {
  return html`<li>
    <span
      ><b>${house ?? (isOffline ? 'Not connected right now' : 'End-to-end connections only')}</b><br /><span
        class="soft"
        >Gateway ${serial}</span
      ></span
    >
    <form method="post" action="/unlink">
      <input type="hidden" name="home" value="${serial}" /><button class="plain">Unlink</button>
    </form>
  </li>`
}

function codePage(visit: OwnVisit, code: string, error: PageError | null = null): void {
  show(visit, {
    error,
    title: 'Link a home',
    body: html`<h1>Link a home</h1>
      <p>
        On the gateway run <b>bin/hm relay connect</b>, or <b>bin/hm relay link</b> if it is already connected. It shows
        a code.
      </p>
      ${errorPart(error)}
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
        <div class="deeds"><button>Continue</button><a class="button second" href="/">Cancel</a></div>
      </form>`,
  })
}

function comparePage(
  visit: OwnVisit,
  code: string,
  { serial, replaces }: CodeTarget,
  error: PageError | null = null,
): void {
  if (replaces) return replacePage(visit, code, serial, error)
  show(visit, {
    title: 'Compare the serial',
    body: html`<h1>Is this your gateway?</h1>
      <p>Compare this serial with the one that the gateway shows next to the code.</p>
      <p class="code-shown small">${serial}</p>
      <p class="soft">
        Once linked, ${visit.account.email} can ask this home’s administrators to give agents access. The administrators
        decide.
      </p>
      <form method="post" action="/link">
        <input type="hidden" name="code" value="${code}" />
        <input type="hidden" name="confirm" value="yes" />
        <div class="deeds">
          <button>Link this gateway</button><a class="button second" href="/link">Not my gateway</a>
        </div>
      </form>`,
  })
}

function replacePage(visit: OwnVisit, code: string, serial: string, error: PageError | null): void {
  show(visit, {
    error,
    title: 'Replace your gateway',
    body: html`<h1>Replace your gateway?</h1>
      <p>
        You have a gateway with this serial, but this code comes from <b>another one</b>. If you go on, your present
        gateway is disconnected, and the tokens of your programs and agents go to the other one.
      </p>
      <p class="code-shown small">${serial}</p>
      <p>
        Go on only if you have set up this home again, on new hardware or without its key, and you see the code on your
        own screen. If someone sent you a code or a link, keep your gateway.
      </p>
      ${errorPart(error)}
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
        Your account can no longer ask this home’s administrators for access. Agents and programs keep their access; you
        can end it at the gateway.
      </p>
      <form method="post" action="/unlink">
        <input type="hidden" name="home" value="${serial}" />
        <input type="hidden" name="confirm" value="yes" />
        <div class="deeds"><button>Unlink</button><a class="button second" href="/">Keep it</a></div>
      </form>`,
  })
}
