import { describe, expect } from 'vitest'
import { fetchTrusting } from '#support/gateway/agents.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { EVERYTHING_ALLOWED, type TestHome, type TestIntegration, verifies } from '#support/gateway/harness.ts'
import { commandsOf } from '#support/gateway/watching.ts'

const FRONT_DOOR = 13
const GATE = 91
const ADMINISTRATOR = 'administrator (command line)'
const LABEL = 'Agent: Claude via Desk'

interface Waiting {
  readonly id: string
  readonly link: string
  readonly what: string
  readonly code: string
}

/** An integration with an agent's credential: `token` and `link` are the agent's, or a session's. */
async function agentOf(home: TestHome, who?: TestIntegration, session = false): Promise<TestIntegration> {
  const { id } = who ?? (await home.integrate({ settings: { ...EVERYTHING_ALLOWED, agent_access: 'on' } }))
  const { token, link } = await home.running.admin.call<{ token: string; link: string }>('POST', '/agents', {
    integration: id,
    name: 'Claude',
    platform: 'Desk',
    session,
  })
  return { id, token, link }
}

const control = (home: TestHome, agent: TestIntegration, local: string, body: object): Promise<RawAnswer> =>
  home.call({ method: 'POST', path: home.at(local, '/control', agent), body, token: agent.token })

const open = (home: TestHome, agent: TestIntegration, local = 'front-door', more: object = {}): Promise<RawAnswer> =>
  control(home, agent, local, { op: 'open', ...more })

/** What waits for a person, of one agent. */
async function waitingOf(home: TestHome, agent: TestIntegration): Promise<readonly Waiting[]> {
  const { confirmations } = await home.running.admin.call<{ confirmations: Waiting[] }>('GET', '/confirmations')
  return confirmations.filter(({ link }) => link === agent.link)
}

async function theOne(home: TestHome, agent: TestIntegration): Promise<Waiting> {
  const [one, ...more] = await waitingOf(home, agent)
  if (one === undefined || more.length > 0)
    throw new Error(`${more.length + (one ? 1 : 0)} confirmations wait instead of one`)
  return one
}

async function answer(home: TestHome, agent: TestIntegration, confirm = true): Promise<void> {
  await home.running.admin.call('POST', `/confirmations/${(await theOne(home, agent)).id}`, { confirm })
}

function expectAsked(answered: RawAnswer): void {
  expect(answered, answered.text).toMatchObject({
    status: 403,
    body: { error: { code: 'confirmation_required', appAction: 'integrations.confirm' } },
  })
}

async function sceneOf(home: TestHome, name: string, steps: readonly object[]): Promise<string> {
  const made = await home.call({ method: 'POST', path: '/v1/scenes', body: { name, steps } })
  expect(made.status, made.text).toBe(201)
  return (made.body as { scene: { id: string } }).scene.id.split(':').slice(2).join(':')
}

/** Headers that some clients mean well with, and some do not. */
async function knockWithHeaders(home: TestHome, agent: TestIntegration, id: string): Promise<void> {
  const { fetch, agent: sockets } = fetchTrusting(home.ca)
  for (const [name, value] of [
    ['x-confirmed', 'true'],
    ['x-confirmation', id],
    ['x-user-consent', 'yes'],
    ['x-forwarded-user', ADMINISTRATOR],
    ['x-http-method-override', 'GET'],
    ['prefer', 'confirmed'],
  ]) {
    const answered = await fetch(`${home.running.url}${home.at('front-door', '/control', agent)}`, {
      method: 'POST',
      body: '{"op":"open"}',
      headers: {
        authorization: `Bearer ${agent.token}`,
        'content-type': 'application/json',
        [name ?? '']: value ?? '',
      },
    })
    expect([answered.status, await answered.json()], name).toMatchObject([
      403,
      { error: { code: 'confirmation_required' } },
    ])
  }
  sockets.destroy()
}

describe('an agent that opens', () => {
  verifies(
    ['4.rule2.agent', 'agents.confirmation'],
    'needs an administrator’s confirmation for each opening of a lock or gate, and for nothing else',
    async (home) => {
      for (const session of [false, true]) {
        const agent = await agentOf(home, undefined, session)
        for (const [local, address] of [
          ['front-door', FRONT_DOOR],
          ['driveway-gate', GATE],
        ] as const) {
          const before = commandsOf(home, address)
          const asked = await open(home, agent, local)
          expectAsked(asked)
          const waits = await theOne(home, agent)
          expect(asked.text).toContain(waits.id)
          expect(asked.text).not.toContain(waits.code)
          expectAsked(await open(home, agent, local))
          expect(await theOne(home, agent)).toMatchObject({ id: waits.id, code: waits.code })
          expect(commandsOf(home, address)).toBe(before)

          await answer(home, agent)
          expect(await open(home, agent, local)).toMatchObject({ status: 200 })
          expectAsked(await open(home, agent, local))
          expect(await control(home, agent, local, { op: 'close' })).toMatchObject({ status: 200 })
          await answer(home, agent, false)
          const declined = await open(home, agent, local)
          expectAsked(declined)
          expect(declined.body).toMatchObject({
            error: {
              message: expect.stringContaining('Do not ask again') as string,
              retryAfter: expect.any(Number) as number,
            },
          })
          expect(await waitingOf(home, agent)).toEqual([])
        }
        expect(await control(home, agent, 'driveway-gate', { op: 'stop' })).toMatchObject({ status: 200 })
        expect(await open(home, agent, 'living-curtain')).toMatchObject({ status: 200 })
        expect(await control(home, agent, 'study-light', { op: 'set_power', args: { on: true } })).toMatchObject({
          status: 200,
        })
      }
    },
  )

  verifies(
    ['4.rule2.agent', 'agents.confirmation'],
    'cannot open by any flag, code or confirmation of its own; the administrator’s confirmation opens once',
    async (home) => {
      const agent = await agentOf(home)
      const before = commandsOf(home, FRONT_DOOR)
      expectAsked(await open(home, agent))
      const { id, code } = await theOne(home, agent)
      const flags: Record<string, unknown> = {
        confirm: true,
        confirmed: true,
        confirmation: id,
        confirmedBy: 'Anna',
        id,
        force: true,
        approved: true,
        user_confirmed: true,
        dryRun: false,
        override: true,
        state: 'confirmed',
      }
      for (const [name, value] of Object.entries(flags)) {
        for (const body of [{ [name]: value }, { args: { [name]: value } }]) {
          const refused = await open(home, agent, 'front-door', body)
          expect([403, 422], `${JSON.stringify(body)}: ${refused.text}`).toContain(refused.status)
        }
        const asked = await home.call({
          method: 'POST',
          path: home.at('front-door', '/control', agent),
          query: { [name]: String(value) },
          body: { op: 'open' },
          token: agent.token,
        })
        expect([403, 422], `${name} in the query: ${asked.text}`).toContain(asked.status)
      }
      const wrong = code === '123456' ? '654321' : '123456'
      for (const guess of ['', '12345', '1234567', 'abcdef', `${code} `, Number(code), null, true, [code], { code }]) {
        expect((await open(home, agent, 'front-door', { code: guess })).status, JSON.stringify(guess)).toBe(422)
      }
      expectAsked(await open(home, agent, 'front-door', { code: wrong }))
      if (home.transport === 'http') await knockWithHeaders(home, agent, id)
      for (const path of [
        `/v1/confirmations/${id}`,
        `/admin/v1/confirmations/${id}`,
        '/admin/v1/confirmations',
        `/v1/agents/confirm/${id}`,
      ]) {
        expect((await home.call({ method: 'POST', path, body: { confirm: true }, token: agent.token })).status).toBe(
          404,
        )
      }
      expect(commandsOf(home, FRONT_DOOR)).toBe(before)
      expect(await theOne(home, agent)).toMatchObject({ id, code })

      await answer(home, agent)
      const together = await Promise.all(Array.from({ length: 6 }, () => open(home, agent)))
      expect(together.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(together.filter(({ text }) => text.includes('confirmation_required'))).toHaveLength(5)
    },
  )

  verifies(
    ['agents.confirmation'],
    'passes with the code that only administrators are shown, and three wrong ones end the asking',
    async (home) => {
      const agent = await agentOf(home)
      expectAsked(await open(home, agent))
      expect(await open(home, agent, 'front-door', { code: (await theOne(home, agent)).code })).toMatchObject({
        status: 200,
      })
      expectAsked(await open(home, agent))
      const { code } = await theOne(home, agent)
      const wrong = code === '123456' ? '654321' : '123456'
      const answers = [
        await open(home, agent, 'front-door', { code: wrong }),
        await open(home, agent, 'front-door', { code: wrong }),
        await open(home, agent, 'front-door', { code: wrong }),
      ]
      answers.forEach(expectAsked)
      expect(answers.at(-1)?.text).toContain('Do not ask again')
      expectAsked(await open(home, agent, 'front-door', { code }))
      expect(await waitingOf(home, agent)).toEqual([])
      // A key needs the knob alone, and no code makes a difference.
      expect(await control(home, home.main, 'front-door', { op: 'open', code: wrong })).toMatchObject({ status: 200 })
    },
  )

  verifies(
    ['4.rule2.agent', '2.1.allow-unlock'],
    'is not even asked for with allow_unlock off, also when it was confirmed before',
    async (home) => {
      const agent = await agentOf(home)
      expectAsked(await open(home, agent))
      await answer(home, agent)
      await home.change(agent, { settings: { allow_unlock: 'off' } })
      expect(await open(home, agent)).toMatchObject({ status: 403, body: { error: { code: 'unlock_not_allowed' } } })
      await home.change(agent, { settings: { allow_unlock: 'on' } })
      expect(await open(home, agent)).toMatchObject({ status: 200 })
    },
  )
})

verifies(
  ['agents.confirmation-bound'],
  'a confirmation for one agent, device and operation is none for another',
  async (home) => {
    const agent = await agentOf(home)
    const other = await agentOf(home, agent)
    expectAsked(await open(home, agent))
    await answer(home, agent)
    expectAsked(await open(home, other))
    expectAsked(await open(home, agent, 'driveway-gate'))
    // Said otherwise it is still the same call.
    expect(await open(home, agent, 'front-door', { args: {} })).toMatchObject({ status: 200 })
    expect((await waitingOf(home, other)).map(({ what }) => what)).toEqual(['open lock "Front door" (HMLK front-door)'])
  },
)

verifies(
  ['agents.confirmation-bound', '4.rule2.agent', '4.rule2.scene'],
  'a confirmation of a scene that opens is for the scene as it was',
  async (home) => {
    const agent = await agentOf(home)
    const light = { device: home.id('study-light'), op: 'set_power', args: { on: true } }
    const local = await sceneOf(home, `Arrival ${home.transport}`, [
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
    expectAsked(await run())
    expect((await theOne(home, agent)).what).toBe(
      `run scene "Arrival ${home.transport}", which opens gate "Driveway gate" (HMGT driveway-gate) at once`,
    )
    await answer(home, agent)
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
    expectAsked(await run())
    expect(commandsOf(home, GATE)).toBe(before)
    await answer(home, agent)
    expect(await control(home, agent, local, { op: 'run' })).toMatchObject({ status: 200 })
    expectAsked(await run())
    // A scene that locks and closes asks nobody.
    expect(await control(home, agent, 'scene:good-night', { op: 'run' })).toMatchObject({ status: 200 })
  },
)

verifies(
  ['agents.confirmation-logged', '4.rule4.agent'],
  'the activity and explain say which agent it was and who confirmed it',
  async (home) => {
    const agent = await agentOf(home)
    await control(home, home.main, 'front-door', { op: 'close' })
    expectAsked(await open(home, agent))
    await answer(home, agent)
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
    // What needs no confirmation has none.
    await control(home, agent, 'study-light', { op: 'set_power', args: { on: true } })
    await control(home, agent, 'study-light', { op: 'set_power', args: { on: false } })
    const later = (await home.get('/v1/activity', agent.token)) as { entries: typeof entries }
    const switched = later.entries.find(({ device }) => device === home.id('study-light', agent))
    expect(switched?.cause).toMatchObject({ source: 'agent', name: LABEL })
    expect(switched?.cause).not.toHaveProperty('confirmedBy')
  },
)

verifies(
  ['agents.agent-rules'],
  'an agent saves nothing that opens, itself or by a scene, and switches no such thing on',
  async (home) => {
    const agent = await agentOf(home)
    const gate = (who: TestIntegration) => ({ device: home.id('driveway-gate', who), op: 'open' })
    const lamp = (who: TestIntegration) => ({
      device: home.id('study-light', who),
      op: 'set_power',
      args: { on: true },
    })
    const when = [{ device: home.id('study-light', agent), state: 'on', is: true }]
    const opening = await sceneOf(home, `Leaving ${home.transport}`, [gate(home.main)])
    const byScene = { scene: home.id(opening, agent) }
    const refused = async (method: string, path: string, body: object): Promise<void> => {
      const answered = await home.call({ method, path, body, token: agent.token })
      expect(answered, `${method} ${path} ${JSON.stringify(body)}: ${answered.text}`).toMatchObject({
        status: 403,
        body: {
          error: { code: 'unlock_not_allowed', message: expect.stringContaining('An agent may not save') as string },
        },
      })
    }
    await refused('POST', '/v1/scenes', { name: 'Mine', steps: [lamp(agent), gate(agent)] })
    await refused('PATCH', `/v1/scenes/${encodeURIComponent(home.id(opening, agent))}`, { ifRevision: 1, name: 'Mine' })
    for (const then of [[gate(agent)], [byScene]]) {
      await refused('POST', '/v1/automations', { name: 'Mine', when, then })
      await refused('POST', '/v1/schedules', { name: 'Mine', at: { time: '07:00' }, then })
    }
    const made = await home.call({
      method: 'POST',
      path: '/v1/automations',
      body: {
        name: 'Theirs',
        enabled: false,
        when: [{ ...when[0], device: home.id('study-light') }],
        then: [gate(home.main)],
      },
    })
    expect(made.status, made.text).toBe(201)
    const { automation } = made.body as { automation: { id: string; revision: number } }
    await refused(
      'PATCH',
      `/v1/automations/${encodeURIComponent(home.id(automation.id.split(':').slice(2).join(':'), agent))}`,
      { ifRevision: automation.revision, enabled: true },
    )
    expect(await waitingOf(home, agent)).toEqual([])
    // What opens nothing is saved as ever.
    expect(
      await home.call({
        method: 'POST',
        path: '/v1/scenes',
        body: { name: 'Lamp', steps: [lamp(agent)] },
        token: agent.token,
      }),
    ).toMatchObject({ status: 201 })
    expect(
      await home.call({
        method: 'POST',
        path: '/v1/automations',
        body: { name: 'Lamp', when, then: [lamp(agent)] },
        token: agent.token,
      }),
    ).toMatchObject({ status: 201 })
  },
)
