import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { CoreDb } from '../db/core/core-db.ts'
import { SqliteCredentials } from '../db/core/credential-store.ts'
import { SqliteIntegrations } from '../db/core/integration-store.ts'
import { SESSION_IDLE_MS } from '../auth/credentials/credentials.ts'
import { RECHECK_EVERY_MS } from '../auth/open-channels.ts'
import type { Integration } from '../exposure/integration.ts'
import { StreamHome } from '#support/homes/stream-home.ts'
import { PING_EVERY_MS, SOCKET_LIMITS } from './stream-server.ts'

const CAUSE = { source: 'gateway', name: 'test' } as const
const LAMP_ON = { on: true, bri: 30, mode: 'manual' } as const
const ON = { on: true, mode: 'manual' } as const
const linkOf = (token: string): string => token.split('.')[2]!

/** The status with which an upgrade is refused. */
async function refusedWith(home: StreamHome, token: string | null): Promise<number | undefined> {
  const socket = new WebSocket(home.url, token === null ? {} : { headers: { authorization: `Bearer ${token}` } })
  socket.on('error', () => {})
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode?: number }]
  return response.statusCode
}

describe('an upgrade', () => {
  test('needs a credential, and a refused one learns the reason', async () => {
    const home = await StreamHome.open()
    const disabled = home.integration()
    const token = home.token(disabled)
    expect([
      await refusedWith(home, null),
      await refusedWith(home, 'hm_key_invented'),
      await refusedWith(home, `${token}x`),
    ]).toEqual([401, 401, 401])
    home.change(disabled, { enabled: false })
    expect(await refusedWith(home, token)).toBe(403)
    expect(await refusedWith(home, home.token(home.integration(), 'agent'))).toBe(403)
    expect(home.stream.counts().sockets).toBe(0)
  })

  test('is refused beyond the socket limit of a credential, until one closes', async () => {
    const home = await StreamHome.open()
    const integration = home.integration()
    const token = home.token(integration)
    const clients = []
    for (let count = 0; count < SOCKET_LIMITS.perCredential; count += 1) clients.push(await home.connect(token))
    expect(await refusedWith(home, token)).toBe(429)
    await (await home.connect(home.token(integration))).get('/v1/house')
    clients[0]!.socket.close()
    await expect.poll(() => home.stream.counts().sockets).toBe(SOCKET_LIMITS.perCredential)
    expect((await (await home.connect(token)).get('/v1/house')).status).toBe(200)
  })

  test('is refused beyond the total limit of sockets', async () => {
    const home = await StreamHome.open({ limits: { all: 2, perCredential: 2 } })
    await home.connect(home.token(home.integration()))
    await home.connect(home.token(home.integration()))
    expect(await refusedWith(home, home.token(home.integration()))).toBe(429)
  })
})

describe('an open socket ends', () => {
  async function listening(kind: 'key' | 'agent' | 'session' = 'key') {
    const home = await StreamHome.open()
    const integration = home.integration({ expose: 'All' }, { agent_access: 'on' })
    const token = home.token(integration, kind)
    const client = await home.connect(token)
    await client.subscribe('*')
    return { home, integration, token, client }
  }

  const ends: readonly [
    string,
    'key' | 'agent' | 'session',
    (home: StreamHome, integration: Integration, token: string) => void,
    number,
    string,
  ][] = [
    [
      'when its credential is revoked',
      'key',
      (home, integration, token) => {
        home.core.change(() => home.access.stored.revoke(linkOf(token), home.clock.now()))
        home.access.accessChanges.emit({ integration: integration.id, deleted: false })
      },
      4401,
      'unauthorized',
    ],
    [
      'when its integration is deleted',
      'key',
      (home, { id }) => {
        home.core.change(() => home.access.integrations.remove(id))
        home.access.accessChanges.emit({ integration: id, deleted: true })
      },
      4401,
      'unauthorized',
    ],
    [
      'when its integration is disabled',
      'key',
      (home, integration) => home.change(integration, { enabled: false }),
      4403,
      'record_disabled',
    ],
    [
      'when agents are switched off',
      'agent',
      (home, integration) => home.change(integration, { knobs: { ...integration.knobs, agent_access: 'off' } }),
      4403,
      'agent_access_disabled',
    ],
    [
      'when its session has not been used for an hour, however many events it got',
      'session',
      (home) => {
        for (let hour = 0; hour < 2; hour += 1) {
          home.state('lamp', { ...LAMP_ON, bri: hour })
          home.clock.sleep(SESSION_IDLE_MS / 2 + 1_000)
          home.access.steady.noticeSleep()
        }
      },
      4401,
      'session_expired',
    ],
  ]

  test.each(ends)('%s', async (_when, kind, end, code, reason) => {
    const { home, integration, token, client } = await listening(kind)
    end(home, integration, token)
    home.state('cellar', ON)
    expect(await client.ended()).toEqual({ code, reason })
    expect(client.errors).toMatchObject([{ code: reason }])
    expect(client.events.filter((event) => event.class === 'light_switch')).toEqual([])
    await expect.poll(() => home.stream.counts()).toMatchObject({ sockets: 0, listening: 0 })
  })

  test.each(['event', 'message', 'moment'])(
    'when another process revoked its credential, at the next %s',
    async (next) => {
      const { home, token, client } = await listening()
      const elsewhere = new CoreDb(home.file)
      elsewhere.change(() => new SqliteCredentials(elsewhere).revoke(linkOf(token), home.clock.now()))
      elsewhere.close()
      if (next === 'event') home.state('lamp', LAMP_ON)
      if (next === 'message') client.say({ id: 'late', method: 'GET', path: '/v1/house' })
      if (next === 'moment') home.clock.advance(RECHECK_EVERY_MS)
      expect(await client.ended()).toEqual({ code: 4401, reason: 'unauthorized' })
      expect(client.events).toEqual([])
      expect(client.answers.slice(1)).toMatchObject(
        next === 'message' ? [{ id: 'late', status: 401, body: { error: { code: 'unauthorized' } } }] : [],
      )
    },
  )

  test('when a revoked credential sends an invalid message or subscribes', async () => {
    for (const message of ['{', { id: null, subscribe: ['*'] }]) {
      const { home, token, client } = await listening()
      home.core.change(() => home.access.stored.revoke(linkOf(token), home.clock.now()))
      client.say(message)
      expect(await client.ended()).toEqual({ code: 4401, reason: 'unauthorized' })
      expect(client.answers.at(-1)).toMatchObject({ id: null, status: 401, body: { error: { code: 'unauthorized' } } })
    }
  })

  test('with 1001 when the gateway stops, and new sockets are refused', async () => {
    const { home, client } = await listening()
    home.state('lamp', LAMP_ON)
    home.stream.close()
    expect(await client.ended()).toEqual({ code: 1001, reason: 'the gateway stops' })
    expect(client.events).toMatchObject([{ state: LAMP_ON }])
  })

  test('after two unanswered pings; a socket that answers stays', async () => {
    const { home, token, client } = await listening()
    const mute = new WebSocket(home.url, { headers: { authorization: `Bearer ${token}` }, autoPong: false })
    await once(mute, 'open')
    const ended = once(mute, 'close')
    for (let count = 0; count < 3; count += 1) {
      expect(home.stream.counts()).toMatchObject({ sockets: 2, silent: 0 })
      const ping = count < 2 ? once(client.socket, 'ping') : null
      home.clock.advance(PING_EVERY_MS)
      await ping
      await client.get('/v1/about')
    }
    expect((await ended)[0]).toBe(1006)
    expect(home.stream.counts()).toMatchObject({ sockets: 1, silent: 1 })
    expect(client.closed).toBeNull()
  })
})

describe('a changed exposure applies to open sockets', () => {
  async function selected() {
    const home = await StreamHome.open()
    const integration = home.integration({
      expose: 'Selected',
      picks: [
        { kind: 'room', id: 'hall' },
        { kind: 'unit', id: 'cellar' },
      ],
    })
    const client = await home.connect(home.token(integration))
    return { home, integration, client, id: (local: string) => home.id(integration, local) }
  }
  const onlyCellar = { expose: 'Selected', picks: [{ kind: 'unit', id: 'cellar' }] } as const

  test('at once: waiting events are dropped, the client gets an event, and topics of hidden devices end', async () => {
    const { home, integration, client, id } = await selected()
    const other = await home.connect(home.token(integration))
    await client.subscribe(`device:${id('lamp')}`, `device:${id('cellar')}`, 'exposure')
    await other.subscribe(`room:${id('room:hall')}`)
    home.state('lamp', LAMP_ON)
    home.state('cellar', ON)
    home.change(integration, { exposure: onlyCellar })
    home.state('lamp', { ...LAMP_ON, on: false })
    await client.settled()
    await other.settled()
    expect(client.events.map((event) => [event.event, event.device])).toEqual([
      ['state', id('cellar')],
      ['exposure', null],
    ])
    expect(client.events[1]).toMatchObject({ class: null, state: { changed: true, read: ['/v1/house', '/v1/state'] } })
    expect(other.events).toEqual([])
    expect((await client.subscribe('exposure')).body.subscribed).toEqual([`device:${id('cellar')}`, 'exposure'])
    // The topic does not come back by itself.
    home.change(integration, {})
    home.state('lamp', { ...LAMP_ON, bri: 1 })
    await client.settled()
    expect(client.events.filter((event) => event.device === id('lamp'))).toEqual([])
  })

  test('at the next event if another process changed it', async () => {
    const { home, integration, client } = await selected()
    await client.subscribe('*')
    const elsewhere = new CoreDb(home.file)
    elsewhere.change(() => new SqliteIntegrations(elsewhere).update({ ...integration, exposure: onlyCellar }))
    elsewhere.close()
    home.state('lamp', LAMP_ON)
    home.state('cellar', ON)
    await client.settled()
    expect(client.events.map((event) => event.class)).toEqual([null, null, 'light_switch'])
  })

  test('at the next message, without an exposure event if only a knob changed', async () => {
    const { home, integration, client, id } = await selected()
    await client.subscribe('*')
    const rename = { method: 'PATCH', path: `/v1/devices/${id('lamp')}`, body: { name: 'Lantern' } }
    expect(await client.ask(rename)).toMatchObject({ status: 403, body: { error: { code: 'structural_not_allowed' } } })
    home.change(integration, { knobs: { ...integration.knobs, structural: 'on' } })
    expect(client.events).toEqual([])
    expect(await client.ask(rename)).toMatchObject({ status: 200, body: { device: { name: 'Lantern' } } })
    await client.settled()
    expect(client.events.map((event) => event.event)).toEqual(['integration', 'exposure'])
  })

  test('only if a visible thing changed', async () => {
    const { home, client, id } = await selected()
    await client.subscribe('exposure')
    home.house.renameRoom('kitchen', 'Scullery', CAUSE)
    home.house.renameDevice({ unit: 'air', gang: null }, 'Sniffer', CAUSE)
    // The module is shown for the sake of the gang in the hall; its other gang is not.
    home.house.renameDevice({ unit: 'strip', gang: 0 }, 'Oven', CAUSE)
    await client.settled()
    expect(client.events).toEqual([])
    home.house.renameDevice({ unit: 'strip', gang: 1 }, 'Gate', CAUSE)
    const lamp = home.house.units.get('lamp')!
    home.house.placeUnit({ ...lamp, room: 'kitchen' }, CAUSE)
    await client.settled()
    expect(client.events).toHaveLength(2)
    expect((await client.subscribe(`device:${id('lamp')}`)).status).toBe(404)
  })

  test('and a module that is visible only because of its gangs sends no events of its own', async () => {
    const { home, client } = await selected()
    await client.subscribe('*')
    home.readings('strip', { motion: true })
    home.events.emit({ kind: 'settings', device: 'strip', values: { side_buttons_off: 1 }, asOf: 1, cause: CAUSE })
    home.state('strip:0', ON)
    home.runScene('night', true)
    await client.settled()
    expect(client.events).toEqual([])
  })
})
