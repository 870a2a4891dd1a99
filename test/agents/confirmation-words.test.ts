import { expect } from 'vitest'
import { EVERYTHING_ALLOWED, type TestHome, type TestIntegration, verifies } from '#support/gateway/harness.ts'

async function agentOf(home: TestHome): Promise<TestIntegration> {
  const { id } = await home.integrate({ settings: { ...EVERYTHING_ALLOWED, agent_access: 'on' } })
  const body = { integration: id, name: 'Claude', platform: 'Desk' }
  return { ...(await home.running.admin.call<{ token: string; link: string }>('POST', '/agents', body)), id }
}

/** What administrators are shown of what waits for them, of one agent. */
async function shownOf(home: TestHome, { link }: TestIntegration): Promise<readonly string[]> {
  const { confirmations } = await home.running.admin.call<{ confirmations: { link: string; what: string }[] }>(
    'GET',
    '/confirmations',
  )
  return confirmations.filter((each) => each.link === link).map(({ what }) => what)
}

verifies(
  'agents.confirmation-words',
  'a lock that an agent renames is still shown as the lock that it is',
  async (home) => {
    const agent = await agentOf(home)
    const rename = (name: string): ReturnType<TestHome['call']> =>
      home.call({ method: 'PATCH', path: home.at('front-door', '', agent), body: { name }, token: agent.token })
    const name = 'Lamp" (HMHH hall-light)'
    expect(await rename(name)).toMatchObject({ status: 200 })
    try {
      const path = home.at('front-door', '/control', agent)
      const asked = await home.call({ method: 'POST', path, body: { op: 'open' }, token: agent.token })
      expect(asked).toMatchObject({ status: 403 })
      expect(await shownOf(home, agent)).toEqual([`open lock ${JSON.stringify(name)} (HMLK front-door)`])
    } finally {
      await rename('Front door')
    }
  },
)

verifies('agents.confirmation-words', 'of a scene everything that opens is shown, and when', async (home) => {
  const agent = await agentOf(home)
  const steps = [
    { device: home.id('driveway-gate'), op: 'open' },
    { delay: 30 },
    { device: home.id('study-light'), op: 'set_power', args: { on: true } },
    { device: home.id('driveway-gate'), op: 'close' },
    { delay: 300 },
    { device: home.id('front-door'), op: 'open' },
  ]
  const name = `Quiet evening ${home.transport}`
  const made = await home.call({ method: 'POST', path: '/v1/scenes', body: { name, steps } })
  const local = (made.body as { scene: { id: string } }).scene.id.split(':').slice(2).join(':')
  const path = `/v1/scenes/${encodeURIComponent(home.id(local, agent))}/run`
  expect(await home.call({ method: 'POST', path, token: agent.token })).toMatchObject({ status: 403 })
  expect(await shownOf(home, agent)).toEqual([
    `run scene "${name}", which opens gate "Driveway gate" (HMGT driveway-gate) at once, lock "Front door" (HMLK front-door) after 5 min 30 s`,
  ])
})
