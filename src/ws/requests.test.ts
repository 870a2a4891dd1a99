import { describe, expect, test } from 'vitest'
import { StreamHome } from '#support/homes/stream-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { IN_FLIGHT_MAX, MESSAGE_BYTES_A_REQUEST, IGNORED_429, UNREAD_MS } from './message-handler.ts'

async function opened(): Promise<{
  home: StreamHome
  client: Awaited<ReturnType<StreamHome['connect']>>
  id: (local: string) => string
  token: string
}> {
  const home = await StreamHome.open()
  const integration = home.integration()
  const token = home.token(integration)
  return { home, client: await home.connect(token), id: (local) => home.id(integration, local), token }
}

describe('a request on the socket', () => {
  test('is answered with its id, the status and the body that HTTPS gives, byte for byte', async () => {
    const { home, client, token } = await opened()
    home.state('lamp', { on: true, bri: 40, mode: 'manual' })
    for (const path of ['/v1/house', '/v1/state', '/v1/integration', '/v1/devices/nothing']) {
      const answer = await home.dispatcher.answer({
        method: 'GET',
        path,
        query: {},
        body: { kind: 'none' },
        token,
        via: 'home',
        peer: 'test',
      })
      await client.get(path)
      expect(client.texts.at(-1)).toBe(
        `{"id":${JSON.stringify(client.answers.at(-1)!.id)},"status":${answer.status},"body":${String(answer.body)}}`,
      )
    }
  })

  test('may have null in every field, which counts as missing', async () => {
    const { client } = await opened()
    client.say({
      method: 'GET',
      path: '/v1/integration',
      query: null,
      body: null,
      id: null,
      subscribe: null,
      since: null,
    })
    await client.until(() => client.answers.length === 1)
    expect(client.answers[0]).toMatchObject({ id: null, status: 200, body: { house: 'Seeheim' } })
  })

  test('gets plain text as a JSON string', async () => {
    const { client } = await opened()
    expect(await client.get('/v1/about')).toMatchObject({ status: 200, body: 'This is the gateway.' })
  })

  test('controls a unit, and gets both the event and the answer', async () => {
    const { client, id } = await opened()
    await client.subscribe('state')
    const answer = await client.ask({
      method: 'POST',
      path: `/v1/devices/${encodeURIComponent(id('lamp'))}/control`,
      body: { op: 'set_brightness', args: { bri: 40 } },
    })
    expect(answer).toMatchObject({ status: 200, body: { house: 'Seeheim', device: id('lamp'), state: { bri: 40 } } })
    await client.until(() => client.events.length === 1)
    expect(client.events[0]).toMatchObject({ event: 'state', device: id('lamp'), state: { bri: 40 } })
  })

  test('has its query as plain values, or in the path as on HTTPS', async () => {
    const { client } = await opened()
    const unknown = {
      status: 422,
      body: { error: { code: 'validation', message: expect.stringContaining('`limit`') as string } },
    }
    expect(await client.get('/v1/house', { limit: 5 })).toMatchObject(unknown)
    expect(await client.get('/v1/house', { limit: true })).toMatchObject(unknown)
    expect(await client.get('/v1/house?limit=5')).toMatchObject(unknown)
    expect((await client.get('/v1/house', { limit: null })).status).toBe(200)
    expect(await client.get('/v1/house?limit=5', { limit: 6 })).toMatchObject({
      status: 422,
      body: { error: { message: 'query: "limit" occurs twice.' } },
    })
  })

  test('is refused while too many are running, and accepted once they are answered', async () => {
    const { home, client, id } = await opened()
    const { promise, resolve } = Promise.withResolvers<void>()
    home.bus.held = promise
    const control = {
      method: 'POST',
      path: `/v1/devices/${id('lamp')}/control`,
      body: { op: 'set_power', args: { on: true } },
    }
    for (let count = 0; count < IN_FLIGHT_MAX; count += 1) client.say({ ...control, id: `held-${count}` })
    expect(await client.ask(control)).toMatchObject({
      status: 429,
      body: { error: { code: 'rate_limited', retryAfter: 1 } },
    })
    home.bus.held = null
    resolve()
    await client.until(() => client.answers.length === IN_FLIGHT_MAX + 1)
    expect(client.answers.filter((answer) => answer.status === 200)).toHaveLength(IN_FLIGHT_MAX)
    expect(await client.ask(control)).toMatchObject({ status: 200 })
  })

  test('counts against the credential as on HTTPS', async () => {
    const home = await StreamHome.open({ rateLimit: { perSecond: 1, burst: 3 } })
    const client = await home.connect(home.token(home.integration()))
    expect([
      (await client.get('/v1/house')).status,
      (await client.subscribe('*')).status,
      (await client.get('/v1/house')).status,
    ]).toEqual([200, 200, 429])
    expect(await client.subscribe('*')).toMatchObject({
      status: 429,
      body: { error: { code: 'rate_limited', retryAfter: 1 } },
    })
    home.clock.advance(1_000)
    expect((await client.get('/v1/house')).status).toBe(200)
  })
})

test('a large message counts as many requests', async () => {
  const home = await StreamHome.open({ rateLimit: { perSecond: 1, burst: 10 } })
  const client = await home.connect(home.token(home.integration()))
  const large = { name: 'x'.repeat(9 * MESSAGE_BYTES_A_REQUEST) }
  const statuses = [
    (await client.ask({ method: 'POST', path: '/v1/scenes', body: large })).status,
    (await client.get('/v1/house')).status,
  ]
  expect(statuses).toEqual([422, 429])
})

describe('a client that ignores 429', () => {
  /** Two messages fill one read, so that the test can tell a paused socket from an active one. */
  const garbage = `{${'x'.repeat(32 * 1024)}`
  const SENT = 50
  /** Most messages read from both sockets: the limit, and those in the buffer when it was reached. */
  const READ_MAX = 20

  proves('limits.unheeded', 'is paused on all its sockets, while other clients are served', async () => {
    const home = await StreamHome.open({ rateLimit: { perSecond: 1, burst: 10 } })
    const token = home.token(home.integration())
    const flooding = [await home.connect(token), await home.connect(token)]
    const other = await home.connect(home.token(home.integration()))
    const answers = (): readonly { readonly status: number }[] => flooding.flatMap((flooder) => flooder.answers)
    const answered = (count: number): Promise<unknown> =>
      Promise.race(flooding.map((flooder) => flooder.until(() => answers().length > count)))
    for (let count = 0; count < SENT; count += 1) for (const flooder of flooding) flooder.say(garbage)
    await answered(4)
    expect((await other.get('/v1/house')).status).toBe(200)
    const read = answers().length
    expect(read).toBeLessThan(READ_MAX)
    expect((await other.get('/v1/house')).status).toBe(200)
    expect(answers().length).toBe(read)
    home.clock.advance(UNREAD_MS)
    await answered(read)
    expect((await other.get('/v1/house')).status).toBe(200)
    expect(answers().length).toBeLessThan(2 * READ_MAX)
    expect(new Set(answers().map(({ status }) => status))).toEqual(new Set([422, 429]))
  })

  test('is paused even if its messages are empty', async () => {
    const home = await StreamHome.open({ rateLimit: { perSecond: 1, burst: 2 } })
    const client = await home.connect(home.token(home.integration()))
    const other = await home.connect(home.token(home.integration()))
    // The upgrade counts too: the first message gets 422, and the last one exceeds the limit of 429s.
    const read = IGNORED_429.burst + 2
    for (let count = 1; count <= read; count += 1) {
      client.say('')
      await client.until(() => client.answers.length === count)
    }
    client.say('')
    expect((await other.get('/v1/house')).status).toBe(200)
    expect(client.answers.length).toBe(read)
    home.clock.advance(UNREAD_MS)
    await client.until(() => client.answers.length > read)
  })
})

describe('an invalid message', () => {
  const refusals: readonly [string, unknown, string, string | null][] = [
    ['malformed JSON', '{"method":', 'The message is not valid JSON.', null],
    ['no object', '[]', 'must be an object', null],
    [
      'a prototype',
      '{"__proto__":{"method":"GET"},"path":"/v1/house","id":"a"}',
      'The message is not valid JSON.',
      null,
    ],
    [
      'too deep nesting',
      `${'['.repeat(33)}${']'.repeat(33)}`,
      'The message is nested too deeply: 32 levels at most.',
      null,
    ],
    ['an unknown field', { id: 'a', method: 'GET', path: '/v1/house', headers: {} }, '`headers`', 'a'],
    ['a method of the wrong type', { id: 'a', method: 1, path: '/v1/house' }, 'method: must be a text', 'a'],
    ['an id of the wrong type', { id: 1, method: 'GET', path: '/v1/house' }, 'id: must be a text', null],
    ['no path', { id: 'a', method: 'GET' }, 'A message needs method and path, or subscribe.', 'a'],
    ['neither request nor subscription', { id: 'a' }, 'A message needs method and path, or subscribe.', 'a'],
    [
      'both',
      { id: 'a', method: 'GET', path: '/v1/house', subscribe: ['*'] },
      'A message is either a request or a subscribe list, not both.',
      'a',
    ],
    ['since alone', { id: 'a', since: 1 }, 'since: belongs to subscribe.', 'a'],
    ['a topic that is no text', { id: 'a', subscribe: [1] }, 'subscribe[0]: must be a text', 'a'],
  ]

  test.each(refusals)(
    '%s is answered 422 in the Error shape and the socket stays',
    async (_what, message, sentence, id) => {
      const { client } = await opened()
      client.say(message)
      await client.until(() => client.answers.length === 1)
      expect(client.answers[0]).toEqual({
        id,
        status: 422,
        body: { error: { code: 'validation', message: expect.stringContaining(sentence) as string } },
      })
      expect((await client.get('/v1/house')).status).toBe(200)
    },
  )

  test('binary is answered 422 too', async () => {
    const { client } = await opened()
    client.socket.send(Buffer.from(JSON.stringify({ method: 'GET', path: '/v1/house' })))
    await client.until(() => client.answers.length === 1)
    expect(client.answers[0]).toEqual({
      id: null,
      status: 422,
      body: { error: { code: 'validation', message: 'Messages are JSON text, not binary.' } },
    })
    expect((await client.get('/v1/house')).status).toBe(200)
  })

  test('a message beyond the length limit ends only its own socket, with 1009', async () => {
    const { home, client, token } = await opened()
    client.say(`"${'x'.repeat(64 * 1024)}"`)
    expect(await client.ended()).toMatchObject({ code: 1009 })
    expect((await (await home.connect(token)).get('/v1/house')).status).toBe(200)
  })
})
