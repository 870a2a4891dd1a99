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
/** A minute later, so that as often as a test likes may be refreshed. */
const later = (home: AccessHome, pair: HostedPair): HostedPair => {
  home.clock.advance(MINUTE)
  return next(home, pair)
}
const stored = (home: AccessHome): { kind: string }[] =>
  home.core.db.prepare<[], { kind: string }>('SELECT * FROM hosted_tokens').all()

proves('agents.hosted-rotation', 'a refresh for another door mints nothing, and uses up nothing', () => {
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
})

describe('an access token', () => {
  proves('agents.hosted-audience', 'passes through the cloud alone, and at the one door that it is for', () => {
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

  proves(
    'agents.hosted-audience',
    'a door of one integration lets in what belongs to that alone, whatever it is',
    () => {
      using home = new AccessHome()
      const [one, other] = [home.integrate(), home.integrate()]
      for (const kind of ['key', 'agent', 'session'] as const) {
        const { token } = home.credentials.create({ integration: one.id, kind, name: 'Robot', platform: 'lab' }, ANNA)
        expect(failure(home, token, 'cloud', `mcp/r/${one.id}`)).toBeNull()
        expect(failure(home, token, 'cloud', `mcp/r/${other.id}`)).toBe(`for mcp/r/${one.id}`)
        expect(failure(home, token, 'cloud', 'mcp')).toBeNull()
      }
    },
  )

  proves(
    'agents.hosted-hour',
    'lasts an hour of steady time, whatever the wall clock says and across a restart',
    () => {
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
    },
  )

  proves('agents.hosted-hour', 'is not stored, nor is the refresh token: only their SHA-256 is', () => {
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
    'is refused with the reason while its integration takes no agents or nobody from outside',
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
      // Only who has the secret learns that.
      expect(failure(home, `${access.slice(0, -1)}_`, 'cloud', 'mcp')).toBe('unauthorized')
    },
  )
})

describe('a refresh token', () => {
  proves('agents.hosted-rotation', 'gives the next pair, for two minutes as often as its machines ask', () => {
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
    'that was used twice makes branches; those that nobody used end with the next use',
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

  proves('agents.hosted-code-reused', 'ends with its access token once the code of its request is shown again', () => {
    using home = new AccessHome()
    home.integrate()
    const redemption = acceptedRequest(home)
    // Before its tokens are handed out nothing was used.
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

  proves('agents.hosted-rotation', 'that comes back later ends its family, and administrators are told', () => {
    using home = new AccessHome()
    home.integrate()
    const first = connectedAgent(home)
    const second = next(home, first)
    const stranger = connectedAgent(home, { name: 'Other' })
    home.clock.advance(OVERLAP_MS)
    // The two minutes are counted from the first use, however often it comes.
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

  proves('agents.hosted-rotation', 'whose answer a crash lost still works, two minutes long', () => {
    using home = new AccessHome()
    home.integrate()
    const first = connectedAgent(home)
    next(home, first)
    home.crash()
    home.clock.advance(OVERLAP_MS)
    home.start()
    expect(refresh(home, first).ok).toBe(true)
  })

  proves('agents.hosted-rotation', 'is its client’s alone: who shows another’s ends nothing', () => {
    using home = new AccessHome()
    home.integrate()
    const first = connectedAgent(home)
    expect(errorOf(refresh(home, first, 'https://other.example/client.json'))).toEqual(INVALID)
    for (const text of ['', 'hm_refresh_x', first.access, `${first.refresh.slice(0, -1)}_`])
      expect(errorOf(home.hosted.refresh({ refresh: text, client: CLAUDE }))).toEqual(INVALID)
    expect(refresh(home, first).ok).toBe(true)
  })

  proves('agents.hosted-suspended', 'works while the integration takes no agents; only an end ends it', () => {
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
  })

  test('an approval is worth something also while nothing is let in: its tokens say so', () => {
    using home = new AccessHome()
    const { id } = home.integrate()
    const what = acceptedRequest(home)
    home.change(id, { knobs: { agent_access: 'off' } })
    const { access } = valueOf(home.hosted.redeem(what))
    expect(failure(home, access, 'cloud', 'mcp')).toBe('agent_access_disabled')
  })

  proves('agents.hosted-bounds', 'twenty at once and then one a minute; so many tokens of an agent are known', () => {
    using home = new AccessHome()
    home.integrate()
    const first = connectedAgent(home)
    for (let each = 0; each < 20; each++) expect(refresh(home, first).ok).toBe(true)
    expect(errorOf(refresh(home, first))).toEqual({ kind: 'slow_down', retryAfter: 60 })
    const counts = (): Record<string, number> => {
      const of = (kind: string): number => stored(home).filter((each) => each.kind === kind).length
      return { access: of('access'), refresh: of('refresh') }
    }
    expect(counts()).toEqual({ access: ACCESS_TOKENS_MAX, refresh: 21 })
    let pair = later(home, first)
    for (let each = 1; each < REFRESH_GENERATIONS_MAX; each++) pair = later(home, pair)
    // The first of all is one too old now, and ends nothing any more.
    expect(errorOf(refresh(home, first))).toEqual(INVALID)
    pair = later(home, pair)
    expect(counts()).toEqual({ access: ACCESS_TOKENS_MAX, refresh: REFRESH_GENERATIONS_MAX })
    for (let each = 0; each < 4; each++) {
      home.clock.advance(20 * MINUTE)
      const parent = next(home, pair)
      for (let child = 0; child < 19; child++) pair = next(home, parent)
    }
    expect(counts().access).toBe(ACCESS_TOKENS_MAX)
    expect(counts().refresh).toBeLessThanOrEqual(REFRESH_TOKENS_MAX)
    expect(refresh(home, pair).ok).toBe(false)
    home.clock.advance(MINUTE)
    expect(refresh(home, pair).ok).toBe(true)
  })
})

describe('a client that wants its tokens no more', () => {
  proves('agents.hosted-revocation', 'ends its access token alone, and with a refresh token its family', () => {
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
