import { expect, test } from 'vitest'
import { AccessHome } from '#support/homes/access-home.ts'
import { INITIALIZE } from '#support/gateway/mcp-initialize.ts'
import { endable, RESTING_SESSIONS_MAX, SESSION_IDLE_MS, SESSION_STREAM_LIMITS, McpSessions } from './mcp-sessions.ts'
import { mcpServer } from './server.ts'

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Sessions in memory over a store of keys and ended ids. `restarted` returns another process over that store. */
class Desk {
  readonly home: AccessHome
  readonly sessions: McpSessions

  constructor(home = new AccessHome()) {
    this.home = home
    this.sessions = new McpSessions({
      ids: home.agentSessions,
      clock: home.clock,
      serve: () => mcpServer({ sessionElicits: true }),
    })
  }

  restarted(): Desk {
    this.sessions.restAll()
    return new Desk(this.home)
  }

  async begin(link: string): Promise<string> {
    const request = new Request('https://home/mcp', { method: 'POST', headers: HEADERS })
    const response = await this.sessions.begin(request, link, '2025-11-25', { parsedBody: INITIALIZE })
    await response.text()
    return response.headers.get('mcp-session-id') ?? ''
  }

  async ping(id: string, link: string, message = 2): Promise<number | undefined> {
    const request = new Request('https://home/mcp', { method: 'POST', headers: { ...HEADERS, 'mcp-session-id': id } })
    const parsedBody = { jsonrpc: '2.0', id: message, method: 'ping' }
    const response = await this.sessions.answer(id, request, link, { parsedBody })
    await response?.text()
    return response?.status
  }

  /** Opens the stream of a session. */
  listen(id: string, link: string): Promise<Response | null> {
    const headers = { accept: 'text/event-stream', 'mcp-session-id': id }
    return this.sessions.answer(id, new Request('https://home/mcp', { headers }), link, {})
  }

  pass(ms: number): void {
    this.home.clock.advance(ms)
    this.sessions.restIdle()
  }
}

test('an idle session leaves memory and answers when it is used again', async () => {
  const desk = new Desk()
  const id = await desk.begin('a')
  desk.pass(SESSION_IDLE_MS - 1)
  expect(desk.sessions.count).toBe(1)
  desk.pass(1)
  expect(desk.sessions.count).toBe(0)
  expect(await desk.ping(id, 'a')).toBe(200)
  expect(desk.sessions.count).toBe(1)
})

test('requests that wake a session at the same time share it', async () => {
  const desk = new Desk()
  const id = await desk.begin('a')
  const next = desk.restarted()
  expect(await Promise.all(Array.from({ length: 5 }, (_, at) => next.ping(id, 'a', at + 2)))).toEqual(
    Array(5).fill(200),
  )
  expect(next.sessions.count).toBe(1)
})

test('a session with an open stream stays in memory, and its next stream replaces the last', async () => {
  const desk = new Desk()
  const id = await desk.begin('a')
  const stream = await desk.listen(id, 'a')
  desk.pass(SESSION_IDLE_MS * 2)
  expect(desk.sessions.count).toBe(1)
  const next = await desk.listen(id, 'a')
  expect([next?.status, await stream?.text()]).toEqual([200, ''])
  desk.sessions.restAll()
  expect(await next?.text()).toBe('')
})

test('a session belongs to one credential, and an ended one stays ended after a restart', async () => {
  const desk = new Desk()
  const [link, other] = ['a', 'b'].map(
    (name) =>
      desk.home.credentials.create(
        { integration: desk.home.integrate().id, kind: 'agent', name, platform: 'test' },
        { source: 'person', name: 'Anna' },
      ).credential.link,
  ) as [string, string]
  const [ended, live] = [await desk.begin(link), await desk.begin(link)]
  expect(await desk.ping(ended, other)).toBeUndefined()
  expect([desk.sessions.end(ended, other), desk.sessions.end(ended, link)]).toEqual([false, true])
  expect(await desk.ping(ended, link)).toBeUndefined()
  const next = desk.restarted()
  expect([await next.ping(ended, link), await next.ping(live, link)]).toEqual([undefined, 200])
})

test('memory has a limit: the longest idle session leaves it, and its id stays valid', async () => {
  const desk = new Desk()
  const first = await desk.begin('a')
  for (let more = 0; more < RESTING_SESSIONS_MAX; more += 1) await desk.begin(`link ${more}`)
  expect(desk.sessions.count).toBe(RESTING_SESSIONS_MAX)
  expect(await desk.ping(first, 'a')).toBe(200)
  expect(desk.sessions.count).toBe(RESTING_SESSIONS_MAX)
})

test('streams are limited per credential and in total, without counting the stream of the session itself', async () => {
  const desk = new Desk()
  const open = async (link: string): Promise<string> => {
    const id = await desk.begin(link)
    await desk.listen(id, link)
    return id
  }
  const own = await open('a')
  for (let more = 1; more < SESSION_STREAM_LIMITS.perCredential; more += 1) await open('a')
  expect([desk.sessions.isFull(own, 'a'), desk.sessions.isFull(await desk.begin('a'), 'a')]).toEqual([false, true])
  for (let more = SESSION_STREAM_LIMITS.perCredential; more < SESSION_STREAM_LIMITS.all; more += 1)
    await open(`${more}`)
  expect(desk.sessions.isFull(await desk.begin('z'), 'z')).toBe(true)
  desk.sessions.restAll()
})

test('a body ends on abort, and reports its end once', async () => {
  const ends: string[] = []
  const endless = (): Response =>
    new Response(new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from('a')) }))
  const stop = new AbortController()
  const response = endable(endless(), stop.signal, () => ends.push('stopped'))
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('a')
  stop.abort()
  expect(await reader?.read()).toMatchObject({ done: true })
  await endable(endless(), new AbortController().signal, () => ends.push('left')).body?.cancel()
  endable(new Response(null), stop.signal, () => ends.push('empty'))
  expect(ends).toEqual(['stopped', 'left', 'empty'])
})
