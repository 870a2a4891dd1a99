import { createHash } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { THROUGH_RELAY } from '#support/relay/mode.ts'
import { verifiesAlone } from '#support/gateway/harness.ts'
import {
  accept,
  startPairing,
  postPairing,
  collectToken,
  DENIED,
  deny,
  EXPIRED,
  allowAgents,
  passSeconds,
  withPassingClock,
  PENDING,
  poll,
  SLOW_DOWN,
} from './device-flow.ts'

const verifies = verifiesAlone(withPassingClock, { over: 'http' })

describe('the device flow', () => {
  verifies(
    ['4.pair', '5.7.device-flow', '7.device-flow', '3.agent-request', 'agents.pair-open'],
    'gives the holder of the code one token, once an administrator has accepted',
    async (home) => {
      await allowAgents(home)
      const answer = await postPairing(home)
      expect(answer.status).toBe(200)
      const { code, userCode } = answer.body as { code: string; userCode: string }
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
      expect(await poll(home, code)).toMatchObject({ ...PENDING, text: '{"error":"authorization_pending"}' })
      await accept(home, userCode)
      const token = await poll(home, code)
      expect(token).toMatchObject({ status: 200, body: { token_type: 'Bearer', kind: 'agent' } })
      const { access_token } = token.body as { access_token: string }
      expect(Object.keys(token.body as object).toSorted()).toEqual(['access_token', 'kind', 'token_type'])
      expect(access_token).toMatch(new RegExp(`^hm_agent_${home.running.gateway.serial}\\.${home.main.id}\\.`))
      expect(await poll(home, code)).toMatchObject(EXPIRED)
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
      expect(JSON.stringify(rows)).not.toContain(code)
      expect(JSON.stringify(rows)).toContain(JSON.stringify(createHash('sha256').update(code).digest()))
    },
  )

  verifies(
    ['5.7.device-flow', '3.agent-request'],
    'gives a session token to an agent that was accepted for one session',
    async (home) => {
      await allowAgents(home)
      const { code, userCode } = await startPairing(home)
      // A person may type the code in lower case and without its hyphen.
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
    'answers access_denied to every poll of a denied agent',
    async (home) => {
      await allowAgents(home)
      const { code, userCode } = await startPairing(home)
      await deny(home, userCode)
      expect(await poll(home, code)).toMatchObject(DENIED)
      expect(await poll(home, code)).toMatchObject(DENIED)
      await expect(accept(home, userCode)).rejects.toThrow('denied')
      expect(await poll(home, code)).toMatchObject(DENIED)
    },
  )

  verifies(['8.pending', '7.device-flow', '3.agent-request'], 'waits 10 minutes for a decision', async (home) => {
    await allowAgents(home)
    const { code, userCode } = await startPairing(home)
    await passSeconds(home, 595)
    expect(await poll(home, code)).toMatchObject(PENDING)
    await passSeconds(home, 5)
    expect(await poll(home, code)).toMatchObject(EXPIRED)
    expect(await home.running.admin.call('GET', '/agents/requests')).toEqual({ requests: [] })
    await expect(accept(home, userCode)).rejects.toThrow('expired')
    expect(await poll(home, code)).toMatchObject(EXPIRED)
  })

  verifies(
    ['8.pending', '5.7.device-flow'],
    'leaves an agent that was accepted at the last moment 2 minutes to collect its token',
    async (home) => {
      await allowAgents(home)
      const [first, second] = [await startPairing(home), await startPairing(home, { name: 'Second' })]
      await passSeconds(home, 595)
      await accept(home, first.userCode)
      await accept(home, second.userCode)
      await passSeconds(home, 110)
      expect(await collectToken(home, first.code)).toMatch(/^hm_agent_/)
      await passSeconds(home, 11)
      expect(await poll(home, second.code)).toMatchObject(EXPIRED)
    },
  )

  verifies(
    ['7.device-flow', '8.pairing'],
    'lengthens the interval by 5 seconds each time an agent polls too often',
    async (home) => {
      await allowAgents(home)
      const { code, userCode } = await startPairing(home)
      expect(await poll(home, code)).toMatchObject(PENDING)
      await passSeconds(home, 5)
      expect(await poll(home, code)).toMatchObject(PENDING)
      expect(await poll(home, code)).toMatchObject({ ...SLOW_DOWN, text: '{"error":"slow_down"}' })
      await passSeconds(home, 6)
      expect(await poll(home, code)).toMatchObject(SLOW_DOWN)
      // The interval is 15 seconds after two early polls.
      await passSeconds(home, 13)
      expect(await poll(home, code)).toMatchObject(SLOW_DOWN)
      await passSeconds(home, 20)
      expect(await poll(home, code)).toMatchObject(PENDING)
      await passSeconds(home, 20)
      expect(await poll(home, code)).toMatchObject(PENDING)
      await accept(home, userCode)
      expect(await collectToken(home, code)).toMatch(/^hm_agent_/)
    },
  )
})

describe('a request for access', () => {
  verifies(
    ['5.8.agent-access', 'agents.pair-open'],
    'needs agent_access, and its refusal does not reveal which integrations exist',
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
      for (const record of records) answers.push(await postPairing(home, record === undefined ? {} : { record }))
      expect(answers[0]).toMatchObject({
        status: 403,
        body: { error: { code: 'agent_access_disabled', appAction: 'integrations.record' } },
      })
      expect(answers.map(({ text }) => text)).toEqual(records.map(() => answers[0]!.text))
      await allowAgents(home)
      for (const record of [off.id, disabled.id, 'nothing'])
        expect((await postPairing(home, { record })).text).toBe(answers[0]!.text)
      expect((await postPairing(home, { record: home.main.id })).status).toBe(200)
      expect((await postPairing(home)).status).toBe(200)
    },
  )

  verifies(['5.8.agent-access'], 'waits for its token while agent_access is off', async (home) => {
    await allowAgents(home)
    const { code, userCode } = await startPairing(home)
    await accept(home, userCode)
    await home.change(home.main, { settings: { agent_access: 'off' } })
    for (let turn = 0; turn < 2; turn++)
      expect(await poll(home, code)).toMatchObject({
        status: 403,
        body: { error: { code: 'agent_access_disabled', appAction: 'integrations.record' } },
      })
    await allowAgents(home)
    expect(await collectToken(home, code)).toMatch(/^hm_agent_/)
    expect(await poll(home, code)).toMatchObject(EXPIRED)
  })

  verifies(['5.7.device-flow'], 'is denied once its integration is deleted', async (home) => {
    const [requested, chosen] = [
      await home.integrate({ settings: { agent_access: 'on' } }),
      await home.integrate({ settings: { agent_access: 'on' } }),
    ]
    const [first, second] = [await startPairing(home, { record: requested.id }), await startPairing(home)]
    await accept(home, second.userCode, { integration: chosen.id })
    for (const { id } of [requested, chosen]) await home.running.admin.call('DELETE', `/integrations/${id}`)
    expect(await poll(home, first.code)).toMatchObject(DENIED)
    expect(await poll(home, second.code)).toMatchObject(DENIED)
  })

  verifies(['4.pair'], 'reaches only the gateway that it names', async (home) => {
    await allowAgents(home)
    // A relay does not reveal whether such a gateway exists.
    const [status, code] = THROUGH_RELAY ? [503, 'gateway_offline'] : [404, 'not_found']
    expect(await postPairing(home, { gateway: 'ab12cd34ef56' })).toMatchObject({ status, body: { error: { code } } })
    const { serial } = home.running.gateway
    for (const gateway of ['', serial.toUpperCase(), `${serial} `])
      expect(await postPairing(home, { gateway })).toMatchObject({
        status: 422,
        body: { error: { code: 'validation' } },
      })
    expect(await home.running.admin.call('GET', '/agents/requests')).toEqual({ requests: [] })
  })

  verifies(
    ['5.7.device-flow'],
    'may be accepted for another integration, and may replace the old credential or add a second',
    async (home) => {
      const other = await home.integrate({ name: 'Other', settings: { agent_access: 'on' } })
      await allowAgents(home)
      const first = await startPairing(home)
      await expect(accept(home, first.userCode)).rejects.toThrow(/Choose an integration.*Other/)
      await accept(home, first.userCode, { integration: other.id })
      const old = await collectToken(home, first.code)
      expect(await home.get('/v1/integration', old)).toMatchObject({ integration: { id: other.id } })
      const again = await startPairing(home, { record: other.id })
      const link = old.split('.')[2]!
      expect(await home.running.admin.call('GET', '/agents/requests')).toMatchObject({
        requests: [{ record: other.id, known: [link] }],
      })
      await expect(accept(home, again.userCode)).rejects.toThrow(/replace it, or add another/)
      expect(await accept(home, again.userCode, { replace: true })).toMatchObject({ replaces: link })
      // The old credential works until the agent collects the new one.
      expect((await home.call({ method: 'GET', path: '/v1/house', token: old })).status).toBe(200)
      const fresh = await collectToken(home, again.code)
      expect((await home.call({ method: 'GET', path: '/v1/house', token: old })).status).toBe(401)
      const third = await startPairing(home, { record: other.id })
      await accept(home, third.userCode, { add: true, session: true })
      const added = await collectToken(home, third.code)
      for (const token of [fresh, added])
        expect((await home.call({ method: 'GET', path: '/v1/house', token })).status).toBe(200)
    },
  )
})
