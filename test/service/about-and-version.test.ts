import { describe, expect } from 'vitest'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { checkAnswer } from '#support/gateway/conformance.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'

describe('GET /v1/about', () => {
  verifies('4.about', 'has the same text for every caller and every home', async (home) => {
    const answer = await home.call({ method: 'GET', path: '/v1/about' })
    expect(answer.status).toBe(200)
    const text = String(answer.body)
    for (const word of ['Authorization', 'Bearer', '/v1/house', '/v1/stream', '/openapi.json'])
      expect(text).toContain(word)
    // The relay has its own text, because the CA of a gateway is for the home network.
    expect(text.includes('/ca.pem')).toBe(!home.isRelayed || home.transport === 'stream')
    const other = await home.integrate({ expose: ['room:study'] })
    expect((await home.call({ method: 'GET', path: '/v1/about', token: other.token })).text).toBe(answer.text)
    if (home.transport === 'stream') return
    // A credential is neither needed nor checked.
    const credentials: readonly Record<string, string>[] = [
      {},
      { authorization: 'Bearer nonsense' },
      { authorization: `Bearer ${home.main.token}` },
    ]
    for (const headers of credentials) {
      expect(await rawRequest(home.access(null), { path: '/v1/about', headers })).toMatchObject({
        status: 200,
        text,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      })
    }
  })
})

/** Every GET of the service that needs at most an id of the demo house. */
function reads(home: TestHome): readonly string[] {
  const scene = encodeURIComponent(home.id('scene:dinner'))
  return [
    '/v1/integration',
    '/v1/house',
    '/v1/state',
    '/v1/intents',
    '/v1/scenes',
    '/v1/automations',
    '/v1/schedules',
    '/v1/sensors',
    '/v1/energy',
    '/v1/activity',
    // It is served only on the home network (Spec 4).
    ...(home.isRelayed ? [] : ['/v1/gateway/tls']),
    home.at('hall-light'),
    home.at('kitchen-panel'),
    home.at('kitchen-panel:0'),
    home.at('scene:dinner'),
    home.at('hall-light', '/explain'),
    home.at('scene:dinner', '/explain'),
    home.at('hall-light', '/intents'),
    home.at('hall-light', '/schedules'),
    `/v1/scenes/${scene}`,
    `/v1/sensors/${encodeURIComponent(home.id('landing-sensor'))}/detections`,
  ]
}

describe('the version', () => {
  verifies(['9.1.prefix'], 'is in the path of every endpoint, and no path without it is served', async (home) => {
    for (const path of reads(home)) {
      expect(path).toMatch(/^\/v1\//)
      expect(await home.call({ method: 'GET', path }), path).toMatchObject({ status: 200 })
      for (const other of [
        path.slice('/v1'.length),
        path.replace('/v1', '/v2'),
        path.replace('/v1', '/V1'),
        path.replace('/v1', ''),
      ]) {
        expect(await home.call({ method: 'GET', path: other }), other).toMatchObject({
          status: 404,
          body: { error: { code: 'not_found' } },
        })
      }
    }
  })

  verifies(
    ['9.3.answers', '1.5.house'],
    'of the documents matches the answers: every read fits its schema and names the home',
    async (home) => {
      for (const path of reads(home)) {
        const answer = await home.call({ method: 'GET', path })
        // The client checked it against the document. Removing a required field shows that the check can fail.
        expect(() => checkAnswer('GET', path, 200, answer.body), path).not.toThrow()
        const { house, ...rest } = answer.body as { house: unknown }
        expect(house, path).toBe('Sonnenwinkel')
        expect(() => checkAnswer('GET', path, 200, rest), path).toThrow('house')
      }
    },
  )
})

describe('the stream', () => {
  verifies('1.2.same-paths', 'answers the same requests with the same status and body as HTTPS', async (home) => {
    const overHttp = async (path: string, method: string, body?: unknown) => {
      const payload = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await rawRequest(home.access(null), {
        method,
        path,
        headers: {
          authorization: `Bearer ${home.main.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...payload,
      })
      return { status: answer.status, text: answer.text }
    }
    const writes: readonly (readonly [method: string, path: string, body?: unknown])[] = [
      ['PATCH', home.at('guest-light'), { name: 'Guest room light' }],
      ['PATCH', `/v1/rooms/${encodeURIComponent(home.id('room:study'))}`, { name: 'Study' }],
      ['POST', home.at('guest-light', '/control'), { op: 'explode' }],
      ['POST', home.at('invented', '/control'), { op: 'open' }],
      ['DELETE', home.at('guest-light')],
      ['POST', '/v1/house'],
      ['POST', '/v1/rooms', { name: 'x' }],
      ['POST', '/v1/scenes', { name: 7 }],
      ['GET', '/v1/nothing'],
      ['GET', '/v1/house', { surprise: 1 }],
      ['GET', '/v1/activity?limit=0'],
      ['GET', '/v1/energy?period=day&scope=garage'],
    ]
    for (const [method, path, body] of [...reads(home).map((path) => ['GET', path] as const), ...writes]) {
      const [plain, question] = path.split('?')
      const both = async () => {
        const over = await home.call({
          method,
          path: plain ?? '',
          ...(question === undefined ? {} : { query: Object.fromEntries(new URLSearchParams(question)) }),
          ...(body === undefined ? {} : { body }),
        })
        return { over, there: await overHttp(path, method, body) }
      }
      // Readings would differ meanwhile; a write waits for commits, which need time to pass.
      const { over, there } = await (method === 'GET' ? home.running.still(both) : both())
      expect({ status: over.status, text: steady(over.text) }, `${method} ${path}`).toEqual({
        status: there.status,
        text: steady(there.text),
      })
    }
  })
})

/** Removes values that change between two requests. */
function steady(text: string): string {
  return text
    .replace(/"(?:asOf|at|from|to|next|nextTo)":\d+/g, '"t":0')
    .replace(/"(?:energy|cost|power|temperature|humidity|light)":-?[\d.]+/g, '"v":0')
}
