import type { TestGatewayOptions } from '#support/gateway/test-gateway.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { Browser, type PageSnapshot } from './browser.ts'
import { askInBrowser, OAuthAgent } from './oauth-agent.ts'
import { TestRelay } from './test-relay.ts'
import { trustingFetch } from './trusting-fetch.ts'

const OLGA = { email: 'olga@example.org', password: 'correct horse battery' }
/** Matching code by which an administrator recognises a request. */
const CODE = /[A-Z]{4}-[A-Z]{4}/

/** A real relay with a real gateway, and a signed-in person with a browser. */
export class HostedWorld implements AsyncDisposable {
  readonly relay: TestRelay
  readonly home: TestHome
  /** Trusts only the relay's own CA. */
  readonly fetch: typeof fetch
  readonly browser: Browser
  readonly #close: () => void

  private constructor(relay: TestRelay, home: TestHome, trusting: ReturnType<typeof trustingFetch>) {
    this.relay = relay
    this.home = home
    this.fetch = trusting.fetch
    this.browser = new Browser(relay.relay.url, trusting.fetch)
    this.#close = () => trusting.agent.destroy()
  }

  static async open(options: TestGatewayOptions = {}): Promise<HostedWorld> {
    const relay = await TestRelay.open()
    const home = await TestHome.open('http', { begins: 'now', ...options })
    await home.change(home.main, { settings: { agent_access: 'on' } })
    await relay.serve(home.running)
    const world = new HostedWorld(relay, home, trustingFetch(relay.ca))
    await world.browser.submit(await world.browser.open('/signin'), 'Sign in', OLGA)
    return world
  }

  get origin(): string {
    return this.relay.relay.url
  }

  /** Opens the agent's address as the person, and requests access from the administrators of their home. */
  ask(url: URL): Promise<PageSnapshot> {
    return askInBrowser(this.browser, url)
  }

  /** Decides by the code on the page as an administrator; the browser returns to the agent's platform. */
  async decide(page: PageSnapshot, deed: 'accept' | 'deny'): Promise<PageSnapshot> {
    const waiting = this.browser.refresh(page)
    await this.home.running.admin.call('POST', `/agents/requests/${CODE.exec(page.text)?.[0] ?? ''}/${deed}`, {})
    return waiting
  }

  /** Redirect of an accepted agent. */
  async letIn(url: URL): Promise<URL> {
    await this.decide(await this.ask(url), 'accept')
    if (this.browser.left === null) throw new Error('The browser did not leave for the agent.')
    return this.browser.left
  }

  /** A registered agent that the administrator has accepted, after the redirect to its platform. */
  async accepted(door = 'mcp'): Promise<{ readonly agent: OAuthAgent; readonly answer: URLSearchParams }> {
    const agent = await OAuthAgent.register(this.origin, this.fetch, {}, door)
    return { agent, answer: agent.answerOf(await this.letIn(await agent.authorizeUrl())) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close()
    await this.home[Symbol.asyncDispose]()
    await this.relay[Symbol.asyncDispose]()
  }
}
