import { describe, expect, test } from 'vitest'
import { AUTHORIZATIONS } from '../../relay/oauth/server.ts'
import { proves } from '#support/gateway/verifies.ts'
import { OAuthAgent } from '#support/relay/oauth-agent.ts'
import { testWeb } from '#support/relay/test-web.ts'

describe('a method that an OAuth endpoint does not take', () => {
  const READ = 'GET, HEAD'
  const SENT = 'POST'

  for (const [method, path, allow] of [
    ['GET', '/token', SENT],
    ['HEAD', '/token', SENT],
    ['PUT', '/token', SENT],
    ['OPTIONS', '/token', SENT],
    ['POST', '/authorize', READ],
    ['DELETE', '/authorize', READ],
    ['OPTIONS', '/authorize', READ],
    ['POST', '/authorize/an-id', READ],
    ['GET', '/register', SENT],
    ['PUT', '/register', SENT],
    ['POST', '/jwks', READ],
    ['OPTIONS', '/jwks', READ],
    ['GET', '/revoke', SENT],
    ['PATCH', '/revoke', SENT],
    ['POST', '/.well-known/oauth-authorization-server', READ],
    ['PUT', '/.well-known/openid-configuration', READ],
  ] as const)
    proves(
      'relay.oauth-methods',
      `${method} ${path} is refused in the form of OAuth, with the allowed methods`,
      async () => {
        const { origin, fetch, log } = await testWeb()
        const response = await fetch(`${origin}${path}`, { method })
        const { status, headers } = response
        expect([status, headers.get('allow'), headers.get('cache-control')]).toEqual([405, allow, 'no-store'])
        expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
        const text = await response.text()
        if (method === 'HEAD') expect(text).toBe('')
        else
          expect(JSON.parse(text)).toEqual({
            error: 'invalid_request',
            error_description: `This endpoint does not take this method; it takes ${allow.split(',')[0]}.`,
          })
        expect(log.lines).toEqual([])
      },
    )

  test.each(['/jwks', '/revoke', '/token', '/.well-known/oauth-authorization-server'])(
    'pages of other origins still get preflight responses from %s',
    async (path) => {
      const { origin, fetch } = await testWeb()
      const headers = { origin: 'https://page.example', 'access-control-request-method': 'GET' }
      const { status } = await fetch(`${origin}${path}`, { method: 'OPTIONS', headers })
      expect(status).toBe(204)
    },
  )

  test.each(['/.well-known/hm-relay', '/.well-known/oauth-protected-resource/mcp'])('%s is only read', async (path) => {
    const { origin, fetch } = await testWeb()
    const response = await fetch(`${origin}${path}`, { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, READ])
    expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed' } })
    expect((await fetch(`${origin}${path}`, { method: 'HEAD' })).status).toBe(200)
  })

  test('HEAD is supported wherever GET is', async () => {
    const { origin, fetch } = await testWeb()
    for (const path of ['/jwks', '/.well-known/oauth-authorization-server'])
      expect((await fetch(`${origin}${path}`, { method: 'HEAD' })).status, path).toBe(200)
  })
})

proves(
  'relay.oauth-rate',
  'a person above the rate limit of authorizations sees a page with the waiting time',
  async () => {
    const { origin, fetch, browser } = await testWeb()
    const agent = await OAuthAgent.register(origin, fetch)
    const person = browser()
    const url = await agent.authorizeUrl()
    for (let time = 0; time < AUTHORIZATIONS.burst; time += 1) expect((await person.open(url)).status).not.toBe(429)
    const page = await person.open(url)
    expect([page.status, page.title]).toEqual([429, 'Not available right now'])
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.text).toContain(`Try again in ${page.headers.get('retry-after')} seconds.`)
    expect(page.text).not.toContain('is wrong')
  },
)
