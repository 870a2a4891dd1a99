import { auth } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { askInBrowser } from '#support/relay/oauth-agent.ts'
import { HOME, olgasRelay } from '#support/relay/test-web.ts'
import { TokenKeeper } from '#support/relay/token-keeper.ts'

describe('the official MCP client', () => {
  test(
    'finds the sign-in by itself, gets access, refreshes, and keeps its tokens while the home is offline',
    { tags: ['long'] },
    async () => {
      const { origin, fetch, homes, olga } = await olgasRelay()
      const keeper = new TokenKeeper()
      const options = {
        serverUrl: `${origin}/mcp`,
        fetchFn: fetch as (url: string | URL, init?: RequestInit) => Promise<Response>,
      }
      expect(await auth(keeper, options)).toBe('REDIRECT')
      const page = await askInBrowser(olga, keeper.stored.url!)
      homes.decide('accepted')
      await olga.wait(page)
      const { searchParams } = olga.left!
      const code = { authorizationCode: searchParams.get('code')!, iss: searchParams.get('iss')! }
      expect(await auth(keeper, { ...options, ...code })).toBe('AUTHORIZED')
      const first = keeper.stored.tokens!
      expect(first.access_token).toMatch(new RegExp(`^hm_agent_${HOME}`))
      expect(await auth(keeper, options)).toBe('AUTHORIZED')
      expect(keeper.stored.tokens!.access_token).not.toBe(first.access_token)
      homes.failing.set(HOME, { kind: 'gateway_offline', retryAfter: 15 })
      const { tokens, url } = keeper.stored
      await expect(auth(keeper, options)).rejects.toThrow('not connected right now')
      expect(keeper.stored).toMatchObject({ tokens, url })
    },
  )
})
