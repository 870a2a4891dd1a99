// @module-tag repeated
import * as oauth from 'oauth4webapi'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { casesOf, times } from '#support/long.ts'
import { askInBrowser, CALLBACK, OAuthAgent } from '#support/relay/oauth-agent.ts'
import { HOME, OLGA, olgasRelay, testWeb } from '#support/relay/test-web.ts'

/** A relay and an agent whose person sees the page with the code. */
async function withCodePage(door = 'mcp', metadata: Parameters<typeof OAuthAgent.register>[2] = {}) {
  const relay = await olgasRelay()
  const agent = await OAuthAgent.register(relay.origin, relay.fetch, metadata, door)
  const page = await askInBrowser(relay.olga, await agent.authorizeUrl())
  return { ...relay, agent, page }
}

/** Accepts the agent; adds the redirect to its platform. */
async function accepted(...options: Parameters<typeof withCodePage>) {
  const world = await withCodePage(...options)
  world.homes.decide('accepted')
  await world.olga.wait(world.page)
  return { ...world, answer: world.agent.answerOf(world.olga.left) }
}

describe('an agent gets in by OAuth', () => {
  test(
    'the home gets all details for its administrators, the page shows the code, and the gateway mints the tokens',
    { tags: ['long'] },
    async () => {
      const { homes, agent, page, olga } = await withCodePage()
      const { ask, code, gateway } = await homes.latestRequest()
      expect(gateway).toBe(HOME)
      expect(ask).toEqual({
        name: 'Claude',
        platform: 'agents.example',
        record: null,
        client: agent.client.client_id,
        redirectHost: 'agents.example',
        challenge: await oauth.calculatePKCECodeChallenge(agent.verifier),
        door: 'mcp',
        account: OLGA.email,
        peer: expect.stringContaining('127.0.0.1') as string,
      })
      expect(page.text).toContain(code)
      expect(page.text).toContain('House 1')
      expect(page.text).toContain('agents.example')
      expect(page.text).toContain('It is not verified.')
      const waiting = olga.refresh(page)
      homes.decide('accepted')
      await waiting
      const answer = agent.answerOf(olga.left)
      expect(olga.left?.searchParams.get('iss')).toBe(olga.origin)
      const tokens = await agent.redeemed(answer)
      expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3_600, scope: 'home' })
      expect(tokens.access_token).toMatch(new RegExp(`^hm_agent_${HOME}\\.`))
      expect(tokens.refresh_token).toMatch(new RegExp(`^hm_refresh_${HOME}\\.`))
      const next = await agent.refreshed(tokens.refresh_token!)
      expect(next.access_token).not.toBe(tokens.access_token)
      expect((await agent.revoke(next.refresh_token!)).status).toBe(200)
      expect(homes.revoked).toEqual([{ token: next.refresh_token, client: agent.client.client_id }])
    },
  )
})

describe('an authorization request', () => {
  async function registered(metadata: Parameters<typeof OAuthAgent.register>[2] = {}) {
    const relay = await olgasRelay()
    const agent = await OAuthAgent.register(relay.origin, relay.fetch, metadata)
    const open = async (changed: Readonly<Record<string, string | null>>) =>
      relay.olga.open(await agent.authorizeUrl(changed))
    /** The error for the agent's platform, or null if the person sees a page. */
    const toldTo = async (changed: Readonly<Record<string, string | null>>) => {
      await open(changed)
      return relay.olga.left?.searchParams.get('error') ?? null
    }
    /** Error of the implicit grant, which is in the fragment. */
    const toldInFragment = async (changed: Readonly<Record<string, string | null>>) => {
      const { headers } = await agent.options[oauth.customFetch](await agent.authorizeUrl(changed))
      return new URLSearchParams(new URL(headers.get('location')!).hash.slice(1)).get('error')
    }
    /** Approves the client at a home, so that errors may be sent to it. */
    const approve = async () => {
      const page = await askInBrowser(relay.olga, await agent.authorizeUrl())
      relay.homes.decide('accepted')
      await relay.olga.wait(page)
      relay.homes.requests.clear()
      relay.olga.left = null
    }
    return { ...relay, agent, open, toldTo, toldInFragment, approve }
  }

  const wrong: readonly (readonly [string, Readonly<Record<string, string | null>>, string])[] = [
    ['no PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge without its method', { code_challenge_method: null }, 'invalid_request'],
    ['a challenge that is none', { code_challenge: 'short' }, 'invalid_request'],
    ['the implicit grant', { response_type: 'token' }, 'invalid_request'],
    ['an ID token', { response_type: 'id_token', nonce: 'n' }, 'invalid_request'],
    ['a hybrid', { response_type: 'code id_token', nonce: 'n' }, 'invalid_request'],
    ['an answer in the fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['an answer as a form', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['a resource of another server', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['a resource of another path', { resource: 'ORIGIN/v1' }, 'invalid_target'],
    ['the origin alone', { resource: 'ORIGIN/' }, 'invalid_target'],
    ['an integration that is none', { resource: 'ORIGIN/mcp/r/living-room' }, 'invalid_target'],
    ['a resource with a fragment', { resource: 'ORIGIN/mcp#x' }, 'invalid_target'],
    ['a resource with a query', { resource: 'ORIGIN/mcp?x=1' }, 'invalid_target'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['a request by reference', { request_uri: 'https://agents.example/request' }, 'request_uri_not_supported'],
  ]
  test.each(casesOf(wrong, 4))(
    '%s is no request for a code: refused in OAuth’s form, and nobody is asked',
    async (_name, changed, error) => {
      const { origin, homes, toldTo, toldInFragment, approve } = await registered()
      await approve()
      const own = Object.fromEntries(
        Object.entries(changed).map(([key, value]) => [key, value?.replace('ORIGIN', origin) ?? null]),
      )
      expect((await toldTo(own)) ?? (await toldInFragment(own))).toBe(error)
      expect(homes.requests.size).toBe(0)
    },
  )

  const ofStrangers = [
    ['no PKCE', { code_challenge: null, code_challenge_method: null }],
    ['the implicit grant', { response_type: 'token' }],
    ['a hybrid', { response_type: 'code id_token', nonce: 'n' }],
    ['an answer as a form', { response_mode: 'form_post' }],
    ['a resource of another server', { resource: 'https://elsewhere.example/mcp' }],
    ['a silent request', { prompt: 'none' }],
    ['a request by reference', { request_uri: 'https://agents.example/request' }],
  ] as const
  for (const [name, changed] of casesOf<(typeof ofStrangers)[number]>(ofStrangers, 3))
    proves(
      'relay.oauth-strangers',
      `${name} of a client that no home approved gets a page, never a redirect`,
      async () => {
        for (const redirect of [
          CALLBACK,
          'http://localhost:3118/callback',
          'cursor://anysphere.cursor-mcp/oauth/callback',
        ].slice(0, times(1, 3))) {
          const { fetch, agent } = await registered({ redirect_uris: [redirect] })
          const response = await fetch(await agent.authorizeUrl(changed), { redirect: 'manual' })
          expect([response.status, response.headers.get('location')], redirect).toEqual([400, null])
          expect(await response.text()).toContain('This did not work')
        }
      },
    )

  test('two resources at the same time are refused', async () => {
    const { agent, olga, origin } = await registered()
    const url = await agent.authorizeUrl()
    url.searchParams.append('resource', `${origin}/mcp/r/0b6e9c1e-0000-4000-8000-000000000000`)
    const page = await olga.open(url)
    expect(olga.left?.searchParams.get('error') ?? page.title).toBe('This request has ended')
  })

  test.each<[string, string | null]>([
    ['another path', 'https://agents.example/callback2'],
    ['a slash more', 'https://agents.example/callback/'],
    ['a query', 'https://agents.example/callback?next=/'],
    ['another host', 'https://agents.example.evil.example/callback'],
    ['a host below', 'https://sub.agents.example/callback'],
    ['a port', 'https://agents.example:444/callback'],
    ['http', 'http://agents.example/callback'],
    ['other letters', 'https://AGENTS.example/callback'],
    ['a user name', 'https://agents.example@evil.example/callback'],
    ['a path that goes up', 'https://agents.example/x/../callback'],
    ['an encoded letter', 'https://agents.example/%63allback'],
    ['a fragment', 'https://agents.example/callback#x'],
    ['a script', 'javascript:alert(1)'],
    ['nothing', null],
  ])('a redirect goes only to a registered address: not to %s', { tags: ['long'] }, async (_name, redirect) => {
    const { olga, open } = await registered()
    const { status, title } = await open({ redirect_uri: redirect })
    expect([olga.left, status, title]).toEqual([null, 400, 'This did not work'])
  })

  test('a program on the computer may use another port, but not another address', async () => {
    const { olga, open } = await registered({ redirect_uris: ['http://127.0.0.1/callback'] })
    expect((await open({ redirect_uri: 'http://127.0.0.1:49152/callback' })).text).toContain(
      'a program on this computer',
    )
    for (const other of [
      'http://localhost:49152/callback',
      'http://127.0.0.1:49152/other',
      'https://127.0.0.1/callback',
    ]) {
      expect((await open({ redirect_uri: other })).status).toBe(400)
      expect(olga.left).toBeNull()
    }
  })

  test('an unknown client gets a page, never a redirect', async () => {
    const { olga, open } = await registered()
    expect((await open({ client_id: 'unknown' })).status).toBe(400)
    expect(olga.left).toBeNull()
  })

  test.each([
    ['no scope', null],
    ['another scope', 'mcp:tools'],
    ['ours among others', 'openid home mcp:tools'],
    ['an empty one', ''],
    ['the scope for staying', 'offline_access'],
  ])('%s is taken for the one that there is', async (_name, scope) => {
    const { open } = await registered()
    expect((await open({ scope })).title).toBe('Claude asks for access')
  })

  test('a slash after the resource is ignored, and no resource means the whole server', async () => {
    const { origin, homes, olga, open } = await registered()
    await olga.submit(await open({ resource: `${origin}/mcp/` }), 'Ask the administrators')
    await olga.submit(await open({ resource: null }), 'Ask the administrators')
    expect([...homes.requests.values()].map(({ ask }) => ask.door)).toEqual(['mcp', 'mcp'])
  })

  test('a person is always needed: a silent request is refused, even after an approval', async () => {
    const { homes, agent, olga, open, toldTo } = await registered()
    const page = await olga.submit(await open({}), 'Ask the administrators')
    homes.decide('accepted')
    await olga.wait(page)
    await agent.redeemed(agent.answerOf(olga.left))
    expect(await toldTo({ prompt: 'none' })).toBe('login_required')
    const again = await olga.submit(await open({}), 'Ask the administrators')
    expect(again.title).toBe('Compare this code')
    expect(homes.requests.size).toBe(2)
  })
})

describe('a code', () => {
  const errorOf = async (response: Promise<Response>) => {
    const { status, body } = { status: (await response).status, body: (await (await response).json()) as object }
    return { status, error: 'error' in body ? body.error : null }
  }
  const REFUSED = { status: 400, error: 'invalid_grant' }
  const AT_ONCE = times(10, 100)

  test('is redeemed once', async () => {
    const { agent, answer, homes } = await accepted()
    const tokens = await agent.redeemed(answer)
    expect(await errorOf(agent.redeem(answer))).toEqual(REFUSED)
    expect(homes.tokensAsked).toHaveLength(1)
    expect(homes.revoked).toEqual([homes.tokensAsked[0]])
    // The home revoked the tokens.
    expect(await errorOf(agent.refresh(tokens.refresh_token!))).toEqual(REFUSED)
  })

  proves('relay.oauth-late-code', 'that is reused after its minute also revokes the tokens', async () => {
    const { agent, answer, homes } = await accepted()
    const tokens = await agent.redeemed(answer)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await errorOf(agent.redeem(answer))).toEqual(REFUSED)
    expect(homes.revoked).toEqual([homes.tokensAsked[0]])
    expect(await errorOf(agent.refresh(tokens.refresh_token!))).toEqual(REFUSED)
  })

  test(`gives tokens to one of ${AT_ONCE} concurrent redemptions`, async () => {
    const { agent, answer } = await accepted()
    const statuses = await Promise.all(
      Array.from({ length: AT_ONCE }, async () => (await errorOf(agent.redeem(answer))).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(AT_ONCE - 1)
  })

  test('is invalid for another client, verifier, address or resource', async () => {
    const { agent, answer, origin, fetch, homes } = await accepted()
    const thief = await OAuthAgent.register(origin, fetch, { client_name: 'Thief' })
    const form = (changed: Readonly<Record<string, string>>) => ({
      grant_type: 'authorization_code',
      code: answer.get('code')!,
      code_verifier: agent.verifier,
      redirect_uri: agent.redirect,
      client_id: agent.client.client_id,
      ...changed,
    })
    const post = (changed: Readonly<Record<string, string>>) =>
      errorOf(fetch(`${origin}/token`, { method: 'POST', body: new URLSearchParams(form(changed)) }))
    expect(await post({ client_id: thief.client.client_id })).toEqual(REFUSED)
    expect(await post({ code_verifier: thief.verifier })).toEqual(REFUSED)
    expect(await post({ code_verifier: '' })).toEqual({ status: 400, error: 'invalid_request' })
    expect(await post({ redirect_uri: `${CALLBACK}2` })).toEqual(REFUSED)
    expect(await post({ code: `${answer.get('code')!}x` })).toEqual(REFUSED)
    expect(await post({ resource: `${origin}/mcp/r/0b6e9c1e-0000-4000-8000-000000000000` })).toEqual({
      status: 400,
      error: 'invalid_target',
    })
    expect(homes.tokensAsked).toHaveLength(0)
    expect((await post({})).status).toBe(200)
  })

  test('expires after a minute', async () => {
    const { agent, answer } = await accepted()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await errorOf(agent.redeem(answer))).toEqual(REFUSED)
  })

  test('of an offline gateway stays valid, and the client is asked to retry', async () => {
    const { agent, answer, homes } = await accepted()
    homes.failing.set(HOME, { kind: 'gateway_offline', retryAfter: 15 })
    const away = await agent.redeem(answer)
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '15'])
    expect(await away.json()).toMatchObject({ error: 'temporarily_unavailable' })
    homes.failing.clear()
    expect((await agent.redeemed(answer)).access_token).toMatch(/^hm_agent_/)
  })
})

describe('a refresh token', () => {
  async function connected() {
    const world = await accepted()
    return { ...world, tokens: await world.agent.redeemed(world.answer) }
  }
  const outcomeOf = async (response: Promise<Response>) => {
    const { status, headers } = await response
    const { error = null } = (await (await response).json()) as { error?: string }
    return { status, error, retryAfter: headers.get('retry-after') }
  }

  test('goes unchanged to the gateway, which alone can check it', async () => {
    const { agent, homes, tokens } = await connected()
    await agent.refreshed(tokens.refresh_token!)
    expect(homes.tokensAsked.at(-1)).toEqual({ refresh: tokens.refresh_token, client: agent.client.client_id })
    await agent.revoke(tokens.refresh_token!)
    expect(await outcomeOf(agent.refresh(tokens.refresh_token!))).toEqual({
      status: 400,
      error: 'invalid_grant',
      retryAfter: null,
    })
  })

  const noRefreshToken = [
    ['text', 'no token at all'],
    ['an access token', `hm_agent_${HOME}.a.b.c`],
    ['a key', `hm_key_${HOME}.a.b.c`],
    ['a serial that is none', 'hm_refresh_../../etc.a.b.c'],
    ['very long', `hm_refresh_${HOME}.${'a'.repeat(400)}`],
  ] as const
  test.each(casesOf<(typeof noRefreshToken)[number]>(noRefreshToken, 3))(
    'that is %s reaches no gateway',
    async (_name, token) => {
      const { agent, homes } = await connected()
      const withCodePage = homes.tokensAsked.length
      expect((await outcomeOf(agent.refresh(token))).error).toBe('invalid_grant')
      expect(homes.tokensAsked).toHaveLength(withCodePage)
    },
  )

  test('is invalid for another client', async () => {
    const { origin, fetch, agent, tokens } = await connected()
    const thief = await OAuthAgent.register(origin, fetch, { client_name: 'Thief' })
    expect((await outcomeOf(thief.refresh(tokens.refresh_token!))).error).toBe('invalid_grant')
    expect((await agent.refresh(tokens.refresh_token!)).status).toBe(200)
  })

  test('gives no access to another resource', async () => {
    const { origin, agent, tokens, homes } = await connected()
    for (const resource of ['https://elsewhere.example/mcp', `${origin}/mcp/r/0b6e9c1e-0000-4000-8000-000000000000`])
      expect((await outcomeOf(agent.refresh(tokens.refresh_token!, { resource }))).error).toBe('invalid_target')
    expect(homes.minted).toBe(1)
    expect((await agent.refresh(tokens.refresh_token!, { resource: `${origin}/mcp` })).status).toBe(200)
  })

  proves('relay.oauth-refresh-scope', 'cannot extend the granted scope', async () => {
    const { agent, tokens, homes } = await connected()
    for (const scope of ['admin', 'home admin', 'HOME'])
      expect((await outcomeOf(agent.refresh(tokens.refresh_token!, { scope }))).error, scope).toBe('invalid_scope')
    expect(homes.minted).toBe(1)
    for (const scope of ['home', 'home offline_access', ''])
      expect((await agent.refresh(tokens.refresh_token!, { scope })).status, scope).toBe(200)
  })

  test('stays valid while the gateway is offline or asks to slow down: 503, never invalid_grant', async () => {
    const { agent, homes, tokens } = await connected()
    const later = (retryAfter: string) => ({ status: 503, error: 'temporarily_unavailable', retryAfter })
    homes.failing.set(HOME, { kind: 'gateway_offline', retryAfter: 15 })
    expect(await outcomeOf(agent.refresh(tokens.refresh_token!))).toEqual(later('15'))
    expect((await agent.revoke(tokens.refresh_token!)).status).toBe(503)
    homes.failing.set(HOME, { kind: 'gateway_timeout', retryAfter: 2 })
    expect(await outcomeOf(agent.refresh(tokens.refresh_token!))).toEqual(later('2'))
    homes.failing.clear()
    homes.slow = 60
    expect(await outcomeOf(agent.refresh(tokens.refresh_token!))).toEqual(later('60'))
  })

  test('is issued only to clients that may use one', async () => {
    const { agent, answer } = await accepted('mcp', { grant_types: ['authorization_code'] })
    expect(await agent.redeemed(answer)).not.toHaveProperty('refresh_token')
  })
})

describe('revocation', () => {
  test('of an invalid token succeeds as RFC 7009 requires, without a request to a gateway', async () => {
    const { agent, homes } = await withCodePage()
    for (const token of ['nonsense', `hm_key_${HOME}.a.b.c`]) expect((await agent.revoke(token)).status).toBe(200)
    expect(homes.revoked).toEqual([])
  })

  test('accepts access tokens too, each with the client that sends it', async () => {
    const { agent, answer, homes } = await accepted()
    const { access_token: token } = await agent.redeemed(answer)
    await agent.revoke(token)
    expect(homes.revoked).toEqual([{ token, client: agent.client.client_id }])
  })

  test('requires a known client', async () => {
    const { agent } = await withCodePage()
    const stranger = agent.with({ client_id: 'stranger' })
    expect((await stranger.revoke(`hm_refresh_${HOME}.a.b.c`)).status).toBe(401)
  })
})

describe('the relay’s stored data of an authorization', () => {
  test('contains neither token nor code nor verifier nor cookie', async () => {
    const { agent, answer, store, olga, homes } = await accepted()
    const tokens = await agent.redeemed(answer)
    const next = await agent.refreshed(tokens.refresh_token!)
    const { code } = await homes.latestRequest()
    const text = JSON.stringify(store.everything())
    expect(text).toContain('Claude')
    const secrets = [
      ...[tokens, next].flatMap(({ access_token: access, refresh_token: refresh }) => [access, refresh!]),
      answer.get('code')!,
      agent.verifier,
      olga.cookie('__Host-hm-session')!,
      OLGA.password,
      'House 1',
    ]
    for (const secret of secrets) expect(text, secret).not.toContain(secret)
    expect(code).not.toBe('')
  })
})

describe('a relay without its store', () => {
  test('asks agents to retry, and shows people that it is not their fault', async () => {
    const { agent, answer, store, olga } = await accepted()
    await store.close()
    const response = await agent.redeem(answer)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '15'])
    const page = await olga.open('/')
    expect([page.status, page.title]).toEqual([503, 'Not available right now'])
    expect((await olga.open(await agent.authorizeUrl())).status).toBe(503)
  })

  test('differs from a visitor who is not signed in', async () => {
    const { browser } = await testWeb()
    expect((await browser().open('/')).title).toBe('Sign in')
  })
})
