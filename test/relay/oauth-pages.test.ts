// @module-tag repeated
import { describe, expect, test } from 'vitest'
import { casesOf } from '#support/long.ts'
import { askInBrowser, OAuthAgent } from '#support/relay/oauth-agent.ts'
import { HOME, OLGA, olgasRelay, type TestWeb } from '#support/relay/test-web.ts'

const SECOND = 'bcdefghjkmnp'
const RECORD = '0b6e9c1e-0000-4000-8000-000000000000'

async function world(homes?: readonly string[], door = 'mcp') {
  const relay = await olgasRelay(homes === undefined ? {} : { homes })
  const agent = await OAuthAgent.register(relay.origin, relay.fetch, {}, door)
  return { ...relay, agent, url: await agent.authorizeUrl() }
}

/** Tom, who has an account but no home. */
async function tomIn(relay: Pick<TestWeb, 'web' | 'browser'>) {
  const olga = await relay.web.accounts.signIn(OLGA.email, OLGA.password, { peer: '192.0.2.1' })
  if (!olga.ok) throw new Error('Olga cannot sign in.')
  const invited = await relay.web.accounts.invites.give(olga.value.account.id)
  const tom = relay.browser()
  const form = { email: 'tom@example.org', password: 'another good password' }
  await tom.submit(await tom.open(`/signup?invite=${invited.ok ? invited.value : ''}`), 'Create account', form)
  return tom
}

describe('the page of an agent that asks for access', () => {
  test('comes after the sign-in, for someone who is not signed in', async () => {
    const { browser, url, homes } = await world()
    const person = browser()
    const signIn = await person.open(url)
    expect(signIn.title).toBe('Sign in')
    expect(signIn.text).toContain('An agent asks for access to your home.')
    const choose = await person.submit(signIn, 'Sign in', OLGA)
    expect(choose.title).toBe('Claude asks for access')
    expect((await person.submit(choose, 'Ask the administrators')).title).toBe('Compare this code')
    expect((await homes.latestRequest()).ask.account).toBe(OLGA.email)
  })

  test('lets the person choose among several homes', async () => {
    const { olga, homes, url } = await world([HOME, SECOND])
    const choose = await olga.open(url)
    expect(choose.text).toContain(`${HOME} House 1 ${SECOND} House 2`)
    const unpicked = await olga.submit(choose, 'Ask the administrators')
    expect([unpicked.status, homes.requests.size]).toEqual([422, 0])
    const pageWithCode = await olga.submit(choose, 'Ask the administrators', { home: SECOND })
    expect((await homes.latestRequest()).gateway).toBe(SECOND)
    expect(pageWithCode.text).toContain(`Every administrator of ${SECOND} House 2 sees the same code`)
  })

  test('requests access only from a linked home', async () => {
    const { olga, homes, url } = await world()
    homes.houses.set(SECOND, 'Someone else’s')
    const page = await olga.submit(await olga.open(url), 'Ask the administrators', { home: SECOND })
    expect([page.status, page.title]).toEqual([422, 'Claude asks for access'])
    expect(page.text).toContain('Choose one of your homes.')
    expect(homes.requests.size).toBe(0)
  })

  test(
    'reports a home without the requested integration, and lets the person choose again',
    { tags: ['long'] },
    async () => {
      const { olga, homes, url } = await world([HOME, SECOND], `mcp/r/${RECORD}`)
      homes.records.set(RECORD, SECOND)
      const wrong = await olga.submit(await olga.open(url), 'Ask the administrators', { home: HOME })
      expect([wrong.status, wrong.text.includes('This home does not have the integration')]).toEqual([404, true])
      homes.failing.set(HOME, { kind: 'gateway_offline', retryAfter: 15 })
      const away = await olga.submit(wrong, 'Ask the administrators', { home: HOME })
      expect([away.status, away.headers.get('retry-after')]).toEqual([503, '15'])
      expect(away.text).toContain('is not connected right now. Try again in 15 seconds.')
      await olga.submit(away, 'Ask the administrators', { home: SECOND })
      const { ask, gateway } = await homes.latestRequest()
      expect([gateway, ask.record, ask.door]).toEqual([SECOND, RECORD, `mcp/r/${RECORD}`])
    },
  )

  test('leads to linking a home if the account has none', { tags: ['long'] }, async () => {
    const { olga, url } = await world([])
    expect((await olga.open(url)).title).toBe('Link your home first')
  })

  test('shows the home’s own message if it refuses', async () => {
    const { olga, homes, url } = await world()
    const message = 'Agent access is off for this integration. An administrator can turn it on.'
    homes.refusing = { kind: 'refused', status: 403, code: 'agent_access_disabled', message }
    const refused = await olga.submit(await olga.open(url), 'Ask the administrators')
    expect([refused.status, refused.text.includes(message)]).toEqual([403, true])
    homes.refusing = { kind: 'refused', status: 429, code: 'rate_limited', message: 'Too many.', retryAfter: 600 }
    const limited = await olga.submit(refused, 'Ask the administrators')
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '600'])
    expect(limited.text).toContain('This home received too many requests from agents. Try again in 10 minutes.')
    homes.refusing = null
    expect((await olga.submit(limited, 'Ask the administrators')).title).toBe('Compare this code')
  })

  test('sends one request, however often the button is pressed or the page is loaded', async () => {
    const { olga, homes, url } = await world()
    const choose = await olga.open(url)
    const pages = await Promise.all([1, 2, 3].map(() => olga.submit(choose, 'Ask the administrators')))
    expect(homes.requests.size).toBe(1)
    const again = await olga.open(pages[0]!.url)
    expect(again.text).toContain((await homes.latestRequest()).code)
    await olga.submit(choose, 'Ask the administrators')
    expect(homes.requests.size).toBe(1)
  })

  test.each([
    ['denied', 'Access denied', 'refused'],
    ['expired', 'No decision', 'No administrator answered in time'],
  ] as const)('tells person and agent when it was %s', async (word, title, sentence) => {
    const { olga, homes, agent, url } = await world()
    const waiting = olga.refresh(await askInBrowser(olga, url))
    homes.decide(word)
    const page = await waiting
    expect(page.title).toBe(title)
    expect(olga.left).toBeNull()
    await olga.refresh(page)
    expect(olga.left?.searchParams.get('error')).toBe('access_denied')
    expect(olga.left?.searchParams.get('error_description')).toContain(sentence)
    expect(olga.left?.searchParams.get('state')).toBe(agent.state)
  })

  test('ends by itself when the request expires, even while its home is offline', async () => {
    const { olga, homes, clock, url } = await world()
    const page = await askInBrowser(olga, url)
    homes.failing.set(HOME, { kind: 'gateway_offline', retryAfter: 15 })
    const away = await olga.refresh(page)
    expect(away.title).toBe('Compare this code')
    expect(away.text).toContain('is not connected right now')
    clock.advance(601_000)
    expect((await olga.refresh(away)).title).toBe('No decision')
  })

  test(
    'lets the person cancel before and after the request; the browser leaves by a page, not after a form',
    { tags: ['long'] },
    async () => {
      for (const press of [false, true]) {
        const { olga, url } = await world()
        const page = press ? await askInBrowser(olga, url) : await olga.open(url)
        const leaving = await olga.submit(page, 'Cancel')
        expect([leaving.title, olga.left]).toEqual(['Going back to Claude', null])
        await olga.refresh(leaving)
        expect(olga.left?.searchParams.get('error')).toBe('access_denied')
      }
    },
  )

  test('belongs to the browser that began it and the account that sent the request', async () => {
    const { olga, homes, url, web, browser } = await world()
    const page = await askInBrowser(olga, url)
    const tom = await tomIn({ web, browser })
    expect((await tom.open(page.url)).title).toBe('This request has ended')
    expect((await browser().open(page.url)).title).toBe('Sign in')
    await olga.submit(page, 'Sign out')
    const form = { email: 'tom@example.org', password: 'another good password' }
    const other = await olga.submit(await olga.open(page.url), 'Sign in', form)
    expect([other.status, other.title]).toEqual([409, 'Another account started this request'])
    homes.decide('accepted')
    expect((await olga.open(`${page.url.pathname}?wait`)).status).toBe(409)
  })

  test('two people in one browser, one after the other, get their own results', async () => {
    const { olga, homes, agent, url, web, browser } = await world()
    await tomIn({ web, browser })
    const first = await askInBrowser(olga, url)
    homes.decide('accepted')
    await olga.wait(first)
    await agent.redeemed(agent.answerOf(olga.left))
    await olga.submit(await olga.open('/'), 'Sign out')
    const signIn = await olga.open(await agent.with().authorizeUrl())
    const page = await olga.submit(signIn, 'Sign in', { email: 'tom@example.org', password: 'another good password' })
    expect(page.title).toBe('Link your home first')
  })

  test('ends once it is decided', async () => {
    const { olga, homes, url } = await world()
    const page = await askInBrowser(olga, url)
    homes.decide('accepted')
    await olga.wait(page)
    expect(olga.left?.searchParams.has('code')).toBe(true)
    expect((await olga.open(page.url)).title).toBe('This request has ended')
  })

  test('ends its wait when the browser disconnects', async () => {
    const { olga, homes, url } = await world()
    const page = await askInBrowser(olga, url)
    const disconnect = new AbortController()
    const waiting = olga.refresh(page, { signal: disconnect.signal })
    disconnect.abort()
    await expect(waiting).rejects.toThrow('aborted')
    homes.decide('accepted')
    await olga.wait(page)
    expect(olga.left?.searchParams.has('code')).toBe(true)
  })
})

describe('a client’s own name and address', () => {
  const names: readonly (readonly [string, string, string])[] = [
    ['markup', '<script>alert(1)</script>', '<script>alert(1)</script> asks for access'],
    ['a direction mark', 'Clau\u202Ede\u0000\n  2', 'Clau de 2 asks for access'],
    ['nothing that shows', '\u200B\u200B', 'agents.example asks for access'],
    ['far too much', 'x'.repeat(500), `${'x'.repeat(60)} asks for access`],
  ]
  test.each(casesOf(names, 2))('%s is shown as plain short text', async (_name, name, title) => {
    const relay = await olgasRelay()
    const agent = await OAuthAgent.register(relay.origin, relay.fetch, { client_name: name })
    const page = await relay.olga.open(await agent.authorizeUrl())
    expect(page.title).toBe(title)
    expect(page.html).not.toContain('<script')
  })

  const redirects: readonly (readonly [string, string])[] = [
    ['https://agents.example/callback', 'agents.example'],
    ['http://127.0.0.1/callback', 'a program on this computer'],
    ['cursor://anysphere.cursor-retrieval/oauth/callback', 'an app on this device (cursor)'],
  ]
  test.each(casesOf(redirects, 3))('a redirect to %s is shown as going to %s', async (redirect, target) => {
    const relay = await olgasRelay()
    const agent = await OAuthAgent.register(relay.origin, relay.fetch, { redirect_uris: [redirect] })
    const page = await relay.olga.open(await agent.authorizeUrl())
    expect(page.text).toContain(`Access goes to ${target}`)
  })
})
