import { describe, expect } from 'vitest'
import { type TestIntegration, verifiesOver } from '#support/gateway/harness.ts'
import { commandsOf } from '#support/gateway/await-home.ts'
import {
  agentOf,
  decideConfirmation,
  control,
  expectConfirmationRequired,
  FRONT_DOOR,
  GATE,
  tryHeaders,
  open,
  createScene,
  waitingConfirmation,
  waitingConfirmations,
} from '#support/gateway/opening-agent.ts'

const verifies = verifiesOver('http')

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
          const answer = await open(home, agent, local)
          expectConfirmationRequired(answer)
          const confirmation = await waitingConfirmation(home, agent)
          expect(answer.text).toContain(confirmation.id)
          expect(answer.text).not.toContain(confirmation.code)
          expectConfirmationRequired(await open(home, agent, local))
          expect(await waitingConfirmation(home, agent)).toMatchObject({ id: confirmation.id, code: confirmation.code })
          expect(commandsOf(home, address)).toBe(before)

          await decideConfirmation(home, agent)
          expect(await open(home, agent, local)).toMatchObject({ status: 200 })
          expectConfirmationRequired(await open(home, agent, local))
          expect(await control(home, agent, local, { op: 'close' })).toMatchObject({ status: 200 })
          await decideConfirmation(home, agent, false)
          const declined = await open(home, agent, local)
          expectConfirmationRequired(declined)
          expect(declined.body).toMatchObject({
            error: {
              message: expect.stringContaining('Do not ask again') as string,
              retryAfter: expect.any(Number) as number,
            },
          })
          expect(await waitingConfirmations(home, agent)).toEqual([])
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
      expectConfirmationRequired(await open(home, agent))
      const { id, code } = await waitingConfirmation(home, agent)
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
        const answer = await home.call({
          method: 'POST',
          path: home.at('front-door', '/control', agent),
          query: { [name]: String(value) },
          body: { op: 'open' },
          token: agent.token,
        })
        expect([403, 422], `${name} in the query: ${answer.text}`).toContain(answer.status)
      }
      const wrong = code === '123456' ? '654321' : '123456'
      for (const guess of ['', '12345', '1234567', 'abcdef', `${code} `, Number(code), null, true, [code], { code }]) {
        expect((await open(home, agent, 'front-door', { code: guess })).status, JSON.stringify(guess)).toBe(422)
      }
      expectConfirmationRequired(await open(home, agent, 'front-door', { code: wrong }))
      if (home.transport === 'http') await tryHeaders(home, agent, id)
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
      expect(await waitingConfirmation(home, agent)).toMatchObject({ id, code })

      await decideConfirmation(home, agent)
      const together = await Promise.all(Array.from({ length: 6 }, () => open(home, agent)))
      expect(together.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(together.filter(({ text }) => text.includes('confirmation_required'))).toHaveLength(5)
    },
  )

  verifies(
    ['agents.confirmation', 'agents.declined-by'],
    'opens with the secret code of the confirmation, which three wrong codes decline',
    async (home) => {
      const agent = await agentOf(home)
      expectConfirmationRequired(await open(home, agent))
      expect(
        await open(home, agent, 'front-door', { code: (await waitingConfirmation(home, agent)).code }),
      ).toMatchObject({
        status: 200,
      })
      expectConfirmationRequired(await open(home, agent))
      const { code } = await waitingConfirmation(home, agent)
      const wrong = code === '123456' ? '654321' : '123456'
      const answers = [
        await open(home, agent, 'front-door', { code: wrong }),
        await open(home, agent, 'front-door', { code: wrong }),
        await open(home, agent, 'front-door', { code: wrong }),
      ]
      answers.forEach(expectConfirmationRequired)
      // Both this answer and a later call say that wrong codes declined it, not an administrator.
      const declined = /"3 wrong codes have declined [A-Z]{4}\. Do not ask again: tell the user\."/
      expect(answers.at(-1)?.text).toMatch(declined)
      expect((await open(home, agent)).text).toMatch(declined)
      expectConfirmationRequired(await open(home, agent, 'front-door', { code }))
      expect(await waitingConfirmations(home, agent)).toEqual([])
      // A key needs only the knob; a code has no effect.
      expect(await control(home, home.main, 'front-door', { op: 'open', code: wrong })).toMatchObject({ status: 200 })
    },
  )

  verifies(
    ['4.rule2.agent', '2.1.allow-unlock'],
    'cannot open with allow_unlock off, even after a confirmation',
    async (home) => {
      const agent = await agentOf(home)
      expectConfirmationRequired(await open(home, agent))
      await decideConfirmation(home, agent)
      await home.change(agent, { settings: { allow_unlock: 'off' } })
      expect(await open(home, agent)).toMatchObject({ status: 403, body: { error: { code: 'unlock_not_allowed' } } })
      await home.change(agent, { settings: { allow_unlock: 'on' } })
      expect(await open(home, agent)).toMatchObject({ status: 200 })
    },
  )
})

verifies(
  ['agents.agent-rules', 'refusals.knob-place'],
  'an agent cannot save or switch on a rule or scene that opens an entrance',
  async (home) => {
    const agent = await agentOf(home)
    const gate = (who: TestIntegration) => ({ device: home.id('driveway-gate', who), op: 'open' })
    const lamp = (who: TestIntegration) => ({
      device: home.id('study-light', who),
      op: 'set_power',
      args: { on: true },
    })
    const when = [{ device: home.id('study-light', agent), state: 'on', is: true }]
    const opening = await createScene(home, `Leaving ${home.transport}`, [gate(home.main)])
    const byScene = { scene: home.id(opening, agent) }
    const refused = async (method: string, path: string, body: object): Promise<void> => {
      const answered = await home.call({ method, path, body, token: agent.token })
      expect(answered, `${method} ${path} ${JSON.stringify(body)}: ${answered.text}`).toMatchObject({
        status: 403,
        body: {
          error: { code: 'unlock_not_allowed', message: expect.stringContaining('An agent may not save') as string },
        },
      })
      // The refusal names no setting, because none of them would help.
      expect(answered.body).not.toHaveProperty(['error', 'appAction'])
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
    expect(await waitingConfirmations(home, agent)).toEqual([])
    // Rules that open nothing are saved as usual.
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
