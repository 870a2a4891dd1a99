// @module-tag repeated
import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { rawRequest, type RawRequestOptions } from '#support/gateway/raw-client.ts'
import { casesOf } from '#support/long.ts'

const raw = (home: TestHome, options: RawRequestOptions): Promise<RawAnswer> => rawRequest(home.access(null), options)
const signed = (home: TestHome): Record<string, string> => ({ authorization: `Bearer ${home.main.token}` })

const REFUSED = { error: { code: 'method_not_allowed', message: expect.any(String) as string } }

describe('an unsupported method', () => {
  verifies(
    'requests.method-beside',
    'at a document is 405 with Allow, and needs no credential',
    { tags: ['long'] },
    async (home) => {
      // The relay compares the paths of its own documents without decoding them.
      const atHome = home.isRelayed ? [] : ['/ca.pem', '/%6fpenapi.json', '/ca.pem?x=1']
      for (const path of ['/openapi.json', '/asyncapi.json', '/asyncapi.json?x=1', ...atHome])
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE']) {
          const { status, headers, body } = await raw(home, { method, path })
          expect([path, method, status, headers?.['allow'], body]).toEqual([path, method, 405, 'GET, HEAD', REFUSED])
        }
      const typed = { method: 'POST', path: '/openapi.json', body: 'x', headers: { 'content-type': 'text/plain' } }
      expect(await raw(home, typed)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    },
  )

  verifies(
    'requests.method-beside',
    'at the stream and at MCP is 401 without a credential, 405 with Allow with one',
    async (home) => {
      for (const [path, allow] of [
        ['/v1/stream', 'GET, HEAD'],
        ['/mcp', 'GET, POST, DELETE'],
      ] as const) {
        const methods = ['PUT', 'PATCH', 'OPTIONS', 'PURGE', path === '/mcp' ? 'HEAD' : 'POST']
        for (const method of casesOf(methods, 2)) {
          expect((await raw(home, { method, path })).status).toBe(401)
          const { status, headers, body } = await raw(home, { method, path, headers: signed(home) })
          expect([path, method, status, headers?.['allow'], body]).toEqual([
            path,
            method,
            405,
            allow,
            method === 'HEAD' ? '' : REFUSED,
          ])
        }
      }
    },
  )
})

/** Paths that a relay does not serve. */
const HOME_ALONE: readonly string[] = ['/v1/gateway/tls', '/ca.pem']

describe('Allow', () => {
  verifies(
    'requests.home-alone',
    'is missing through a relay for paths that only the home network serves',
    async (home) => {
      for (const path of HOME_ALONE)
        for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
          const { status } = await raw(home, { method, path, headers: signed(home) })
          const atHome = ['GET', 'HEAD'].includes(method) ? 200 : 405
          expect([path, method, status]).toEqual([path, method, home.isRelayed ? 404 : atHome])
        }
    },
  )

  verifies(
    'requests.method',
    'of every path lists the methods of the OpenAPI document',
    { tags: ['long'] },
    async (home) => {
      // Paths of hidden people answer as invented ones.
      await home.change(home.main, { people: 'anyone' })
      const { body } = await raw(home, { path: '/openapi.json' })
      const { paths } = body as { paths: Readonly<Record<string, Readonly<Record<string, { tags: string[] }>>>> }
      let nowhere = 0
      for (const [path, item] of Object.entries(paths)) {
        const own = path.replaceAll(/\{\w+\}/g, 'x')
        const { status, headers } = await raw(home, { method: 'OPTIONS', path: own, headers: signed(home) })
        const served = Object.keys(item).filter((method) => !item[method]?.tags.includes('refused'))
        const atHome = home.isRelayed && HOME_ALONE.includes(path)
        const methods = served.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
        const isThere = methods.length > 0 && !atHome
        nowhere += isThere ? 0 : 1
        expect([path, status, headers?.['allow']?.split(', ').toSorted()]).toEqual(
          isThere ? [path, 405, methods.toSorted()] : [path, 404, undefined],
        )
      }
      expect(nowhere).toBeGreaterThan(3)
    },
  )
})

/** Answers to GET and HEAD without a change between them, although a unit may report at any moment. */
async function asBothMethods(home: TestHome, options: RawRequestOptions): Promise<Record<'got' | 'head', RawAnswer>> {
  let got = await raw(home, options)
  for (;;) {
    const head = await raw(home, { ...options, method: 'HEAD' })
    const after = await raw(home, options)
    if (after.headers?.['etag'] === got.headers?.['etag']) return { got, head }
    got = after
  }
}

describe('HEAD', () => {
  verifies('requests.head', 'has the status and headers of GET, and no body', { tags: ['long'] }, async (home) => {
    const without = { path: '/v1/about' }
    const paths: readonly RawRequestOptions[] = [
      ...[
        '/v1/house',
        '/v1/state',
        '/v1/scenes',
        home.at('hall-light'),
        home.at('never-was'),
        '/v1/activity?limit=x',
      ].map((path) => ({ path, headers: signed(home) })),
      ...['/openapi.json', '/ca.pem', '/v1/house', '/v1/nothing'].map((path) => ({ path })),
      { path: '/v1/nothing', headers: signed(home) },
      { path: '/v1/stream', headers: signed(home) },
      { path: '/v1/stream' },
      without,
    ]
    for (const options of paths) {
      const { got, head } = await asBothMethods(home, options)
      const { date: _got, ...expected } = got.headers ?? {}
      const { date: _head, ...headers } = head.headers ?? {}
      expect([options.path, head.status, head.text, headers]).toEqual([options.path, got.status, '', expected])
      expect(Number(headers['content-length'])).toBe(Buffer.byteLength(got.text))
    }
  })

  verifies('requests.head', 'is 304 for a known ETag, and 405 where GET is not served', async (home) => {
    const { headers = {} } = await raw(home, { method: 'HEAD', path: '/v1/scenes', headers: signed(home) })
    const again = { 'if-none-match': headers['etag'] ?? '' }
    expect(
      await raw(home, { method: 'HEAD', path: '/v1/scenes', headers: { ...signed(home), ...again } }),
    ).toMatchObject({ status: 304, text: '' })
    const control = await raw(home, { method: 'HEAD', path: home.at('hall-light', '/control'), headers: signed(home) })
    expect([control.status, control.headers?.['allow']]).toEqual([405, 'POST'])
    const body = { method: 'HEAD', path: '/v1/house', body: '{"a":1}' }
    expect(
      (await raw(home, { ...body, headers: { ...signed(home), 'content-type': 'application/json' } })).status,
    ).toBe(422)
  })
})

describe('401', () => {
  const tokens: readonly (readonly [authorization: string | null, error: string])[] = [
    [null, ''],
    ['Basic aG06aG0=', ''],
    ['Bearer ', ''],
    ['Bearer no', 'error="invalid_token"'],
    [`Bearer hm_key_${'x'.repeat(40)}`, 'error="invalid_token"'],
  ]
  const requests = [
    ['GET', '/v1/house'],
    ['GET', '/v1/nothing'],
    ['POST', '/v1/house'],
    ['GET', '/v1/stream'],
    ['POST', '/mcp'],
    ['PUT', '/mcp'],
  ] as const

  verifies('refusals.challenge', 'says how to authenticate, and names an invalid token as the error', async (home) => {
    for (const [method, path] of requests)
      for (const [authorization, error] of tokens) {
        const answer = await raw(home, { method, path, headers: authorization === null ? {} : { authorization } })
        expect([path, authorization, answer.status]).toEqual([path, authorization, 401])
        expect([path, authorization, challengeIn(answer)]).toEqual([path, authorization, error])
        // Agents find the relay's sign-in through this field.
        const hasMetadata = answer.headers?.['www-authenticate']?.includes('resource_metadata=')
        expect([path, hasMetadata]).toEqual([path, home.isRelayed && path === '/mcp'])
      }
    const deleted = await home.integrate({})
    await home.running.admin.call('DELETE', `/integrations/${deleted.id}`)
    for (const [path, token] of [
      ['/v1/house', deleted.token],
      ['/mcp', home.main.token],
    ] as const) {
      const answer = await raw(home, { method: 'POST', path, headers: { authorization: `Bearer ${token}` } })
      expect([path, answer.status, challengeIn(answer)]).toEqual([path, 401, 'error="invalid_token"'])
    }
    expect((await raw(home, { path: '/v1/house', headers: signed(home) })).headers).not.toHaveProperty(
      'www-authenticate',
    )
  })

  verifies('refusals.challenge', 'of the stream does so for a token in the address too', async (home) => {
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
    const headers = { ...upgrade, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' }
    for (const [path, error] of [
      ['/v1/stream', ''],
      ['/v1/stream?token=no', 'error="invalid_token"'],
    ] as const) {
      const answer = await raw(home, { path, headers })
      expect([path, answer.status, challengeIn(answer)]).toEqual([path, 401, error])
    }
  })
})

/** Error parameter in the challenge of a 401, or an empty text. */
function challengeIn({ headers }: RawAnswer): string {
  const challenge = headers?.['www-authenticate'] ?? ''
  expect(challenge).toMatch(/^Bearer(?: |$)/)
  return /error="[^"]*"/.exec(challenge)?.[0] ?? ''
}
