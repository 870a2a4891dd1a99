import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { HttpCaller, type RawAnswer } from '#support/gateway/callers.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { proves } from '#support/gateway/verifies.ts'
import type { Browser, PageSnapshot } from '#support/relay/browser.ts'
import { ofTwoHomes } from '#support/relay/of-two-homes.ts'
import { crossed, expectNothingOf } from '#support/relay/crossed.ts'
import { askInBrowser, OAuthAgent } from '#support/relay/oauth-agent.ts'
import type { RelayAnswer, TestRelay } from '#support/relay/test-relay.ts'
import { codeOn, HOUSE } from '#support/relay/two-homes.ts'

const bare = ({ status, text }: RawAnswer): { status: number; text: string } => ({ status, text })

interface AgentAsk {
  readonly door?: string
  readonly session?: string
  readonly method?: string
  readonly params?: object
}

/** Sends an agent's request at a node; by default lists the tools for the audience of the whole home. */
function inMcp(
  node: TestRelay,
  token: string,
  { door = 'mcp', session, method = 'tools/list', params = {} }: AgentAsk = {},
): Promise<RawAnswer> {
  return rawRequest(node.access(null), {
    method: 'POST',
    path: `/${door}`,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

/** Sends a form of another page than the current one. */
const post = (browser: Browser, path: string, fields: Record<string, string>): Promise<PageSnapshot> =>
  browser.open(path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin: browser.origin, 'content-type': 'application/x-www-form-urlencoded' },
  })

ofTwoHomes('people and agents', (homes) => {
  proves('relay.two-homes', 'poll for and accept a code of the device flow only at their own home', async () => {
    const { olga, anna, ways } = homes()
    const body = { gateway: anna.serial, name: 'Script', platform: 'Test', record: anna.home.main.id }
    const [asking, ...polling] = ways.flatMap(({ caller }) => (caller instanceof HttpCaller ? [caller] : []))
    const pairing = await asking!.call({ method: 'POST', path: '/v1/pair', body, token: null })
    const { code, userCode } = pairing.body as { code: string; userCode: string }
    const polled = async (caller: HttpCaller, text: string): Promise<RawAnswer> =>
      caller.call({ method: 'POST', path: '/v1/pair/token', body: { code: text }, token: null })
    const other = `${olga.serial}.${code.split('.')[1]}`
    for (const caller of polling) {
      const answer = await polled(caller, other)
      expect(answer.body).toEqual({ error: 'expired_token' })
      expectNothingOf(anna, answer.text)
    }
    const accept = olga.home.running.admin.call('POST', `/agents/requests/${userCode}/accept`, {})
    await expect(accept).rejects.toThrow(userCode)
    expect((await polled(asking!, code)).body).toEqual({ error: 'authorization_pending' })
    await anna.home.running.admin.call('POST', `/agents/requests/${userCode}/deny`, {})
  })

  proves('relay.two-homes', 'get no access with an integration of the other home, on any path', async () => {
    const { olga, anna, ways, origin } = homes()
    for (const { caller } of ways) {
      if (!(caller instanceof HttpCaller)) continue
      const wish = async (record: string): Promise<unknown> => {
        const body = { gateway: olga.serial, name: 'Script', platform: 'Test', record }
        return bare(await caller.call({ method: 'POST', path: '/v1/pair', body, token: null }))
      }
      expect(await wish(anna.home.main.id)).toEqual(await wish(randomUUID()))
    }
    const pages: string[] = []
    for (const record of [anna.home.main.id, randomUUID()]) {
      const agent = await OAuthAgent.register(origin, homes().fetch, {}, `mcp/r/${record}`)
      const { status, text } = await askInBrowser(olga.browser, await agent.authorizeUrl())
      expect(status).toBe(404)
      pages.push(text.replaceAll(record, 'RECORD'))
    }
    expect(pages[0]).toBe(pages[1])
  })

  proves(
    'relay.two-homes',
    'use tokens of hosted agents only for their own client, home and audience',
    { tags: ['long'] },
    async () => {
      const { olga, anna } = homes()
      for (const node of [olga.node, anna.node]) {
        for (const [token, door] of [
          [olga.access, `mcp/r/${anna.home.main.id}`],
          [crossed(olga.access, { gateway: anna.serial }), 'mcp'],
          [crossed(anna.access, { gateway: olga.serial }), 'mcp'],
          [crossed(anna.access, { gateway: olga.serial, integration: olga.home.main.id }), 'mcp'],
        ] as const) {
          const refused = await inMcp(node, token, { door })
          expect(refused.status).toBe(401)
          expectNothingOf({ ...anna, home: olga.home }, refused.text)
        }
        expect((await inMcp(node, anna.access)).status).toBe(200)
      }
    },
  )

  proves('relay.two-homes', 'cannot redeem, refresh or revoke tokens of another client or home', async () => {
    const { olga, anna } = homes()
    const invalid = async (pairing: Promise<Response>): Promise<void> => {
      const answer = await pairing
      expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([400, 'invalid_grant'])
    }
    await invalid(olga.agent.refresh(anna.refresh))
    await invalid(olga.agent.refresh(crossed(anna.refresh, { gateway: olga.serial })))
    await invalid(olga.agent.refresh(crossed(olga.refresh, { gateway: anna.serial })))
    await invalid(olga.agent.redeem(await homes().letIn(anna)))
    await olga.agent.revoke(anna.refresh)
    await olga.agent.revoke(crossed(anna.refresh, { gateway: olga.serial }))
    expect((await anna.agent.refreshed(anna.refresh)).access_token).toContain(anna.serial)
    expect((await olga.agent.refreshed(olga.refresh)).access_token).toContain(olga.serial)
  })

  proves('relay.two-homes', 'cannot continue a session of an agent of the other home', async () => {
    const { olga, anna } = homes()
    const answers = []
    for (const node of [olga.node, anna.node])
      for (const session of [await sessionOf(node, anna.access), randomUUID()])
        answers.push(bare(await inMcp(node, olga.access, { session })))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expectNothingOf(anna, ...answers.map(({ text }) => text))
  })

  proves('relay.two-homes', 'see, choose and unlink only their own homes on pages', async () => {
    const { olga, anna } = homes()
    const { browser } = olga
    const checkedPage = async (page: Promise<PageSnapshot>): Promise<PageSnapshot> => {
      expectNothingOf(anna, (await page).html)
      return page
    }
    for (const path of ['/', `/?linked=${anna.serial}`, '/account', '/account/delete', '/link'])
      expect((await checkedPage(browser.open(path))).status, path).toBe(200)
    for (const confirm of ['yes', 'no'])
      expect((await checkedPage(post(browser, '/unlink', { home: anna.serial, confirm }))).title).toBe('Your homes')
    expect((await anna.browser.open('/')).text).toContain(HOUSE)
  })

  proves('relay.two-homes', 'see and choose nothing on the page of another’s agent', async () => {
    const { olga, anna } = homes()
    const { browser } = olga
    const agent = await OAuthAgent.register(homes().origin, homes().fetch)
    const theirs = await askInBrowser(anna.browser, await agent.authorizeUrl())
    const invented = await browser.open(`/connect/${randomUUID().slice(0, 21)}`)
    const opened = await browser.open(theirs.url.pathname)
    expect(opened).toMatchObject({ status: invented.status, text: invented.text })
    const chosen = await post(browser, theirs.url.pathname, { home: olga.serial })
    expect(chosen).toMatchObject({ status: invented.status, text: invented.text })
    await anna.home.running.admin.call('POST', `/agents/requests/${codeOn(theirs)}/deny`, {})
    // Olga's own page, with Anna's home chosen.
    const choose = await browser.open(await agent.authorizeUrl())
    const wrong = await browser.submit(choose, 'Ask the administrators', { home: anna.serial })
    expect([wrong.status, wrong.text.includes('Choose one of your homes.')]).toEqual([422, true])
    expectNothingOf(anna, opened.html, chosen.html, wrong.html)
  })

  proves('relay.two-homes', 'link no home with a used code, or one of another key', async () => {
    const { olga, anna } = homes()
    const { browser } = olga
    const { link } = await anna.home.running.admin.call<RelayAnswer>('POST', '/relay/link')
    const used = link?.code ?? ''
    expect((await post(anna.browser, '/link', { code: used, confirm: 'yes' })).title).toBe('Your homes')
    const tried = async (code: string) => post(browser, '/link', { code, confirm: 'yes' })
    const [late, none] = [await tried(used), await tried('AAAA-AAAA')]
    expect([late.status, late.text]).toEqual([none.status, none.text])
    const { code: other } = await anna.node.relay.enrolment.begin(anna.serial, 'another key')
    const refused = await tried(other)
    expect([refused.status, refused.text.includes('linked with another key')]).toEqual([409, true])
    expectNothingOf({ ...anna, serial: HOUSE }, late.html, refused.html)
    expect((await browser.open('/')).text).not.toContain(anna.serial)
  })

  proves('relay.two-homes', 'lose nothing when another account is deleted with its home', async () => {
    const { olga, anna } = homes()
    const leave = await olga.browser.open('/account/delete')
    const left = await olga.browser.submit(leave, 'Delete the account', { current: olga.person.password })
    expect(left.title).toBe('Your account is deleted')
    for (const node of [olga.node, anna.node]) {
      await using caller = new HttpCaller(node.access(null))
      const house = (token: string) => caller.call({ method: 'GET', path: '/v1/house', token })
      while ((await house(olga.home.main.token)).status !== 503);
      expect(await house(anna.home.main.token)).toMatchObject({ status: 200, body: { house: HOUSE } })
    }
    expect((await anna.browser.open('/')).text).toContain(HOUSE)
  })
})

/** Session of an agent at its gateway. */
async function sessionOf(node: TestRelay, token: string): Promise<string> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'Script', version: '1' },
  }
  const { headers } = await inMcp(node, token, { method: 'initialize', params })
  const session = headers?.['mcp-session-id']
  if (session === undefined) throw new Error('The gateway began no session.')
  return session
}
