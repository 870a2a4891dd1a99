// @module-tag repeated
import { describe, expect, test } from 'vitest'
import { TABLES } from '../../relay/store/store.ts'
import { casesOf } from '#support/long.ts'
import { askInBrowser, OAuthAgent } from '#support/relay/oauth-agent.ts'
import { olgasRelay, testWeb } from '#support/relay/test-web.ts'

const CLIENT_ID = 'https://claude.example/oauth/client.json'

const addressOf = (input: Parameters<typeof fetch>[0]): string =>
  input instanceof Request ? input.url : new URL(input).href

describe('registering a client', () => {
  async function registering() {
    const relay = await testWeb()
    const register = async (metadata: object, peer = '203.0.113.1') => {
      const response = await relay.fetch(`${relay.origin}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-test-peer': peer },
        body: JSON.stringify({ client_name: 'Claude', token_endpoint_auth_method: 'none', ...metadata }),
      })
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Record<string, unknown>,
      }
    }
    return { ...relay, register }
  }

  test.each([
    ['https', 'https://agents.example/callback', 'web'],
    ['this computer', 'http://localhost:3118/callback', 'native'],
    ['this computer by IPv4', 'http://127.0.0.1/callback', 'native'],
    ['this computer by IPv6', 'http://[::1]:8080/callback', 'native'],
    ['an app', 'cursor://anysphere.cursor-retrieval/oauth/callback', 'native'],
    ['an app named after its domain', 'com.example.app:/callback', 'native'],
  ])('takes answers to %s', async (_name, redirect, type) => {
    const { register } = await registering()
    const { status, body } = await register({ redirect_uris: [redirect] })
    expect([status, body['application_type'], body['grant_types']]).toEqual([
      201,
      type,
      ['authorization_code', 'refresh_token'],
    ])
    expect(body).not.toHaveProperty('client_secret')
    expect(body).not.toHaveProperty('registration_access_token')
  })

  test.each([
    ['http elsewhere', ['http://agents.example/callback']],
    ['http of a name like this computer’s', ['http://localhost.evil.example/callback']],
    ['http of an address of a home', ['http://192.168.1.20/callback']],
    ['a script', ['javascript:alert(1)']],
    ['a troubleshooter', ['ms-msdt:/id PCWDiagnostic']],
    ['a search of the computer', ['search-ms:query=x']],
    ['an app of no domain and no name that is known', ['someapp://callback']],
    ['data', ['data:text/html,x']],
    ['a file', ['file:///etc/passwd']],
    ['a fragment', ['https://agents.example/callback#x']],
    ['a user name', ['https://user:secret@agents.example/callback']],
    ['a value that is not an address', ['callback']],
    ['a value that is not a text', [7]],
    ['nothing', []],
    ['too many', Array.from({ length: 21 }, (_, index) => `https://agents.example/${index}`)],
    ['something without end', [`https://agents.example/${'x'.repeat(2_000)}`]],
  ])('takes none to %s', async (_name, redirects) => {
    const { register } = await registering()
    const { status, body } = await register({ redirect_uris: redirects })
    expect(status).toBe(400)
    expect(['invalid_redirect_uri', 'invalid_client_metadata']).toContain(body['error'])
  })

  test('drops unsupported redirect addresses, and keeps the others', async () => {
    const { register } = await registering()
    const good = ['https://agents.example/callback', 'com.example.app:/callback']
    const { status, body } = await register({ redirect_uris: [...good, 'http://agents.example/callback', 'x-app:/y'] })
    expect([status, body['redirect_uris']]).toEqual([201, good])
  })

  test('returns no secret and fetches no address that the client names', async () => {
    const fetched: string[] = []
    const { origin, fetch } = await testWeb({
      fetch: async (url) => {
        fetched.push(addressOf(url))
        return new Response('[]')
      },
    })
    const metadata = {
      redirect_uris: ['https://agents.example/callback'],
      token_endpoint_auth_method: 'none',
      sector_identifier_uri: 'https://agents.example/sector.json',
      jwks_uri: 'https://agents.example/keys',
      default_max_age: 5,
      require_auth_time: true,
    }
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${origin}/register`, { method: 'POST', headers, body: JSON.stringify(metadata) })
    expect(response.status).toBe(201)
    expect(fetched).toEqual([])
  })

  test('with new metadata is refused the eleventh time in an hour, for this address only', async () => {
    const { register, clock } = await registering()
    const named = (name: number) => ({
      client_name: `Agent ${name}`,
      redirect_uris: ['https://agents.example/callback'],
    })
    for (let index = 0; index < 10; index += 1) expect((await register(named(index))).status).toBe(201)
    const refused = await register(named(10))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '360'])
    expect(refused.body['error']).toBe('temporarily_unavailable')
    expect((await register(named(0))).status).toBe(201)
    expect((await register(named(10), '203.0.113.2')).status).toBe(201)
    clock.advance(360_000)
    expect((await register(named(11))).status).toBe(201)
  })

  test(
    'creates a client that expires after a day or, once approved, 90 days after its last use',
    { tags: ['long'] },
    async () => {
      const { origin, fetch, homes, olga, clock } = await olgasRelay()
      const unused = await OAuthAgent.register(origin, fetch, { client_name: 'Unused' })
      const agent = await OAuthAgent.register(origin, fetch)
      const page = await askInBrowser(olga, await agent.authorizeUrl())
      homes.decide('accepted')
      await olga.wait(page)
      const tokens = await agent.redeemed(agent.answerOf(olga.left))
      clock.advance(TABLES.registrations)
      expect((await olga.open(await unused.authorizeUrl())).status).toBe(400)
      clock.advance(TABLES.clients * 0.6)
      const next = await agent.refreshed(tokens.refresh_token!)
      clock.advance(TABLES.clients * 0.6)
      expect((await agent.refresh(next.refresh_token!)).status).toBe(200)
      clock.advance(TABLES.clients)
      expect((await agent.refresh(next.refresh_token!)).status).toBe(401)
    },
  )

  test.each(casesOf(['client_secret_basic', 'client_secret_post'] as const, 2))(
    'with %s needs its secret',
    async (method) => {
      const { origin, fetch, homes, olga } = await olgasRelay()
      const agent = await OAuthAgent.register(origin, fetch, { token_endpoint_auth_method: method })
      const page = await askInBrowser(olga, await agent.authorizeUrl())
      homes.decide('accepted')
      await olga.wait(page)
      const answer = agent.answerOf(olga.left)
      const guessing = agent.with({ ...agent.client, client_secret: 'guessed' })
      expect((await guessing.redeem(answer)).status).toBe(401)
      expect((await agent.with({ client_id: agent.client.client_id }).redeem(answer)).status).toBe(401)
      expect((await agent.redeemed(answer)).access_token).toMatch(/^hm_agent_/)
    },
  )
})

describe('a client with a metadata document', () => {
  /** A relay that fetches documents from a fake site. */
  async function withSite(document: object | string | Response | (() => Promise<Response>)) {
    const site = { fetched: [] as string[], answer: document }
    const relay = await olgasRelay({
      metadataDocuments: true,
      fetch: async (url) => {
        site.fetched.push(addressOf(url))
        const { answer } = site
        if (typeof answer === 'function') return answer()
        if (answer instanceof Response) return answer
        return new Response(typeof answer === 'string' ? answer : JSON.stringify(answer))
      },
    })
    const registered = await OAuthAgent.register(relay.origin, relay.fetch)
    const as = (clientId: string, redirect: string) =>
      registered.with({ client_id: clientId, token_endpoint_auth_method: 'none' }, redirect)
    return { ...relay, site, as }
  }
  const DOCUMENT = {
    client_id: CLIENT_ID,
    client_name: 'Claude',
    redirect_uris: ['https://claude.example/callback'],
    token_endpoint_auth_method: 'none',
  }

  test('is supported if the relay’s own name is public, not on local names', async () => {
    const offered = async (metadataDocuments: boolean | null) => {
      const { origin, fetch } = await testWeb({ metadataDocuments })
      const response = await fetch(`${origin}/.well-known/oauth-authorization-server`)
      return ((await response.json()) as Record<string, unknown>)['client_id_metadata_document_supported'] ?? false
    }
    expect([await offered(true), await offered(null)]).toEqual([true, false])
  })

  test('is shown with the name of its domain', async () => {
    const { olga, homes, as, site } = await withSite(DOCUMENT)
    const agent = as(CLIENT_ID, 'https://claude.example/callback')
    const choose = await olga.open(await agent.authorizeUrl())
    expect(choose.text).toContain('The name comes from claude.example')
    expect(choose.text).not.toContain('It is not verified.')
    const page = await olga.submit(choose, 'Ask the administrators')
    expect((await homes.latestRequest()).ask).toMatchObject({ client: CLIENT_ID, redirectHost: 'claude.example' })
    homes.decide('accepted')
    await olga.wait(page)
    expect((await agent.redeemed(agent.answerOf(olga.left))).access_token).toMatch(/^hm_agent_/)
    expect(site.fetched).toEqual([CLIENT_ID])
  })

  test('of a program on the computer may use any port, and is shown as unverified', async () => {
    const redirects = ['http://localhost/callback', 'http://127.0.0.1/callback']
    const { olga, as } = await withSite({ ...DOCUMENT, client_name: 'Claude Code', redirect_uris: redirects })
    const choose = await olga.open(await as(CLIENT_ID, 'http://localhost:51234/callback').authorizeUrl())
    expect(choose.title).toBe('Claude Code asks for access')
    expect(choose.text).toContain('Any program on this computer can use that name.')
  })

  test('works with its stored document while its site is down, once approved', async () => {
    const { olga, homes, as, site, store } = await withSite(DOCUMENT)
    const agent = as(CLIENT_ID, 'https://claude.example/callback')
    const page = await askInBrowser(olga, await agent.authorizeUrl())
    homes.decide('accepted')
    await olga.wait(page)
    const tokens = await agent.redeemed(agent.answerOf(olga.left))
    site.answer = async () => Promise.reject(new Error('away'))
    const later = await testWeb({
      metadataDocuments: true,
      store,
      homes,
      fetch: async () => Promise.reject(new Error('away')),
    })
    const elsewhere = await OAuthAgent.register(later.origin, later.fetch)
    const same = elsewhere.with({ client_id: CLIENT_ID, token_endpoint_auth_method: 'none' })
    expect((await same.refresh(tokens.refresh_token!)).status).toBe(200)
    const withoutSite = await testWeb({
      metadataDocuments: true,
      store,
      homes,
      fetch: async () => new Response('', { status: 404 }),
    })
    const removed = await OAuthAgent.register(withoutSite.origin, withoutSite.fetch)
    const refused = removed.with({ client_id: CLIENT_ID, token_endpoint_auth_method: 'none' })
    expect((await refused.refresh(tokens.refresh_token!)).status).toBe(400)
  })

  const notAsked: readonly (readonly [string, string])[] = [
    ['an address of this computer', 'https://127.0.0.1/client.json'],
    ['this computer', 'https://localhost/client.json'],
    ['an address of a home', 'https://192.168.1.20/client.json'],
    ['an address of the machine’s provider', 'https://169.254.169.254/latest/meta-data'],
    ['an IPv6 address', 'https://[fd00::1]/client.json'],
    ['an IPv4 address in IPv6', 'https://[::ffff:127.0.0.1]/client.json'],
    ['an address as one number', 'https://2130706433/client.json'],
    ['a name of a home', 'https://printer.local/client.json'],
    ['a name of a company', 'https://wiki.corp/client.json'],
    ['a name without a dot', 'https://intranet/client.json'],
    ['another port', 'https://claude.example:8443/client.json'],
    ['http', 'http://claude.example/client.json'],
  ]
  test.each(casesOf(notAsked, 4))('is never asked for at %s', async (_name, clientId) => {
    const { olga, as, site } = await withSite(DOCUMENT)
    const page = await olga.open(await as(clientId, 'https://claude.example/callback').authorizeUrl())
    expect([page.status, olga.left, site.fetched]).toEqual([400, null, []])
  })

  const refused: readonly (readonly [string, object | string | Response])[] = [
    ['another client’s', { ...DOCUMENT, client_id: 'https://other.example/client.json' }],
    ['no JSON', '<html></html>'],
    ['a list', '[]'],
    ['too large', JSON.stringify({ ...DOCUMENT, client_uri: `https://claude.example/${'x'.repeat(33_000)}` })],
    ['of plain http answers', { ...DOCUMENT, redirect_uris: ['http://claude.example/callback'] }],
    ['with a secret', { ...DOCUMENT, token_endpoint_auth_method: 'client_secret_post', client_secret: 'x' }],
    ['moved', new Response(null, { status: 302, headers: { location: 'https://claude.example/other.json' } })],
    ['gone', new Response('', { status: 404 })],
    ['of a site in trouble', new Response('', { status: 500 })],
  ]
  test.each(casesOf(refused, 3))('is refused where the document is %s', async (_name, document) => {
    const { olga, as } = await withSite(document)
    const page = await olga.open(await as(CLIENT_ID, 'https://claude.example/callback').authorizeUrl())
    expect([page.status, olga.left]).toEqual([400, null])
  })

  test('makes the relay fetch at most 20 documents a minute for one address', { tags: ['long'] }, async () => {
    const { olga, as, site } = await withSite(async () => new Response('', { status: 404 }))
    for (let index = 0; index < 25; index += 1)
      await olga.open(
        await as(`https://c${index}.example/client.json`, 'https://claude.example/callback').authorizeUrl(),
      )
    expect(site.fetched).toHaveLength(20)
  })
})
