import { describe, expect } from 'vitest'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { devicesOf, houseOf, type Unit, unitsOf } from '#support/gateway/house-answer.ts'

/** Fields of a reachable unit. */
const HEARD = { reachable: true, lastSeen: expect.any(Number) as number }

describe('the house', () => {
  verifies(
    ['2.3.house', '4.house', '1.5.house'],
    'has its name, the gateway, floors, rooms, units and scenes',
    async (home) => {
      const house = await houseOf(home)
      expect(Object.keys(house).toSorted()).toEqual([
        'currency',
        'floors',
        'gateway',
        'groups',
        'house',
        'rooms',
        'scenes',
        'timeZone',
        'units',
      ])
      expect(house).toMatchObject({ house: 'Sonnenwinkel', gateway: home.running.gateway.serial })
      expect(house.gateway).toMatch(/^[a-z0-9]{12}$/)
      expect(house.floors.map(({ name }) => name)).toEqual(['Ground floor', 'First floor', 'Top floor'])
      expect(house.rooms.map(({ name }) => name)).toEqual(['Garden'])
      expect(house.units.map(({ name }) => name)).toEqual(['Base circuit meter'])
      expect(house.scenes.map(({ name }) => name)).toEqual([
        'Good morning',
        'Dinner',
        'Movie night',
        'Leaving home',
        'Good night',
      ])
    },
  )

  verifies(
    ['api.time-zone', '1.5.house'],
    'has its name, time zone and currency, like the integration, even with a small exposure',
    async (home) => {
      const little = await home.integrate({ expose: ['unit:hall-light'] })
      for (const token of [home.main.token, little.token])
        for (const path of ['/v1/house', '/v1/integration'])
          expect(await home.get(path, token)).toMatchObject({
            house: 'Sonnenwinkel',
            timeZone: 'Europe/Berlin',
            currency: 'EUR',
          })
    },
  )

  verifies('2.3.floor', 'has floors with id, name and rooms', async (home) => {
    const { floors } = await houseOf(home)
    expect(floors[2]).toEqual({
      id: home.id('floor:top-floor'),
      name: 'Top floor',
      rooms: [expect.anything(), expect.anything(), expect.anything()],
    })
    expect(floors[2]?.rooms.map(({ name }) => name)).toEqual(['Studio', 'Guest room', 'Shower room'])
  })

  verifies('2.3.room', 'has rooms with id, name, floor and units', async (home) => {
    const { floors } = await houseOf(home)
    const study = floors[1]?.rooms.find(({ name }) => name === 'Study')
    expect(study).toEqual({
      id: home.id('room:study'),
      name: 'Study',
      floor: home.id('floor:first-floor'),
      units: [expect.anything(), expect.anything()],
    })
    expect(study?.units.map(({ name }) => name)).toEqual(['Study light', 'Desk socket'])
  })

  verifies('2.3.room-on-no-floor', 'has the rooms on no floor by themselves, with floor null', async (home) => {
    const { rooms } = await houseOf(home)
    expect(rooms).toEqual([
      { id: home.id('room:garden'), name: 'Garden', floor: null, units: [expect.anything(), expect.anything()] },
    ])
    expect(rooms[0]?.units.map(({ name, floor }) => ({ name, floor }))).toEqual([
      { name: 'Driveway gate', floor: null },
      { name: 'Garden weather', floor: null },
    ])
  })

  verifies('2.3.unit-in-no-room', 'has the units in no room by themselves, with room and floor null', async (home) => {
    const { units } = await houseOf(home)
    expect(units).toEqual([
      {
        id: home.id('house-meter'),
        name: 'Base circuit meter',
        class: 'meter',
        kind: 'unit',
        model: 'HMMT',
        room: null,
        floor: null,
        ...HEARD,
        operations: [],
        state: { power: expect.any(Number) as number, asOf: expect.any(Number) as number },
      },
    ])
  })

  verifies('2.3.scene', 'has scenes with id, name, room and floor', async (home) => {
    const { scenes } = await houseOf(home)
    expect(scenes[1]).toEqual({
      id: home.id('scene:dinner'),
      name: 'Dinner',
      room: home.id('room:dining-room'),
      floor: home.id('floor:ground-floor'),
    })
    expect(scenes[0]).toEqual({ id: home.id('scene:good-morning'), name: 'Good morning', room: null, floor: null })
  })
})

describe('a unit', () => {
  verifies('2.3.unit', 'has id, name, class, kind, model, room, floor, operations and state', async (home) => {
    expect(await unitOf(home, 'Hall light')).toEqual({
      id: home.id('hall-light'),
      name: 'Hall light',
      class: 'light_switch',
      kind: 'unit',
      model: 'HMHHX1',
      room: home.id('room:hall'),
      floor: home.id('floor:ground-floor'),
      light: null,
      ...HEARD,
      operations: ['set_power', 'set_mode'],
      state: { on: expect.any(Boolean) as boolean, mode: 'auto', asOf: expect.any(Number) as number },
    })
  })

  verifies(
    '2.3.module',
    'that is a module has kind module and its gangs, and neither operations nor a state of its own',
    async (home) => {
      const panel = await unitOf(home, 'Kitchen panel')
      expect(panel).toEqual({
        id: home.id('kitchen-panel'),
        name: 'Kitchen panel',
        class: 'gang_module',
        kind: 'module',
        model: 'HMHHX4',
        room: home.id('room:kitchen'),
        floor: home.id('floor:ground-floor'),
        ...HEARD,
        operations: [],
        gangs: [expect.anything(), expect.anything(), expect.anything()],
      })
      expect('state' in panel).toBe(false)
    },
  )

  verifies(
    '2.3.gang',
    'of a module is a gang with id, name, position, operations, state, room and floor',
    async (home) => {
      const [first, , third] = (await unitOf(home, 'Kitchen panel')).gangs ?? []
      expect(first).toEqual({
        id: home.id('kitchen-panel:0'),
        name: 'Worktop light',
        class: 'switch_gang',
        gang: 0,
        operations: ['set_power', 'set_mode'],
        room: home.id('room:kitchen'),
        floor: home.id('floor:ground-floor'),
        light: true,
        state: expect.anything() as object,
      })
      expect(third).toMatchObject({
        id: home.id('kitchen-panel:2'),
        name: 'Kitchen shutter',
        class: 'shutter_gang',
        gang: 2,
        operations: ['open', 'close', 'stop', 'set_position', 'set_mode'],
      })
    },
  )

  verifies('2.3.gang-room', 'of a module may lie in another room than the module', async (home) => {
    const panel = await unitOf(home, 'Entrance panel')
    expect(panel).toMatchObject({ room: home.id('room:hall'), floor: home.id('floor:ground-floor') })
    expect(panel.gangs?.map(({ room, floor }) => ({ room, floor }))).toEqual([
      { room: home.id('room:garden'), floor: null },
      { room: home.id('room:cloakroom'), floor: home.id('floor:ground-floor') },
      { room: home.id('room:landing'), floor: home.id('floor:first-floor') },
    ])
  })
})

describe('a state', () => {
  verifies('2.3.state-light', 'of a light has on, bri from 0 to 100, and mode', async (home) => {
    const light = await stateAfter(home, 'guest-light', { op: 'set_power', args: { on: true } })
    expect(light).toEqual({ on: true, mode: 'manual', asOf: expect.any(Number) as number })
    const dimmer = await stateAfter(home, 'studio-light', { op: 'set_brightness', args: { bri: 40 } })
    expect(dimmer).toMatchObject({ on: expect.any(Boolean) as boolean, bri: expect.any(Number) as number, mode: 'eco' })
    expect(dimmer['bri']).toBeGreaterThanOrEqual(0)
    expect(dimmer['bri']).toBeLessThanOrEqual(100)
  })

  verifies('2.3.state-switch-gang', 'of a switch gang has on', async (home) => {
    expect(await stateAfter(home, 'bedside-panel:1', { op: 'set_power', args: { on: true } })).toMatchObject({
      on: true,
    })
    expect(await stateAfter(home, 'bedside-panel:1', { op: 'set_power', args: { on: false } })).toMatchObject({
      on: false,
    })
  })

  verifies('2.3.state-shutter-gang', 'of a shutter gang has pos from 0 to 100', async (home) => {
    const state = await stateAfter(home, 'kitchen-panel:2', { op: 'stop' })
    expect(Number.isInteger(state['pos'])).toBe(true)
    expect(state['pos']).toBeGreaterThanOrEqual(0)
    expect(state['pos']).toBeLessThanOrEqual(100)
  })

  verifies(['devices.as-of', 'requests.times'], 'says in epoch milliseconds when it was confirmed', async (home) => {
    const before = home.running.clock.now()
    const { asOf } = (await stateAfter(home, 'study-desk', { op: 'set_power', args: { on: true } })) as { asOf: number }
    expect(asOf).toBeGreaterThanOrEqual(before)
    expect(asOf).toBeLessThanOrEqual(home.running.clock.now())
    const all = (await home.get('/v1/state'))['devices'] as { state: { asOf: unknown } }[]
    expect(all.every(({ state }) => Number.isInteger(state.asOf) && Number(state.asOf) > 1_600_000_000_000)).toBe(true)
  })

  verifies(['2.6.state', '1.5.house'], 'of every device is in GET /v1/state with id, name and class', async (home) => {
    const answer = await home.get('/v1/state')
    expect(Object.keys(answer).toSorted()).toEqual(['devices', 'house'])
    const devices = answer['devices'] as Record<string, unknown>[]
    expect(devices).toHaveLength(40)
    expect(devices.every((device) => Object.keys(device).toSorted().join() === 'class,id,name,state')).toBe(true)
    expect(devices.find(({ name }) => name === 'Front door')).toMatchObject({
      id: home.id('front-door'),
      class: 'lock',
      state: { locked: true },
    })
    const stateful = devicesOf(await houseOf(home)).filter(({ class: kind }) => kind !== 'gang_module')
    expect(devices.map(({ id, name, class: kind, state }) => ({ id, name, class: kind, state }))).toEqual(
      expect.arrayContaining(
        stateful.map(({ id, name, class: kind }) => ({ id, name, class: kind, state: expect.anything() as object })),
      ),
    )
  })
})

async function unitOf(home: TestHome, name: string): Promise<Unit> {
  const found = unitsOf(await houseOf(home)).find((unit) => unit.name === name)
  if (!found) throw new Error(`The house shows no ${name}.`)
  return found
}

async function stateAfter(home: TestHome, local: string, body: object): Promise<Record<string, unknown>> {
  const answer = await home.call({ method: 'POST', path: home.at(local, '/control'), body })
  expect(answer.status, answer.text).toBe(200)
  const { device } = (await home.get(home.at(local))) as { device: { state: Record<string, unknown> } }
  expect(device.state).toMatchObject({ asOf: expect.any(Number) as number })
  return device.state
}
