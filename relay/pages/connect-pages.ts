import type { Flow } from '../oauth/agent-sign-in.ts'
import type { AccessRequest } from '../oauth/approvals.ts'
import { errorPart } from './account-pages.ts'
import { namedHomes, type NamedHome } from './home-pages.ts'
import { html, type Html } from './html.ts'
import { go, type OwnVisit, send, show } from './http.ts'
import type { PageContent } from './page.ts'
import { failureWords, type PageError, time } from './words.ts'

/** A page that cannot wait for the decision reloads at this interval. */
const RELOAD_SECONDS = 5
/** Time to read a refusal before the browser returns to the agent. */
const READ_SECONDS = 6

/** Error descriptions for the agent. */
const SENTENCES = {
  denied: 'An administrator of the home refused. Do not ask again right away; tell the user.',
  expired: 'No administrator answered in time. Ask again only if the user wants.',
  cancelled: 'The user cancelled the request.',
} as const

/**
 * Pages of an agent's request: choose a home, compare the code, wait for the decision. The browser returns to the
 * agent's platform from a page that reloaded itself (`?wait`, `?leave`), never from a form
 * (docs/decisions/sign-in.md#pages).
 */
export async function connect(visit: OwnVisit): Promise<void> {
  const { account, request, response, relay } = visit
  const flow = await relay.agents.current(visit.path.slice('/connect/'.length), request, response)
  if (flow === null) return send(response, EXPIRED)
  const access = await relay.agents.requestOf(flow)
  if (access !== null && access !== 'asking' && access.account !== account.id)
    return show(visit, otherAccountPage(account.email))
  if (visit.method === 'POST') return post(visit, flow, access)
  if (visit.query.has('leave')) return returnToAgent(visit, flow, 'cancelled')
  if (access === 'asking') return show(visit, sendingPage(flow))
  return access === null ? choose(visit, flow) : awaitDecision(visit, flow, access)
}

async function post(visit: OwnVisit, flow: Flow, access: AccessRequest | 'asking' | null): Promise<void> {
  const { account, form, peer, response } = visit
  const path = `/connect/${flow.id}`
  if (form.get('deed') === 'cancel') return show(visit, returnPage(flow, `${path}?leave`))
  if (access !== null) return go(response, path)
  const result = await visit.relay.agents.requestAccess(flow, account, form.get('home'), peer)
  // A second click shows the request of the first one.
  if (result.ok || result.error.kind === 'already_asking') return go(response, path)
  return choose(visit, flow, failureWords(result.error))
}

async function choose(visit: OwnVisit, flow: Flow, error: PageError | null = null): Promise<void> {
  const homes = await namedHomes(visit)
  show(visit, {
    error,
    title: 'An agent asks for access',
    body: homes.length === 0 ? noHomeBody(flow) : chooseBody(flow, homes, error),
  })
}

async function awaitDecision(visit: OwnVisit, flow: Flow, access: AccessRequest): Promise<void> {
  const { agents, homes } = visit.relay
  const disconnect = new AbortController()
  visit.response.once('close', () => disconnect.abort())
  const decision = visit.query.has('wait') ? await agents.decision(access, disconnect.signal) : null
  if (disconnect.signal.aborted) return
  if (decision?.ok === true && decision.value !== 'pending') return finish(visit, flow, access, decision.value)
  const label = await homes.label(access.gateway)
  const offline = decision?.ok === false ? failureWords(decision.error) : null
  const seconds = offline === null && agents.mayWait(access) ? 1 : RELOAD_SECONDS
  const house = label.ok ? label.value : null
  show(visit, waitingPage(flow, { access, house, error: offline, seconds }))
}

async function finish(
  visit: OwnVisit,
  flow: Flow,
  access: AccessRequest,
  decision: 'accepted' | 'denied' | 'expired',
): Promise<void> {
  if (decision !== 'accepted') return returnToAgent(visit, flow, decision)
  go(visit.response, await visit.relay.agents.accept(flow, access, visit.request, visit.response))
}

async function returnToAgent(
  { relay, request, response }: OwnVisit,
  flow: Flow,
  reason: keyof typeof SENTENCES,
): Promise<void> {
  const url = await relay.agents.refuse(SENTENCES[reason], request, response)
  if (reason === 'cancelled') return go(response, url)
  send(response, refusalPage(flow, reason, url))
}

/** Name of the agent, target of the redirect, and reliability of the name. */
function agentPart({ client, record }: Flow): Html {
  const origin =
    client.domain === null
      ? 'The agent chose this name itself. It is not verified.'
      : client.proof === 'proved'
        ? `The name comes from ${client.domain}, the agent’s own site.`
        : client.proof === 'elsewhere'
          ? `The name comes from ${client.domain}, but the access goes to ${client.redirectHost}.`
          : `The name comes from ${client.domain}. Any program on this computer can use that name.`
  return html`<dl>
      <div>
        <dt>Agent</dt>
        <dd>${client.name}</dd>
      </div>
      <div>
        <dt>Access goes to</dt>
        <dd>${placeOf(client.redirectHost)}</dd>
      </div>
      ${
        record === null
          ? null
          : html`<div>
              <dt>For the integration</dt>
              <dd>${record}</dd>
            </div>`
      }
    </dl>
    <p class="${client.proof === 'proved' ? 'soft' : 'note'}">${origin}</p>`
}

function placeOf(redirectHost: string): string {
  if (redirectHost.endsWith(':')) return `an app on this device (${redirectHost.slice(0, -1)})`
  return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(redirectHost) ? 'a program on this computer' : redirectHost
}

function chooseBody(flow: Flow, homes: readonly NamedHome[], error: PageError | null): Html {
  const cancel = html`<button class="second" name="deed" value="cancel" formnovalidate>Cancel</button>`
  return html`<h1>${flow.client.name} asks for access</h1>
    ${errorPart(error)} ${agentPart(flow)}
    <form method="post" action="/connect/${flow.id}">
      <label>Which home?</label>${homes.map((home) => homeChoice(home, homes.length === 1))}
      <p class="soft">
        Two homes can have the same name. Your gateway’s console shows its serial under System → Relay.
      </p>
      <p class="soft">Next you see a code. The administrators of the home compare it, and one of them decides.</p>
      <div class="deeds"><button>Ask the administrators</button>${cancel}</div>
    </form>`
}

/** Shows the serial first, because a gateway's owner chooses its name. Only a single home is preselected. */
const homeChoice = ({ serial, house, isOffline }: NamedHome, isOnly: boolean): Html => {
  const note = house ?? (isOffline ? 'Not connected right now' : 'End-to-end connections only')
  return html`<label class="choice"
    ><input type="radio" name="home" value="${serial}" required ${isOnly ? html`checked` : null} /><span
      ><b>${serial}</b> <bdi>${note}</bdi></span
    ></label
  >`
}

const noHomeBody = (flow: Flow): Html =>
  html`<h1>Link your home first</h1>
    <p>${flow.client.name} asks for access to a home, but your account has no linked home yet.</p>
    <div class="deeds">
      <a class="button" href="/link">Link a home</a
      ><a class="button second" href="/connect/${flow.id}">I have linked one</a>
    </div>`

const sendingPage = (flow: Flow): PageContent => ({
  title: 'Asking the home',
  refresh: { seconds: 1, url: `/connect/${flow.id}` },
  body: html`<h1>Asking the home</h1>
    <p class="wait" role="status">One moment</p>`,
})

interface WaitingPageParts {
  readonly access: AccessRequest
  /** Name of the home; null if its gateway does not respond. */
  readonly house: string | null
  readonly error: PageError | null
  /** Time until the page reloads. */
  readonly seconds: number
}

function waitingPage(flow: Flow, { access, house, error, seconds }: WaitingPageParts): PageContent {
  const path = `/connect/${flow.id}`
  return {
    title: `Code ${access.code}`,
    refresh: { seconds, url: `${path}?wait` },
    body: html`<h1>Compare this code</h1>
      <p class="code-shown">${access.code}</p>
      <p>
        Every administrator of <b>${access.gateway}</b> <bdi>${house ?? ''}</bdi> sees the same code with this request.
        Once one of them accepts it, ${flow.client.name} gets access.
      </p>
      <p class="wait" role="status">Waiting for an administrator</p>
      ${errorPart(error)} ${agentPart(flow)}
      <p class="soft">
        On the gateway: <b>bin/hm agent accept ${access.code}</b>. A different code belongs to another request: do not
        accept it.
      </p>
      <form method="post" action="${path}"><button class="second" name="deed" value="cancel">Cancel</button></form>`,
  }
}

const returnPage = (flow: Flow, url: string): PageContent => ({
  title: 'Going back',
  refresh: { seconds: 0, url },
  body: html`<h1>Going back to ${flow.client.name}</h1>
    <p><a href="${url}">Continue</a> if nothing happens.</p>`,
})

const REFUSALS = {
  denied: ['Access denied', 'An administrator refused the request.'],
  expired: ['No decision', 'No administrator answered in time. You can try again from the agent.'],
} as const

function refusalPage(flow: Flow, reason: keyof typeof REFUSALS, url: string): PageContent {
  const [title, sentence] = REFUSALS[reason]
  return {
    title,
    refresh: { seconds: READ_SECONDS, url },
    body: html`<h1>${title}</h1>
      <p>${sentence} You return to ${flow.client.name} in ${time(READ_SECONDS)}.</p>
      <div class="deeds"><a class="button" href="${url}">Back to ${flow.client.name}</a></div>`,
  }
}

const EXPIRED: PageContent = {
  status: 404,
  title: 'Request ended',
  body: html`<h1>This request has ended</h1>
    <p>It was decided, took longer than 15 minutes, or began in another browser. Start again from the agent.</p>`,
}

const otherAccountPage = (email: string): PageContent => ({
  status: 409,
  title: 'Another account',
  body: html`<h1>Another account started this request</h1>
    <p>You are signed in as ${email}. Sign in with the other account, or start again from the agent.</p>`,
})
