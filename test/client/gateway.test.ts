import { describe, expect, onTestFinished, test } from 'vitest'
import { type Client, connect, ConnectionError, HmError, TrustError } from '../../client/src/node.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { endToEnd, ownName } from '#support/relay/end-to-end.ts'

interface Connected {
  readonly home: TestHome
  readonly client: Client
  readonly target: { readonly url: string; readonly token: string; readonly fingerprint: string }
}

async function connected(): Promise<Connected> {
  const home = await TestHome.open('http', ONE_UNIT)
  onTestFinished(() => home[Symbol.asyncDispose]())
  const { fingerprint } = home.running.gateway
  const target = { url: home.running.url, token: home.main.token, fingerprint }
  return { home, client: await connect(target), target }
}

/** The connection code of a credential that an administrator makes. */
async function made(home: TestHome, path: string, body: object): Promise<string> {
  return (await home.running.admin.call<{ connectionCode: string }>('POST', path, body)).connectionCode
}

/** The rejection of a promise. */
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

const OTHER = Array.from({ length: 32 }, () => 'AB').join(':')

describe('the client at a running gateway', () => {
  proves('client.code-shown', 'comes in by the code that stands beside a new key', async () => {
    const { home } = await connected()
    const integration = home.main.id
    const key = await made(home, '/keys', { integration, name: 'tablet' })
    expect((await (await connect(key)).integration()).integration.credential).toMatchObject({ kind: 'key' })
    await home.change(home.main, { settings: { agent_access: 'on' } })
    const agent = await made(home, '/agents', { integration, name: 'Helper', platform: 'Laptop', session: true })
    expect((await (await connect(agent)).integration()).integration.credential).toMatchObject({ kind: 'session' })
  })

  test('controls a lamp, reads it, and asks why it is as it is', async () => {
    const { home, client } = await connected()
    const id = home.id('dimmer')
    const lamp = client.device('light_dimmer', id)
    const { state } = await home.running.hasten(lamp.setBrightness(40))
    expect(state.bri).toBe(40)
    expect((await client.state()).devices).toMatchObject([{ id, state: { on: true, bri: 40 } }])
    const { items } = await client.explain(id)
    expect(items.some(({ cause }) => cause?.source === 'integration')).toBe(true)
    const { entries } = await client.activity({ device: id, limit: 1 })
    expect(entries[0]?.cause.name).toContain('API:')
  })

  proves('client.errors', 'tells a refusal with its code, its sentence and where it is mended', async () => {
    const { home, client } = await connected()
    await home.change(home.main, { settings: { structural: 'off' } })
    const id = home.id('room:parlour')
    const refused = await failureOf(client.call('patch', '/v1/rooms/{id}', { path: { id }, body: { name: 'Salon' } }))
    expect(refused).toBeInstanceOf(HmError)
    expect(refused).toMatchObject({
      status: 403,
      code: 'structural_not_allowed',
      appAction: 'integrations.record',
      retryAfter: null,
      at: null,
    })
    const unknown = await failureOf(client.call('get', '/v1/devices/{id}', { path: { id: '../about' } }))
    expect(unknown).toMatchObject({ status: 404, code: 'not_found' })
  })

  proves('client.tags', 'caches tagged responses until they change', async () => {
    const { home, client } = await connected()
    const first = await client.house()
    expect(await client.house()).toBe(first)
    await home.running.hasten(client.device('light_dimmer', home.id('dimmer')).setBrightness(30))
    const second = await client.house()
    expect(second).not.toBe(first)
    expect(second.floors).toEqual(first.floors)
    expect(await client.house({ class: 'light_dimmer' })).not.toBe(second)
  })

  test('makes a change once that is sent twice under one name', async () => {
    const { home, client } = await connected()
    const lamp = client.device('light_dimmer', home.id('dimmer'))
    const options = { idempotencyKey: 'once' }
    const first = await home.running.hasten(lamp.setBrightness(40, options))
    await home.running.hasten(lamp.setBrightness(60))
    expect(await lamp.setBrightness(40, options)).toEqual(first)
    expect((await client.state()).devices).toMatchObject([{ state: { bri: 60 } }])
  })

  proves('client.addresses', 'goes on at the next address where one cannot be reached', async () => {
    const { target } = await connected()
    const client = await connect({ ...target, url: ['https://127.0.0.1:1', target.url] })
    expect((await client.house()).units).toEqual([])
    const nowhere = await failureOf(connect({ ...target, url: 'https://127.0.0.1:1' }))
    expect(nowhere).toBeInstanceOf(ConnectionError)
    expect(nowhere).toMatchObject({ isSent: false })
  })

  proves('client.pinned', 'tells of another CA with both fingerprints, and does not come in', async () => {
    const { home, target } = await connected()
    const refused = await failureOf(connect({ ...target, fingerprint: OTHER }))
    expect(refused).toBeInstanceOf(TrustError)
    expect(refused).toMatchObject({ expected: OTHER, found: target.fingerprint })
    expect(
      await failureOf(connect({ ...target, url: ['https://127.0.0.1:1', target.url], fingerprint: OTHER })),
    ).toEqual(refused)
    // The machine's own list of CAs has none of a gateway.
    const { url, token } = target
    expect(await failureOf((await connect({ url, token })).house())).toBeInstanceOf(ConnectionError)
    expect(home.running.gateway.fingerprint).toBe(target.fingerprint)
  })

  proves('client.pinned', 'learns of a changed CA from requests and from following, and never trusts it', async () => {
    const { home, client, target } = await connected()
    await home.running.admin.call('POST', '/tls/regenerate-ca', {})
    const {
      ca: { fingerprint: found },
    } = await home.running.admin.call<{ ca: { fingerprint: string } }>('GET', '/tls')
    const trustError = { name: 'TrustError', expected: target.fingerprint, found }
    expect(await failureOf(client.house())).toMatchObject(trustError)
    expect(await failureOf(client.follow(['*']).next())).toMatchObject(trustError)
    expect(await failureOf(client.home())).toMatchObject(trustError)
    expect((await (await connect({ ...target, fingerprint: found })).house()).house).not.toBe('')
  })

  test('says the same when the credential has ended', async () => {
    const { home, client } = await connected()
    await home.running.admin.call('DELETE', `/keys/${home.main.link}`)
    const ended = { name: 'HmError', status: 401, code: 'unauthorized' }
    expect(await failureOf(client.house())).toMatchObject(ended)
    expect(await failureOf(client.follow(['*']).next())).toMatchObject(ended)
    expect(await failureOf(client.home())).toMatchObject(ended)
  })
})

proves('client.relayed', 'the client comes in through a relay, and end to end where that is on', async () => {
  const { relay, home } = await endToEnd('on')
  const { fingerprint, serial } = home.running.gateway
  const { url, ca, token } = relay.access(home.main.token)
  const relayed = await connect({ url, ca, token: token ?? '' })
  const itself = { url: `https://${ownName(home)}:8490`, token: home.main.token, fingerprint }
  const through = new URL(url).host
  for (const client of [relayed, await connect(itself, { through })]) {
    expect((await client.house()).gateway).toBe(serial)
    const followed = client.follow(['state'])
    const first = [await followed.next(), await followed.next()]
    expect(first.map(({ value }) => value?.event)).toEqual(['connection', 'resync'])
    await followed.return()
  }
  expect(await failureOf(connect({ ...itself, fingerprint: OTHER }, { through }))).toMatchObject({ found: fingerprint })
  expect(await failureOf(connect({ ...itself, url }, { through }))).toBeInstanceOf(TypeError)
  const away = await connect({ url, ca, token: (token ?? '').replace(serial, '000000000000') })
  expect(await failureOf(away.house())).toMatchObject({ status: 503, code: 'gateway_offline' })
})
