import { describe, expect, onTestFinished } from 'vitest'
import { hm } from '#support/gateway/cli.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { Browser, type PageSnapshot } from '#support/relay/browser.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import { severalNodes } from '#support/relay/several-nodes.ts'
import { type RelayAnswer, TestRelay } from '#support/relay/test-relay.ts'
import { trustingFetch } from '#support/relay/trusting-fetch.ts'

const OLGA = { email: 'olga@example.org', password: 'correct horse battery' }

/** Page of a new person who signs up at this node and links the home of a gateway at that node. */
async function linked(here: TestRelay, there: TestRelay, home: TestHome, origin: string): Promise<PageSnapshot> {
  const address = { url: `https://localhost:${there.relay.port}`, fingerprint: there.relay.authority?.fingerprint }
  const { link } = await home.running.admin.call<RelayAnswer>('POST', '/relay', address)
  const { fetch, agent } = trustingFetch(here.ca)
  onTestFinished(() => agent.destroy())
  await here.relay.accounts.signUp({ ...OLGA, invite: '' }, { peer: '10.6.6.6' })
  const browser = new Browser(origin, fetch)
  await browser.submit(await browser.open('/signin'), 'Sign in', OLGA)
  const compare = await browser.submit(await browser.open('/link'), 'Continue', { code: link?.code ?? '' })
  return browser.submit(compare, 'Link this gateway')
}

describe('hm relay connect with the address of the connected relay', () => {
  proves('relay.known-ca', 'needs no fingerprint, and refuses another CA there', async () => {
    const relay = await TestRelay.open()
    const home = await TestHome.open('http')
    onTestFinished(() => home[Symbol.asyncDispose]())
    const { port, url } = relay.relay
    await relay.serve(home.running)
    const connect = () => hm(home.running.dataDir, 'relay', 'connect', url)
    const fingerprint = relay.relay.authority?.fingerprint
    expect(await connect()).toMatchObject({ code: 0, out: expect.stringContaining(`trusts       ${fingerprint}`) })
    await relay[Symbol.asyncDispose]()
    const other = await TestRelay.open({ port })
    onTestFinished(() => other[Symbol.asyncDispose]())
    const { code, err } = await connect()
    expect([code, err]).toEqual([1, expect.stringContaining('cannot prove that it is this relay')])
    expect(await home.running.admin.call('GET', '/relay')).toMatchObject({ url, fingerprint })
  })
})

describe('a person who has linked a home', () => {
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

describe.skipIf(!HAS_NATS)('a person who has linked a home at one of two nodes (needs nats-server)', () => {
  proves(
    'relay.linked-page',
    'sees it by its name, even if its gateway is at the other node',
    { tags: ['long'] },
    async () => {
      const { balancer, nodes, home } = await severalNodes(2)
      const [here, there] = nodes as [TestRelay, TestRelay]
      balancer.ports = [here.relay.port]
      const page = await linked(here, there, home, here.relay.url)
      expect(page.text).toContain('Sonnenwinkel is linked to your account.')
      expect(page.text).not.toContain('Not connected right now')
    },
  )
})
