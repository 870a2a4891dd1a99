import { describe, expect } from 'vitest'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { devicesOf, type House, houseOf, roomsOf, unitsOf } from '#support/gateway/house-answer.ts'

interface Listed {
  readonly id: string
  readonly class: string
}

const houseWith = async (home: TestHome, query: Record<string, string>): Promise<House> =>
  (await home.call({ method: 'GET', path: '/v1/house', query })).body as House
const listedWith = async (
  home: TestHome,
  what: 'devices' | 'sensors',
  query: Record<string, string>,
): Promise<Listed[]> => {
  const path = what === 'devices' ? '/v1/state' : '/v1/sensors'
  return ((await home.call({ method: 'GET', path, query })).body as Record<typeof what, Listed[]>)[what]
}

describe('a room and a class', () => {
  verifies('api.filters', 'limit the states to devices of that room and class', async (home) => {
    const room = home.id('room:bedroom')
    const whole = devicesOf(await houseOf(home)).filter((device) => device.class !== 'gang_module')
    const ids = (devices: readonly { readonly id: string }[]): string[] => devices.map(({ id }) => id).toSorted()
    const inRoom = whole.filter((device) => device.room === room)
    expect(inRoom.length).toBeGreaterThan(3)
    expect(ids(await listedWith(home, 'devices', { room }))).toEqual(ids(inRoom))
    const gangs = whole.filter((device) => device.class === 'switch_gang')
    expect(ids(await listedWith(home, 'devices', { class: 'switch_gang' }))).toEqual(ids(gangs))
    expect(ids(await listedWith(home, 'devices', { room, class: 'switch_gang' }))).toEqual(
      ids(gangs.filter((device) => device.room === room)),
    )
    expect(await listedWith(home, 'devices', { room, class: 'lock' })).toEqual([])
    const sensors = await listedWith(home, 'sensors', { room, class: 'sensor' })
    expect(ids(sensors)).toEqual([home.id('bedroom-climate')])
  })

  verifies('api.filters', 'take a group in place of a class', async (home) => {
    const room = home.id('room:bathroom')
    const names = async (group: string): Promise<string[]> =>
      unitsOf(await houseWith(home, { room, class: group })).flatMap(({ name, gangs }) =>
        gangs ? gangs.map((gang) => gang.name) : [name],
      )
    expect(await names('light')).toEqual(['Mirror light'])
    expect(await names('climate')).toEqual(['Towel heater'])
    const ids = (await listedWith(home, 'devices', { class: 'socket' })).map(({ id }) => id)
    expect(ids).toContain(home.id('dishwasher'))
    expect(ids).not.toContain(home.id('bathroom-heater'))
    expect(await listedWith(home, 'sensors', { room, class: 'cover' })).toEqual([])
    expect(await listedWith(home, 'devices', { room, class: 'cover' })).toEqual([])
  })

  verifies('api.filters', 'limit the house to matching units, with their rooms and floors', async (home) => {
    const garden = await houseWith(home, { room: home.id('room:garden') })
    // The porch lamp is a gang of a panel that hangs in the hall.
    expect(roomsOf(garden).map(({ name }) => name)).toEqual(['Hall', 'Garden'])
    expect(unitsOf(garden).map(({ name, gangs }) => [name, gangs?.map((gang) => gang.name)])).toEqual([
      ['Entrance panel', ['Porch lamp']],
      ['Driveway gate', undefined],
      ['Garden weather', undefined],
    ])
    expect(garden.scenes).toEqual([])
    const dining = await houseWith(home, { room: home.id('room:dining-room') })
    expect(dining.scenes.map(({ name }) => name)).toEqual(['Dinner'])
    const locks = await houseWith(home, { class: 'lock' })
    expect(unitsOf(locks).map(({ name }) => name)).toEqual(['Front door'])
    expect(locks).toMatchObject({
      house: 'Sonnenwinkel',
      floors: [{ rooms: [{ name: 'Hall' }] }],
      rooms: [],
      units: [],
    })
    const modules = await houseWith(home, { class: 'gang_module', room: home.id('room:kitchen') })
    expect(unitsOf(modules).map(({ name, gangs }) => [name, gangs?.length])).toEqual([['Kitchen panel', 3]])
    expect((await houseWith(home, { class: 'scene' })).scenes).toEqual((await houseOf(home)).scenes)
  })

  verifies(['api.filters', '1.4.hidden'], 'are 404 for a missing room, and 422 for an unknown class', async (home) => {
    const narrow = await home.integrate({ expose: ['room:study'] })
    for (const path of ['/v1/house', '/v1/state', '/v1/sensors']) {
      const ask = (query: Record<string, string>) => home.call({ method: 'GET', path, query, token: narrow.token })
      const hidden = await ask({ room: home.id('room:hall', narrow) })
      expect(hidden).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
      expect(hidden.body).toEqual((await ask({ room: home.id('room:invented', narrow) })).body)
      expect(await ask({ class: 'spaceship' })).toMatchObject({
        status: 422,
        body: { error: { code: 'validation' } },
      })
    }
  })
})
