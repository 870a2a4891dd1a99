import { expect, onTestFinished } from 'vitest'
import { INITIALIZE } from '#support/gateway/mcp-initialize.ts'
import { proves } from '#support/gateway/verifies.ts'
import { CLAUDE, connectedAgent, linkOf, valueOf } from '#support/homes/hosted-agents.ts'
import { ANNA } from '#support/homes/access-home.ts'
import { StreamHome } from '#support/homes/stream-home.ts'
import type { TokenAudience } from '../auth/credentials/credentials.ts'
import { MINUTE_MS } from '../lib/durations.ts'
import { McpEndpoint } from './mcp-endpoint.ts'

const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

/** A home with an integration for hosted agents. Requests reach its MCP server as from the relay. */
async function opened() {
  const home = await StreamHome.open()
  const { access: parts, clock, log, dispatcher } = home
  const integration = home.integration({ expose: 'All' }, { agent_access: 'on' })
  const endpoint = new McpEndpoint({
    dispatcher,
    authenticator: parts.authenticator,
    accessChanges: parts.accessChanges,
    timeZone: () => 'Europe/Berlin',
    clock,
    sessions: parts.agentSessions,
    log,
  })
  onTestFinished(() => endpoint.stop())
  const ask = async (
    token: string,
    body: object | null,
    { door = 'mcp', session }: { door?: TokenAudience; session?: string } = {},
  ) => {
    const answer = await endpoint.answer(
      new Request('https://relay.example/mcp', {
        method: body === null ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          accept: body === null ? 'text/event-stream' : 'application/json, text/event-stream',
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
        ...(body === null ? {} : { body: JSON.stringify(body) }),
      }),
      { via: 'cloud', audience: door, peer: '203.0.113.9' },
    )
    const { status, headers } = answer
    return new Response('events' in answer ? answer.events : (answer.body?.toString() ?? null), { status, headers })
  }
  /** A session with an open stream. `ended` resolves when the stream ends. */
  const listen = async (token: string) => {
    const session = (await ask(token, INITIALIZE)).headers.get('mcp-session-id') ?? ''
    const stream = await ask(token, null, { session })
    expect(stream.status).toBe(200)
    return { session, ended: stream.text() }
  }
  return { home, parts, integration, ask, listen }
}

proves('agents.hosted-audience', 'a hosted agent is served only at its own address of the MCP server', async () => {
  const { parts, integration, ask } = await opened()
  const door = `mcp/r/${integration.id}` as const
  const [any, bound] = [connectedAgent(parts), connectedAgent(parts, { record: integration.id, door, name: 'Bound' })]
  const status = async (token: string, at: TokenAudience): Promise<number> =>
    (await ask(token, INITIALIZE, { door: at })).status
  expect([await status(any.access, 'mcp'), await status(bound.access, door)]).toEqual([200, 200])
  expect([await status(any.access, door), await status(bound.access, 'mcp')]).toEqual([401, 401])
  for (const [token, at, own] of [
    [any.access, door, '/mcp'],
    [bound.access, 'mcp', `/${door}`],
    [any.access, 'api', '/mcp'],
  ] as const)
    expect(await (await ask(token, INITIALIZE, { door: at })).json()).toMatchObject({
      error: { code: 'unauthorized', message: expect.stringContaining(`another address: ${own}.`) as string },
    })
  const paired = parts.credentials.create(
    { integration: integration.id, kind: 'agent', name: 'Robot', platform: 'lab' },
    ANNA,
  )
  const foreign = `mcp/r/${parts.integrate().id}` as const
  expect([
    await status(paired.token, 'mcp'),
    await status(paired.token, door),
    await status(paired.token, foreign),
  ]).toEqual([200, 200, 401])
  const key = parts.credentials.create({ integration: integration.id, kind: 'key', name: '', platform: '' }, ANNA)
  expect([await status(key.token, 'mcp'), await status(key.token, door)]).toEqual([401, 401])
  expect(parts.lastUsed.of(parts.credentials.get(linkOf(any.access))!)).toMatchObject({ via: 'cloud' })
})

proves(
  'agents.hosted-channels',
  'an open stream ends at once when its agent is revoked or cloud access is off',
  async () => {
    const { home, parts, integration, ask, listen } = await opened()
    const ends = [
      ['revoked', 401, (link: string) => parts.credentials.revoke(parts.credentials.get(link)!, ANNA)],
      [
        'cloud_access off',
        403,
        () => home.change(integration, { knobs: { ...integration.knobs, cloud_access: 'off' } }),
      ],
    ] as const
    for (const [why, status, end] of ends) {
      const pair = connectedAgent(parts, { name: why })
      const { ended } = await listen(pair.access)
      end(linkOf(pair.access))
      await ended
      expect((await ask(pair.access, LIST)).status, why).toBe(status)
    }
  },
)

proves('agents.hosted-hour', 'a session outlives its first token and continues with the next one', async () => {
  const { home, parts, ask, listen } = await opened()
  const pair = connectedAgent(parts)
  const { session, ended } = await listen(pair.access)
  for (let minutes = 0; minutes < 60; minutes += 6) {
    expect((await ask(pair.access, LIST, { session })).status).toBe(200)
    home.clock.advance(6 * MINUTE_MS)
  }
  // The stream ends with the token that opened it.
  await ended
  const late = await ask(pair.access, LIST, { session })
  expect(late.status).toBe(401)
  expect(await late.json()).toMatchObject({
    error: { code: 'unauthorized', message: expect.stringContaining('expired') as string },
  })
  const next = valueOf(parts.hosted.refresh({ refresh: pair.refresh, client: CLAUDE }))
  expect((await ask(next.access, LIST, { session })).status).toBe(200)
  parts.credentials.revoke(parts.credentials.get(linkOf(next.access))!, ANNA)
  expect((await ask(next.access, LIST, { session })).status).toBe(401)
})
