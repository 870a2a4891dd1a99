import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { TABLES } from '../../relay/store/store.ts'
import { testWeb } from '#support/relay/test-web.ts'
import { tablesOf } from '#support/project/markdown-tables.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

const RECORD = '0b6e9c1e-0000-4000-8000-000000000000'

describe('the documents that lead agents to the sign-in', () => {
  test.each([
    ['', 'mcp'],
    ['/mcp', 'mcp'],
    [`/mcp/r/${RECORD}`, `mcp/r/${RECORD}`],
  ])('the protected resource at %j is %s', async (path, door) => {
    const { origin, fetch, web } = await testWeb()
    const url = `${origin}/.well-known/oauth-protected-resource${path}`
    const response = await fetch(url)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toEqual({
      resource: `${origin}/${door}`,
      authorization_servers: [origin],
      scopes_supported: ['home'],
      bearer_methods_supported: ['header'],
      resource_name: 'Home Control Service',
    })
    if (path === '') return
    expect(web.challenge(door, null)).toBe(`Bearer resource_metadata="${url}", scope="home"`)
    expect(web.challenge(door, 'worn')).toBe(`Bearer resource_metadata="${url}", scope="home", error="invalid_token"`)
  })

  test('a slash at the end of a path names the same resource', async () => {
    const { origin, fetch } = await testWeb()
    for (const path of ['/mcp', `/mcp/r/${RECORD}`]) {
      const url = `${origin}/.well-known/oauth-protected-resource${path}`
      expect(await (await fetch(`${url}/`)).json()).toEqual(await (await fetch(url)).json())
    }
  })

  test('no other path is a resource', async () => {
    const { web } = await testWeb()
    for (const path of ['/v1', '/mcp/r/x', '/mcp//', '/mcp2', `/mcp/r/${RECORD}/x`])
      expect(web.owns(`/.well-known/oauth-protected-resource${path}`), path).toBe(false)
  })

  test.each(['oauth-authorization-server', 'openid-configuration'])('the server’s metadata at %s', async (name) => {
    const { origin, fetch } = await testWeb()
    const metadata = (await (await fetch(`${origin}/.well-known/${name}`)).json()) as Record<string, unknown>
    expect(metadata).toMatchObject({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      jwks_uri: `${origin}/jwks`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      scopes_supported: ['home', 'offline_access'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      authorization_response_iss_parameter_supported: true,
    })
    for (const absent of ['userinfo_endpoint', 'end_session_endpoint', 'pushed_authorization_request_endpoint'])
      expect(metadata).not.toHaveProperty(absent)
  })

  test('name the relay’s own origin, for every host name of the client', async () => {
    const { origin, fetch } = await testWeb()
    const headers = { host: 'evil.example' }
    const metadata = await fetch(`${origin}/.well-known/oauth-authorization-server`, { headers })
    expect(await metadata.text()).not.toContain('evil.example')
  })
})

describe('GET /.well-known/hm-relay', () => {
  test('lists stored data with their lifetimes, as docs/what-the-relay-sees.md does', async () => {
    const { origin, fetch } = await testWeb()
    const about = (await (await fetch(`${origin}/.well-known/hm-relay`)).json()) as {
      keeps: { name: string; what: string; seconds: number | null }[]
      modes: Record<string, { offered: boolean }>
    }
    expect(about.keeps.map(({ name, seconds }) => [name, seconds])).toEqual(
      Object.entries(TABLES).map(([name, ms]) => [name, ms === null ? null : ms / 1_000]),
    )
    expect(about.modes['passthrough']?.offered).toBe(true)
    const page = readFileSync(join(PROJECT_ROOT, 'docs/what-the-relay-sees.md'), 'utf8')
    const rows = tablesOf(page).find(({ headers }) => headers.join() === 'table,gone after,holds')!.rows
    const times: Readonly<Record<string, number>> = { min: 60_000, d: 86_400_000 }
    const written = rows.map(([name, after]) => {
      const [, count, unit] = /^(\d+) (\w+)$/.exec(after!) ?? []
      return [/`(\w+)`/.exec(name!)?.[1], unit === undefined ? null : Number(count) * times[unit]!]
    })
    expect(written).toEqual(Object.entries(TABLES))
  })
})
