import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { HttpCaller, type RawAnswer, TestSocket } from '#support/gateway/callers.ts'
import { TestHome, type TestIntegration } from '#support/gateway/harness.ts'
import { idPlaces } from '#support/gateway/id-places.ts'
import { rulesOf, SHOWN } from '#support/gateway/strange-ids.ts'
import { ask } from '#support/gateway/raw-client.ts'
import { times } from '#support/long.ts'
import { proves } from '#support/gateway/verifies.ts'
import { Browser, type Shown } from '#support/relay/browser.ts'
import { HostedWorld } from '#support/relay/hosted-world.ts'
import { askInBrowser, OAuthAgent } from '#support/relay/oauth-agent.ts'

const ANNA = { email: 'anna@example.org', password: 'another horse battery' }
const NOBODY = 'aaaaaaaaaaaa'
/** What only Anna's home has in it. */
const HOUSE = 'Nachbarhaus'
const LAMP = 'Lamp of the neighbours'

/** Olga with her home, and Anna with another at the same relay. */
let olga: HostedWorld
let through: HttpCaller
let rules: Awaited<ReturnType<typeof rulesOf>>
const anna = {} as { home: TestHome; browser: Browser; agent: OAuthAgent; access: string; refresh: string }

beforeAll(async () => {
  olga = await HostedWorld.open()
  through = new HttpCaller(olga.relay.access(olga.home.main.token))
  anna.home = await TestHome.open('http')
  const { running } = anna.home
  await running.admin.call('PATCH', '/home', { name: HOUSE })
  await anna.home.call({ method: 'PATCH', path: anna.home.at('hall-light'), body: { name: LAMP } })
  await anna.home.change(anna.home.main, { settings: { agent_access: 'on' } })
  rules = await rulesOf(anna.home)
  const { relay } = olga.relay
  await relay.accounts.signUp({ ...ANNA, invite: '' }, '10.6.6.6')
  anna.browser = new Browser(olga.origin, olga.fetch)
  await anna.browser.submit(await anna.browser.open('/signin'), 'Sign in', ANNA)
  const { link } = await olga.relay.connect(running)
  const compare = await anna.browser.submit(await anna.browser.open('/link'), 'Go on', { code: link?.code ?? '' })
  await anna.browser.submit(compare, 'It is the same: link it')
  await relay.tunnels.settled()
  anna.agent = await OAuthAgent.register(olga.origin, olga.fetch)
  const tokens = await anna.agent.redeemed(await letInByAnna(anna.agent))
  Object.assign(anna, { access: tokens.access_token, refresh: tokens.refresh_token })
})
afterAll(async () => {
  await through[Symbol.asyncDispose]()
  await anna.home[Symbol.asyncDispose]()
  await olga[Symbol.asyncDispose]()
})

/** Anna asks her own home for an agent, and lets it in. */
async function letInByAnna(agent: OAuthAgent): Promise<URLSearchParams> {
  const page = await askInBrowser(anna.browser, await agent.authorizeUrl())
  const waiting = anna.browser.refresh(page)
  const code = /[A-Z]{4}-[A-Z]{4}/.exec(page.text)?.[0]
  await anna.home.running.admin.call('POST', `/agents/requests/${code}/accept`, { add: true })
  await waiting
  return agent.answerOf(anna.browser.left)
}

const inMcp = (token: string, door: string): Promise<RawAnswer> =>
  ask(olga.relay.access(null), {
    method: 'POST',
    path: `/${door}`,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })

const bare = ({ status, text }: RawAnswer): { status: number; text: string } => ({ status, text })

/** Nothing of Anna's home stands in it. */
function expectNothingOfAnna(...texts: readonly string[]): void {
  for (const text of texts) for (const word of [HOUSE, LAMP, ANNA.email]) expect(text).not.toContain(word)
}

/** Parts of a token: `hm_key_{gateway}.{integration}.{link}.{secret}`. */
function crossed(token: string, { gateway, integration }: { gateway?: string; integration?: string }): string {
  const [head = '', of = '', link = '', secret = ''] = token.split('.')
  return [gateway === undefined ? head : head.replace(/[^_]+$/, gateway), integration ?? of, link, secret].join('.')
}

describe('two homes and two accounts at one relay', () => {
  proves('relay.two-homes', 'an id of the other home is one that there is not, wherever one is taken', async () => {
    const { home } = olga
    const around = {
      device: home.id('hall-light'),
      scene: home.id('scene:dinner'),
      automation: home.id('automation:x'),
      schedule: home.id('schedule:x'),
    }
    const own = (kind: keyof typeof rules | keyof typeof SHOWN): string =>
      kind === 'run'
        ? rules.run.shown
        : anna.home.id(kind === 'automation' || kind === 'schedule' ? rules[kind].shown : SHOWN[kind][0]!)
    const invented = (id: string): string =>
      id.includes(':') ? `${NOBODY}:${randomUUID()}:${id.split(':').slice(2).join(':')}` : randomUUID()
    const all = idPlaces().flatMap((place) => place.kinds.map((kind) => ({ place, kind })))
    expect(all.length).toBeGreaterThan(60)
    const places = all.filter((_, at) => at % times(4, 1) === 0)
    await Promise.all(
      places.map(async ({ place, kind }) => {
        const ids = [own(kind), invented(own(kind))]
        const asked = ids.map((id) => place.request(place.withWrongBody ? encodeURIComponent(id) : id, around))
        const [theirs, none] = await Promise.all(asked.map(async (request) => bare(await through.call(request))))
        expect(theirs, `${place.name} ${kind}`).toEqual(none)
        expectNothingOfAnna(theirs!.text)
      }),
    )
  })

  proves(
    'relay.two-homes',
    'a token with a part of the other home’s is no credential, and opens no stream',
    async () => {
      const [mine, theirs] = [olga.home.main, anna.home.main]
      const { serial } = anna.home.running.gateway
      const wrong = [
        crossed(mine.token, { gateway: serial }),
        crossed(mine.token, { gateway: serial, integration: theirs.id }),
        crossed(mine.token, { integration: theirs.id }),
        crossed(theirs.token, { gateway: olga.home.running.gateway.serial }),
        crossed(theirs.token, { integration: mine.id }),
      ]
      for (const token of wrong) {
        const answer = await through.call({ method: 'GET', path: '/v1/house', token })
        expect(answer).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } })
        expectNothingOfAnna(answer.text)
        const socket = TestSocket.open(olga.relay.access(token))
        await expect(socket).rejects.toMatchObject({ answer: { status: 401 } })
      }
      // Each is good at its own home, by the same address.
      for (const [{ token }, house] of [
        [mine, 'Sonnenwinkel'],
        [theirs, HOUSE],
      ] satisfies [TestIntegration, string][])
        expect((await through.call({ method: 'GET', path: '/v1/house', token })).body).toMatchObject({ house })
    },
  )

  proves('relay.two-homes', 'a code of the device flow is polled for and accepted at its own home alone', async () => {
    const { serial } = anna.home.running.gateway
    const open = { token: null }
    const body = { gateway: serial, name: 'Script', platform: 'Test', record: anna.home.main.id }
    const asked = await through.call({ method: 'POST', path: '/v1/pair', body, ...open })
    const { code, userCode } = asked.body as { code: string; userCode: string }
    const polled = async (text: string): Promise<unknown> =>
      (await through.call({ method: 'POST', path: '/v1/pair/token', body: { code: text }, ...open })).body
    const other = `${olga.home.running.gateway.serial}.${code.split('.')[1]}`
    expect(await polled(other)).toEqual({ error: 'expired_token' })
    const accept = olga.home.running.admin.call('POST', `/agents/requests/${userCode}/accept`, {})
    await expect(accept).rejects.toThrow(userCode)
    expect(await polled(code)).toEqual({ error: 'authorization_pending' })
    await anna.home.running.admin.call('POST', `/agents/requests/${userCode}/deny`, {})
  })

  proves('relay.two-homes', 'a record of the other home gives no access, by the device flow or by OAuth', async () => {
    const { serial } = olga.home.running.gateway
    const wish = async (record: string): Promise<unknown> => {
      const body = { gateway: serial, name: 'Script', platform: 'Test', record }
      return bare(await through.call({ method: 'POST', path: '/v1/pair', body, token: null }))
    }
    expect(await wish(anna.home.main.id)).toEqual(await wish(randomUUID()))
    const pages: string[] = []
    for (const record of [anna.home.main.id, randomUUID()]) {
      const agent = await OAuthAgent.register(olga.origin, olga.fetch, {}, `mcp/r/${record}`)
      const page = await olga.ask(await agent.authorizeUrl())
      expect(page.status).toBe(404)
      expectNothingOfAnna(page.html)
      pages.push(page.text.replaceAll(record, 'RECORD'))
    }
    expect(pages[0]).toBe(pages[1])
  })

  proves('relay.two-homes', 'tokens of a hosted agent are for its own client, home and door', async () => {
    const { agent, answer } = await olga.accepted()
    const mine = await agent.redeemed(answer)
    const { serial } = anna.home.running.gateway
    for (const [token, door] of [
      [mine.access_token, `mcp/r/${anna.home.main.id}`],
      [crossed(mine.access_token, { gateway: serial }), 'mcp'],
      [crossed(anna.access, { gateway: olga.home.running.gateway.serial }), 'mcp'],
    ] satisfies [string, string][]) {
      const refused = await inMcp(token, door)
      expect(refused.status).toBe(401)
      expectNothingOfAnna(refused.text)
    }
    // Another client redeems neither a refresh token nor a code, and revokes nothing.
    expect((await agent.refresh(anna.refresh)).status).toBe(400)
    const code = await letInByAnna(anna.agent)
    expect((await agent.redeem(code)).status).toBe(400)
    await agent.revoke(anna.refresh)
    expect((await anna.agent.refreshed(anna.refresh)).access_token).toContain(serial)
  })

  proves('relay.two-homes', 'pages show, choose and unlink one’s own homes alone', async () => {
    const { browser } = olga
    const { serial } = anna.home.running.gateway
    const shown = async (page: Promise<Shown>): Promise<Shown> => {
      expectNothingOfAnna((await page).html)
      return page
    }
    await shown(browser.open('/'))
    await shown(browser.open(`/?linked=${serial}`))
    const post = (path: string, fields: Record<string, string>): Promise<Shown> =>
      browser.open(path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { origin: olga.origin, 'content-type': 'application/x-www-form-urlencoded' },
      })
    for (const confirm of ['yes', 'no'])
      expect((await shown(post('/unlink', { home: serial, confirm }))).title).toBe('Your homes')
    const { enrolment } = olga.relay.relay
    expect((await anna.browser.open('/')).text).toContain(HOUSE)
    // Anna's page of an agent, in Olga's browser.
    const agent = await OAuthAgent.register(olga.origin, olga.fetch)
    const theirs = await askInBrowser(anna.browser, await agent.authorizeUrl())
    const before = await browser.open(`/connect/${randomUUID().slice(0, 21)}`)
    expect(await shown(browser.open(theirs.url.pathname))).toMatchObject({ status: before.status, text: before.text })
    await anna.home.running.admin.call(
      'POST',
      `/agents/requests/${/[A-Z]{4}-[A-Z]{4}/.exec(theirs.text)?.[0]}/deny`,
      {},
    )
    // Olga's own page, with Anna's home chosen.
    const choose = await browser.open(await agent.authorizeUrl())
    const wrong = await shown(browser.submit(choose, 'Ask the administrators', { home: serial }))
    expect([wrong.status, wrong.text.includes('Choose one of your homes.')]).toEqual([422, true])
    // A code that Anna has used already.
    const { code } = await enrolment.begin(serial, 'another key')
    const compare = await shown(post('/link', { code, confirm: 'yes' }))
    expect([compare.status, compare.text.includes('linked with another key')]).toEqual([409, true])
  })
})
