// @module-tag long
import { expect, onTestFinished, test } from 'vitest'
import { type ClientKind, everyClient, expectServed } from '#support/client/lasting-clients.ts'
import { freePort } from '#support/free-port.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { Browser } from '#support/relay/browser.ts'
import { askInBrowser, OAuthAgent } from '#support/relay/oauth-agent.ts'
import { RelayProcess } from '#support/relay/relay-process.ts'
import type { RelayAnswer } from '#support/relay/test-relay.ts'
import { trustingFetch } from '#support/relay/trusting-fetch.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { mcpPython } from '../mcp/python/environment.ts'

const OLGA = { email: 'olga@example.org', password: 'correct horse battery' }
const CODE = /[A-Z]{4}-[A-Z]{4}/
const python = await mcpPython()

interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
}

/** Grants of hosted agents at a relay and its gateway, which run in their own processes. */
class Grants {
  readonly #relay: RelayProcess
  readonly #fetch: typeof fetch
  readonly #browser: Browser
  readonly #known = new Map<string, { readonly agent: OAuthAgent; tokens: Tokens; isNew: boolean }>()

  constructor(relay: RelayProcess, trusting: typeof fetch, browser: Browser) {
    this.#relay = relay
    this.#fetch = trusting
    this.#browser = browser
  }

  static async open(relay: RelayProcess): Promise<Grants> {
    const { fetch, agent } = trustingFetch(relay.ca)
    onTestFinished(() => agent.destroy())
    const browser = new Browser(relay.origin, fetch)
    await browser.submit(await browser.open('/signin'), 'Sign in', OLGA)
    return new Grants(relay, fetch, browser)
  }

  /** Access token of a kind of client; the person accepts its first client. */
  async token(kind: ClientKind, { admin }: GatewayProcess, integration: string): Promise<string> {
    const name = nameOf(kind)
    const known = this.#known.get(name)
    if (known) return known.tokens.access_token
    const agent = await OAuthAgent.register(this.#relay.origin, this.#fetch, { client_name: name })
    const page = await askInBrowser(this.#browser, await agent.authorizeUrl())
    const waiting = this.#browser.refresh(page)
    await admin.call('POST', `/agents/requests/${CODE.exec(page.text)?.[0] ?? ''}/accept`, { integration })
    await waiting
    const tokens = await agent.redeemed(agent.answerOf(this.#browser.left))
    this.#known.set(name, { agent, tokens, isNew: false })
    return tokens.access_token
  }

  /** Refreshes the grant of a kind of client once; the old access token ends. */
  async refreshed(kind: ClientKind): Promise<string> {
    const grant = this.#known.get(nameOf(kind))
    if (!grant) throw new Error(`No ${nameOf(kind)} client was let in.`)
    if (grant.isNew) return grant.tokens.access_token
    const old = grant.tokens
    grant.tokens = await grant.agent.refreshed(old.refresh_token ?? '')
    grant.isNew = true
    await grant.agent.revoke(old.access_token)
    return grant.tokens.access_token
  }
}

const nameOf = ({ language, asks }: ClientKind): string => `${language} ${asks ? 'asking' : 'silent'}`

test('hosted agents continue their sessions after a refresh and after restarts of gateway and relay', async () => {
  const atRelay = { dataDir: tempFolder(), port: await freePort() }
  let relay = await RelayProcess.start(atRelay)
  onTestFinished(() => relay[Symbol.asyncDispose]())
  const options = { dataDir: tempFolder() }
  let gateway = await GatewayProcess.start(options)
  onTestFinished(() => gateway[Symbol.asyncDispose]())
  const { admin } = gateway
  await relay.link(admin)
  const linked = async (): Promise<void> => {
    await expect.poll(async () => (await admin.call<RelayAnswer>('GET', '/relay')).state).toBe('linked')
  }
  await linked()
  const { integration } = await admin.call<{ integration: { id: string } }>('POST', '/integrations', {
    name: 'Agents',
    expose: ['all'],
    settings: { agent_access: 'on', allow_unlock: 'on' },
  })
  const grants = await Grants.open(relay)
  const token = (kind: ClientKind): Promise<string> => grants.token(kind, gateway, integration.id)
  const clients = await everyClient({ url: `${relay.origin}/mcp`, ca: relay.ca, admin, token, python })
  await expectServed(clients)

  await gateway.kill('SIGTERM')
  gateway = await GatewayProcess.start(options)
  await linked()
  for (const { client, asks } of clients)
    await client.useToken(await grants.refreshed({ language: client.language, asks }))
  await expectServed(clients)

  await relay.kill('SIGTERM')
  relay = await RelayProcess.start(atRelay)
  await linked()
  await expectServed(clients)
})
