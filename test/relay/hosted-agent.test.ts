// @module-tag repeated
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { REQUEST_LIMITS } from '../../src/mcp/mcp-sessions.ts'
import { INITIALIZE } from '#support/gateway/mcp-initialize.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import type { PageSnapshot } from '#support/relay/browser.ts'
import { HostedWorld } from '#support/relay/hosted-world.ts'
import { OAuthAgent } from '#support/relay/oauth-agent.ts'

const REDEMPTIONS = times(8, 100)

/** A home accepts five agent requests a minute; the sixth of this file uses another world. */
let world: HostedWorld

beforeAll(async () => {
  world = await HostedWorld.open()
})
afterAll(() => world[Symbol.asyncDispose]())

/** An agent whose person sees the page with the code. */
async function pageWithCode(): Promise<PageSnapshot> {
  const agent = await OAuthAgent.register(world.origin, world.fetch)
  return world.ask(await agent.authorizeUrl())
}

async function mcpAt(token: string, door = 'mcp'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${world.origin}/${door}`), {
    fetch: world.fetch,
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

const postAt = (token: string, body: object, signal?: AbortSignal): Promise<Response> =>
  world.fetch(`${world.origin}/mcp`, {
    method: 'POST',
    ...(signal && { signal }),
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(body),
  })

/** The stream on which an agent listens for changes. */
async function openStream(token: string): Promise<Response> {
  const session = (await postAt(token, INITIALIZE)).headers.get('mcp-session-id') ?? ''
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'mcp-session-id': session }
  return world.fetch(`${world.origin}/mcp`, { headers })
}

describe('a hosted agent, with a real relay and a real gateway', () => {
  proves(
    ['5.4.hosted', '5.6.connector'],
    `requests access, is accepted by the matching code, uses the tools and refreshes; one of ${REDEMPTIONS} redemptions gets tokens`,
    async () => {
      const { agent, answer } = await world.accepted()
      const thief = await OAuthAgent.register(world.origin, world.fetch)
      expect((await thief.redeem(answer)).status).toBe(400)
      const all = await Promise.all(Array.from({ length: REDEMPTIONS }, () => agent.redeem(answer)))
      const good = all.filter(({ status }) => status === 200)
      expect(good).toHaveLength(1)
      // Reuse of a code revokes its tokens (RFC 6749 section 4.1.2).
      const ended = (await good[0]!.json()) as { access_token: string }
      expect((await agent.redeem(answer)).status).toBe(400)
      expect((await postAt(ended.access_token, INITIALIZE)).status).toBe(401)
      const again = await world.accepted()
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
        `Bearer resource_metadata="${world.origin}/.well-known/oauth-protected-resource/mcp", scope="home", error="invalid_token"`,
      ])
    },
  )

  test('of one integration has access only to its own audience, with or without a slash; once revoked, to none', async () => {
    const door = `mcp/r/${world.home.main.id}`
    const { agent, answer } = await world.accepted(door)
    const { access_token: token } = await agent.redeemed(answer)
    for (const path of [door, `${door}/`])
      expect((await (await mcpAt(token, path)).listTools()).tools.length).toBeGreaterThan(5)
    expect((await postAt(token, INITIALIZE)).status).toBe(401)
    const [, , link] = token.split('.')
    await world.home.running.admin.call('DELETE', `/agents/${link}`)
    await expect(mcpAt(token, door)).rejects.toThrow('needs a valid credential')
  })

  test('that disconnects during its calls frees its places', { tags: ['long'] }, async () => {
    const { agent, answer } = await world.accepted()
    const { access_token: token } = await agent.redeemed(answer)
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const args = { device: world.home.id('hall-light'), op: 'set_power', args: { on: true } }
    const call = { ...list, method: 'tools/call', params: { name: 'control', arguments: args } }
    await world.home.running.still(async () => {
      const left = new AbortController()
      const calls = Promise.allSettled(
        Array.from({ length: REQUEST_LIMITS.perCredential }, () => postAt(token, call, left.signal)),
      )
      while ((await postAt(token, list)).status !== 429) continue
      left.abort()
      expect((await calls).map(({ status }) => status)).not.toContain('fulfilled')
      while ((await postAt(token, list)).status !== 200) continue
    })
    await world.home.running.admin.call('DELETE', `/agents/${token.split('.')[2]}`)
  })

  test('that is denied gets an error', async () => {
    expect((await world.decide(await pageWithCode(), 'deny')).title).toBe('Access denied')
  })

  test(
    'gets no more events once it is revoked, and is asked to retry while the gateway is offline',
    { tags: ['long'] },
    async () => {
      await world[Symbol.asyncDispose]()
      world = await HostedWorld.open()
      const { agent, answer } = await world.accepted()
      const tokens = await agent.redeemed(answer)
      const stream = await openStream(tokens.access_token)
      expect(stream.status).toBe(200)
      const ended = stream.text()
      await world.home.running.admin.call('DELETE', `/agents/${tokens.access_token.split('.')[2]}`)
      await ended
      expect((await agent.refresh(tokens.refresh_token!)).status).toBe(400)
      await world.home.running.admin.call('DELETE', '/relay')
      const away = await agent.refresh(tokens.refresh_token!)
      expect([away.status, away.headers.get('retry-after')]).toEqual([503, expect.any(String)])
      expect((await world.browser.open('/')).text).toContain('Not connected right now')
      await world.relay.connect(world.home.running)
    },
  )

  test('is refused while agent_access is off, and the page shows the home’s own message', async () => {
    await world.home.change(world.home.main, { settings: { agent_access: 'off' } })
    const page = await pageWithCode()
    expect([page.status, page.text.includes('Agent access is off')]).toEqual([403, true])
  })
})
