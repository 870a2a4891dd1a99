import type { Flow } from '../oauth/agent-sign-in.ts'
import type { Asked } from '../oauth/approvals.ts'
import { saidPart } from './account-pages.ts'
import { namedHomes, type NamedHome } from './home-pages.ts'
import { html, type Html } from './html.ts'
import { go, type OwnVisit, send, show } from './http.ts'
import type { Page } from './page.ts'
import { failureWords, type Said, time } from './words.ts'

/** Seconds until a page asks again where it could not wait. */
const AGAIN_SECONDS = 5
/** Seconds for which a person reads a no before the agent is told. */
const READ_SECONDS = 6

const SENTENCES = {
  denied: 'An administrator of the home said no. Do not ask again right away; tell the user.',
  expired: 'No administrator answered in time. Ask again only if the user wants.',
  cancelled: 'The user did not go on.',
} as const

/**
 * The page of an agent that wants in: which home, then the matching code and what becomes of it. The browser leaves for
 * the agent's platform from a page that asked for itself (`?wait`, `?leave`), never as the answer of a form
 * (docs/decisions/sign-in.md#pages).
 */
export async function connect(visit: OwnVisit): Promise<void> {
  const { account, request, response, relay } = visit
  const flow = await relay.agents.current(visit.path.slice('/connect/'.length), request, response)
  if (flow === null) return send(response, OVER)
  const asked = await relay.agents.asked(flow)
  if (asked !== null && asked !== 'asking' && asked.account !== account.id)
    return show(visit, otherAccountPage(account.email))
  if (visit.method === 'POST') return post(visit, flow, asked)
  if (visit.query.has('leave')) return leaveFor(visit, flow, 'cancelled')
  if (asked === 'asking') return show(visit, askingPage(flow))
  return asked === null ? choose(visit, flow) : follow(visit, flow, asked)
}

async function post(visit: OwnVisit, flow: Flow, asked: Asked | 'asking' | null): Promise<void> {
  const { account, form, peer, response } = visit
  const path = `/connect/${flow.id}`
  if (form.get('deed') === 'cancel') return show(visit, leavingPage(flow, `${path}?leave`))
  if (asked !== null) return go(response, path)
  const result = await visit.relay.agents.ask(flow, account, form.get('home'), peer)
  // A second click on the button is answered by what the first one began.
  if (result.ok || result.error.kind === 'already_asking') return go(response, path)
  return choose(visit, flow, failureWords(result.error))
}

async function choose(visit: OwnVisit, flow: Flow, said: Said | null = null): Promise<void> {
  const homes = await namedHomes(visit)
  show(visit, {
    said,
    title: 'An agent asks for access',
    body: homes.length === 0 ? noHomeBody(flow) : chooseBody(flow, homes, said),
  })
}

async function follow(visit: OwnVisit, flow: Flow, asked: Asked): Promise<void> {
  const { agents, homes } = visit.relay
  const gone = new AbortController()
  visit.response.once('close', () => gone.abort())
  const decision = visit.query.has('wait') ? await agents.decision(asked, gone.signal) : null
  if (gone.signal.aborted) return
  if (decision?.ok === true && decision.value !== 'pending') return decided(visit, flow, asked, decision.value)
  const label = await homes.label(asked.gateway)
  const offline = decision?.ok === false ? failureWords(decision.error) : null
  const seconds = offline === null && agents.mayWait(asked) ? 1 : AGAIN_SECONDS
  const house = label.ok ? label.value : null
  show(visit, waitingPage(flow, { asked, house, said: offline, seconds }))
}

async function decided(
  visit: OwnVisit,
  flow: Flow,
  asked: Asked,
  word: 'accepted' | 'denied' | 'expired',
): Promise<void> {
  if (word !== 'accepted') return leaveFor(visit, flow, word)
  go(visit.response, await visit.relay.agents.accepted(flow, asked, visit.request, visit.response))
}

async function leaveFor(
  { relay, request, response }: OwnVisit,
  flow: Flow,
  word: keyof typeof SENTENCES,
): Promise<void> {
  const url = await relay.agents.refused(SENTENCES[word], request, response)
  if (word === 'cancelled') return go(response, url)
  send(response, noPage(flow, word, url))
}

/** Who asks, where the answer goes, and how sure the name is. */
function agentPart({ client, record }: Flow): Html {
  const known =
    client.domain === null
      ? 'The agent calls itself so. Nobody proved it.'
      : client.proof === 'proved'
        ? `The name is from ${client.domain}, which is where the agent’s own page is.`
        : client.proof === 'elsewhere'
          ? `The name is from ${client.domain}, but the answer goes to ${client.redirectHost}.`
          : `The name is from ${client.domain}. Any program on this computer can ask in that name.`
  return html`<dl>
      <div>
        <dt>Agent</dt>
        <dd>${client.name}</dd>
      </div>
      <div>
        <dt>Answer goes to</dt>
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
    <p class="${client.proof === 'proved' ? 'soft' : 'note'}">${known}</p>`
}

function placeOf(redirectHost: string): string {
  if (redirectHost.endsWith(':')) return `an app on this device (${redirectHost.slice(0, -1)})`
  return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(redirectHost) ? 'a program on this computer' : redirectHost
}

function chooseBody(flow: Flow, homes: readonly NamedHome[], said: Said | null): Html {
  const cancel = html`<button class="second" name="deed" value="cancel" formnovalidate>Cancel</button>`
  return html`<h1>${flow.client.name} asks for access</h1>
    ${saidPart(said)} ${agentPart(flow)}
    <form method="post" action="/connect/${flow.id}">
      <label>Which home?</label>${homes.map((home) => homeChoice(home, homes.length === 1))}
      <p class="soft">
        Two homes can have the same name. The console of your gateway shows its serial, under System and Relay.
      </p>
      <p class="soft">
        Next you see a code. Every administrator of the home is asked to compare it and to say yes or no.
      </p>
      <div class="deeds"><button>Ask the administrators</button>${cancel}</div>
    </form>`
}

/** The owner of a gateway chooses its name: the serial stands first, and none of several homes is checked already. */
const homeChoice = ({ serial, house, isAway }: NamedHome, isOnly: boolean): Html => {
  const note = house ?? (isAway ? 'Not connected right now' : 'Reached end to end alone')
  return html`<label class="choice"
    ><input type="radio" name="home" value="${serial}" required ${isOnly ? html`checked` : null} /><span
      ><b>${serial}</b> <bdi>${note}</bdi></span
    ></label
  >`
}

const noHomeBody = (flow: Flow): Html =>
  html`<h1>Link your home first</h1>
    <p>${flow.client.name} asks for access to a home, and none is linked to your account yet.</p>
    <div class="deeds">
      <a class="button" href="/link">Link a home</a
      ><a class="button second" href="/connect/${flow.id}">I have linked one</a>
    </div>`

const askingPage = (flow: Flow): Page => ({
  title: 'Asking the home',
  refresh: { seconds: 1, url: `/connect/${flow.id}` },
  body: html`<h1>Asking the home</h1>
    <p class="wait" role="status">One moment</p>`,
})

interface Waiting {
  readonly asked: Asked
  /** The home's name, or null where its gateway does not answer. */
  readonly house: string | null
  readonly said: Said | null
  /** Until the page asks again. */
  readonly seconds: number
}

function waitingPage(flow: Flow, { asked, house, said, seconds }: Waiting): Page {
  const path = `/connect/${flow.id}`
  return {
    title: `Code ${asked.code}`,
    refresh: { seconds, url: `${path}?wait` },
    body: html`<h1>Compare this code</h1>
      <p class="code-shown">${asked.code}</p>
      <p>
        Every administrator of <b>${asked.gateway}</b> <bdi>${house ?? ''}</bdi> sees the same code with this request.
        Once one of them accepts it, ${flow.client.name} gets access.
      </p>
      <p class="wait" role="status">Waiting for an administrator</p>
      ${saidPart(said)} ${agentPart(flow)}
      <p class="soft">
        On the gateway: <b>bin/hm agent accept ${asked.code}</b>. If another code is shown there, it is another request:
        do not accept it.
      </p>
      <form method="post" action="${path}"><button class="second" name="deed" value="cancel">Cancel</button></form>`,
  }
}

const leavingPage = (flow: Flow, url: string): Page => ({
  title: 'Going back',
  refresh: { seconds: 0, url },
  body: html`<h1>Going back to ${flow.client.name}</h1>
    <p><a href="${url}">Go on</a>, if nothing happens.</p>`,
})

const NOES = {
  denied: ['The home said no', 'An administrator did not let the agent in.'],
  expired: ['Nobody answered', 'No administrator answered in time. You can ask again from the agent.'],
} as const

function noPage(flow: Flow, word: keyof typeof NOES, url: string): Page {
  const [title, sentence] = NOES[word]
  return {
    title,
    refresh: { seconds: READ_SECONDS, url },
    body: html`<h1>${title}</h1>
      <p>${sentence} ${flow.client.name} is told in ${time(READ_SECONDS)}.</p>
      <div class="deeds"><a class="button" href="${url}">Back to ${flow.client.name}</a></div>`,
  }
}

const OVER: Page = {
  status: 404,
  title: 'Over',
  body: html`<h1>This request is over</h1>
    <p>
      It was answered, it took longer than 15 minutes, or it began in another browser. Begin again from the agent.
    </p>`,
}

const otherAccountPage = (email: string): Page => ({
  status: 409,
  title: 'Another account',
  body: html`<h1>Another account began this</h1>
    <p>You are signed in as ${email}. Sign out and in again as whoever asked, or begin again from the agent.</p>`,
})
