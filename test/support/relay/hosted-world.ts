import type { TestGatewayOptions } from '#support/gateway/test-gateway.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { Browser, type Shown } from './browser.ts'
import { askInBrowser, OAuthAgent } from './oauth-agent.ts'
import { TestRelay } from './test-relay.ts'
import { trustingFetch } from './trusting-fetch.ts'

const OLGA = { email: 'olga@example.org', password: 'correct horse battery' }
/** By which an administrator knows which request they accept. */
const CODE = /[A-Z]{4}-[A-Z]{4}/

/** A real relay and a real gateway behind it, and a person who is signed in at the relay in a browser. */
export class HostedWorld implements AsyncDisposable {
  readonly relay: TestRelay
  readonly home: TestHome
  /** Trusts the relay's own CA alone. */
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

  /** The person opens the agent's address and asks the administrators of their home. */
  ask(url: URL): Promise<Shown> {
    return askInBrowser(this.browser, url)
  }

  /** An administrator decides by the code on the page, and the browser leaves for the agent's platform. */
  async decide(page: Shown, deed: 'accept' | 'deny'): Promise<Shown> {
    const waiting = this.browser.refresh(page)
    await this.home.running.admin.call('POST', `/agents/requests/${CODE.exec(page.text)?.[0] ?? ''}/${deed}`, {})
    return waiting
  }

  /** Where the browser was sent, for an agent that was let in. */
  async letIn(url: URL): Promise<URL> {
    await this.decide(await this.ask(url), 'accept')
    if (this.browser.left === null) throw new Error('The browser did not leave for the agent.')
    return this.browser.left
  }

  /** A registered agent that the administrator has let in, as its platform has it after the redirect. */
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
