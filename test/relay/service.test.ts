import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/index.ts'
import { HttpCaller, type RawAnswer, TestSocket } from '#support/gateway/callers.ts'
import { agentOf } from '#support/gateway/opening-agent.ts'
import { proves } from '#support/gateway/verifies.ts'
import { atOneMoment, relayedHome, sharedRelayedHome } from '#support/relay/relayed-home.ts'
import { expectStreamUntilOff } from '#support/relay/expect-stream-until-off.ts'

const HOUSE = { method: 'GET', path: '/v1/house' }

describe('the service through a relay', () => {
  const shared = sharedRelayedHome()

  proves(
    ['1.2.relay', '4.tls-home'],
    'serves every read as at home, except for paths of the home network only',
    async () => {
      const { relay, home, through } = await relayedHome({ gateway: atOneMoment() })
      const answer = ({ status, text, headers }: RawAnswer): unknown => ({ status, text, etag: headers?.['etag'] })
      for (const { method, path } of Object.values(contract).filter((endpoint) => endpoint.method === 'GET')) {
        const own = { method, path: path.replaceAll(/\{\w+\}/g, encodeURIComponent(home.id('hall-light'))) }
        const [there, here] = [await through.call(own), await home.call(own)]
        if (path === '/v1/gateway/tls') expect([there.status, here.status]).toEqual([404, 200])
        else if (path !== '/v1/about') expect(answer(there), own.path).toEqual(answer(here))
      }
      const socket = await TestSocket.open(relay.access(home.main.token))
      const tls = { id: 'tls', method: 'GET', path: '/v1/gateway/tls' }
      expect(JSON.parse(await socket.ask('tls', tls))).toMatchObject({ status: 404 })
      socket.close()
    },
  )

  proves('1.3.relayed', 'uses current data: exposure, knobs, and whether a credential exists', async () => {
    const { home, through } = await shared()
    const one = await home.integrate({ expose: ['room:study'] })
    const pairing = async (method: string, path: string, body?: object): Promise<number> =>
      (await through.call({ method, path, token: one.token, ...(body ? { body } : {}) })).status
    const lamp = home.at('study-light', '', one)
    expect([await pairing('GET', lamp), await pairing('PATCH', lamp, { name: 'Desk' })]).toEqual([200, 403])
    await home.change(one, { settings: { structural: 'on' } })
    expect(await pairing('PATCH', lamp, { name: 'Desk' })).toBe(200)
    await home.change(one, { expose: ['room:hall'] })
    expect([await pairing('GET', lamp), await pairing('PATCH', lamp, { name: 'Desk' })]).toEqual([404, 404])
    await home.change(one, { enabled: false })
    expect(await pairing('GET', '/v1/house')).toBe(403)
    await home.running.admin.call('DELETE', `/keys/${one.link}`)
    expect(await pairing('GET', '/v1/house')).toBe(401)
  })

  proves('2.1.cloud-access', 'is refused while cloud_access is off, only there, to agents too', async () => {
    const { home, through } = await shared()
    await home.change(home.main, { settings: { cloud_access: 'off' } })
    expect(await through.call(HOUSE)).toMatchObject({
      status: 403,
      body: { error: { code: 'cloud_access_disabled' } },
    })
    expect((await home.call(HOUSE)).status).toBe(200)
    await home.change(home.main, { settings: { agent_access: 'on' } })
    const { token } = await agentOf(home, home.main)
    const initialize = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const accept = 'application/json, text/event-stream'
    const refused = await through.send('POST', '/mcp', { body: initialize, token, accept })
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'cloud_access_disabled' } } })
  })

  test('the live stream carries requests and events, and ends with 4403 when cloud_access is switched off', async () => {
    const { relay, home } = await shared()
    await expectStreamUntilOff(home, relay.access(home.main.token))
  })

  test('the token of the stream may be in its address', async () => {
    const { relay, home } = await shared()
    const socket = await TestSocket.open(relay.access(null), {}, `?token=${home.main.token}`)
    expect(await socket.subscribe(['*'])).toMatchObject({ status: 200 })
    socket.close()
    await expect(TestSocket.open(relay.access(home.main.token), {}, '?token=another')).rejects.toMatchObject({
      answer: { status: 401 },
    })
    const twice = `?token=${home.main.token}&token=${home.main.token}`
    await expect(TestSocket.open(relay.access(null), {}, twice)).rejects.toMatchObject({ answer: { status: 401 } })
  })

  test('a malformed token gets the same refusal as at the gateway, at every path', async () => {
    const { home, through } = await shared()
    for (const token of [null, 'nothing', 'hm_key_', home.main.token.replace('hm_key', 'hm_refresh')]) {
      const [there, here] = [await through.call({ ...HOUSE, token }), await home.call({ ...HOUSE, token })]
      expect([there.status, there.text]).toEqual([401, here.text])
      expect(there.headers?.['www-authenticate']).toBe(token === null ? 'Bearer' : 'Bearer error="invalid_token"')
    }
    const wrong = { ...HOUSE, token: `${home.main.token.slice(0, -4)}AAAA` }
    expect((await through.call(wrong)).text).toBe((await home.call(wrong)).text)
  })

  test('an offline home and an unknown one look the same to a stranger', async () => {
    const { relay, home, through } = await relayedHome({ linked: false })
    const unknown = home.main.token.replace(/_[a-z0-9]{12}\./, '_zzzzzzzzzzzz.')
    const [away, none] = [await through.call(HOUSE), await through.call({ ...HOUSE, token: unknown })]
    expect(away).toMatchObject({ status: 503, body: { error: { code: 'gateway_offline', retryAfter: 15 } } })
    expect([none.status, none.text]).toEqual([away.status, away.text])
    await expect(TestSocket.open(relay.access(home.main.token))).rejects.toMatchObject({ answer: { status: 503 } })
  })

  test('an agent requests access with a gateway’s id, and polls with its code', async () => {
    const { relay, home } = await shared()
    await home.change(home.main, { settings: { agent_access: 'on' } })
    const open = new HttpCaller(relay.access(null))
    const ask = { gateway: home.running.gateway.serial, name: 'Script', platform: 'Test', record: home.main.id }
    const pairing = await open.call({ method: 'POST', path: '/v1/pair', body: ask })
    expect(pairing.status).toBe(200)
    const { code } = pairing.body as { code: string }
    const poll = async (text: string) =>
      (await open.call({ method: 'POST', path: '/v1/pair/token', body: { code: text } })).body
    expect(await poll(code)).toEqual({ error: 'authorization_pending' })
    expect(await poll('no code of any gateway')).toEqual({ error: 'expired_token' })
    const elsewhere = { ...ask, gateway: 'zzzzzzzzzzzz' }
    expect((await open.call({ method: 'POST', path: '/v1/pair', body: elsewhere })).status).toBe(503)
    expect((await open.call({ method: 'POST', path: '/v1/pair', body: {} })).status).toBe(422)
    await open[Symbol.asyncDispose]()
  })

  test('a large body is refused by the gateway, and the relay keeps working', async () => {
    const { home, through } = await shared()
    const body = { op: 'set_power', args: { on: 'x'.repeat(300 * 1024) } }
    const path = home.at('hall-light', '/control')
    expect(await through.send('POST', path, { body })).toMatchObject({ status: 413 })
    expect((await through.call(HOUSE)).status).toBe(200)
  })

  test('an unknown path is refused by the home of the token, and by the relay without a token', async () => {
    const { home, through } = await shared()
    const atHome = new HttpCaller(home.access(home.main.token))
    for (const path of ['/nowhere', '/v1/nowhere', '/v1/stream', '/%76%31/%69ntegration']) {
      const [there, here] = [
        await through.send('GET', path, { body: undefined }),
        await atHome.send('GET', path, { body: undefined }),
      ]
      expect([there.status, there.text, there.headers?.['allow']], path).toEqual([
        here.status,
        here.text,
        here.headers?.['allow'],
      ])
    }
    await atHome[Symbol.asyncDispose]()
    expect(await through.send('GET', '/nowhere', { body: undefined, token: null })).toMatchObject({ status: 404 })
  })

  test('other hosts and pages of other origins are refused before all else', async () => {
    const { relay, home } = await shared()
    const refusal = async (headers: Record<string, string>): Promise<number> => {
      const refused = await TestSocket.open(relay.access(home.main.token), headers).catch((error: unknown) => error)
      return (refused as { answer: { status: number } }).answer.status
    }
    expect(await refusal({ host: 'example.org' })).toBe(421)
    expect(await refusal({ origin: 'https://example.org' })).toBe(403)
  })
})
