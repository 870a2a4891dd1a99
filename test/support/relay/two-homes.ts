import { type Access, HttpCaller, type RawCaller, StreamCaller } from '#support/gateway/callers.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { Balancer } from './balancer.ts'
import { Browser, type PageSnapshot } from './browser.ts'
import { ownName, reached } from './end-to-end.ts'
import { watchStreams } from './nothing-left.ts'
import { NatsServer } from './nats-server.ts'
import { askInBrowser, OAuthAgent } from './oauth-agent.ts'
import { type RelayAnswer, TestRelay } from './test-relay.ts'
import { trustingFetch } from './trusting-fetch.ts'

/** Matching code by which an administrator recognises a request. */
const CODE = /[A-Z]{4}-[A-Z]{4}/

/** A person with an account, their home, and an accepted agent. */
export interface Household {
  readonly person: { readonly email: string; readonly password: string }
  readonly home: TestHome
  /** Node to which the gateway is connected. */
  readonly node: TestRelay
  readonly serial: string
  /** The person's signed-in browser. */
  readonly browser: Browser
  readonly agent: OAuthAgent
  readonly access: string
  readonly refresh: string
}

/** A path from outside to the first home, with any token. */
export interface OutsidePath {
  readonly name: string
  readonly access: Access
  readonly caller: RawCaller
}

/** Words that reveal the second home. */
export const HOUSE = 'Nachbarhaus'
export const LAMP = 'Lamp of the neighbours'

/** Two homes of two accounts at one relay: both at one node, or at two nodes. */
export class TwoHomes implements AsyncDisposable {
  readonly origin: string
  readonly fetch: typeof fetch
  readonly olga: Household
  readonly anna: Household
  /** Paths to Olga's home: through each node, readable by the relay and end to end, by requests and by a socket. */
  readonly ways: readonly OutsidePath[]
  readonly #opened: AsyncDisposableStack

  private constructor(
    { origin, fetch: trusting }: Entrance,
    households: readonly [Household, Household],
    opened: AsyncDisposableStack,
  ) {
    this.origin = origin
    this.fetch = trusting
    ;[this.olga, this.anna] = households
    this.ways = waysTo(this.olga, this.anna.node, opened)
    this.#opened = opened
  }

  /** @param nodes one, or two with their own NATS. */
  static async open(nodes: 1 | 2): Promise<TwoHomes> {
    await using opened = new AsyncDisposableStack()
    const entrance = await (nodes === 1 ? oneNode(opened) : twoNodes(opened))
    const olga = await moveIn(entrance, 'olga', entrance.nodes[0], opened)
    const anna = await moveIn(entrance, 'anna', entrance.nodes[1], opened)
    await anna.home.running.admin.call('PATCH', '/home', { name: HOUSE })
    await anna.home.call({ method: 'PATCH', path: anna.home.at('hall-light'), body: { name: LAMP } })
    return new TwoHomes(entrance, [olga, anna], opened.move())
  }

  /** Requests access for the agent from the person's own home, and accepts it. */
  letIn(household: Household, agent: OAuthAgent = household.agent): Promise<URLSearchParams> {
    return letIn(household, agent)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync()
  }
}

/** The code on a page that waits for an administrator. */
export const codeOn = ({ text }: PageSnapshot): string => CODE.exec(text)?.[0] ?? ''

interface Entrance {
  readonly origin: string
  readonly fetch: typeof fetch
  readonly nodes: readonly [TestRelay, TestRelay]
}

function trustedBy(relay: TestRelay, opened: AsyncDisposableStack): typeof fetch {
  const { fetch: trusting, agent } = trustingFetch(relay.ca)
  opened.defer(() => agent.destroy())
  return trusting
}

async function oneNode(opened: AsyncDisposableStack): Promise<Entrance> {
  const relay = opened.use(await TestRelay.open())
  return { origin: relay.relay.url, fetch: trustedBy(relay, opened), nodes: [relay, relay] }
}

/** Clients of the relay's address reach the nodes in turn. */
async function twoNodes(opened: AsyncDisposableStack): Promise<Entrance> {
  const nats = opened.use(await NatsServer.start())
  const balancer = opened.use(await Balancer.over())
  const origin = `https://localhost:${balancer.port}`
  const first = opened.use(await TestRelay.open({ nats: nats.url, url: origin }))
  const second = opened.use(await TestRelay.open({ nats: nats.url, url: origin, dataDir: first.dataDir }))
  balancer.ports = [first.relay.port, second.relay.port]
  return { origin, fetch: trustedBy(first, opened), nodes: [first, second] }
}

/** Signs up, connects a home at this node, links it, and accepts an agent. */
async function moveIn(
  { origin, fetch: trusting }: Entrance,
  name: string,
  node: TestRelay,
  opened: AsyncDisposableStack,
): Promise<Household> {
  const person = { email: `${name}@example.org`, password: `${name} has a correct horse` }
  const home = opened.use(await TestHome.open('http', { begins: 'now' }))
  const { admin, gateway } = home.running
  await home.change(home.main, { settings: { agent_access: 'on' } })
  await node.relay.accounts.signUp({ ...person, invite: '' }, { peer: '10.6.6.6' })
  const browser = new Browser(origin, trusting)
  await browser.submit(await browser.open('/signin'), 'Sign in', person)
  watchStreams(home.running, node)
  const address = { url: `https://localhost:${node.relay.port}`, fingerprint: node.relay.authority?.fingerprint }
  const { link } = await admin.call<RelayAnswer>('POST', '/relay', address)
  const compare = await browser.submit(await browser.open('/link'), 'Continue', { code: link?.code ?? '' })
  await browser.submit(compare, 'Link this gateway')
  await node.relay.tunnels.settled()
  await admin.call('PUT', '/relay/passthrough', { mode: 'on' })
  await using inside = new HttpCaller({ ...home.access(home.main.token), url: node.url, serverName: ownName(home) })
  await reached(inside)
  const agent = await OAuthAgent.register(origin, trusting, { client_name: `Claude of ${name}` })
  const tokens = await agent.redeemed(await letIn({ browser, home }, agent))
  const { access_token: access, refresh_token: refresh = '' } = tokens
  return { person, home, node, serial: gateway.serial, browser, agent, access, refresh }
}

async function letIn(
  { browser, home }: Pick<Household, 'browser' | 'home'>,
  agent: OAuthAgent,
): Promise<URLSearchParams> {
  const page = await askInBrowser(browser, await agent.authorizeUrl())
  const waiting = browser.refresh(page)
  await home.running.admin.call('POST', `/agents/requests/${codeOn(page)}/accept`, { add: true })
  await waiting
  return agent.answerOf(browser.left)
}

function waysTo({ home, node }: Household, other: TestRelay, opened: AsyncDisposableStack): readonly OutsidePath[] {
  const { token } = home.main
  const endToEnd = { ...home.access(token), serverName: ownName(home) }
  const places: readonly (readonly [string, Access])[] = [
    ['through the relay', node.access(token)],
    ['end to end', { ...endToEnd, url: node.url }],
    ...(other === node
      ? []
      : [
          ['through the other node', other.access(token)] as const,
          ['end to end, by the other node', { ...endToEnd, url: other.url }] as const,
        ]),
  ]
  return places.flatMap(([name, access]) => [
    { name, access, caller: opened.use(new HttpCaller(access)) },
    { name: `${name}, by a socket`, access, caller: opened.use(new StreamCaller(access)) },
  ])
}
