import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, type TestIntegration, verifiesOver, verifiesIn } from '#support/gateway/harness.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'

const verifies = verifiesOver('http')

const MINUTE = 60_000
/** Longest time until the gateway notices that the machine slept. */
const SLEEP_NOTICED_MS = 31_000

const SUSPENDED = {
  error: {
    code: 'agent_access_disabled',
    appAction: 'integrations.record',
    message: 'Agent access is off for this integration. An administrator can turn it on.',
  },
}
const EXPIRED = {
  error: { code: 'session_expired', message: 'This session has ended. Ask an administrator to accept a new one.' },
}

const withAgents = (home: TestHome): Promise<TestIntegration> => home.integrate({ settings: { agent_access: 'on' } })
const house = (home: TestHome, token: string): Promise<RawAnswer> =>
  home.call({ method: 'GET', path: '/v1/house', token })

/** Creates a credential as an administrator, without a request. */
async function connect(
  home: TestHome,
  { id }: TestIntegration,
  session = false,
): Promise<{ token: string; link: string }> {
  return (await home.running.admin.call('POST', '/agents', {
    integration: id,
    name: 'Robot',
    platform: 'lab',
    session,
  })) as { token: string; link: string }
}

async function statuses(home: TestHome, tokens: readonly string[]): Promise<number[]> {
  const answers = []
  for (const token of tokens) answers.push((await house(home, token)).status)
  return answers
}

describe('agent_access', () => {
  verifies(
    ['2.1.agent-access', '3.suspended', '5.2.agent', '5.2.session'],
    'suspends agents and sessions while it is off, but not keys',
    async (home) => {
      const integration = await withAgents(home)
      const [agent, session] = [await connect(home, integration), await connect(home, integration, true)]
      const tokens = [integration.token, agent.token, session.token]
      expect(await statuses(home, tokens)).toEqual([200, 200, 200])
      await home.change(integration, { settings: { agent_access: 'off' } })
      expect(await statuses(home, tokens)).toEqual([200, 403, 403])
      for (const { token } of [agent, session]) {
        expect(await house(home, token)).toMatchObject({ status: 403, body: SUSPENDED })
        // This holds for all paths, including unknown ones.
        expect(await home.call({ method: 'GET', path: '/v1/nothing', token })).toMatchObject({
          status: 403,
          body: SUSPENDED,
        })
      }
      await home.change(integration, { settings: { agent_access: 'on' } })
      expect(await statuses(home, tokens)).toEqual([200, 200, 200])
    },
  )

  verifies(['3.suspended', '2.1.agent-access'], 'of another integration has no effect', async (home) => {
    const [one, other] = [await withAgents(home), await withAgents(home)]
    const agent = await connect(home, one)
    await home.change(other, { settings: { agent_access: 'off' } })
    expect((await house(home, agent.token)).status).toBe(200)
  })

  verifies(
    '3.suspended',
    'closes the sockets of agents and sessions when it goes off, and admits them when it is on again',
    async (home) => {
      const integration = await withAgents(home)
      const [agent, session] = [await connect(home, integration), await connect(home, integration, true)]
      const [own, ofAgent, ofSession] = [
        await home.socket(integration.token),
        await home.socket(agent.token),
        await home.socket(session.token),
      ]
      for (const socket of [own, ofAgent, ofSession]) await socket.subscribe(['*'])
      await home.change(integration, { settings: { agent_access: 'off' } })
      expect([await ofAgent.ended, await ofSession.ended]).toEqual([4403, 4403])
      await expect(home.socket(agent.token)).rejects.toMatchObject({ answer: { status: 403, body: SUSPENDED } })
      expect(JSON.parse(await own.ask('still', { id: 'still', method: 'GET', path: '/v1/house' }))).toMatchObject({
        status: 200,
      })
      await home.change(integration, { settings: { agent_access: 'on' } })
      const again = await home.socket(agent.token)
      expect(await again.subscribe(['*'])).toMatchObject({ status: 200 })
      again.close()
      own.close()
    },
  )
})

describe('an agent', () => {
  verifies('5.2.agent', 'works until it is revoked, and its sockets end with it', async (home) => {
    const integration = await withAgents(home)
    const [agent, other] = [await connect(home, integration), await connect(home, integration)]
    expect(agent.token.startsWith(`hm_agent_${home.running.gateway.serial}.${integration.id}.${agent.link}.`)).toBe(
      true,
    )
    const socket = await home.socket(agent.token)
    expect((await house(home, agent.token)).status).toBe(200)
    await home.running.admin.call('DELETE', `/agents/${agent.link}`)
    expect(await socket.ended).toBe(4401)
    expect(await statuses(home, [agent.token, other.token, integration.token])).toEqual([401, 200, 200])
    // A revoked agent is 401 even while agents are suspended.
    await home.change(integration, { settings: { agent_access: 'off' } })
    expect(await statuses(home, [agent.token, other.token])).toEqual([401, 403])
  })
})

describe('a session', () => {
  const clock = new PassingClock()
  const verifies = verifiesIn(() => ({ clock, settled: false }), { over: 'http' })
  const later = async (ms: number): Promise<void> => {
    clock.sleep(ms - SLEEP_NOTICED_MS)
    await clock.pass(SLEEP_NOTICED_MS)
  }

  verifies(['3.session', '5.2.session'], 'lasts one hour after its last use', async (home) => {
    const integration = await withAgents(home)
    const [session, agent] = [await connect(home, integration, true), await connect(home, integration)]
    expect(session.token.startsWith('hm_session_')).toBe(true)
    for (let use = 0; use < 3; use++) {
      expect((await house(home, session.token)).status).toBe(200)
      await later(59 * MINUTE)
    }
    expect((await house(home, session.token)).status).toBe(200)
    const socket = await home.socket(session.token)
    await later(61 * MINUTE)
    // The test skips the time for the close frame, which may therefore not pass the relay.
    expect(home.isRelayed ? [4401, 1006] : [4401]).toContain(await socket.ended)
    expect(await house(home, session.token)).toMatchObject({ status: 401, body: EXPIRED })
    expect((await house(home, agent.token)).status).toBe(200)
  })

  verifies(
    ['3.session', '5.2.session'],
    'lasts at most twelve hours, even in constant use',
    { tags: ['long'] },
    async (home) => {
      const session = await connect(home, await withAgents(home), true)
      for (let quarter = 0; quarter < 15; quarter++) {
        await later(45 * MINUTE)
        expect((await house(home, session.token)).status).toBe(200)
      }
      await later(46 * MINUTE)
      expect(await house(home, session.token)).toMatchObject({ status: 401, body: EXPIRED })
    },
  )

  verifies('3.session', 'that has ended stays ended when its integration changes', async (home) => {
    const integration = await withAgents(home)
    const session = await connect(home, integration, true)
    await later(61 * MINUTE)
    expect((await house(home, session.token)).status).toBe(401)
    await home.change(integration, { enabled: false, settings: { agent_access: 'off' } })
    expect(await house(home, session.token)).toMatchObject({ status: 401, body: EXPIRED })
    await home.change(integration, { enabled: true, settings: { agent_access: 'on' } })
    expect(await house(home, session.token)).toMatchObject({ status: 401, body: EXPIRED })
  })
})
