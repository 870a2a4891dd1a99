// @module-tag relay
// @module-tag repeated
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { SESSION_STREAM_LIMITS } from '../../src/mcp/mcp-sessions.ts'
import { agentToken, callTool, connectAgent, ERAS, fetchTrusting, homeForAgents } from '#support/gateway/agents.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import type { TestHome } from '#support/gateway/harness.ts'
import { rawRequest, exchangeBytes, statusOf } from '#support/gateway/raw-client.ts'
import { INITIALIZE as ASKABLE } from '#support/gateway/mcp-initialize.ts'
import { proves } from '#support/gateway/verifies.ts'
import { casesOf } from '#support/long.ts'

let home: TestHome
beforeAll(async () => {
  home = await homeForAgents()
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
})

const INITIALIZE = { ...ASKABLE, params: { ...ASKABLE.params, capabilities: {} } }
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

function post(body: unknown, headers: Record<string, string>, path = '/mcp', at = home): Promise<RawAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return rawRequest(at.access(null), {
    method: 'POST',
    path,
    body: text,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  })
}

const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` })

/** The event stream of a session. */
async function openStream(token: string, at = home): Promise<{ ended: Promise<void>; session: string }> {
  const session = (await post(ASKABLE, bearer(token), '/mcp', at)).headers?.['mcp-session-id'] ?? ''
  const { url, ca } = at.access(null)
  const { fetch } = fetchTrusting(ca)
  const response = await fetch(`${url}/mcp`, {
    headers: { ...bearer(token), accept: 'text/event-stream', 'mcp-session-id': session },
  })
  expect(response.status).toBe(200)
  return { session, ended: response.text().then(() => undefined) }
}

describe('access', () => {
  proves('agents.mcp-credentials', 'is for agents and sessions, and refused for keys and strangers', async () => {
    for (const token of [await agentToken(home), await agentToken(home, home.main, true)])
      expect(await post(INITIALIZE, bearer(token))).toMatchObject({ status: 200 })
    const refused = { status: 401, body: { error: { code: 'unauthorized' } } }
    for (const headers of [bearer(home.main.token), bearer('hm_agent_x'), {}])
      expect(await post(INITIALIZE, headers)).toMatchObject(refused)
    expect(await post(INITIALIZE, bearer(home.main.token))).toMatchObject({
      body: { error: { message: expect.stringContaining('not keys') } },
    })
  })

  proves('agents.mcp-credentials', 'ignores a token in the address', async () => {
    const token = await agentToken(home)
    for (const name of ['token', 'access_token'])
      expect(await post(INITIALIZE, {}, `/mcp?${name}=${token}`)).toMatchObject({
        status: 401,
        body: { error: { code: 'unauthorized' } },
      })
  })

  proves('agents.mcp-host-and-origin', 'is refused for foreign hosts and origins, as everywhere', async () => {
    const token = await agentToken(home)
    expect(await post(INITIALIZE, { ...bearer(token), host: 'evil.example' })).toMatchObject({
      status: 421,
      body: { error: { code: 'misdirected_request' } },
    })
    // No address has such a port, so the request is refused before its credential is read.
    for (const host of ['localhost:65536', 'localhost:99999'])
      expect(await post(INITIALIZE, { host })).toMatchObject({
        status: 421,
        body: { error: { code: 'misdirected_request' } },
      })
    const absolute = 'GET https://localhost:70000/mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    expect(statusOf(await exchangeBytes(home.access(null), absolute))).toBe(421)
    expect(await post(INITIALIZE, { ...bearer(token), origin: 'https://evil.example' })).toMatchObject({
      status: 403,
      body: { error: { code: 'origin_not_allowed' } },
    })
    expect(await post(INITIALIZE, { ...bearer(token), origin: home.access(null).url })).toMatchObject({ status: 200 })
  })

  proves('agents.mcp-host-and-origin', 'has limits for the type, size and depth of a body', async () => {
    const headers = bearer(await agentToken(home))
    expect(await post(`"${'x'.repeat(300_000)}"`, headers)).toMatchObject({
      status: 413,
      body: { error: { code: 'payload_too_large' } },
    })
    for (const type of ['text/plain', 'json', 'application/'])
      expect(await post(LIST, { ...headers, 'content-type': type })).toMatchObject({
        status: 415,
        body: { error: { code: 'unsupported_media_type' } },
      })
    expect(await post('['.repeat(40) + ']'.repeat(40), headers)).toMatchObject({
      status: 400,
      body: { error: { code: -32_700 } },
    })
    expect(await post('{"', headers)).toMatchObject({ status: 400, body: { error: { code: -32_700 } } })
    expect(
      await post(
        Array.from({ length: 21 }, () => LIST),
        headers,
      ),
    ).toMatchObject({ status: 400, body: { error: { code: -32_600 } } })
  })
})

proves('agents.mcp-revisions', 'a call outside a session has the response that the library makes', async () => {
  const token = await agentToken(home)
  const light = home.id('hall-light')
  const calls: readonly (readonly [name: string, args: unknown])[] = [
    ['state', { ids: [light] }],
    ['intents', { device: light }],
    ['rules', { kind: 'automation' }],
    ['control', { device: light, op: 'open' }],
    ['state', { ids: ['unknown'] }],
    ['state', { nothing: 1 }],
    ['state', undefined],
    ['state', null],
    ['state', [light]],
    ['no such tool', {}],
  ]
  for (const [name, args] of calls)
    for (const id of [1, 'a "name"']) {
      const call = { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
      const direct = await post(call, { ...bearer(token), accept: 'application/json' })
      expect(direct, name).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id } })
      const asking = { ...call, params: { ...call.params, _meta: { progressToken: 1 } } }
      expect((await post(asking, bearer(token))).body, name).toEqual(direct.body)
      // The library makes the events of a client that takes nothing else.
      const events = await post(call, { ...bearer(token), accept: 'text/event-stream' })
      const [, data = ''] = /^data: (.*)$/m.exec(String(events.body)) ?? []
      expect(JSON.parse(data), name).toEqual(direct.body)
    }
})

describe('the list of tools', () => {
  proves('agents.mcp-revisions', 'is the same with and without a session, for every request id', async () => {
    const headers = bearer(await agentToken(home))
    const session = (await post(ASKABLE, headers)).headers?.['mcp-session-id'] ?? ''
    const event = await post(LIST, { ...headers, 'mcp-session-id': session })
    const { result } = JSON.parse(/^data: (.*)$/m.exec(String(event.body))?.[1] ?? '') as { result: object }
    for (const params of [{}, { params: {} }, { params: { _meta: {} } }])
      for (const id of casesOf([0, -1, 7, 'a"b', ''], 3))
        expect(await post({ ...LIST, ...params, id }, headers)).toMatchObject({
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: { jsonrpc: '2.0', id, result },
        })
  })

  proves('agents.mcp-revisions', 'is refused for invalid requests', async () => {
    const headers = bearer(await agentToken(home))
    for (const wrong of [{ jsonrpc: '1.0' }, { id: {} }, { params: [] }])
      expect(await post({ ...LIST, ...wrong }, headers), JSON.stringify(wrong)).toMatchObject({ status: 400 })
    expect(await post({ ...LIST, id: undefined }, headers)).toMatchObject({ status: 202 })
    expect(await post(LIST, { ...headers, 'mcp-protocol-version': '1999-01-01' })).toMatchObject({ status: 400 })
    // This revision needs an envelope with every request.
    expect(await post(LIST, { ...headers, 'mcp-protocol-version': '2026-07-28' })).toMatchObject({ status: 400 })
  })
})

describe('the header Accept', () => {
  const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'house', arguments: {} } }
  const modern = {
    ...call,
    params: {
      ...call.params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      },
    },
  }
  const named = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'house' }
  const shapes: readonly (readonly [string, unknown, Record<string, string>])[] = [
    ['a list', LIST, {}],
    ['a call of 2025', call, {}],
    ['a batch', [call, { ...LIST, id: 4 }], {}],
    ['a call of 2026', modern, named],
    ['the beginning of a client that answers questions', ASKABLE, {}],
  ]
  const forms: readonly (readonly [string | null, RegExp])[] = [
    [null, /json|event-stream/],
    ['*/*', /json|event-stream/],
    ['application/json', /^application\/json/],
    ['application/*, text/*;q=0', /^application\/json/],
    ['text/event-stream', /^text\/event-stream/],
    ['*/*, application/json;q=0', /^text\/event-stream/],
  ]
  proves('agents.mcp-accept', 'follows the rules of HTTP for every kind of request', async () => {
    const token = await agentToken(home)
    for (const [what, body, more] of shapes)
      for (const [accept, type] of forms) {
        const headers = { ...bearer(token), ...more, ...(accept === null ? {} : { accept }) }
        const answer = await rawRequest(home.access(null), {
          method: 'POST',
          path: '/mcp',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json', ...headers },
        })
        const where = `${what}, ${accept}: ${answer.text}`
        expect([answer.status, String(answer.headers?.['content-type'])], where).toEqual([
          200,
          expect.stringMatching(type),
        ])
        expect(answer.text, where).toContain('"result":')
      }
  })

  proves('agents.mcp-accept', 'without a fitting type is refused', async () => {
    const token = await agentToken(home)
    for (const accept of ['text/html', '*/*;q=0', 'application/json;q=0, text/event-stream;q=0.0'])
      expect(await post(LIST, { ...bearer(token), accept }), accept).toMatchObject({
        status: 406,
        body: { error: { code: -32_000, message: expect.stringContaining('Accept') as string } },
      })
    const listen = { ...modern, method: 'subscriptions/listen', params: { ...modern.params, notifications: {} } }
    const listening = { ...named, 'mcp-method': 'subscriptions/listen', accept: 'application/json' }
    expect((await post(listen, { ...bearer(token), ...listening })).status).toBe(406)
    const session = (await post(ASKABLE, bearer(token))).headers?.['mcp-session-id'] ?? ''
    const stream = { method: 'GET', path: '/mcp', headers: { ...bearer(token), 'mcp-session-id': session } }
    const json = { ...stream, headers: { ...stream.headers, accept: 'application/json' } }
    expect((await rawRequest(home.access(null), json)).status).toBe(406)
  })

  proves('agents.mcp-accept', 'with only JSON gets JSON in a session too', async () => {
    const token = await agentToken(home)
    const session = (await post(ASKABLE, bearer(token))).headers?.['mcp-session-id'] ?? ''
    const headers = { ...bearer(token), accept: 'application/json', 'mcp-session-id': session }
    for (const message of [LIST, call])
      expect(await post(message, headers)).toMatchObject({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: { result: {} },
      })
  })
})

describe('the path', () => {
  proves('agents.mcp-path', 'may end with a slash', async () => {
    const token = await agentToken(home)
    expect(await post(LIST, bearer(token), '/mcp/')).toMatchObject({ status: 200 })
    expect(await post(LIST, bearer(token), '/mcp/?a=b')).toMatchObject({ status: 200 })
    expect(await post(LIST, {}, '/mcp/')).toMatchObject({ status: 401 })
    expect((await post(LIST, bearer(token), '/mcp//')).status).toBe(404)
  })

  proves('agents.mcp-path', 'names the same methods in every refusal', async () => {
    const headers = { ...bearer(await agentToken(home)), accept: 'text/event-stream' }
    const allowed = []
    for (const path of ['/mcp', '/mcp/'])
      for (const method of ['GET', 'PUT', 'PATCH', 'HEAD', 'OPTIONS']) {
        const refused = await rawRequest(home.access(null), { method, path, headers })
        allowed.push(`${refused.status} ${refused.headers?.['allow']}`)
      }
    expect([...new Set(allowed)]).toEqual(['405 GET, POST, DELETE'])
  })

  proves('agents.mcp-no-session', 'without a session DELETE lacks its header, and GET finds no stream', async () => {
    const headers = { ...bearer(await agentToken(home)), accept: 'text/event-stream' }
    for (const path of ['/mcp', '/mcp/']) {
      const ended = await rawRequest(home.access(null), { method: 'DELETE', path, headers })
      expect([ended.status, ended.headers?.['allow']]).toEqual([400, undefined])
      expect(ended.text).toContain('DELETE ends a session, and this request names none')
      const listened = await rawRequest(home.access(null), { method: 'GET', path, headers })
      expect(listened.status).toBe(405)
      expect(listened.text).toContain('Without a session there is no stream')
    }
  })
})

proves('agents.mcp-revisions', 'the rest of a batch is answered if one of its calls was cancelled', async () => {
  const call = { jsonrpc: '2.0', id: 6, method: 'tools/call', params: { name: 'house', arguments: {} } }
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 6 } }
  const { url, ca } = home.access(null)
  const { fetch } = fetchTrusting(ca)
  const abort = new AbortController()
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...bearer(await agentToken(home)),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify([{ jsonrpc: '2.0', id: 5, method: 'ping' }, call, cancel]),
    signal: abort.signal,
  })
  const { value } = (await response.body?.getReader().read()) ?? {}
  expect(Buffer.from(value ?? []).toString()).toContain('"id":5')
  abort.abort()
})

describe('a session', () => {
  proves(
    ['agents.mcp-revisions', 'agents.mcp-credentials'],
    'is for clients of 2025 that take questions, and belongs to one credential',
    async () => {
      const token = await agentToken(home)
      expect((await post(INITIALIZE, bearer(token))).headers).not.toHaveProperty('mcp-session-id')
      const session = (await post(ASKABLE, bearer(token))).headers?.['mcp-session-id'] ?? ''
      expect(await post(LIST, { ...bearer(token), 'mcp-session-id': session })).toMatchObject({ status: 200 })
      expect(await post(LIST, { ...bearer(await agentToken(home)), 'mcp-session-id': session })).toMatchObject({
        status: 404,
      })
      expect(await post(LIST, { ...bearer(token), 'mcp-session-id': 'invented' })).toMatchObject({ status: 404 })
    },
  )

  proves(
    'agents.mcp-sessions',
    'stays valid however many sessions its credential begins later',
    { tags: ['long'] },
    async () => {
      const token = await agentToken(home)
      const sessions: string[] = []
      for (let more = 0; more < 10; more += 1)
        sessions.push((await post(ASKABLE, bearer(token))).headers?.['mcp-session-id'] ?? '')
      const statuses = await Promise.all(
        sessions.map(async (session) => (await post(LIST, { ...bearer(token), 'mcp-session-id': session })).status),
      )
      expect(new Set(sessions).size).toBe(10)
      expect(new Set(statuses)).toEqual(new Set([200]))
    },
  )

  proves('agents.mcp-sessions', 'ends for good with DELETE; a wrong id is unknown', async () => {
    const token = await agentToken(home)
    const session = (await post(ASKABLE, bearer(token))).headers?.['mcp-session-id'] ?? ''
    const end = async (id: string): Promise<number> =>
      (
        await rawRequest(home.access(null), {
          method: 'DELETE',
          path: '/mcp',
          headers: { ...bearer(token), 'mcp-session-id': id },
        })
      ).status
    const flipped = `${session.slice(0, -2)}${session.at(-2) === 'A' ? 'B' : 'A'}${session.slice(-1)}`
    for (const id of ['invented', flipped, `${session}x`, session.replace('2025-11-25', '2025-06-18')])
      expect([await end(id), (await post(LIST, { ...bearer(token), 'mcp-session-id': id })).status], id).toEqual([
        404, 404,
      ])
    expect((await post(LIST, { ...bearer(token), 'mcp-session-id': session })).status).toBe(200)
    expect([await end(session), await end(session)]).toEqual([200, 404])
    expect((await post(LIST, { ...bearer(token), 'mcp-session-id': session })).status).toBe(404)
  })

  proves('agents.mcp-sessions', 'replaces its last stream with a new one, and streams are limited', async () => {
    const token = await agentToken(home)
    const { url, ca } = home.access(null)
    const { fetch, agent } = fetchTrusting(ca)
    const listen = (session: string): Promise<Response> =>
      fetch(`${url}/mcp`, { headers: { ...bearer(token), accept: 'text/event-stream', 'mcp-session-id': session } })
    const first = await openStream(token)
    const next = await listen(first.session)
    await first.ended
    const streams = [next]
    for (let more = 1; more < SESSION_STREAM_LIMITS.perCredential; more += 1) {
      const session = (await post(ASKABLE, bearer(token))).headers?.['mcp-session-id'] ?? ''
      streams.push(await listen(session))
    }
    const session = (await post(ASKABLE, bearer(token))).headers?.['mcp-session-id'] ?? ''
    const refused = await listen(session)
    expect([...new Set(streams.map(({ status }) => status)), refused.status]).toEqual([200, 429])
    expect((await post(LIST, { ...bearer(token), 'mcp-session-id': session })).status).toBe(200)
    for (const stream of streams) await stream.body?.cancel()
    agent.destroy()
  })
})

describe('with agent_access off', () => {
  for (const era of ERAS) {
    proves(
      'agents.mcp-suspended',
      `the next request of a client of ${era} is refused, until agent_access is on again`,
      async () => {
        const integration = await home.integrate({ settings: { agent_access: 'on' } })
        await using client = await connectAgent(home, await agentToken(home, integration), era)
        await home.change(integration, { settings: { agent_access: 'off' } })
        await expect(callTool(client, 'house')).rejects.toThrow('agent_access_disabled')
        await home.change(integration, { settings: { agent_access: 'on' } })
        expect(await callTool(client, 'house')).toMatchObject({ structuredContent: { house: 'Sonnenwinkel' } })
      },
    )
  }

  proves(
    'agents.mcp-suspended',
    'open streams end at once, their sessions continue once it is on again, and other streams stay',
    async () => {
      const integration = await home.integrate({ settings: { agent_access: 'on' } })
      const token = await agentToken(home, integration)
      const other = await openStream(await agentToken(home))
      let otherEnded = false
      void other.ended.then(() => {
        otherEnded = true
      })
      const { ended, session } = await openStream(token)
      await home.change(integration, { settings: { agent_access: 'off' } })
      await ended
      expect(await post(LIST, { ...bearer(token), 'mcp-session-id': session })).toMatchObject({
        status: 403,
        body: { error: { code: 'agent_access_disabled' } },
      })
      await home.change(integration, { settings: { agent_access: 'on' } })
      expect(await post(LIST, { ...bearer(token), 'mcp-session-id': session })).toMatchObject({ status: 200 })
      expect(otherEnded).toBe(false)
    },
  )
})

proves(
  'agents.mcp-suspended',
  'a call that waits for a unit is refused at once when agent_access goes off',
  async () => {
    const integration = await home.integrate({ settings: { agent_access: 'on' } })
    const headers = bearer(await agentToken(home, integration))
    const switched = { device: home.id('hall-light', integration), op: 'set_power', args: { on: true } }
    const params = { name: 'control', arguments: switched }
    await home.running.still(async () => {
      const waiting = post({ jsonrpc: '2.0', id: 3, method: 'tools/call', params }, headers)
      expect(await Promise.race([waiting, post(LIST, headers)])).toMatchObject({ body: { id: LIST.id } })
      await home.change(integration, { settings: { agent_access: 'off' } })
      expect(await waiting).toMatchObject({ status: 403, body: { error: { code: 'agent_access_disabled' } } })
    })
  },
)

proves('agents.mcp-suspended', 'streams end when their credential is revoked, and when the gateway stops', async () => {
  const own = await homeForAgents()
  const [revoked, intact] = [await openStream(await agentToken(own), own), await openStream(await agentToken(own), own)]
  const { agents } = await own.running.admin.call<{ agents: { link: string; createdAt: number }[] }>('GET', '/agents')
  await own.running.admin.call('DELETE', `/agents/${agents[0]?.link}`)
  await Promise.race([revoked.ended, intact.ended])
  await own[Symbol.asyncDispose]()
  await Promise.all([revoked.ended, intact.ended])
})
