import { createHash } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { THROUGH_RELAY } from '#support/relay/mode.ts'
import { verifiesAlone } from '#support/gateway/harness.ts'
import {
  accept,
  asked,
  askFor,
  collected,
  DENIED,
  deny,
  EXPIRED,
  letIn,
  pass,
  passing,
  PENDING,
  poll,
  SLOW_DOWN,
} from './device-flow.ts'

const verifies = verifiesAlone(passing, { over: 'http' })

describe('the device flow', () => {
  verifies(
    ['4.pair', '5.7.device-flow', '7.device-flow', '3.agent-request', 'agents.pair-open'],
    'hands a token out once, after an administrator accepted, to whoever has the code',
    async (home) => {
      await letIn(home)
      const answer = await askFor(home)
      expect(answer.status).toBe(200)
      const told = answer.body as { code: string; userCode: string }
      // The response has no other fields: a caller without a credential must not learn the home's name.
      expect(answer.body).toEqual({
        code: expect.stringMatching(/^[a-z0-9]{12}\.[\w-]{43}$/) as string,
        userCode: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/) as string,
        interval: 5,
        expiresIn: 600,
      })
      if (home.transport === 'http')
        expect(answer.headers).toMatchObject({
          'cache-control': 'no-store',
          'content-type': 'application/json; charset=utf-8',
        })
      expect(await poll(home, told.code)).toMatchObject({ ...PENDING, text: '{"error":"authorization_pending"}' })
      await accept(home, told.userCode)
      const token = await poll(home, told.code)
      expect(token).toMatchObject({ status: 200, body: { token_type: 'Bearer', kind: 'agent' } })
      const { access_token } = token.body as { access_token: string }
      expect(Object.keys(token.body as object).toSorted()).toEqual(['access_token', 'kind', 'token_type'])
      expect(access_token).toMatch(new RegExp(`^hm_agent_${home.running.gateway.serial}\\.${home.main.id}\\.`))
      expect(await poll(home, told.code)).toMatchObject(EXPIRED)
      expect(await home.get('/v1/integration', access_token)).toMatchObject({
        integration: {
          id: home.main.id,
          credential: {
            kind: 'agent',
            name: 'Claude',
            platform: 'Claude Code',
            label: 'Agent: Claude via Claude Code',
          },
        },
      })
      const rows = home.running.gateway.stores.core.db.prepare('SELECT * FROM agent_requests').all()
      expect(JSON.stringify(rows)).not.toContain(told.code)
      expect(JSON.stringify(rows)).toContain(JSON.stringify(createHash('sha256').update(told.code).digest()))
    },
  )

  verifies(
    ['5.7.device-flow', '3.agent-request'],
    'gives a session to an agent that was accepted for this session',
    async (home) => {
      await letIn(home)
      const { code, userCode } = await asked(home)
      // As a person types it.
      await accept(home, userCode.toLowerCase().replace('-', ''), { session: true })
      const answer = await poll(home, code)
      expect(answer).toMatchObject({
        status: 200,
        body: { kind: 'session', token_type: 'Bearer', access_token: expect.stringMatching(/^hm_session_/) as string },
      })
      expect(await home.get('/v1/integration', (answer.body as { access_token: string }).access_token)).toMatchObject({
        integration: { credential: { kind: 'session' } },
      })
    },
  )

  verifies(
    ['5.7.device-flow', '7.device-flow', '3.agent-request'],
    'tells an agent that was denied so, and goes on telling it',
    async (home) => {
      await letIn(home)
      const { code, userCode } = await asked(home)
      await deny(home, userCode)
      expect(await poll(home, code)).toMatchObject(DENIED)
      expect(await poll(home, code)).toMatchObject(DENIED)
      await expect(accept(home, userCode)).rejects.toThrow('denied')
      expect(await poll(home, code)).toMatchObject(DENIED)
    },
  )

  verifies(['8.pending', '7.device-flow', '3.agent-request'], 'waits 10 minutes for an answer', async (home) => {
    await letIn(home)
    const { code, userCode } = await asked(home)
    await pass(home, 595)
    expect(await poll(home, code)).toMatchObject(PENDING)
    await pass(home, 5)
    expect(await poll(home, code)).toMatchObject(EXPIRED)
    expect(await home.running.admin.call('GET', '/agents/requests')).toEqual({ requests: [] })
    await expect(accept(home, userCode)).rejects.toThrow('expired')
    expect(await poll(home, code)).toMatchObject(EXPIRED)
  })

  verifies(
    ['8.pending', '5.7.device-flow'],
    'leaves an agent that was accepted at the last moment 2 minutes to collect its token',
    async (home) => {
      await letIn(home)
      const [first, second] = [await asked(home), await asked(home, { name: 'Second' })]
      await pass(home, 595)
      await accept(home, first.userCode)
      await accept(home, second.userCode)
      await pass(home, 110)
      expect(await collected(home, first.code)).toMatch(/^hm_agent_/)
      await pass(home, 11)
      expect(await poll(home, second.code)).toMatchObject(EXPIRED)
    },
  )

  verifies(
    ['7.device-flow', '8.pairing'],
    'slows an agent down that polls too often, by 5 seconds more for good',
    async (home) => {
      await letIn(home)
      const { code, userCode } = await asked(home)
      expect(await poll(home, code)).toMatchObject(PENDING)
      await pass(home, 5)
      expect(await poll(home, code)).toMatchObject(PENDING)
      expect(await poll(home, code)).toMatchObject({ ...SLOW_DOWN, text: '{"error":"slow_down"}' })
      await pass(home, 6)
      expect(await poll(home, code)).toMatchObject(SLOW_DOWN)
      // Now 15 seconds: twice slowed down.
      await pass(home, 13)
      expect(await poll(home, code)).toMatchObject(SLOW_DOWN)
      await pass(home, 20)
      expect(await poll(home, code)).toMatchObject(PENDING)
      await pass(home, 20)
      expect(await poll(home, code)).toMatchObject(PENDING)
      await accept(home, userCode)
      expect(await collected(home, code)).toMatch(/^hm_agent_/)
    },
  )
})

describe('what an agent asks for', () => {
  verifies(
    ['5.8.agent-access', 'agents.pair-open'],
    'needs agent_access; which integrations there are is told to nobody',
    async (home) => {
      const off = await home.integrate({ name: 'Off' })
      const disabled = await home.integrate({ name: 'Disabled', settings: { agent_access: 'on' } })
      await home.change(disabled, { enabled: false })
      const records = [
        undefined,
        null,
        off.id,
        disabled.id,
        home.main.id,
        '00000000-0000-4000-8000-000000000000',
        'nothing',
        '',
      ]
      const answers: RawAnswer[] = []
      for (const record of records) answers.push(await askFor(home, record === undefined ? {} : { record }))
      expect(answers[0]).toMatchObject({
        status: 403,
        body: { error: { code: 'agent_access_disabled', appAction: 'integrations.record' } },
      })
      expect(answers.map(({ text }) => text)).toEqual(records.map(() => answers[0]!.text))
      await letIn(home)
      for (const record of [off.id, disabled.id, 'nothing'])
        expect((await askFor(home, { record })).text).toBe(answers[0]!.text)
      expect((await askFor(home, { record: home.main.id })).status).toBe(200)
      expect((await askFor(home)).status).toBe(200)
    },
  )

  verifies(['5.8.agent-access'], 'waits while agent_access is off between the answer and the token', async (home) => {
    await letIn(home)
    const { code, userCode } = await asked(home)
    await accept(home, userCode)
    await home.change(home.main, { settings: { agent_access: 'off' } })
    for (let turn = 0; turn < 2; turn++)
      expect(await poll(home, code)).toMatchObject({
        status: 403,
        body: { error: { code: 'agent_access_disabled', appAction: 'integrations.record' } },
      })
    await letIn(home)
    expect(await collected(home, code)).toMatch(/^hm_agent_/)
    expect(await poll(home, code)).toMatchObject(EXPIRED)
  })

  verifies(['5.7.device-flow'], 'is as good as denied once its integration is deleted', async (home) => {
    const [wanted, chosen] = [
      await home.integrate({ settings: { agent_access: 'on' } }),
      await home.integrate({ settings: { agent_access: 'on' } }),
    ]
    const [first, second] = [await asked(home, { record: wanted.id }), await asked(home)]
    await accept(home, second.userCode, { integration: chosen.id })
    for (const { id } of [wanted, chosen]) await home.running.admin.call('DELETE', `/integrations/${id}`)
    expect(await poll(home, first.code)).toMatchObject(DENIED)
    expect(await poll(home, second.code)).toMatchObject(DENIED)
  })

  verifies(['4.pair'], 'is asked of the gateway that is named, and of no other', async (home) => {
    await letIn(home)
    // A relay knows no such gateway, and tells no stranger whether there is one.
    const [status, code] = THROUGH_RELAY ? [503, 'gateway_offline'] : [404, 'not_found']
    expect(await askFor(home, { gateway: 'ab12cd34ef56' })).toMatchObject({ status, body: { error: { code } } })
    const { serial } = home.running.gateway
    for (const gateway of ['', serial.toUpperCase(), `${serial} `])
      expect(await askFor(home, { gateway })).toMatchObject({ status: 422, body: { error: { code: 'validation' } } })
    expect(await home.running.admin.call('GET', '/agents/requests')).toEqual({ requests: [] })
  })

  verifies(
    ['5.7.device-flow'],
    'is what the administrator makes of it: another integration, in place of the old credential or beside it',
    async (home) => {
      const other = await home.integrate({ name: 'Other', settings: { agent_access: 'on' } })
      await letIn(home)
      const first = await asked(home)
      await expect(accept(home, first.userCode)).rejects.toThrow(/Choose an integration.*Other/)
      await accept(home, first.userCode, { integration: other.id })
      const old = await collected(home, first.code)
      expect(await home.get('/v1/integration', old)).toMatchObject({ integration: { id: other.id } })
      const again = await asked(home, { record: other.id })
      const link = old.split('.')[2]!
      expect(await home.running.admin.call('GET', '/agents/requests')).toMatchObject({
        requests: [{ record: other.id, known: [link] }],
      })
      await expect(accept(home, again.userCode)).rejects.toThrow(/replace it, or add another/)
      expect(await accept(home, again.userCode, { replace: true })).toMatchObject({ replaces: link })
      // The old one goes on until the new one is there.
      expect((await home.call({ method: 'GET', path: '/v1/house', token: old })).status).toBe(200)
      const fresh = await collected(home, again.code)
      expect((await home.call({ method: 'GET', path: '/v1/house', token: old })).status).toBe(401)
      const third = await asked(home, { record: other.id })
      await accept(home, third.userCode, { add: true, session: true })
      const added = await collected(home, third.code)
      for (const token of [fresh, added])
        expect((await home.call({ method: 'GET', path: '/v1/house', token })).status).toBe(200)
    },
  )
})
