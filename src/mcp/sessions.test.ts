import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { INITIALIZE } from '#support/gateway/mcp-initialize.ts'
import { systemRandom } from '../lib/random.ts'
import type { AuthFailure } from '../auth/authenticator.ts'
import { fail } from '../lib/result.ts'
import { endable, type RequestOwner } from './open-requests.ts'
import { mcpServer } from './server.ts'
import { SESSION_IDLE_MS, SESSION_LIMITS, Sessions } from './sessions.ts'

const owner = (link: string): RequestOwner => ({ token: `token of ${link}`, via: 'home', door: 'mcp', link })
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
class Desk {
  readonly clock = new ManualClock()
  readonly sessions = new Sessions({
    // No credential holds: a session that is checked again ends.
    authenticator: { check: () => fail<AuthFailure>('unauthorized') },
    clock: this.clock,
    random: systemRandom,
    serve: () => mcpServer({ sessionElicits: true }),
  })

  async begin(link: string): Promise<string | null> {
    const response = await this.sessions.begin(
      new Request('https://home/mcp', { method: 'POST', headers: HEADERS }),
      owner(link),
      { parsedBody: INITIALIZE },
    )
    await response?.text()
    return response?.headers.get('mcp-session-id') ?? null
  }

  async ping(id: string, link: string): Promise<number | undefined> {
    const request = new Request('https://home/mcp', { method: 'POST', headers: { ...HEADERS, 'mcp-session-id': id } })
    const response = await this.sessions.answer(id, request, owner(link), {
      parsedBody: { jsonrpc: '2.0', id: 2, method: 'ping' },
    })
    await response?.text()
    return response?.status
  }

  /** The stream on which the server could speak. */
  async listen(id: string, link: string): Promise<Response | null> {
    return this.sessions.answer(
      id,
      new Request('https://home/mcp', { headers: { accept: 'text/event-stream', 'mcp-session-id': id } }),
      owner(link),
      {},
    )
  }

  pass(ms: number): void {
    this.clock.advance(ms)
    this.sessions.endIdle()
  }
}

test('a session ends when it was idle for its time, and not while it is used', async () => {
  const desk = new Desk()
  const id = (await desk.begin('a')) ?? ''
  desk.pass(SESSION_IDLE_MS - 1)
  expect(await desk.ping(id, 'a')).toBe(200)
  desk.pass(SESSION_IDLE_MS - 1)
  expect(await desk.ping(id, 'a')).toBe(200)
  desk.pass(SESSION_IDLE_MS)
  expect(await desk.ping(id, 'a')).toBeUndefined()
  expect(desk.sessions.count).toBe(0)
})

test('a session with an open stream is not idle; its stream ends with it', async () => {
  const desk = new Desk()
  const id = (await desk.begin('a')) ?? ''
  const stream = await desk.listen(id, 'a')
  desk.pass(SESSION_IDLE_MS * 2)
  expect(desk.sessions.count).toBe(1)
  desk.sessions.recheck()
  expect(await stream?.text()).toBe('')
  expect(desk.sessions.count).toBe(0)
})

test('nobody uses the session of another credential', async () => {
  const desk = new Desk()
  const id = (await desk.begin('a')) ?? ''
  expect(await desk.ping(id, 'b')).toBeUndefined()
})

test('a credential has so many sessions, and its oldest gives way; all together have so many', async () => {
  const desk = new Desk()
  const credentials = Array.from(
    { length: SESSION_LIMITS.all / SESSION_LIMITS.perCredential },
    (_, index) => `link ${index}`,
  )
  const first = (await desk.begin('link 0')) ?? ''
  for (const link of credentials)
    for (let more = 0; more < SESSION_LIMITS.perCredential; more += 1) await desk.begin(link)
  expect(desk.sessions.count).toBe(SESSION_LIMITS.all)
  expect(await desk.ping(first, 'link 0')).toBeUndefined()
  expect(await desk.begin('one more')).toBeNull()
})

test('a body ends when it is told to, and says so once', async () => {
  const told: string[] = []
  const endless = (): Response =>
    new Response(new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from('a')) }))
  const stop = new AbortController()
  const response = endable(endless(), stop.signal, () => told.push('stopped'))
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('a')
  stop.abort()
  expect(await reader?.read()).toMatchObject({ done: true })
  await endable(endless(), new AbortController().signal, () => told.push('left')).body?.cancel()
  endable(new Response(null), stop.signal, () => told.push('empty'))
  expect(told).toEqual(['stopped', 'left', 'empty'])
})
