// @module-tag repeated
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { REQUEST_LIMITS } from '../../src/mcp/sessions.ts'
import { INITIALIZE } from '#support/gateway/mcp-initialize.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import type { Shown } from '#support/relay/browser.ts'
import { HostedWorld } from '#support/relay/hosted-world.ts'
import { OAuthAgent } from '#support/relay/oauth-agent.ts'

const REDEMPTIONS = times(20, 100)

/** A home takes five requests of agents in a minute; the sixth of this file comes from a world of its own. */
let given: HostedWorld

beforeAll(async () => {
  given = await HostedWorld.open()
})
afterAll(() => given[Symbol.asyncDispose]())

/** An agent whose person is on the page with the code. */
async function asked(): Promise<Shown> {
  const agent = await OAuthAgent.register(given.origin, given.fetch)
  return given.ask(await agent.authorizeUrl())
}

async function mcpAt(token: string, door = 'mcp'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${given.origin}/${door}`), {
    fetch: given.fetch,
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

const postAt = (token: string, body: object, signal?: AbortSignal): Promise<Response> =>
  given.fetch(`${given.origin}/mcp`, {
    method: 'POST',
    ...(signal && { signal }),
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(body),
  })

/** What an agent keeps open to hear of changes. */
async function openStream(token: string): Promise<Response> {
  const session = (await postAt(token, INITIALIZE)).headers.get('mcp-session-id') ?? ''
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'mcp-session-id': session }
  return given.fetch(`${given.origin}/mcp`, { headers })
}

describe('a hosted agent, with a real relay and a real gateway', () => {
  proves(
    ['5.4.hosted', '5.6.connector'],
    `asks, is accepted by the code that both see, uses the tools and refreshes; of ${REDEMPTIONS} redemptions one gets tokens`,
    async () => {
      const { agent, answer } = await given.accepted()
      const thief = await OAuthAgent.register(given.origin, given.fetch)
      expect((await thief.redeem(answer)).status).toBe(400)
      const all = await Promise.all(Array.from({ length: REDEMPTIONS }, () => agent.redeem(answer)))
      const good = all.filter(({ status }) => status === 200)
      expect(good).toHaveLength(1)
      // A code that comes back ends what was made of it (RFC 6749 section 4.1.2).
      const ended = (await good[0]!.json()) as { access_token: string }
      expect((await agent.redeem(answer)).status).toBe(400)
      expect((await postAt(ended.access_token, INITIALIZE)).status).toBe(401)
      const again = await given.accepted()
      const tokens = (await (await again.agent.redeem(again.answer)).json()) as {
        access_token: string
        refresh_token: string
      }
      const client = await mcpAt(tokens.access_token)
      expect((await client.listTools()).tools.length).toBeGreaterThan(5)
      const next = await again.agent.refreshed(tokens.refresh_token)
      expect((await again.agent.refreshed(tokens.refresh_token)).access_token).toMatch(/^hm_agent_/)
      await again.agent.revoke(next.refresh_token!)
      expect((await again.agent.refresh(next.refresh_token!)).status).toBe(400)
      const refused = await postAt(next.access_token, INITIALIZE)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        `Bearer resource_metadata="${given.origin}/.well-known/oauth-protected-resource/mcp", scope="home", error="invalid_token"`,
      ])
    },
  )

  test('of one integration comes in at its own door, with a slash or without, and at no other; revoked, at none', async () => {
    const door = `mcp/r/${given.home.main.id}`
    const { agent, answer } = await given.accepted(door)
    const { access_token: token } = await agent.redeemed(answer)
    for (const path of [door, `${door}/`])
      expect((await (await mcpAt(token, path)).listTools()).tools.length).toBeGreaterThan(5)
    expect((await postAt(token, INITIALIZE)).status).toBe(401)
    const [, , link] = token.split('.')
    await given.home.running.admin.call('DELETE', `/agents/${link}`)
    await expect(mcpAt(token, door)).rejects.toThrow('needs a valid credential')
  })

  test('that leaves while its calls wait keeps no place', { tags: ['long'] }, async () => {
    const { agent, answer } = await given.accepted()
    const { access_token: token } = await agent.redeemed(answer)
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const args = { device: given.home.id('hall-light'), op: 'set_power', args: { on: true } }
    const call = { ...list, method: 'tools/call', params: { name: 'control', arguments: args } }
    await given.home.running.still(async () => {
      const left = new AbortController()
      const calls = Promise.allSettled(
        Array.from({ length: REQUEST_LIMITS.perCredential }, () => postAt(token, call, left.signal)),
      )
      while ((await postAt(token, list)).status !== 429) continue
      left.abort()
      expect((await calls).map(({ status }) => status)).not.toContain('fulfilled')
      while ((await postAt(token, list)).status !== 200) continue
    })
    await given.home.running.admin.call('DELETE', `/agents/${token.split('.')[2]}`)
  })

  test('that is denied is told so', async () => {
    expect((await given.decide(await asked(), 'deny')).title).toBe('Access denied')
  })

  test(
    'hears nothing more once an administrator has revoked it, and is told to come back while the gateway is away',
    { tags: ['long'] },
    async () => {
      await given[Symbol.asyncDispose]()
      given = await HostedWorld.open()
      const { agent, answer } = await given.accepted()
      const tokens = await agent.redeemed(answer)
      const stream = await openStream(tokens.access_token)
      expect(stream.status).toBe(200)
      const ended = stream.text()
      await given.home.running.admin.call('DELETE', `/agents/${tokens.access_token.split('.')[2]}`)
      await ended
      expect((await agent.refresh(tokens.refresh_token!)).status).toBe(400)
      await given.home.running.admin.call('DELETE', '/relay')
      const away = await agent.refresh(tokens.refresh_token!)
      expect([away.status, away.headers.get('retry-after')]).toEqual([503, expect.any(String)])
      expect((await given.browser.open('/')).text).toContain('Not connected right now')
      await given.relay.connect(given.home.running)
    },
  )

  test('may not ask while agent_access is off, and the page says the home’s own sentence', async () => {
    await given.home.change(given.home.main, { settings: { agent_access: 'off' } })
    const page = await asked()
    expect([page.status, page.text.includes('Agent access is off')]).toEqual([403, true])
  })
})
