import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { connectedAgent } from '#support/homes/hosted-agents.ts'
import { StreamHome } from '#support/homes/stream-home.ts'
import { RECHECK_EVERY_MS } from '../auth/open-channels.ts'
import { CoreDb } from '../db/core/core-db.ts'
import { SqliteIntegrations } from '../db/core/integration-store.ts'

const CLOSED = { code: 4403, reason: 'cloud_access_disabled' }

proves(
  'agents.hosted-channels',
  'sockets through the cloud end with 4403 once cloud_access is off, and those at home stay',
  async () => {
    const home = await StreamHome.open()
    const integration = home.integration()
    const token = home.token(integration)
    const [outside, inside] = [await home.connect(token, 'cloud'), await home.connect(token)]
    await outside.subscribe('*')
    home.change(integration, { knobs: { ...integration.knobs, cloud_access: 'off' } })
    expect(await outside.ended()).toEqual(CLOSED)
    expect(outside.errors).toMatchObject([{ code: 'cloud_access_disabled', appAction: 'integrations.record' }])
    expect(await inside.get('/v1/house')).toMatchObject({ status: 200 })
  },
)

proves('agents.hosted-channels', 'also where another process switched it off, within a second', async () => {
  const home = await StreamHome.open()
  const integration = home.integration()
  const outside = await home.connect(home.token(integration), 'cloud')
  const elsewhere = new CoreDb(home.file)
  elsewhere.change(() =>
    new SqliteIntegrations(elsewhere).update({ ...integration, knobs: { ...integration.knobs, cloud_access: 'off' } }),
  )
  elsewhere.close()
  expect(RECHECK_EVERY_MS).toBeLessThanOrEqual(1_000)
  home.clock.advance(RECHECK_EVERY_MS)
  expect(await outside.ended()).toEqual(CLOSED)
})

proves(
  'agents.hosted-channels',
  'a request on it is refused with 403 before it ends, and an unknown token gets no reason',
  async () => {
    const home = await StreamHome.open()
    const integration = home.integration()
    const token = home.token(integration)
    const outside = await home.connect(token, 'cloud')
    home.core.change(() =>
      home.access.integrations.update({ ...integration, knobs: { ...integration.knobs, cloud_access: 'off' } }),
    )
    expect(await outside.get('/v1/house')).toMatchObject({
      status: 403,
      body: { error: { code: 'cloud_access_disabled' } },
    })
    expect(await outside.ended()).toEqual(CLOSED)
    const status = async (presented: string, via: 'home' | 'cloud'): Promise<number> =>
      (
        await home.dispatcher.answer({
          method: 'GET',
          path: '/v1/house',
          query: {},
          token: presented,
          via,
          peer: '203.0.113.9',
          body: { kind: 'none' },
        })
      ).status
    expect([
      await status(token, 'home'),
      await status(token, 'cloud'),
      await status(`${token.slice(0, -1)}_`, 'cloud'),
    ]).toEqual([200, 403, 401])
  },
)

proves(
  'agents.hosted-audience',
  'a hosted agent’s token opens neither the stream nor the service, at home or outside',
  async () => {
    const home = await StreamHome.open()
    const { id } = home.integration({ expose: 'All' }, { agent_access: 'on' })
    const { access } = connectedAgent(home.access, { record: id, door: `mcp/r/${id}` })
    for (const via of ['home', 'cloud'] as const) {
      expect(() => home.stream.admit(access, '203.0.113.9', via)).toThrow(`another address: /mcp/r/${id}.`)
      const answer = await home.dispatcher.answer({
        method: 'GET',
        path: '/v1/integration',
        query: {},
        token: access,
        via,
        peer: '203.0.113.9',
        body: { kind: 'none' },
      })
      expect(answer.status).toBe(401)
    }
  },
)
