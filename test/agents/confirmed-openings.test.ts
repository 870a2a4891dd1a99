import { expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, type TestIntegration, verifiesOver } from '#support/gateway/harness.ts'
import { commandsOf, awaitScenesEnd } from '#support/gateway/await-home.ts'
import {
  ADMINISTRATOR,
  agentOf,
  decideConfirmation,
  control,
  expectConfirmationRequired,
  GATE,
  LABEL,
  open,
  createScene,
  waitingConfirmation,
  waitingConfirmations,
} from '#support/gateway/opening-agent.ts'

const verifies = verifiesOver('stream')

verifies(
  ['agents.confirmation-bound'],
  'a confirmation is valid only for its agent, device and operation',
  { tags: ['long'] },
  async (home) => {
    const agent = await agentOf(home)
    const other = await agentOf(home, agent)
    expectConfirmationRequired(await open(home, agent))
    await decideConfirmation(home, agent)
    expectConfirmationRequired(await open(home, other))
    expectConfirmationRequired(await open(home, agent, 'driveway-gate'))
    // Empty arguments do not make it another call.
    expect(await open(home, agent, 'front-door', { args: {} })).toMatchObject({ status: 200 })
    expect((await waitingConfirmations(home, other)).map(({ what }) => what)).toEqual([
      'open lock "Front door" (HMLK front-door)',
    ])
  },
)

verifies(
  ['agents.confirmation-bound', '4.rule2.agent', '4.rule2.scene'],
  'a confirmation of a scene that opens ends when the scene is edited',
  async (home) => {
    const agent = await agentOf(home)
    const light = { device: home.id('study-light'), op: 'set_power', args: { on: true } }
    const local = await createScene(home, `Arrival ${home.transport}`, [
      light,
      { device: home.id('driveway-gate'), op: 'open' },
    ])
    const run = (): Promise<RawAnswer> =>
      home.call({
        method: 'POST',
        path: `/v1/scenes/${encodeURIComponent(home.id(local, agent))}/run`,
        token: agent.token,
      })
    const before = commandsOf(home, GATE)
    expectConfirmationRequired(await run())
    expect((await waitingConfirmation(home, agent)).what).toBe(
      `run scene "Arrival ${home.transport}", which opens gate "Driveway gate" (HMGT driveway-gate) at once`,
    )
    await decideConfirmation(home, agent)
    const edit = await home.call({
      method: 'PATCH',
      path: `/v1/scenes/${encodeURIComponent(home.id(local))}`,
      body: {
        ifRevision: 1,
        steps: [
          { device: home.id('driveway-gate'), op: 'open' },
          { device: home.id('front-door'), op: 'open' },
        ],
      },
    })
    expect(edit.status, edit.text).toBe(200)
    expectConfirmationRequired(await run())
    expect(commandsOf(home, GATE)).toBe(before)
    await decideConfirmation(home, agent)
    expect(await control(home, agent, local, { op: 'run' })).toMatchObject({ status: 200 })
    expectConfirmationRequired(await run())
    // A scene that only locks and closes needs no confirmation.
    expect(await control(home, agent, 'scene:good-night', { op: 'run' })).toMatchObject({ status: 200 })
    // A movement now would disturb the next test.
    await awaitScenesEnd(home)
  },
)

verifies(
  ['agents.confirmation-logged', '4.rule4.agent'],
  'activity and explain name the agent and the administrator who confirmed',
  async (home) => {
    const agent = await agentOf(home)
    await control(home, home.main, 'front-door', { op: 'close' })
    expectConfirmationRequired(await open(home, agent))
    await decideConfirmation(home, agent)
    expect(await open(home, agent)).toMatchObject({ status: 200 })
    const cause = { source: 'agent', name: LABEL, link: agent.link, confirmedBy: ADMINISTRATOR }
    const { entries } = (await home.get('/v1/activity', agent.token)) as {
      entries: { device: string | null; what: string; cause: object }[]
    }
    expect(entries.find(({ device }) => device === home.id('front-door', agent))).toMatchObject({
      what: 'unlocked',
      cause,
    })
    const { items } = (await home.get(home.at('front-door', '/explain', agent), agent.token)) as {
      items: { what: string; cause: object }[]
    }
    expect(items[0]?.what).toContain(`${LABEL}, confirmed by ${ADMINISTRATOR}`)
    expect(items[0]?.cause).toMatchObject(cause)
    // Operations without danger need no confirmation.
    await control(home, agent, 'study-light', { op: 'set_power', args: { on: true } })
    await control(home, agent, 'study-light', { op: 'set_power', args: { on: false } })
    const later = (await home.get('/v1/activity', agent.token)) as { entries: typeof entries }
    const switched = later.entries.find(({ device }) => device === home.id('study-light', agent))
    expect(switched?.cause).toMatchObject({ source: 'agent', name: LABEL })
    expect(switched?.cause).not.toHaveProperty('confirmedBy')
  },
)

/** Pending confirmations of one agent, as administrators see them. */
async function pendingTexts(home: TestHome, { link }: TestIntegration): Promise<readonly string[]> {
  const { confirmations } = await home.running.admin.call<{ confirmations: { link: string; what: string }[] }>(
    'GET',
    '/confirmations',
  )
  return confirmations.filter((confirmation) => confirmation.link === link).map(({ what }) => what)
}

verifies(
  'agents.confirmation-words',
  'a confirmation names the model and id of a lock that the agent renamed',
  async (home) => {
    const agent = await agentOf(home)
    const rename = (name: string): ReturnType<TestHome['call']> =>
      home.call({ method: 'PATCH', path: home.at('front-door', '', agent), body: { name }, token: agent.token })
    const name = 'Lamp" (HMHH hall-light)'
    expect(await rename(name)).toMatchObject({ status: 200 })
    try {
      const path = home.at('front-door', '/control', agent)
      const answer = await home.call({ method: 'POST', path, body: { op: 'open' }, token: agent.token })
      expect(answer).toMatchObject({ status: 403 })
      expect(await pendingTexts(home, agent)).toEqual([`open lock ${JSON.stringify(name)} (HMLK front-door)`])
    } finally {
      await rename('Front door')
    }
  },
)

verifies('agents.confirmation-words', 'a confirmation of a scene lists each opening and its delay', async (home) => {
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
  expect(await pendingTexts(home, agent)).toEqual([
    `run scene "${name}", which opens gate "Driveway gate" (HMGT driveway-gate) at once, lock "Front door" (HMLK front-door) after 5 min 30 s`,
  ])
})
