import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Via, TokenAudience } from '../../src/auth/credentials/credentials.ts'
import {
  ACCESS_LIFE_MS,
  ACCESS_TOKENS_MAX,
  type HostedPair,
  OVERLAP_MS,
  REFRESH_GENERATIONS_MAX,
  REFRESH_TOKENS_MAX,
} from '../../src/auth/hosted/hosted-tokens.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { acceptedRequest, CLAUDE, connectedAgent, errorOf, linkOf, valueOf } from '#support/homes/hosted-agents.ts'
import { HOUR, MINUTE } from './pairing-steps.ts'

const INVALID = { kind: 'invalid_grant' }
const failure = (home: AccessHome, token: string, via: Via, audience?: TokenAudience) =>
  errorOf(home.authenticator.check(token, via, audience))
const refresh = (home: AccessHome, { refresh: token }: HostedPair, client = CLAUDE) =>
  home.hosted.refresh({ refresh: token, client })
const next = (home: AccessHome, pair: HostedPair): HostedPair => valueOf(refresh(home, pair))
/** Refreshes a minute later, within the rate limit. */
const later = (home: AccessHome, pair: HostedPair): HostedPair => {
  home.clock.advance(MINUTE)
  return next(home, pair)
}
const stored = (home: AccessHome): { kind: string }[] =>
  home.core.db.prepare<[], { kind: string }>('SELECT * FROM hosted_tokens').all()

proves(
  'agents.hosted-rotation',
  'a refresh for another audience creates no token and does not use up the old one',
  () => {
    using home = new AccessHome()
    const { id } = home.integrate()
    const pair = connectedAgent(home)
    const before = stored(home)
    const ask = { refresh: pair.refresh, client: CLAUDE }
    for (const door of [`mcp/r/${id}`, 'api', ''])
      expect(errorOf(home.hosted.refresh({ ...ask, door })), door).toEqual({ kind: 'invalid_target' })
    expect(stored(home)).toEqual(before)
    home.clock.advance(OVERLAP_MS + MINUTE)
    expect(valueOf(home.hosted.refresh({ ...ask, door: 'mcp' })).door).toBe('mcp')
  },
)

describe('an access token', () => {
  proves('agents.hosted-audience', 'works only through the cloud and for its own audience', () => {
    using home = new AccessHome()
    const { id } = home.integrate()
    const [any, bound] = [
      connectedAgent(home),
      connectedAgent(home, { record: id, door: `mcp/r/${id}`, name: 'Bound' }),
    ]
    expect(any.access).toMatch(new RegExp(`^hm_agent_[a-z0-9]{12}\\.${id}\\.[a-z0-9]{10}\\.[\\w-]{43}$`))
    expect([any.door, bound.door, any.expiresIn]).toEqual(['mcp', `mcp/r/${id}`, 3_600])
    expect(failure(home, any.access, 'cloud', 'mcp')).toBeNull()
    expect(failure(home, bound.access, 'cloud', `mcp/r/${id}`)).toBeNull()
    for (const [token, via, door, own] of [
      [any.access, 'home', 'mcp', 'mcp'],
      [any.access, 'home', 'api', 'mcp'],
      [any.access, 'cloud', 'api', 'mcp'],
      [any.access, 'cloud', undefined, 'mcp'],
      [any.access, 'cloud', `mcp/r/${id}`, 'mcp'],
      [bound.access, 'cloud', 'mcp', `mcp/r/${id}`],
      [bound.access, 'cloud', 'api', `mcp/r/${id}`],
      [bound.access, 'home', `mcp/r/${id}`, `mcp/r/${id}`],
    ] as const)
      expect(failure(home, token, via, door), `${token} ${via} ${door}`).toBe(`for ${own}`)
    for (const [token, via, door] of [
      [any.refresh, 'cloud', 'mcp'],
      [any.refresh, 'cloud', 'api'],
      [`${any.access.slice(0, -1)}_`, 'cloud', 'mcp'],
      [any.access.replace('hm_agent', 'hm_session'), 'cloud', 'mcp'],
    ] as const)
      expect(failure(home, token, via, door), `${token} ${via} ${door}`).toBe('unauthorized')
  })

  proves('agents.hosted-audience', 'or other credential is refused at the address of another integration', () => {
    using home = new AccessHome()
    const [one, other] = [home.integrate(), home.integrate()]
    for (const kind of ['key', 'agent', 'session'] as const) {
      const { token } = home.credentials.create({ integration: one.id, kind, name: 'Robot', platform: 'lab' }, ANNA)
      expect(failure(home, token, 'cloud', `mcp/r/${one.id}`)).toBeNull()
      expect(failure(home, token, 'cloud', `mcp/r/${other.id}`)).toBe(`for mcp/r/${one.id}`)
      expect(failure(home, token, 'cloud', 'mcp')).toBeNull()
    }
  })

  proves('agents.hosted-hour', 'lasts an hour of steady time, despite clock jumps and a restart', () => {
    using home = new AccessHome()
    home.integrate()
    const { access } = connectedAgent(home)
    home.clock.jumpWall(400 * 24 * HOUR)
    expect(failure(home, access, 'cloud', 'mcp')).toBeNull()
    home.clock.jumpWall(-800 * 24 * HOUR)
    home.clock.advance(ACCESS_LIFE_MS - 1)
    expect(failure(home, access, 'cloud', 'mcp')).toBeNull()
    home.stop()
    home.start()
    home.clock.advance(1)
    expect(failure(home, access, 'cloud', 'mcp')).toBe('token_expired')
    expect(failure(home, access, 'cloud', 'api')).toBe('token_expired')
  })

  proves('agents.hosted-hour', 'and its refresh token are stored only as SHA-256', () => {
    using home = new AccessHome()
    home.integrate()
    const pair = connectedAgent(home)
    const dump = JSON.stringify(
      ['credentials', 'hosted_tokens', 'agent_requests', 'activity_outbox'].map((table) =>
        home.core.db.prepare(`SELECT * FROM ${table}`).all(),
      ),
    )
    for (const token of [pair.access, pair.refresh]) {
      const secret = token.split('.')[3]!
      expect(dump).not.toContain(secret)
      expect(dump).toContain(JSON.stringify(createHash('sha256').update(secret).digest()))
    }
  })

  proves(
    '5.8.agent-access',
    'is refused with the reason while its integration is disabled or refuses agents or the cloud',
    () => {
      using home = new AccessHome()
      const { id } = home.integrate()
      const { access } = connectedAgent(home)
      for (const [change, reason] of [
        [{ knobs: { agent_access: 'off' } }, 'agent_access_disabled'],
        [{ knobs: { agent_access: 'on', cloud_access: 'off' } }, 'cloud_access_disabled'],
        [{ enabled: false, knobs: { cloud_access: 'on' } }, 'record_disabled'],
        [{ enabled: true }, null],
      ] as const) {
        home.change(id, change)
        expect(failure(home, access, 'cloud', 'mcp')).toBe(reason)
      }
      home.change(id, { knobs: { cloud_access: 'off' } })
      // A caller with a wrong secret does not learn the reason.
      expect(failure(home, `${access.slice(0, -1)}_`, 'cloud', 'mcp')).toBe('unauthorized')
    },
  )
})

describe('a refresh token', () => {
  proves('agents.hosted-rotation', 'gives a new pair on each use within two minutes', () => {
    using home = new AccessHome()
    home.integrate()
    const first = connectedAgent(home)
    const pairs = Array.from({ length: 10 }, () => next(home, first))
    home.clock.advance(OVERLAP_MS)
    pairs.push(next(home, first))
    expect(new Set(pairs.flatMap(({ access, refresh: token }) => [access, token])).size).toBe(22)
    for (const { access } of [first, ...pairs]) expect(failure(home, access, 'cloud', 'mcp')).toBeNull()
  })

  proves(
    'agents.hosted-branches',
    'makes a branch with each use; the next use of one branch ends the unused branches',
    () => {
      using home = new AccessHome()
      home.integrate()
      const first = connectedAgent(home)
      const branches = () => home.storedTokens.unused(linkOf(first.access))
      expect(branches()).toBe(1)
      const [one, two] = [next(home, first), next(home, first)]
      expect(branches()).toBe(2)
      const third = later(home, two)
      expect(branches()).toBe(1)
      expect(errorOf(refresh(home, one))).toEqual(INVALID)
      expect(failure(home, third.access, 'cloud', 'mcp')).toBeNull()
      expect(later(home, third).door).toBe('mcp')
    },
  )

  proves('agents.hosted-code-reused', 'ends with its access token when the authorization code is reused', () => {
    using home = new AccessHome()
    home.integrate()
    const redemption = acceptedRequest(home)
    // The code counts as used only after its tokens are handed out.
    home.hosted.codeReused(redemption)
    const pair = valueOf(home.hosted.redeem(redemption))
    const other = connectedAgent(home, { name: 'Other' })
    home.hosted.codeReused({ ...redemption, client: 'https://thief.example/client.json' })
    home.hosted.codeReused({ ...redemption, verifier: 'x'.repeat(43) })
    expect(failure(home, pair.access, 'cloud', 'mcp')).toBeNull()
    home.hosted.codeReused(redemption)
    expect([failure(home, pair.access, 'cloud', 'mcp'), errorOf(refresh(home, pair))]).toEqual([
      'unauthorized',
      INVALID,
    ])
    expect(failure(home, other.access, 'cloud', 'mcp')).toBeNull()
    expect(home.events.filter(({ kind }) => kind === 'agent_ended')).toMatchObject([{ why: 'code_reused' }])
    expect(home.core.peek(100).at(-1)?.draft).toMatchObject({
      what: `agent ${linkOf(pair.access)} revoked: its authorization code was used twice`,
    })
  })

  proves('agents.hosted-rotation', 'that is reused later ends its family and notifies administrators', () => {
    using home = new AccessHome()
    home.integrate()
    const first = connectedAgent(home)
    const second = next(home, first)
    const stranger = connectedAgent(home, { name: 'Other' })
    home.clock.advance(OVERLAP_MS)
    // The two minutes begin with the first use, and later uses do not extend them.
    expect(refresh(home, first).ok).toBe(true)
    home.clock.advance(1)
    expect(errorOf(refresh(home, first))).toEqual(INVALID)
    for (const { access } of [first, second]) expect(failure(home, access, 'cloud', 'mcp')).toBe('unauthorized')
    expect(errorOf(refresh(home, second))).toEqual(INVALID)
    expect(failure(home, stranger.access, 'cloud', 'mcp')).toBeNull()
    expect(home.events.filter(({ kind }) => kind === 'agent_ended')).toMatchObject([
      { why: 'refresh_reused', credential: { link: linkOf(first.access) } },
    ])
    expect(home.core.peek(100).at(-1)?.draft).toMatchObject({
      kind: 'access',
      what: `agent ${linkOf(first.access)} revoked: one of its refresh tokens was used twice`,
      cause: { source: 'gateway' },
    })
  })

  proves('agents.hosted-rotation', 'works for two more minutes after a crash lost its answer', () => {
    using home = new AccessHome()
    home.integrate()
    const first = connectedAgent(home)
    next(home, first)
    home.crash()
    home.clock.advance(OVERLAP_MS)
    home.start()
    expect(refresh(home, first).ok).toBe(true)
  })

  proves('agents.hosted-rotation', 'works only for its own client, and another client cannot end it', () => {
    using home = new AccessHome()
    home.integrate()
    const first = connectedAgent(home)
    expect(errorOf(refresh(home, first, 'https://other.example/client.json'))).toEqual(INVALID)
    for (const text of ['', 'hm_refresh_x', first.access, `${first.refresh.slice(0, -1)}_`])
      expect(errorOf(home.hosted.refresh({ refresh: text, client: CLAUDE }))).toEqual(INVALID)
    expect(refresh(home, first).ok).toBe(true)
  })

  proves(
    'agents.hosted-suspended',
    'works while its integration is suspended, and ends only by revocation or deletion',
    () => {
      using home = new AccessHome()
      const { id } = home.integrate()
      let pair = connectedAgent(home)
      for (const change of [
        { knobs: { agent_access: 'off' } },
        { knobs: { cloud_access: 'off' } },
        { enabled: false },
      ] as const) {
        home.change(id, change)
        pair = next(home, pair)
        expect(failure(home, pair.access, 'cloud', 'mcp')).not.toBe('unauthorized')
      }
      home.change(id, { enabled: true, knobs: { agent_access: 'on', cloud_access: 'on' } })
      expect(failure(home, pair.access, 'cloud', 'mcp')).toBeNull()
      const revoked = connectedAgent(home, { name: 'Revoked' })
      home.credentials.revoke(home.credentials.get(linkOf(revoked.access))!, ANNA)
      expect(errorOf(refresh(home, revoked))).toEqual(INVALID)
      expect(failure(home, revoked.access, 'cloud', 'mcp')).toBe('unauthorized')
      home.remove(id)
      expect(errorOf(refresh(home, pair))).toEqual(INVALID)
      expect(stored(home)).toEqual([])
    },
  )

  test('is handed out even while agent_access is off, and its access token is refused with the reason', () => {
    using home = new AccessHome()
    const { id } = home.integrate()
    const redemption = acceptedRequest(home)
    home.change(id, { knobs: { agent_access: 'off' } })
    const { access } = valueOf(home.hosted.redeem(redemption))
    expect(failure(home, access, 'cloud', 'mcp')).toBe('agent_access_disabled')
  })

  proves(
    'agents.hosted-bounds',
    'may be used 20 times at once and then once a minute, and the stored tokens are bounded',
    () => {
      using home = new AccessHome()
      home.integrate()
      const first = connectedAgent(home)
      for (let count = 0; count < 20; count++) expect(refresh(home, first).ok).toBe(true)
      expect(errorOf(refresh(home, first))).toEqual({ kind: 'slow_down', retryAfter: 60 })
      const counts = (): Record<string, number> => {
        const of = (kind: string): number => stored(home).filter((token) => token.kind === kind).length
        return { access: of('access'), refresh: of('refresh') }
      }
      expect(counts()).toEqual({ access: ACCESS_TOKENS_MAX, refresh: 21 })
      let pair = later(home, first)
      for (let count = 1; count < REFRESH_GENERATIONS_MAX; count++) pair = later(home, pair)
      // The first token is older than the stored generations, so its reuse ends no family.
      expect(errorOf(refresh(home, first))).toEqual(INVALID)
      pair = later(home, pair)
      expect(counts()).toEqual({ access: ACCESS_TOKENS_MAX, refresh: REFRESH_GENERATIONS_MAX })
      for (let round = 0; round < 4; round++) {
        home.clock.advance(20 * MINUTE)
        const parent = next(home, pair)
        for (let child = 0; child < 19; child++) pair = next(home, parent)
      }
      expect(counts().access).toBe(ACCESS_TOKENS_MAX)
      expect(counts().refresh).toBeLessThanOrEqual(REFRESH_TOKENS_MAX)
      expect(refresh(home, pair).ok).toBe(false)
      home.clock.advance(MINUTE)
      expect(refresh(home, pair).ok).toBe(true)
    },
  )
})

describe('a client that revokes a token', () => {
  proves('agents.hosted-revocation', 'ends only an access token, but the whole family of a refresh token', () => {
    using home = new AccessHome()
    home.integrate()
    const first = connectedAgent(home)
    const second = next(home, first)
    home.hosted.revoke({ token: first.access, client: CLAUDE })
    expect(failure(home, first.access, 'cloud', 'mcp')).toBe('unauthorized')
    expect(failure(home, second.access, 'cloud', 'mcp')).toBeNull()
    for (const [token, client] of [
      [second.refresh, 'https://other.example/client.json'],
      ['nothing', CLAUDE],
      [`${second.refresh}x`, CLAUDE],
    ] as const)
      home.hosted.revoke({ token, client })
    expect(failure(home, second.access, 'cloud', 'mcp')).toBeNull()
    home.hosted.revoke({ token: second.refresh, client: CLAUDE })
    expect(failure(home, second.access, 'cloud', 'mcp')).toBe('unauthorized')
    expect(home.core.peek(100).at(-1)?.draft).toMatchObject({
      what: `agent ${linkOf(first.access)} revoked`,
      cause: { source: 'agent', name: 'Agent: Claude via claude.example', link: linkOf(first.access) },
    })
    expect(home.events.filter(({ kind }) => kind === 'agent_ended')).toEqual([])
  })
})
