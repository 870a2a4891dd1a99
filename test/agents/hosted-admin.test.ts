import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AgentRequest } from '../../src/auth/agents/agent-request.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { CLAUDE as CLIENT } from './pairing-steps.ts'
import { allowAgents, withPassingClock } from './device-flow.ts'

let home: TestHome
beforeAll(async () => {
  home = await TestHome.open('http', withPassingClock())
  await allowAgents(home)
})
afterAll(() => home[Symbol.asyncDispose]())

/** Stores a hosted agent's request, as the control stream of the relay does. */
function storeRequest(request: string, userCode: string, more: Partial<AgentRequest> = {}): void {
  const { core, agentRequests, steady } = home.running.gateway.stores
  core.change(() =>
    agentRequests.insert({
      request,
      userCode,
      codeSha256: null,
      challenge: Buffer.alloc(32),
      name: 'Claude',
      platform: 'claude.example',
      record: null,
      hosted: CLIENT,
      suggested: null,
      via: 'cloud',
      peer: '203.0.113.9',
      askedAt: home.running.clock.now(),
      steadyAskedAt: steady.read()?.steady ?? 0,
      interval: 5,
      state: 'pending',
      decision: null,
      handedOut: null,
      ...more,
    }),
  )
}

const printed = async (...words: readonly string[]): Promise<string> => {
  const { out, err } = await hm(home.running.dataDir, 'agent', ...words)
  return out + err
}

proves(
  ['2.8.agent-request', 'agents.hosted-asks'],
  'administrators see client, account and destination of a hosted agent’s request',
  async () => {
    storeRequest('proved0000', 'BCDFGHJK')
    const { requests } = await home.running.admin.call<{ requests: object[] }>('GET', '/agents/requests')
    expect(requests).toMatchObject([
      {
        request: 'proved0000',
        code: 'BCDF-GHJK',
        hosted: true,
        client: {
          id: 'https://claude.example/client.json',
          redirectHost: 'claude.example',
          proved: true,
          account: 'anna@example.org',
          door: 'mcp',
        },
        via: 'cloud',
      },
    ])
    expect(JSON.stringify(requests)).not.toContain('challenge')
    storeRequest('claimed000', 'LMNPQRST', {
      hosted: { ...CLIENT, client: 'dcr-7f2a', redirectHost: 'localhost' },
      name: 'Other',
    })
    const list = await printed('requests')
    expect(list).toContain(
      'BCDF-GHJK runs on a hosted platform, for the account "anna@example.org" of the relay: it is named by "https://claude.example/client.json", and gets its answer at "claude.example".',
    )
    expect(list).toContain('it has named itself, and gets its answer at "localhost".')
  },
)

test('bin/hm agent accept and deny work for a hosted agent, which cannot get a session', async () => {
  storeRequest('accept0000', 'VWXZBCDF', { name: 'Accepted' })
  expect(await printed('accept', 'VWXZ-BCDF', '--session')).toContain('cannot be accepted for one session')
  expect(await printed('accept', 'VWXZ-BCDF', '--integration', home.main.id)).toMatch(
    /^Accepted "Accepted" via "claude\.example", for the integration /,
  )
  storeRequest('deny000000', 'GHJKLMNP', { name: 'Denied' })
  expect(await printed('deny', 'GHJK-LMNP', '--block')).toContain(
    'Requests from anna@example.org are blocked for a day.',
  )
  expect(await printed('blocks')).toMatch(/anna@example\.org +cloud +/)
  expect(await printed('unblock', 'anna@example.org')).toBe('Requests from anna@example.org are accepted again.\n')
})

test('bin/hm agent list marks hosted agents, and revoke ends one', async () => {
  const { core, credentials } = home.running.gateway.stores
  core.change(() =>
    credentials.insert({
      link: 'hosted0000',
      integration: home.main.id,
      kind: 'agent',
      name: 'Claude',
      platform: 'claude.example',
      secretSha256: null,
      hosted: CLIENT,
      createdAt: home.running.clock.now(),
      revokedAt: null,
      lastUsedAt: null,
      lastUsedVia: null,
      steadyCreatedAt: 0,
      steadyUsedAt: null,
      expiredAt: null,
    }),
  )
  expect(await printed('list')).toMatch(/hosted0000 +agent, hosted +"Claude" +"claude\.example" +active/)
  const { agents } = await home.running.admin.call<{ agents: object[] }>('GET', '/agents')
  expect(agents).toMatchObject([
    { link: 'hosted0000', client: { account: 'anna@example.org', proved: true, door: 'mcp' } },
  ])
  expect(await printed('revoke', 'hosted0000')).toContain('Revoked hosted0000')
  expect(credentials.get('hosted0000')?.revokedAt).not.toBeNull()
})
