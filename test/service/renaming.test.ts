import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { EVERYTHING_ALLOWED, type TestHome, type TestIntegration, verifiesOver } from '#support/gateway/harness.ts'
import { devicesOf, houseOf, roomsOf } from '#support/gateway/house-answer.ts'

const verifies = verifiesOver('http')

const STRUCTURAL = {
  status: 403,
  body: {
    error: { code: 'structural_not_allowed', appAction: 'rooms', message: expect.any(String) as string },
  },
}

function ask(
  home: TestHome,
  method: string,
  path: string,
  body: unknown,
  { token }: TestIntegration = home.main,
): Promise<RawAnswer> {
  return home.call({ method, path, token, ...(body === undefined ? {} : { body }) })
}

const rename = (home: TestHome, local: string, body: unknown, by: TestIntegration = home.main): Promise<RawAnswer> =>
  ask(home, 'PATCH', home.at(local, '', by), body, by)
const renameRoom = (
  home: TestHome,
  local: string,
  body: unknown,
  by: TestIntegration = home.main,
): Promise<RawAnswer> => ask(home, 'PATCH', `/v1/rooms/${encodeURIComponent(home.id(local, by))}`, body, by)

async function nameOf(home: TestHome, local: string): Promise<string | undefined> {
  const house = await houseOf(home)
  return [...house.floors, ...roomsOf(house), ...devicesOf(house), ...house.scenes].find(
    ({ id }) => id === home.id(local),
  )?.name
}

describe('renaming', () => {
  verifies(
    ['4.device-rename', 'devices.renamed', '2.6.rename', '4.rule7.rename', '1.5.house'],
    'a unit, a module or a gang returns its id and name, and shows in the house',
    async (home) => {
      for (const [local, name] of [
        ['guest-light', 'Reading light'],
        ['bedside-panel', 'Panel by the bed'],
        ['bedside-panel:0', 'Anna’s lamp'],
      ] as const) {
        const before = await nameOf(home, local)
        expect(await rename(home, local, { name })).toMatchObject({
          status: 200,
          body: { house: 'Sonnenwinkel', device: { id: home.id(local), name } },
        })
        expect(await nameOf(home, local)).toBe(name)
        expect(await home.get(home.at(local))).toMatchObject({ device: { name } })
        expect(await rename(home, local, { name: before })).toMatchObject({ status: 200 })
      }
    },
  )

  verifies(
    ['4.room-rename', '2.6.rename-room', '4.rule7.rename', '1.5.house'],
    'a room returns its id and name, and shows in the house',
    async (home) => {
      expect(await renameRoom(home, 'room:study', { name: 'Library' })).toMatchObject({
        status: 200,
        body: { house: 'Sonnenwinkel', room: { id: home.id('room:study'), name: 'Library' } },
      })
      expect(await nameOf(home, 'room:study')).toBe('Library')
      await renameRoom(home, 'room:study', { name: 'Study' })
    },
  )

  verifies(
    ['4.rule7.rename', '2.1.selected'],
    'works for things in a picked floor or room, and for things picked in addition',
    async (home) => {
      const narrow = await home.integrate({
        expose: ['floor:top-floor', 'room:garden', 'unit:study-light'],
        settings: { structural: 'on' },
      })
      expect(await renameRoom(home, 'room:studio', { name: 'Studio' }, narrow)).toMatchObject({ status: 200 })
      expect(await rename(home, 'studio-light', { name: 'Studio light' }, narrow)).toMatchObject({ status: 200 })
      expect(await rename(home, 'entrance-panel:0', { name: 'Porch lamp' }, narrow)).toMatchObject({ status: 200 })
      expect(await rename(home, 'study-light', { name: 'Study light' }, narrow)).toMatchObject({ status: 200 })
      expect(await rename(home, 'hall-light', { name: 'Mine' }, narrow)).toMatchObject({ status: 404 })
      expect(await renameRoom(home, 'room:hall', { name: 'Mine' }, narrow)).toMatchObject({ status: 404 })
      // The module is visible only for its one gang.
      expect(await rename(home, 'entrance-panel', { name: 'Mine' }, narrow)).toMatchObject(STRUCTURAL)
    },
  )

  verifies(['4.rule7.boundary', '7.structural'], 'the picked room or floor itself is refused', async (home) => {
    const narrow = await home.integrate({ expose: ['room:study', 'floor:top-floor'], settings: { structural: 'on' } })
    expect(await renameRoom(home, 'room:study', { name: 'Mine' }, narrow)).toMatchObject(STRUCTURAL)
    expect(
      await ask(
        home,
        'PATCH',
        `/v1/floors/${encodeURIComponent(home.id('floor:top-floor', narrow))}`,
        { name: 'Mine' },
        narrow,
      ),
    ).toMatchObject(STRUCTURAL)
    expect([await nameOf(home, 'room:study'), await nameOf(home, 'floor:top-floor')]).toEqual(['Study', 'Top floor'])
    expect(await rename(home, 'study-desk', { name: 'Desk socket' }, narrow)).toMatchObject({ status: 200 })
  })

  verifies(
    ['2.1.structural', 'refusals.knob-place', '1.3.fresh-knobs'],
    'is refused with structural off, and names the screen with that knob',
    async (home) => {
      const integration = await home.integrate({})
      const STRUCTURAL = {
        status: 403,
        body: { error: { code: 'structural_not_allowed', appAction: 'integrations.record' } },
      }
      expect(await rename(home, 'guest-light', { name: 'Mine' }, integration)).toMatchObject(STRUCTURAL)
      expect(await renameRoom(home, 'room:study', { name: 'Mine' }, integration)).toMatchObject(STRUCTURAL)
      // The knob is checked before the body.
      expect(await rename(home, 'guest-light', { wrong: 7 }, integration)).toMatchObject(STRUCTURAL)
      expect([await nameOf(home, 'guest-light'), await nameOf(home, 'room:study')]).toEqual([
        'Guest room light',
        'Study',
      ])
    },
  )

  verifies(
    ['4.device-rename', '4.rule7.rename'],
    'a scene is refused, and a room or a floor is not a device',
    async (home) => {
      expect(await rename(home, 'scene:dinner', { name: 'Mine' })).toMatchObject(STRUCTURAL)
      expect(await rename(home, 'room:study', { name: 'Mine' })).toMatchObject({ status: 404 })
      expect(await rename(home, 'floor:top-floor', { name: 'Mine' })).toMatchObject({ status: 404 })
      expect(await renameRoom(home, 'guest-light', { name: 'Mine' })).toMatchObject({ status: 404 })
      expect(await nameOf(home, 'scene:dinner')).toBe('Dinner')
    },
  )

  verifies(
    ['2.6.rename', '7.validation', 'refusals.message'],
    'needs a name of 1 to 64 characters that can be shown',
    async (home) => {
      for (const name of [
        undefined,
        null,
        7,
        '',
        '   ',
        'x'.repeat(65),
        'two\nlines',
        'bell\u0007',
        'right\u202eleft',
        ['a'],
        { text: 'a' },
      ]) {
        for (const answer of [
          await rename(home, 'guest-light', { name }),
          await renameRoom(home, 'room:study', { name }),
        ]) {
          expect(answer, JSON.stringify(name)).toMatchObject({
            status: 422,
            body: { error: { code: 'validation', message: expect.stringContaining('name') as string } },
          })
        }
      }
      expect([await nameOf(home, 'guest-light'), await nameOf(home, 'room:study')]).toEqual([
        'Guest room light',
        'Study',
      ])
      for (const name of ['x'.repeat(64), 'Küche – 客厅 🛋', '  trimmed  ']) {
        expect(await rename(home, 'guest-light', { name })).toMatchObject({
          status: 200,
          body: { device: { name: name.trim() } },
        })
      }
      await rename(home, 'guest-light', { name: 'Guest room light' })
    },
  )
})

describe('the refusal', () => {
  verifies(['refusals.structural', '7.structural'], 'names its reason', async (home) => {
    const off = await home.integrate({})
    const little = await home.integrate({
      expose: ['gang:entrance-panel:0', 'room:study'],
      settings: { structural: 'on' },
    })
    const reasons: readonly (readonly [answer: RawAnswer, message: string])[] = [
      [
        await rename(home, 'guest-light', { name: 'Mine' }, off),
        'This integration may not change names. An administrator can turn structural on.',
      ],
      [
        await rename(home, 'guest-light', { name: 'Mine', room: 'x' }),
        'Only the name can be changed here; everything else about the structure is done in the app.',
      ],
      [await rename(home, 'scene:dinner', { name: 'Mine' }), 'A scene is renamed by PATCH /v1/scenes/{id}, not here.'],
      [
        await rename(home, 'entrance-panel', { name: 'Mine' }, little),
        'Only some gangs of this module are exposed: their names can be changed here, the name of the module cannot.',
      ],
      [
        await renameRoom(home, 'room:study', { name: 'Mine' }, little),
        'The integration exposes this room itself, so its name is changed in the app.',
      ],
      [await ask(home, 'POST', '/v1/rooms', { name: 'New' }), 'Creating rooms is done in the app.'],
      [await ask(home, 'DELETE', home.at('guest-light'), undefined), 'Deleting units is done in the app.'],
    ]
    for (const [answer, message] of reasons) {
      const appAction = message.includes('structural on') ? 'integrations.record' : 'rooms'
      expect(answer).toMatchObject({ ...STRUCTURAL, body: { error: { ...STRUCTURAL.body.error, appAction, message } } })
    }
  })
})

describe('the rest of the structure', () => {
  verifies(['4.rule7.other-field', '7.structural'], 'is not changed: no field but name', async (home) => {
    const fields = Object.entries({
      room: home.id('room:hall'),
      floor: null,
      class: 'lock',
      id: 'x',
      model: 'HMHH',
      operations: [],
      gangs: [],
      units: [],
      position: 1,
    })
    for (const [field, value] of fields) {
      expect(await rename(home, 'guest-light', { name: 'Mine', [field]: value }), field).toMatchObject(STRUCTURAL)
      expect(await rename(home, 'guest-light', { [field]: value }), field).toMatchObject(STRUCTURAL)
      expect(await renameRoom(home, 'room:study', { name: 'Mine', [field]: value }), field).toMatchObject(STRUCTURAL)
      expect(await renameRoom(home, 'room:study', { [field]: value }), field).toMatchObject(STRUCTURAL)
    }
    expect([await nameOf(home, 'guest-light'), await nameOf(home, 'room:study')]).toEqual(['Guest room light', 'Study'])
  })

  verifies(
    ['4.rule7.create', '4.rule7.move', '4.rule7.delete', '7.structural'],
    'is not created, moved or deleted over the API',
    async (home) => {
      // States and last-seen times change meanwhile.
      const structure = async (): Promise<string> =>
        JSON.stringify(await houseOf(home), (name, value: unknown) =>
          ['state', 'lastSeen', 'reachable'].includes(name) ? undefined : value,
        )
      const before = await structure()
      const room = `/v1/rooms/${encodeURIComponent(home.id('room:study'))}`
      const floor = `/v1/floors/${encodeURIComponent(home.id('floor:top-floor'))}`
      const calls: readonly (readonly [string, string, unknown?])[] = [
        ['POST', '/v1/rooms', { name: 'New' }],
        ['POST', '/v1/floors', { name: 'New' }],
        ['POST', '/v1/devices', { name: 'New' }],
        ['PUT', room, { floor: home.id('floor:top-floor') }],
        ['PATCH', room, { floor: home.id('floor:top-floor') }],
        ['PUT', floor, { name: 'New' }],
        ['PATCH', floor, { name: 'New' }],
        ['PUT', home.at('guest-light'), { room: home.id('room:study') }],
        ['PATCH', home.at('guest-light'), { room: home.id('room:study') }],
        ['PUT', home.at('bedside-panel:0'), { room: home.id('room:study') }],
        ['DELETE', room],
        ['DELETE', floor],
        ['DELETE', home.at('guest-light')],
        ['DELETE', home.at('bedside-panel:1')],
      ]
      for (const [method, path, body] of calls)
        expect(await ask(home, method, path, body), `${method} ${path}`).toMatchObject(STRUCTURAL)
      expect(await structure()).toBe(before)
    },
  )

  verifies(
    ['4.rule7.delete', 'refusals.order', '1.4.hidden'],
    'that is hidden is not found by any request',
    async (home) => {
      const narrow = await home.integrate({ expose: ['room:study'], settings: EVERYTHING_ALLOWED })
      for (const method of ['PUT', 'DELETE', 'PATCH']) {
        for (const path of [
          home.at('hall-light', '', narrow),
          `/v1/rooms/${encodeURIComponent(home.id('room:hall', narrow))}`,
          `/v1/floors/${encodeURIComponent(home.id('floor:top-floor', narrow))}`,
        ]) {
          expect(await ask(home, method, path, method === 'DELETE' ? undefined : { room: 'x' }, narrow)).toMatchObject({
            status: 404,
            body: { error: { code: 'not_found' } },
          })
        }
      }
    },
  )
})
