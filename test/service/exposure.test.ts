import { describe, expect } from 'vitest'
import {
  EVERYTHING_ALLOWED,
  type TestHome,
  type TestIntegration,
  verifiesOver,
  verifiesAlone,
} from '#support/gateway/harness.ts'
import { sceneOf, unitOf } from '#support/homes/house-content.ts'
import { devicesOf, houseOf, localIdsOf, unitsOf } from '#support/gateway/house-answer.ts'

const verifies = verifiesOver('stream')

/** Things visible to an integration, by local ids, in the house and in the states; both must be equal. */
async function visibleIds(home: TestHome, integration: TestIntegration): Promise<string[]> {
  const house = await houseOf(home, integration)
  const { devices } = (await home.get('/v1/state', integration.token)) as { devices: { id: string }[] }
  const stateful = devicesOf(house)
    .filter((device) => device.class !== 'gang_module')
    .map(({ id }) => id)
  expect(devices.map(({ id }) => id).toSorted()).toEqual(stateful.toSorted())
  return localIdsOf(house)
}

/** Places a unit like an administrator. */
async function place(home: TestHome, placing: object): Promise<void> {
  await home.running.admin.call('POST', '/house/place', placing)
}

/** Moves a room to another floor, like an import of the house file. */
function moveRoom(home: TestHome, id: string, floor: string | null): void {
  const { house } = home.running.gateway.home
  const content = house.content()
  house.replace(
    { ...content, rooms: content.rooms.map((room) => (room.id === id ? { ...room, floor } : room)) },
    { source: 'person', name: 'Anna' },
  )
}

describe('All', () => {
  const verifies = verifiesAlone(() => ({}), { over: 'http' })

  verifies('2.1.all', 'shows everything, including later additions', async (home) => {
    const { house } = home.running.gateway.home
    expect(await visibleIds(home, home.main)).toHaveLength(3 + 15 + 34 + 10 + 5)
    const content = house.content()
    const attic = { id: 'attic', name: 'Attic', floor: 'top-floor', position: 99 }
    const bell = unitOf('bell', 120, { name: 'Bell', model: null, class: 'light_switch', room: 'attic' })
    const cosy = sceneOf('cosy', { name: 'Cosy', position: 99 })
    house.replace(
      {
        ...content,
        rooms: [...content.rooms, attic],
        units: [...content.units, bell],
        scenes: [...content.scenes, cosy],
      },
      { source: 'person', name: 'Anna' },
    )
    const after = localIdsOf(await houseOf(home))
    expect(after).toEqual(expect.arrayContaining(['room:attic', 'bell', 'scene:cosy']))
    expect(after).toHaveLength(3 + 16 + 35 + 10 + 6)
    expect(await home.call({ method: 'GET', path: home.at('bell') })).toMatchObject({
      status: 200,
      body: { device: { name: 'Bell', state: null } },
    })
  })
})

describe('Selected', () => {
  verifies(
    ['2.1.selected', 'exposure.picks'],
    'shows only the picked floor, room, unit, module, gang or scene',
    async (home) => {
      const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
        [
          ['floor:top-floor'],
          [
            'floor:top-floor',
            'guest-light',
            'room:guest-room',
            'room:shower-room',
            'room:studio',
            'shower-heater',
            'studio-light',
            'studio-shutter',
          ],
        ],
        [['room:study'], ['room:study', 'study-desk', 'study-light']],
        [['room:garden'], ['driveway-gate', 'entrance-panel', 'entrance-panel:0', 'garden-weather', 'room:garden']],
        [['unit:hall-light'], ['hall-light']],
        [['unit:kitchen-panel'], ['kitchen-panel', 'kitchen-panel:0', 'kitchen-panel:1', 'kitchen-panel:2']],
        [['gang:kitchen-panel:1'], ['kitchen-panel', 'kitchen-panel:1']],
        [['scene:dinner'], ['scene:dinner']],
        [
          ['room:study', 'unit:house-meter', 'gang:bedside-panel:0', 'scene:dinner'],
          [
            'bedside-panel',
            'bedside-panel:0',
            'house-meter',
            'room:study',
            'scene:dinner',
            'study-desk',
            'study-light',
          ],
        ],
      ]
      for (const [expose, expected] of cases)
        expect(await visibleIds(home, await home.integrate({ expose })), expose.join()).toEqual(expected)
    },
  )

  verifies(['2.1.selected', '7.not-found', '1.4.hidden'], 'answers 404 not_found for everything else', async (home) => {
    const narrow = await home.integrate({ expose: ['room:study'], settings: EVERYTHING_ALLOWED })
    const all = localIdsOf(await houseOf(home)).filter((id) => !/^(room|floor):/.test(id))
    const found = await Promise.all(
      all.map(async (local) => {
        const { status, body } = await home.call({
          method: 'GET',
          path: home.at(local, '', narrow),
          token: narrow.token,
        })
        if (status !== 200)
          expect(body).toEqual({
            error: { code: 'not_found', message: 'There is no such thing here. Ids come from GET /v1/house.' },
          })
        return { local, status }
      }),
    )
    expect(found.filter(({ status }) => status === 200).map(({ local }) => local)).toEqual([
      'study-desk',
      'study-light',
    ])
    expect(new Set(found.map(({ status }) => status))).toEqual(new Set([200, 404]))
  })

  verifies('exposure.scenes', 'shows a scene only when it is picked itself, never through its room', async (home) => {
    const diner = await home.integrate({ expose: ['room:dining-room', 'floor:ground-floor'] })
    expect((await houseOf(home, diner)).scenes).toEqual([])
    expect(await home.get('/v1/scenes', diner.token)).toEqual({ house: 'Sonnenwinkel', scenes: [] })
    const picked = await home.integrate({ expose: ['scene:dinner', 'room:study'] })
    expect((await houseOf(home, picked)).scenes).toEqual([
      { id: home.id('scene:dinner', picked), name: 'Dinner', room: null, floor: null },
    ])
    const both = await home.integrate({ expose: ['scene:dinner', 'room:dining-room'] })
    expect((await houseOf(home, both)).scenes).toEqual([
      { id: home.id('scene:dinner', both), name: 'Dinner', room: home.id('room:dining-room', both), floor: null },
    ])
  })

  verifies(
    'exposure.hidden-room',
    'shows a picked unit or gang whose room is hidden without room and floor',
    async (home) => {
      const narrow = await home.integrate({ expose: ['unit:hall-light', 'gang:entrance-panel:0'] })
      const house = await houseOf(home, narrow)
      expect([house.floors, house.rooms]).toEqual([[], []])
      expect(house.units).toMatchObject([
        { name: 'Hall light', room: null, floor: null },
        { name: 'Entrance panel', room: null, floor: null, gangs: [{ name: 'Porch lamp', room: null, floor: null }] },
      ])
      expect(await home.get(home.at('hall-light', '', narrow), narrow.token)).toMatchObject({
        device: { room: null, floor: null },
      })
      expect(JSON.stringify(house)).not.toMatch(/ground-floor|room:hall|garden/i)

      const garden = await home.integrate({ expose: ['room:garden', 'unit:entrance-panel'] })
      const panel = unitsOf(await houseOf(home, garden)).find(({ name }) => name === 'Entrance panel')
      expect(panel).toMatchObject({
        room: null,
        gangs: [
          { room: home.id('room:garden', garden), floor: null },
          { room: null, floor: null },
          { room: null, floor: null },
        ],
      })
    },
  )

  verifies('exposure.floor', 'shows a floor only when it is picked', async (home) => {
    const rooms = await home.integrate({ expose: ['room:studio', 'room:guest-room', 'room:shower-room'] })
    const house = await houseOf(home, rooms)
    expect(house.floors).toEqual([])
    expect(house.rooms.map(({ name, floor }) => ({ name, floor }))).toEqual([
      { name: 'Studio', floor: null },
      { name: 'Guest room', floor: null },
      { name: 'Shower room', floor: null },
    ])
    const floor = await home.integrate({ expose: ['floor:top-floor', 'room:study'] })
    const withFloor = await houseOf(home, floor)
    expect(withFloor.floors.map(({ name }) => name)).toEqual(['Top floor'])
    expect(withFloor.rooms).toMatchObject([{ name: 'Study', floor: null }])
  })

  verifies('exposure.single-gangs', 'shows a module with only its picked gangs', async (home) => {
    const narrow = await home.integrate({ expose: ['gang:kitchen-panel:0', 'gang:kitchen-panel:2'] })
    const [panel] = (await houseOf(home, narrow)).units
    expect(panel).toMatchObject({
      id: home.id('kitchen-panel', narrow),
      kind: 'module',
      gangs: [
        { gang: 0, name: 'Worktop light' },
        { gang: 2, name: 'Kitchen shutter' },
      ],
    })
    expect(panel?.gangs).toHaveLength(2)
    const { device } = (await home.get(home.at('kitchen-panel', '', narrow), narrow.token)) as {
      device: { gangs: unknown[] }
    }
    expect(device.gangs).toHaveLength(2)
    expect(
      await home.call({ method: 'GET', path: home.at('kitchen-panel:1', '', narrow), token: narrow.token }),
    ).toMatchObject({ status: 404 })
  })
})

describe('a thing that an administrator', () => {
  verifies(['2.1.selected'], 'takes out of the selection is hidden from the next request on', async (home) => {
    const integration = await home.integrate({ expose: ['unit:guest-light'] })
    await home.change(integration, { expose: ['unit:study-light'] })
    expect(await visibleIds(home, integration)).toEqual(['study-light'])
    await home.change(integration, { expose: ['all'] })
    expect((await houseOf(home, integration)).floors).toHaveLength(3)
  })
})

describe('a moved unit or room', () => {
  const verifies = verifiesAlone(() => ({}), { over: 'http' })

  verifies(
    ['2.1.moved-in', '2.1.moved-out'],
    'appears in, or disappears with, a picked room at once',
    { tags: ['long'] },
    async (home) => {
      const study = await home.integrate({ expose: ['room:study'] })
      await place(home, { unit: 'guest-light', room: 'study' })
      await place(home, { unit: 'bedside-panel', gangs: [{ gang: 1, room: 'study' }] })
      expect(await visibleIds(home, study)).toEqual([
        'bedside-panel',
        'bedside-panel:1',
        'guest-light',
        'room:study',
        'study-desk',
        'study-light',
      ])
      expect(
        await home.call({ method: 'GET', path: home.at('guest-light', '', study), token: study.token }),
      ).toMatchObject({ status: 200, body: { device: { room: home.id('room:study', study) } } })
      await place(home, { unit: 'study-light', room: 'guest-room' })
      await place(home, { unit: 'study-desk', room: null })
      await place(home, { unit: 'bedside-panel', gangs: [{ gang: 1, room: 'bedroom' }] })
      expect(await visibleIds(home, study)).toEqual(['guest-light', 'room:study'])
      expect(
        await home.call({ method: 'GET', path: home.at('study-light', '', study), token: study.token }),
      ).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    },
  )

  verifies(
    ['2.1.moved-in', '2.1.moved-out'],
    'appears on, or disappears with, a picked floor together with its units',
    async (home) => {
      const top = await home.integrate({ expose: ['floor:top-floor'] })
      moveRoom(home, 'study', 'top-floor')
      moveRoom(home, 'studio', null)
      expect(await visibleIds(home, top)).toEqual([
        'floor:top-floor',
        'guest-light',
        'room:guest-room',
        'room:shower-room',
        'room:study',
        'shower-heater',
        'study-desk',
        'study-light',
      ])
      expect(
        await home.call({ method: 'GET', path: home.at('studio-light', '', top), token: top.token }),
      ).toMatchObject({ status: 404 })
    },
  )

  verifies(['2.1.moved-out'], 'stays visible anywhere if it is picked itself', async (home) => {
    const both = await home.integrate({ expose: ['room:study', 'unit:study-light'] })
    await place(home, { unit: 'study-light', room: 'guest-room' })
    expect(await visibleIds(home, both)).toEqual(['room:study', 'study-desk', 'study-light'])
    expect((await houseOf(home, both)).units).toMatchObject([{ name: 'Study light', room: null, floor: null }])
  })
})
