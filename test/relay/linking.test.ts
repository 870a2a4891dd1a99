import { describe, expect, onTestFinished } from 'vitest'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { Browser, type Shown } from '#support/relay/browser.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import { severalNodes } from '#support/relay/several-nodes.ts'
import { type RelayView, TestRelay } from '#support/relay/test-relay.ts'
import { trustingFetch } from '#support/relay/trusting-fetch.ts'

const OLGA = { email: 'olga@example.org', password: 'correct horse battery' }

/** What a person sees at this node who signs up and links the home whose gateway is at that one. */
async function linked(here: TestRelay, there: TestRelay, home: TestHome, origin: string): Promise<Shown> {
  const address = { url: `https://localhost:${there.relay.port}`, fingerprint: there.relay.authority?.fingerprint }
  const { link } = await home.running.admin.call<RelayView>('POST', '/relay', address)
  const { fetch, agent } = trustingFetch(here.ca)
  onTestFinished(() => agent.destroy())
  await here.relay.accounts.signUp({ ...OLGA, invite: '' }, { peer: '10.6.6.6' })
  const browser = new Browser(origin, fetch)
  await browser.submit(await browser.open('/signin'), 'Sign in', OLGA)
  const compare = await browser.submit(await browser.open('/link'), 'Go on', { code: link?.code ?? '' })
  return browser.submit(compare, 'It is the same: link it')
}

describe('whoever has linked a home', () => {
  proves('relay.linked-page', 'sees it by its name', async () => {
    const relay = await TestRelay.open()
    onTestFinished(() => relay[Symbol.asyncDispose]())
    const home = await TestHome.open('http')
    onTestFinished(() => home[Symbol.asyncDispose]())
    const page = await linked(relay, relay, home, relay.relay.url)
    expect(page.text).toContain('Sonnenwinkel is linked to your account.')
    expect(page.text).not.toContain('Not connected right now')
  })
})

describe.skipIf(!HAS_NATS)('whoever has linked a home at one of two nodes (needs nats-server)', () => {
  proves.long('relay.linked-page', 'sees it by its name, also where its gateway is at the other', async () => {
    const { balancer, nodes, home } = await severalNodes(2)
    const [here, there] = nodes as [TestRelay, TestRelay]
    balancer.ports = [here.relay.port]
    const page = await linked(here, there, home, here.relay.url)
    expect(page.text).toContain('Sonnenwinkel is linked to your account.')
    expect(page.text).not.toContain('Not connected right now')
  })
})
