import { describe, expect } from 'vitest'
import type { StreamMessage } from '#support/gateway/callers.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'

async function toggle(home: TestHome, local: string): Promise<void> {
  const { device } = (await home.get(home.at(local))) as { device: { state: { on: boolean } } }
  await home.call({
    method: 'POST',
    path: home.at(local, '/control'),
    body: { op: 'set_power', args: { on: !device.state.on } },
  })
}

const parsed = async (answer: Promise<string>): Promise<StreamMessage> => JSON.parse(await answer) as StreamMessage

describe('on an open socket', () => {
  verifies(
    ['stream.exposure-bites', '1.3.fresh-knobs'],
    'a changed knob applies to the very next message',
    async (home) => {
      const integration = await home.integrate({ settings: { structural: 'off' } })
      const socket = await home.socket(integration.token)
      const rename = (name: string): Promise<StreamMessage> =>
        parsed(
          socket.ask('r', { id: 'r', method: 'PATCH', path: home.at('guest-light', '', integration), body: { name } }),
        )
      expect(await rename('Lamp')).toMatchObject({ status: 403, body: { error: { code: 'structural_not_allowed' } } })
      await home.change(integration, { settings: { structural: 'on' } })
      expect(await rename('Guest room light')).toMatchObject({ status: 200 })
      await home.change(integration, { settings: { structural: 'off' } })
      expect(await rename('Lamp')).toMatchObject({ status: 403 })
      socket.close()
    },
  )

  verifies(
    ['stream.exposure-bites', '2.1.moved-out', '6.2.hidden'],
    'a changed exposure applies at once to answers, events and topics',
    async (home) => {
      const integration = await home.integrate({ expose: ['room:hall', 'room:study'] })
      const [socket, all] = [await home.socket(integration.token), await home.socket()]
      await socket.subscribe(['state', `device:${home.id('study-light', integration)}`])
      await all.subscribe(['state'])
      await toggle(home, 'study-light')
      await socket.event((event) => event['device'] === home.id('study-light', integration))

      await home.change(integration, { expose: ['room:hall', 'room:guest-room'] })
      socket.events.length = 0
      for (const local of ['study-light', 'guest-light', 'hall-light']) await toggle(home, local)
      const get = (local: string): Promise<StreamMessage> =>
        parsed(socket.ask(local, { id: local, method: 'GET', path: home.at(local, '', integration) }))
      expect([(await get('study-light'))['status'], (await get('guest-light'))['status']]).toEqual([404, 200])
      expect(new Set(socket.events.map((event) => event['device']))).toEqual(
        new Set([home.id('guest-light', integration), home.id('hall-light', integration)]),
      )
      expect((await socket.subscribe(['sensor']))['body']).toMatchObject({ subscribed: ['state', 'sensor'] })
      socket.close()
      all.close()
    },
  )

  verifies(['stream.exposure-bites'], 'a unit that moves out of a picked room sends no more events', async (home) => {
    const integration = await home.integrate({ expose: ['room:study'] })
    const socket = await home.socket(integration.token)
    await socket.subscribe(['*'])
    await home.running.admin.call('POST', '/house/place', { unit: 'study-light', room: 'studio' })
    expect(await socket.event(({ event }) => event === 'exposure')).toMatchObject({ device: null })
    await toggle(home, 'study-light')
    await socket.ask('s', { id: 's', method: 'GET', path: '/v1/about' })
    expect(socket.events.filter(({ event }) => event === 'state')).toEqual([])
    await home.running.admin.call('POST', '/house/place', { unit: 'study-light', room: 'study' })
    socket.close()
  })
})

describe('a socket ends', () => {
  verifies(
    ['stream.revoked', '3.key-revoked'],
    'with 4401 as soon as its key is revoked, after a message with the reason; other sockets stay',
    async (home) => {
      const integration = await home.integrate({})
      const second = (await home.running.admin.call('POST', '/keys', { integration: integration.id })) as {
        token: string
      }
      const [one, two, other] = [
        await home.socket(integration.token),
        await home.socket(integration.token),
        await home.socket(second.token),
      ]
      await one.subscribe(['*'])
      await home.running.admin.call('DELETE', `/keys/${integration.link}`)
      expect([await one.ended, await two.ended]).toEqual([4401, 4401])
      expect(one.events.at(-1)).toEqual({ error: { code: 'unauthorized', message: expect.any(String) as string } })
      expect(await parsed(other.ask('a', { id: 'a', method: 'GET', path: '/v1/integration' }))).toMatchObject({
        status: 200,
      })
      other.close()
    },
  )

  verifies(['stream.revoked', '3.integration-deleted'], 'with 4401 when its integration is deleted', async (home) => {
    const integration = await home.integrate({})
    const socket = await home.socket(integration.token)
    await home.running.admin.call('DELETE', `/integrations/${integration.id}`)
    expect(await socket.ended).toBe(4401)
  })

  verifies(
    ['3.disabled'],
    'with 4403 when its integration is disabled, and can be opened again once it is enabled',
    async (home) => {
      const integration = await home.integrate({})
      const socket = await home.socket(integration.token)
      await home.change(integration, { enabled: false })
      expect(await socket.ended).toBe(4403)
      expect(socket.events.at(-1)).toMatchObject({ error: { code: 'record_disabled' } })
      await expect(home.socket(integration.token)).rejects.toMatchObject({
        answer: { status: 403, body: { error: { code: 'record_disabled' } } },
      })
      await home.change(integration, { enabled: true })
      const again = await home.socket(integration.token)
      expect(await parsed(again.ask('a', { id: 'a', method: 'GET', path: '/v1/integration' }))).toMatchObject({
        status: 200,
      })
      again.close()
    },
  )
})
