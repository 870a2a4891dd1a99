import { describe, expect } from 'vitest'
import type { StreamMessage, TestSocket } from '#support/gateway/callers.ts'
import type { TouchKey } from '../../src/home/model/device.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'

/** Opens a socket with a subscription to these topics. */
async function listener(home: TestHome, topics: readonly string[], token = home.main.token): Promise<TestSocket> {
  const socket = await home.socket(token)
  expect(await socket.subscribe(topics)).toMatchObject({ status: 200 })
  return socket
}

/** Resolves once all events so far have arrived: they come before later answers. */
async function settled(...sockets: readonly TestSocket[]): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all(
    sockets.map((socket, index) =>
      socket.ask(`settled${index}`, { id: `settled${index}`, method: 'GET', path: '/v1/about' }),
    ),
  )
}

const control = (home: TestHome, local: string, op: string, args?: object): ReturnType<TestHome['call']> =>
  home.call({ method: 'POST', path: home.at(local, '/control'), body: { op, ...(args ? { args } : {}) } })

/** Switches a device to the opposite of its state in the API. */
async function toggle(home: TestHome, local: string): Promise<boolean> {
  const { device } = (await home.get(home.at(local))) as { device: { state: { on: boolean } } }
  const on = !device.state.on
  expect((await control(home, local, 'set_power', { on })).status).toBe(200)
  return on
}

const of =
  (id: string) =>
  (event: StreamMessage): boolean =>
    event['device'] === id

/** A light with sensors also reports changed readings. */
const stateOf =
  (id: string) =>
  (event: StreamMessage): boolean =>
    of(id)(event) && event['event'] === 'state'

describe('an event', () => {
  verifies(
    ['2.8.event', '2.8.event-state', '6.2.state', 'stream.seq', '6.1.subscribed'],
    'of a state has at, event, house, device, class, the new state and seq',
    async (home) => {
      const socket = await listener(home, ['state'])
      const before = home.running.clock.now()
      const on = await toggle(home, 'hall-light')
      const event = await socket.event(of(home.id('hall-light')))
      expect(event).toEqual({
        at: expect.any(Number) as number,
        event: 'state',
        house: 'Sonnenwinkel',
        device: home.id('hall-light'),
        class: 'light_switch',
        state: { on, mode: expect.any(String) as string, asOf: expect.any(Number) as number },
        seq: expect.any(Number) as number,
      })
      expect(Number.isSafeInteger(event['at'])).toBe(true)
      expect(event['at'] as number).toBeGreaterThanOrEqual(before)
      expect(event['at'] as number).toBeLessThanOrEqual(home.running.clock.now())
      // Polling returns the same state.
      const { devices } = (await home.get('/v1/state')) as { devices: { id: string; state: object }[] }
      expect(devices.find(({ id }) => id === home.id('hall-light'))?.state).toEqual(event['state'])
      socket.close()
    },
  )

  verifies(
    ['2.8.event-state', '6.2.state'],
    'of a gang has the gang’s own id and class, and its module has none',
    async (home) => {
      const socket = await listener(home, ['state'])
      const on = await toggle(home, 'bathroom-panel:1')
      expect(await socket.event(of(home.id('bathroom-panel:1')))).toMatchObject({
        event: 'state',
        class: 'switch_gang',
        state: { on },
      })
      await settled(socket)
      expect(socket.events.filter(of(home.id('bathroom-panel')))).toEqual([])
      socket.close()
    },
  )

  verifies(
    ['6.2.state'],
    'follows a change by this client, another integration, a touch at the wall or a scene',
    async (home) => {
      const other = await home.integrate({ name: 'Somebody else' })
      const socket = await listener(home, ['state'])
      const lamp = home.id('study-light')
      const nextEvent = async (change: () => Promise<unknown> | void): Promise<StreamMessage> => {
        socket.events.length = 0
        await change()
        return socket.event(of(lamp))
      }
      const on = await toggle(home, 'study-light')
      expect(await socket.event(of(lamp))).toMatchObject({ state: { on } })
      expect(
        await nextEvent(() =>
          home.call({
            method: 'POST',
            path: home.at('study-light', '/control', other),
            body: { op: 'set_power', args: { on: !on } },
            token: other.token,
          }),
        ),
      ).toMatchObject({ state: { on: !on } })
      expect(await nextEvent(() => home.running.sim.touch(75, null, 'up'))).toMatchObject({ state: { on } })
      if (!on) await nextEvent(() => toggle(home, 'study-light'))
      // The scene Leaving home switches it off.
      expect(
        await nextEvent(() =>
          home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(home.id('scene:leaving-home'))}/run` }),
        ),
      ).toMatchObject({ state: { on: false } })
      socket.close()
    },
  )

  verifies(['2.8.event-sensor', '6.2.sensor'], 'of a sensor has its readings as its state', async (home) => {
    const socket = await listener(home, ['sensor'])
    const door = home.id('terrace-door')
    for (const open of [true, false]) {
      socket.events.length = 0
      home.running.sim.house.door(35, open)
      const event = await socket.event(
        (message) => of(door)(message) && (message['state'] as { door: boolean }).door === open,
      )
      expect(event).toMatchObject({
        event: 'sensor',
        class: 'sensor',
        device: door,
        state: { door: open, temperature: expect.any(Number) as number, battery: expect.any(Number) as number },
      })
    }
    const { device } = (await home.get(home.at('terrace-door'))) as { device: { state: object } }
    expect(device.state).toEqual(socket.events.findLast(of(door))?.['state'])
    socket.close()
  })

  verifies(['2.8.event-scene', '6.2.scene'], 'of a scene reports its start and its end', async (home) => {
    const socket = await listener(home, ['scene'])
    const scene = home.id('scene:dinner')
    expect((await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(scene)}/run` })).status).toBe(200)
    const running =
      (is: boolean) =>
      (event: StreamMessage): boolean =>
        (event['state'] as { running: boolean }).running === is
    const [first, last] = [await socket.event(running(true)), await socket.event(running(false))]
    for (const [event, is] of [
      [first, true],
      [last, false],
    ] as const) {
      expect(event).toEqual({
        at: expect.any(Number) as number,
        event: 'scene',
        house: 'Sonnenwinkel',
        device: scene,
        class: 'scene',
        state: { running: is },
        seq: expect.any(Number) as number,
      })
    }
    expect(last['seq'] as number).toBeGreaterThan(first['seq'] as number)
    socket.close()
  })

  verifies(
    ['2.8.event-exposure', '6.2.exposure'],
    'of the exposure has no device, and names the resources to read again',
    async (home) => {
      const integration = await home.integrate({ expose: ['room:hall'] })
      const socket = await listener(home, ['exposure'], integration.token)
      await home.change(integration, { expose: ['room:hall', 'room:study'] })
      const event = await socket.event(() => true)
      expect(event).toEqual({
        at: expect.any(Number) as number,
        event: 'exposure',
        house: 'Sonnenwinkel',
        device: null,
        class: null,
        seq: expect.any(Number) as number,
        state: { changed: true, read: ['/v1/house', '/v1/state'] },
      })
      // This integration gets events only for visible changes.
      await home.running.admin.call('POST', '/house/place', { unit: 'guest-light', name: 'Guest light' })
      await settled(socket)
      expect(socket.events).toHaveLength(1)
      await home.running.admin.call('POST', '/house/place', { unit: 'study-light', name: 'Study lamp' })
      socket.events.length = 0
      await home.running.admin.call('POST', '/house/place', { unit: 'study-light', name: 'Study light' })
      expect(await socket.event(() => true)).toMatchObject({ event: 'exposure' })
      await home.running.admin.call('POST', '/house/place', { unit: 'guest-light', name: 'Guest room light' })
      socket.close()
    },
  )
})

describe('a subscriber', () => {
  verifies(
    ['6.1.subscribed', '2.8.subscribe'],
    'gets events from its subscription on; a socket without one gets no events',
    async (home) => {
      const [silent, later] = [await home.socket(), await home.socket()]
      const socket = await listener(home, ['*'])
      await toggle(home, 'hall-light')
      await socket.event(stateOf(home.id('hall-light')))
      await later.subscribe(['*'])
      const on = await toggle(home, 'hall-light')
      expect(await later.event(stateOf(home.id('hall-light')))).toMatchObject({ state: { on } })
      await settled(silent, later, socket)
      expect(silent.events).toEqual([])
      expect(later.events.filter(stateOf(home.id('hall-light')))).toHaveLength(1)
      for (const connection of [silent, later, socket]) connection.close()
    },
  )

  verifies(['6.1.subscribed'], 'gets an event at once, on every subscribed socket', async (home) => {
    const [one, two] = [await listener(home, ['state']), await listener(home, ['state'])]
    const on = await toggle(home, 'guest-light')
    const [first, second] = [await one.event(of(home.id('guest-light'))), await two.event(of(home.id('guest-light')))]
    expect(first).toMatchObject({ state: { on } })
    expect(second).toEqual(first)
    one.close()
    two.close()
  })

  verifies(['6.2.hidden'], 'gets no events of hidden things, neither states nor readings nor scenes', async (home) => {
    const narrow = await home.integrate({ expose: ['unit:study-light', 'gang:kitchen-panel:1', 'scene:leaving-home'] })
    const [hearing, all] = [await listener(home, ['*'], narrow.token), await listener(home, ['*'])]
    for (const local of ['hall-light', 'kitchen-panel:0', 'kitchen-panel:1', 'study-light']) await toggle(home, local)
    home.running.sim.house.door(35, true)
    await all.event(of(home.id('terrace-door')))
    home.running.sim.house.door(35, false)
    const run = (local: string): Promise<unknown> =>
      home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(home.id(local))}/run` })
    await run('scene:dinner')
    await run('scene:leaving-home')
    await all.event(
      (event) => event['device'] === home.id('scene:dinner') && !(event['state'] as { running: boolean }).running,
    )
    await all.event(of(home.id('scene:leaving-home')))
    await settled(hearing, all)
    const devices = new Set(hearing.events.map((event) => event['device']))
    expect(devices).toEqual(
      new Set([
        home.id('study-light', narrow),
        home.id('kitchen-panel:1', narrow),
        home.id('scene:leaving-home', narrow),
      ]),
    )
    // The numbers do not reveal hidden events.
    const seqs = hearing.events.map((event) => event['seq'] as number)
    expect(seqs).toEqual(seqs.map((_seq, at) => seqs[0]! + at))
    hearing.close()
    all.close()
  })
})

describe('the mode of the home', () => {
  verifies(['stream.mode'], 'is an event for the topic mode alone', async (home) => {
    const seeing = await home.integrate({ expose: ['mode'] })
    const hiding = await home.integrate({ expose: ['room:hall'] })
    const one = await listener(home, ['mode'], seeing.token)
    const all = await listener(home, ['*'], seeing.token)
    const other = await listener(home, ['*'], hiding.token)
    expect(await other.subscribe(['mode'])).toMatchObject({ status: 404 })
    for (const mode of ['night', 'home'])
      await home.call({ method: 'PUT', path: '/v1/mode', body: { mode }, token: seeing.token })
    const night = await one.event(({ state }) => (state as { mode?: string }).mode === 'night')
    expect(night).toMatchObject({ event: 'mode', device: null, class: null, state: { name: 'Night', until: null } })
    await settled(one, all, other)
    expect(one.events.map(({ state }) => (state as { mode: string }).mode).slice(-2)).toEqual(['night', 'home'])
    for (const socket of [all, other]) expect(socket.events.filter(({ event }) => event === 'mode')).toEqual([])
  })
})

describe('the presence of people', () => {
  verifies(
    ['stream.presence'],
    'is an event for the topic presence alone, as far as people are visible',
    async (home) => {
      const { person } = await home.running.admin.call<{ person: { id: string } }>('POST', '/persons', { name: 'Zoe' })
      const family = await home.integrate({ people: 'each', reports: [person.id] })
      const anyone = await home.integrate({ people: 'anyone' })
      const names = await listener(home, ['presence'], family.token)
      const nameless = await listener(home, ['presence'], anyone.token)
      const all = await listener(home, ['*'], family.token)
      const hiding = await listener(home, ['*'], (await home.integrate({})).token)
      expect(await hiding.subscribe(['presence'])).toMatchObject({ status: 404 })
      const path = `/v1/persons/${person.id}/presence`
      for (const is of ['away', 'home']) await home.call({ method: 'PUT', path, body: { is }, token: family.token })
      await names.event(({ state }) => (state as { anyone: { is: string } }).anyone.is === 'home')
      await settled(names, nameless, all, hiding)
      const states = ({ events }: typeof names) => events.map(({ state }) => (state as { persons: object[] }).persons)
      expect(states(names).at(-1)).toMatchObject([{ name: 'Zoe', is: 'home' }])
      expect(states(nameless).flat()).toEqual([])
      expect(nameless.events.length).toBeGreaterThan(0)
      for (const socket of [all, hiding]) expect(socket.events.filter(({ event }) => event === 'presence')).toEqual([])
    },
  )
})

verifies(
  ['stream.touch'],
  'touches are events for the topic touch alone, of exposed devices, also if no state changes',
  async (home) => {
    const hall = await home.integrate({ expose: ['unit:hall-light', 'gang:bathroom-panel:1'] })
    const socket = await listener(home, ['touch'], hall.token)
    const all = await listener(home, ['*', `device:${home.id('hall-light', hall)}`], hall.token)
    const touch = (address: number, gang: number | null, key: TouchKey, heldMs = 300): void =>
      home.running.sim.touch(address, gang, key, { heldMs })
    touch(61, 0, 'up')
    touch(61, null, 'side_left')
    touch(11, null, 'down', 2_500)
    touch(61, 1, 'mode')
    await socket.event(of(home.id('bathroom-panel:1', hall)))
    await settled(socket, all)
    const common = { at: expect.any(Number) as number, house: 'Sonnenwinkel', seq: expect.any(Number) as number }
    const touched = { ...common, event: 'touch', class: 'light_switch', device: home.id('hall-light', hall) }
    expect(socket.events).toEqual([
      { ...touched, state: { key: 'down', press: 'long' } },
      {
        ...touched,
        class: 'switch_gang',
        device: home.id('bathroom-panel:1', hall),
        state: { key: 'mode', press: 'short' },
      },
    ])
    expect(all.events.filter(({ event }) => event === 'touch')).toEqual([])
  },
)
