import { describe, expect } from 'vitest'
import type { StreamMessage, TestSocket } from '#support/gateway/callers.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'

const NOT_FOUND = { error: { code: 'not_found', message: 'There is no such thing here. Ids come from GET /v1/house.' } }

let ids = 0

/** Sends a message with its own id; returns the parsed answer. */
async function ask(socket: TestSocket, message: object): Promise<StreamMessage> {
  ids += 1
  return JSON.parse(await socket.ask(`m${ids}`, { id: `m${ids}`, ...message })) as StreamMessage
}

async function toggle(home: TestHome, local: string): Promise<void> {
  const { device } = (await home.get(home.at(local))) as { device: { state: { on: boolean } } }
  await home.call({
    method: 'POST',
    path: home.at(local, '/control'),
    body: { op: 'set_power', args: { on: !device.state.on } },
  })
}

describe('a request', () => {
  verifies(
    ['2.8.request', '2.8.answer', '1.2.same-paths'],
    'takes method, path, query, body and id, each of which may be null, and is answered with id, status and body',
    async (home) => {
      const socket = await home.socket()
      const lamp = home.at('guest-light')
      const text = await socket.ask('one', {
        id: 'one',
        method: 'GET',
        path: lamp,
        query: null,
        body: null,
        subscribe: null,
      })
      expect(Object.keys(JSON.parse(text) as object)).toEqual(['id', 'status', 'body'])
      expect(JSON.parse(text)).toMatchObject({
        id: 'one',
        status: 200,
        body: { house: 'Sonnenwinkel', device: { id: home.id('guest-light') } },
      })
      expect(
        await ask(socket, { method: 'POST', path: `${lamp}/control`, body: { op: 'set_power', args: { on: true } } }),
      ).toMatchObject({ status: 200, body: { state: { on: true } } })
      expect(await ask(socket, { method: 'GET', path: '/v1/activity', query: { limit: 1 } })).toMatchObject({
        status: 200,
        body: { entries: [expect.anything()] },
      })
      expect(await ask(socket, { method: 'GET', path: '/v1/activity?limit=1' })).toMatchObject({
        status: 200,
        body: { entries: [expect.anything()] },
      })
      expect(await ask(socket, { method: 'GET', path: '/v1/activity', query: { limit: '0' } })).toMatchObject({
        status: 422,
      })
      for (const nothing of [{ method: null, path: '/v1/house' }, { method: 'GET', path: null }, {}])
        expect(await ask(socket, nothing)).toMatchObject({ status: 422, body: { error: { code: 'validation' } } })
      socket.close()
    },
  )

  verifies(['2.8.answer'], 'without an id, or with null, is answered with id null', async (home) => {
    const socket = await home.socket()
    for (const id of [{}, { id: null }]) {
      const answer = socket.ask('null', { ...id, method: 'GET', path: '/v1/integration' })
      expect(JSON.parse(await answer)).toMatchObject({
        id: null,
        status: 200,
        body: { integration: { id: home.main.id } },
      })
    }
    socket.close()
  })

  verifies(['2.8.answer'], 'is answered under its own id, also out of order among many open requests', async (home) => {
    const socket = await home.socket()
    const paths = ['/v1/integration', '/v1/nothing', home.at('hall-light'), '/v1/about']
    const messages = Array.from({ length: 40 }, (_, at) =>
      at % 5 === 4
        ? {
            method: 'POST',
            path: home.at('hall-light', '/control'),
            body: { op: 'set_power', args: { on: at % 2 === 0 } },
          }
        : { method: 'GET', path: paths[at % 5] },
    )
    const answers = await Promise.all(messages.map((message, at) => socket.ask(`${at}`, { id: `${at}`, ...message })))
    expect(
      answers.map((text) => {
        const { id, status } = JSON.parse(text) as StreamMessage
        return [id, status]
      }),
    ).toEqual(messages.map((_message, at) => [`${at}`, at % 5 === 1 ? 404 : 200]))
    socket.close()
  })

  verifies(['2.8.request'], 'that is malformed is refused, and the socket stays open', async (home) => {
    const socket = await home.socket()
    const wrong = [
      { method: 'GET', path: '/v1/house', subscribe: ['state'] },
      { method: 7, path: '/v1/house' },
      { method: 'GET', path: ['/v1/house'] },
      { method: 'GET', path: '/v1/house', query: 'a=1' },
      { method: 'GET', path: '/v1/house', extra: true },
      { subscribe: 'state' },
      { subscribe: [7] },
      { since: 5 },
      { subscribe: ['state'], since: -1 },
      { subscribe: ['state'], since: 'now' },
    ]
    for (const message of wrong) expect([message, (await ask(socket, message))['status']]).toEqual([message, 422])
    for (const text of ['', 'null', '[]', '"text"', '{"id":"x"', '\u0000']) socket.socket.send(text)
    socket.socket.send(Buffer.from('{"method":"GET","path":"/v1/house"}'))
    expect(await ask(socket, { method: 'GET', path: '/v1/integration' })).toMatchObject({ status: 200 })
    socket.close()
  })
})

describe('a subscription', () => {
  verifies(
    ['stream.topics', '2.8.subscribe', 'stream.subscribed'],
    'takes every topic, and is answered with the home and all topics of the socket',
    async (home) => {
      const socket = await home.socket()
      const topics = [
        'state',
        'sensor',
        'scene',
        'exposure',
        'scenes',
        'automations',
        'schedules',
        'integration',
        '*',
        `device:${home.id('hall-light')}`,
        `device:${home.id('kitchen-panel:1')}`,
        `device:${home.id('scene:dinner')}`,
        `room:${home.id('room:hall')}`,
        `floor:${home.id('floor:ground-floor')}`,
      ]
      for (const [at, topic] of topics.entries()) {
        const answer = await ask(socket, { subscribe: [topic] })
        expect(answer).toEqual({
          id: expect.any(String) as string,
          status: 200,
          body: { house: 'Sonnenwinkel', subscribed: topics.slice(0, at + 1), seq: expect.any(Number) as number },
        })
      }
      socket.close()
    },
  )

  verifies(['stream.topics'], 'of a device, a room or a floor brings only events of that place', async (home) => {
    const lists: Record<string, readonly string[]> = {
      [`device:${home.id('hall-light')}`]: ['hall-light'],
      [`device:${home.id('entrance-panel:1')}`]: ['entrance-panel:1'],
      [`room:${home.id('room:hall')}`]: ['hall-light'],
      // A gang of the hall's panel in the cloakroom.
      [`room:${home.id('room:cloakroom')}`]: ['entrance-panel:1'],
      [`floor:${home.id('floor:first-floor')}`]: ['entrance-panel:2', 'study-light'],
    }
    const sockets = await Promise.all(
      Object.keys(lists).map(async (topic) => {
        const socket = await home.socket()
        expect((await socket.subscribe([topic]))['status']).toBe(200)
        return socket
      }),
    )
    for (const local of [
      'hall-light',
      'entrance-panel:0',
      'entrance-panel:1',
      'entrance-panel:2',
      'study-light',
      'guest-light',
    ])
      await toggle(home, local)
    const received = await Promise.all(
      sockets.map(async (socket) => {
        await ask(socket, { method: 'GET', path: '/v1/about' })
        return socket.events
          .filter((event) => event['event'] === 'state')
          .map((event) => String(event['device']).split(':').slice(2).join(':'))
      }),
    )
    // A fading lamp, or a module that reports all gangs, may send several events.
    expect(received.map((locals) => [...new Set(locals)])).toEqual(Object.values(lists))
    for (const socket of sockets) socket.close()
  })

  verifies(
    ['stream.subscribe', '2.8.subscribe'],
    'adds topics, brings each event once, and ends them all with an empty list',
    async (home) => {
      const socket = await home.socket()
      expect((await socket.subscribe(['state']))['body']).toMatchObject({ subscribed: ['state'] })
      expect((await socket.subscribe([`device:${home.id('guest-light')}`, 'state']))['body']).toMatchObject({
        subscribed: ['state', `device:${home.id('guest-light')}`],
      })
      await toggle(home, 'guest-light')
      const isItsState = ({ device, event }: StreamMessage): boolean =>
        device === home.id('guest-light') && event === 'state'
      await socket.event(isItsState)
      expect((await socket.subscribe([]))['body']).toMatchObject({ subscribed: [] })
      expect(socket.events.filter(isItsState)).toHaveLength(1)
      socket.events.length = 0
      await toggle(home, 'guest-light')
      await ask(socket, { method: 'GET', path: '/v1/about' })
      expect(socket.events).toEqual([])
      socket.close()
    },
  )

  verifies(
    ['stream.hidden-topic', '1.4.hidden'],
    'of a hidden, invented, foreign or wrong id is the same 404, and no topic of that message is added',
    async (home) => {
      const narrow = await home.integrate({ expose: ['room:hall'] })
      const socket = await home.socket(narrow.token)
      const own = (local: string): string => home.id(local, narrow)
      const topics = [
        `device:${own('study-light')}`,
        `device:${own('invented')}`,
        `device:${home.id('hall-light')}`,
        `room:${own('room:study')}`,
        `room:${own('room:invented')}`,
        `floor:${own('floor:ground-floor')}`,
        `device:${own('scene:dinner')}`,
        `device:${own('kitchen-panel:0')}`,
        `device:${own('room:hall')}`,
        `room:${own('hall-light')}`,
        `device:${own('hall-light')}:0`,
        'device:',
        'room:',
        'unit:x',
        'states',
        '',
        'STATE',
        '**',
      ]
      const texts: string[] = []
      for (const topic of topics) texts.push(await socket.ask('t', { id: 't', subscribe: ['state', topic] }))
      expect(JSON.parse(texts[0]!)).toEqual({ id: 't', status: 404, body: NOT_FOUND })
      expect(new Set(texts).size).toBe(1)
      expect((await socket.subscribe([]))['body']).toMatchObject({ subscribed: [] })
      expect((await socket.subscribe([`device:${own('hall-light')}`, `room:${own('room:hall')}`]))['status']).toBe(200)
      socket.close()
    },
  )
})
