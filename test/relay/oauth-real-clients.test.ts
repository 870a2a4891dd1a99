// @module-tag repeated
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { casesOf, times } from '#support/long.ts'
import { Browser } from '#support/relay/browser.ts'
import { askInBrowser, OAuthAgent } from '#support/relay/oauth-agent.ts'
import { DOCUMENTS_OF_CLIENTS, REGISTRATIONS_OF_CLIENTS } from '#support/relay/real-clients.ts'
import { HOME, OLGA, olgasRelay, testWeb, type TestWeb } from '#support/relay/test-web.ts'

type Metadata = Parameters<typeof OAuthAgent.register>[2]
type World = Awaited<ReturnType<typeof olgasRelay>>

/** Sends an unchanged body to `/register`. */
async function registered({ origin, fetch }: TestWeb, body: object, peer = '203.0.113.1') {
  const headers = { 'content-type': 'application/json', 'x-test-peer': peer }
  const response = await fetch(`${origin}/register`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** A browser of a person at this address. */
function browserAt({ origin, fetch }: TestWeb, peer: string): Browser {
  return new Browser(origin, async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('x-test-peer', peer)
    return fetch(input, { ...init, headers })
  })
}

/** Accepts an agent as a person; returns the tokens of its platform. */
async function connect({ olga, homes }: Pick<World, 'olga' | 'homes'>, agent: OAuthAgent) {
  const page = await askInBrowser(olga, await agent.authorizeUrl({ scope: 'openid claudeai home' }))
  homes.decide('accepted')
  await olga.wait(page)
  return agent.redeemed(agent.answerOf(olga.left))
}

describe('the registration of a real client', () => {
  for (const { name, body } of casesOf(REGISTRATIONS_OF_CLIENTS, 5))
    proves('relay.oauth-metadata', `${name} registers, gets in and refreshes`, async () => {
      const relay = await olgasRelay()
      const { status, body: answer } = await registered(relay, body)
      expect([status, answer['redirect_uris']]).toEqual([201, body.redirect_uris])
      const agent = await OAuthAgent.register(relay.origin, relay.fetch, body as Metadata)
      const tokens = await connect(relay, agent)
      expect((await agent.refreshed(tokens.refresh_token!)).access_token).toMatch(/^hm_agent_/)
    })

  for (const { name, body } of casesOf(DOCUMENTS_OF_CLIENTS, 4))
    proves('relay.oauth-metadata', `${name} gets in by its own document`, async () => {
      const relay = await olgasRelay({
        metadataDocuments: true,
        fetch: async () => new Response(JSON.stringify(body)),
      })
      const any = await OAuthAgent.register(relay.origin, relay.fetch)
      const client = { client_id: String(body['client_id']), token_endpoint_auth_method: 'none' as const }
      const tokens = await connect(relay, any.with(client, body.redirect_uris[0]))
      expect(tokens.access_token).toMatch(/^hm_agent_/)
    })
})

/** Members that other servers support and this one does not, and empty members. */
const noise = fc.dictionary(
  fc.oneof(
    fc.constantFrom('client_uri', 'logo_uri', 'tos_uri', 'policy_uri', 'jwks_uri', 'jwks', 'contacts', 'scope'),
    fc.constantFrom('software_id', 'software_version', 'software_statement', 'application_type', 'subject_type'),
    fc.constantFrom('default_max_age', 'require_auth_time', 'response_modes', 'dpop_bound_access_tokens', 'settled'),
    fc.constantFrom('sector_identifier_uri', 'initiate_login_uri', 'id_token_signed_response_alg', 'client_name#de'),
    fc.string({ minLength: 1, maxLength: 12 }).filter((name) => !/^(?:__proto__|constructor|prototype)$/.test(name)),
  ),
  fc.oneof(fc.constantFrom(null, '', [], {}, 0, false, 'unknown', ['unknown', null]), fc.jsonValue({ maxDepth: 2 })),
  { maxKeys: 8 },
)
const more = (supported: readonly string[]) =>
  fc.oneof(
    fc.constantFrom(undefined, null, '', []),
    fc
      .array(fc.constantFrom(null, '', 'unknown', 'urn:ietf:params:oauth:grant-type:device_code', 'token', 'id_token'))
      .map((others) => [...others, ...supported]),
  )

proves(
  'relay.oauth-metadata',
  'any body with a redirect address registers, with any unknown, null and empty members',
  async () => {
    const relay = await testWeb()
    const redirects = fc.constantFrom('https://agents.example/callback', 'http://localhost:3118/cb', 'vscode://x/y')
    const body = fc.record({
      extra: noise,
      redirect: redirects,
      bad: fc.subarray([null, '', 'javascript:alert(1)', 'http://elsewhere.example/', 'not an address', 7]),
      grants: more(['authorization_code']),
      responses: more(['code']),
      method: fc.constantFrom(undefined, null, '', 'none', 'private_key_jwt', 'client_secret_jwt', 'tls_client_auth'),
      name: fc.constantFrom(undefined, null, '', ' ', 'Agent', 7),
    })
    let peer = 0
    await fc.assert(
      fc.asyncProperty(body, async ({ extra, redirect, bad, grants, responses, method, name }) => {
        const sent = {
          ...extra,
          redirect_uris: [...bad, redirect],
          grant_types: grants,
          response_types: responses,
          token_endpoint_auth_method: method,
          client_name: name,
        }
        peer += 1
        const answer = await registered(relay, sent, `198.51.100.${peer % 256}`)
        expect([answer.status, answer.body['redirect_uris']], JSON.stringify([sent, answer.body])).toEqual([
          201,
          [redirect],
        ])
        expect(answer.body).toMatchObject({
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
          scope: 'home offline_access',
        })
      }),
      { numRuns: times(5, 800) },
    )
  },
)

test.each([
  ['no grant that there is', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
  ['no response type that there is', { response_types: ['token'] }, 'invalid_client_metadata'],
  ['no address for the answer', { redirect_uris: ['', null] }, 'invalid_redirect_uri'],
  ['nothing but a body', { redirect_uris: undefined }, 'invalid_redirect_uri'],
])('a body with %s is refused with one sentence', async (_name, changed, error) => {
  const relay = await testWeb()
  const { status, body } = await registered(relay, { redirect_uris: ['https://agents.example/callback'], ...changed })
  expect([status, body['error'], typeof body['error_description']]).toEqual([400, error, 'string'])
})

describe('the same client again', () => {
  const [claude, confidential, code] = REGISTRATIONS_OF_CLIENTS.map(({ body }) => body)

  proves('relay.oauth-same-client', 'gets the same id from every address, however often', async () => {
    const relay = await testWeb()
    const ids = new Set<unknown>()
    for (let time = 0; time < 30; time += 1)
      ids.add(
        (await registered(relay, { ...claude, software_version: String(time) }, `2001:db8:${time}::1`)).body[
          'client_id'
        ],
      )
    expect(ids.size).toBe(1)
    const others = [
      { client_name: 'Claude 2' },
      { redirect_uris: ['https://claude.ai/x'] },
      { grant_types: ['authorization_code'] },
    ]
    for (const changed of others) ids.add((await registered(relay, { ...claude, ...changed })).body['client_id'])
    expect(ids.size).toBe(4)
  })

  proves('relay.oauth-same-client', 'a program on the computer is the same client at each port', async () => {
    const relay = await testWeb()
    const at = async (port: number) =>
      (await registered(relay, { ...code, redirect_uris: [`http://localhost:${port}/callback`] })).body
    const [first, second] = [await at(3118), await at(49_152)]
    expect(second['client_id']).toBe(first['client_id'])
    expect(second['redirect_uris']).toEqual(['http://localhost:49152/callback'])
  })

  test('a client with a secret gets its own unique secret, which is not stored', async () => {
    const relay = await olgasRelay()
    const agents = await Promise.all(
      [1, 2].map(() => OAuthAgent.register(relay.origin, relay.fetch, confidential as Metadata)),
    )
    const [one, two] = agents.map(({ client }) => client)
    expect(one!.client_id).not.toBe(two!.client_id)
    expect(one!['client_secret']).not.toBe(two!['client_secret'])
    expect(JSON.stringify(relay.store.everything())).not.toContain(one!['client_secret'])
    const tokens = await connect(relay, agents[0]!)
    const other = agents[0]!.with({ ...one!, client_secret: two!['client_secret'] as string })
    expect((await other.refresh(tokens.refresh_token!)).status).toBe(401)
    expect((await agents[0]!.refresh(tokens.refresh_token!)).status).toBe(200)
  })

  for (const { name, body } of casesOf(REGISTRATIONS_OF_CLIENTS.slice(0, 2), 2))
    proves('relay.oauth-same-client', `ten accounts of ${name} behind one address connect at once`, async () => {
      const relay = await testWeb({ signUp: 'open' })
      await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const serial = `${HOME.slice(0, -2)}${String(index).padStart(2, '0')}`
          const browser = browserAt(relay, `198.51.100.${index}`)
          const person = { ...OLGA, email: `person${index}@example.org` }
          await browser.submit(await browser.open('/signup'), 'Create account', person)
          relay.homes.houses.set(serial, `House of ${index}`)
          const { code: typed } = await relay.web.enrolment.begin(serial, `key of ${serial}`)
          const compare = await browser.submit(await browser.open('/link'), 'Continue', { code: typed })
          await browser.submit(compare, 'Link this gateway')
          // The platform registers again for each account, always from the same address.
          for (let time = 0; time < 3; time += 1) expect((await registered(relay, body)).status).toBe(201)
          const agent = await OAuthAgent.register(relay.origin, relay.fetch, body as Metadata)
          const page = await askInBrowser(browser, await agent.authorizeUrl())
          relay.homes.decide('accepted')
          await browser.wait(page)
          expect((await agent.redeemed(agent.answerOf(browser.left))).access_token).toContain(serial)
        }),
      )
    })
})
