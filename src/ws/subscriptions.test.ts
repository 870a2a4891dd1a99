import { describe, expect, test } from 'vitest'
import { TOPICS_MAX } from '../api/contract/events.ts'
import { openStreamHome } from '#support/homes/open-stream-home.ts'

const LAMP_ON = { on: true, bri: 30, mode: 'manual' } as const
const ON = { on: true, mode: 'manual' } as const

describe('events', () => {
  test('have the fields of the specification, and a sequence number', async () => {
    const { home, client, id } = await openStreamHome()
    const { body } = await client.subscribe('*')
    home.state('lamp', LAMP_ON)
    home.state('strip:0', ON)
    home.readings('air', { temperature: 21.5 })
    home.runScene('evening', true)
    await client.settled()
    const at = home.clock.now()
    expect(client.events).toEqual([
      {
        at,
        event: 'state',
        house: 'Seeheim',
        device: id('lamp'),
        class: 'light_dimmer',
        state: { ...LAMP_ON, asOf: at },
        seq: body.seq + 1,
      },
      {
        at,
        event: 'state',
        house: 'Seeheim',
        device: id('strip:0'),
        class: 'switch_gang',
        state: { ...ON, asOf: at },
        seq: body.seq + 2,
      },
      {
        at,
        event: 'sensor',
        house: 'Seeheim',
        device: id('air'),
        class: 'sensor',
        state: { temperature: 21.5, asOf: at },
        seq: body.seq + 3,
      },
      {
        at,
        event: 'scene',
        house: 'Seeheim',
        device: id('scene:evening'),
        class: 'scene',
        state: { running: true },
        seq: body.seq + 4,
      },
    ])
  })

  test('reach only subscribers', async () => {
    const { home, client } = await openStreamHome()
    home.state('lamp', LAMP_ON)
    await client.settled()
    expect(client.events).toEqual([])
  })

  test('are sent only for changes', async () => {
    const { home, client } = await openStreamHome()
    await client.subscribe('*')
    for (let count = 0; count < 3; count += 1) {
      home.state('lamp', LAMP_ON)
      home.readings('air', { temperature: 21 })
    }
    home.readings('air', { humidity: 50 })
    await client.settled()
    expect(client.events.map((event) => event.state)).toMatchObject([
      LAMP_ON,
      { temperature: 21 },
      { temperature: 21, humidity: 50 },
    ])
  })

  test('of settings name the intents that the unit confirmed, for those who may see settings', async () => {
    const { home, client, id, integration } = await openStreamHome()
    const blind = await home.connect(home.token(home.integration({ expose: 'All' }, { advanced_config: 'off' })))
    await client.subscribe('state')
    await blind.subscribe('state')
    home.state('lamp', LAMP_ON)
    const cause = { source: 'gateway', name: 'test' } as const
    home.events.emit({ kind: 'settings', device: 'lamp', values: { led_mode: 1 }, asOf: 5, cause })
    home.events.emit({ kind: 'settings', device: 'strip', values: { side_buttons_off: 1 }, asOf: 6, cause })
    await client.settled()
    await blind.settled()
    expect(client.events.slice(1)).toMatchObject([
      { at: 5, event: 'state', device: id('lamp'), state: LAMP_ON, intents: ['led_mode'] },
      { at: 6, event: 'state', device: id('strip'), class: 'gang_module', state: null, intents: ['side_buttons'] },
    ])
    expect(blind.events).toHaveLength(1)
    // The knob is read fresh for every event.
    home.change(integration, { knobs: { ...integration.knobs, advanced_config: 'off' } })
    home.events.emit({ kind: 'settings', device: 'lamp', values: { led_mode: 2 }, asOf: 7, cause })
    await client.settled()
    expect(client.events).toHaveLength(3)
  })
})

describe('topics', () => {
  const receivedDevices = async (topic: (id: (local: string) => string) => string): Promise<string[]> => {
    const { home, client, id } = await openStreamHome()
    expect((await client.subscribe(topic(id))).status).toBe(200)
    home.state('lamp', LAMP_ON)
    home.state('strip:0', ON)
    home.state('strip:1', ON)
    home.state('cellar', ON)
    home.readings('air', { temperature: 20 })
    home.runScene('night', true)
    home.house.renameRoom('hall', 'Vestibule', { source: 'gateway', name: 'test' })
    await client.settled()
    return client.events.map((event) => (event.device ?? 'exposure').replace(id(''), ''))
  }

  test.each<[string, readonly string[]]>([
    ['state', ['lamp', 'strip:0', 'strip:1', 'cellar']],
    ['sensor', ['air']],
    ['scene', ['scene:night']],
    ['exposure', ['exposure']],
    ['*', ['lamp', 'strip:0', 'strip:1', 'cellar', 'air', 'scene:night', 'exposure']],
  ])('%s', async (topic, devices) => {
    expect(await receivedDevices(() => topic)).toEqual(devices)
  })

  test.each<[string, string, readonly string[]]>([
    ['device', 'lamp', ['lamp']],
    ['device', 'strip:1', ['strip:1']],
    ['device', 'strip', ['strip:0', 'strip:1']],
    ['device', 'scene:night', ['scene:night']],
    // A gang counts for its own room, wherever its module is.
    ['room', 'room:hall', ['lamp', 'strip:1']],
    ['room', 'room:kitchen', ['strip:0', 'air']],
    ['floor', 'floor:ground', ['lamp', 'strip:0', 'strip:1', 'air']],
  ])('%s:<%s>', async (kind, local, devices) => {
    expect(await receivedDevices((id) => `${kind}:${id(local)}`)).toEqual(devices)
  })

  test('add up, every event is sent once, and an empty list ends all', async () => {
    const { home, client, id } = await openStreamHome()
    expect((await client.subscribe('state')).body.subscribed).toEqual(['state'])
    expect((await client.subscribe(`device:${id('lamp')}`, 'sensor')).body.subscribed).toEqual([
      'state',
      `device:${id('lamp')}`,
      'sensor',
    ])
    home.state('lamp', LAMP_ON)
    await client.settled()
    expect(client.events).toHaveLength(1)
    expect((await client.subscribe()).body.subscribed).toEqual([])
    home.state('lamp', { ...LAMP_ON, on: false })
    await client.settled()
    expect(client.events).toHaveLength(1)
  })

  test('begin with the subscription: earlier events of the same turn are not sent', async () => {
    const { home, client, token } = await openStreamHome()
    const other = await home.connect(token)
    await other.subscribe('*')
    const answered = client.ask({ subscribe: ['*'] })
    home.state('lamp', LAMP_ON)
    const { body } = await answered
    home.state('lamp', { ...LAMP_ON, bri: 31 })
    await client.settled()
    await other.settled()
    expect(client.events.every((event) => event.seq > body.seq)).toBe(true)
    expect(client.events.at(-1)?.state?.bri).toBe(31)
    expect(other.events).toHaveLength(2)
  })

  test('that are hidden, foreign, of another kind or invented get the same refusal, and the whole message has no effect', async () => {
    const { home, client, id } = await openStreamHome({ expose: 'Selected', picks: [{ kind: 'unit', id: 'lamp' }] })
    const other = home.integration()
    const topics = [
      `device:${id('cellar')}`,
      `device:${id('invented')}`,
      `device:${home.id(other, 'lamp')}`,
      'device:',
      'device',
      'invented',
      '',
      `room:${id('room:hall')}`,
      `room:${id('lamp')}`,
      `device:${id('room:hall')}`,
      `floor:${id('floor:ground')}`,
      `device:${id('scene:night')}`,
      'STATE',
    ]
    for (const topic of topics) client.say({ id: 'same', subscribe: ['*', topic] })
    await client.until(() => client.texts.length === topics.length)
    expect(new Set(client.texts).size).toBe(1)
    expect(client.answers[0]).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    home.state('lamp', LAMP_ON)
    await client.settled()
    expect(client.events).toEqual([])
  })

  test('are bounded for one socket', async () => {
    const { client } = await openStreamHome({ expose: 'All' })
    expect((await client.ask({ subscribe: Array.from({ length: TOPICS_MAX + 1 }, () => 'state') })).status).toBe(422)
    expect(
      (await client.ask({ subscribe: Array.from({ length: TOPICS_MAX }, () => 'state') })).body.subscribed,
    ).toEqual(['state'])
  })
})
