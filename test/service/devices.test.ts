import { describe, expect } from 'vitest'
import { verifies } from '#support/gateway/harness.ts'
import { devicesOf, houseOf, UUID } from '#support/gateway/house-answer.ts'

/** docs/devices.md#classes: what each class takes; the two heaters of the demo house feed a climate load. */
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  light_switch: ['set_power', 'set_mode'],
  light_dimmer: ['set_power', 'set_brightness', 'set_mode'],
  shutter: ['open', 'close', 'stop', 'set_position', 'set_mode'],
  curtain: ['open', 'close', 'stop', 'set_position', 'set_mode'],
  power_switch: ['set_power', 'set_mode'],
  sense_switch: ['set_power', 'set_mode'],
  ac: ['set_power', 'set_temp', 'set_ac_mode', 'set_fan'],
  ir_remote: ['key'],
  lock: ['open', 'close'],
  gate: ['open', 'close', 'stop'],
  sensor: [],
  meter: [],
  gang_module: [],
  switch_gang: ['set_power', 'set_mode'],
  shutter_gang: ['open', 'close', 'stop', 'set_position', 'set_mode'],
}
const WITH_CLIMATE = ['Towel heater', 'Shower room heater']
const ARGS: Readonly<Record<string, object | undefined>> = {
  set_power: { on: true },
  set_brightness: { bri: 10 },
  set_position: { pos: 10 },
  set_mode: { mode: 'manual' },
  set_temp: { temp: 21 },
  set_ac_mode: { mode: 'cool' },
  set_fan: { fan: 'auto' },
  key: { key: 'power' },
}
const ALL_OPERATIONS = [
  'set_power',
  'set_brightness',
  'set_position',
  'open',
  'close',
  'stop',
  'set_mode',
  'set_temp',
  'set_ac_mode',
  'set_fan',
  'key',
  'run',
]

describe('GET /v1/devices/{id}', () => {
  verifies(['4.device', 'devices.device', '1.5.house'], 'answers a unit', async (home) => {
    expect(await home.get(home.at('front-door'))).toEqual({
      house: 'Sonnenwinkel',
      device: {
        id: home.id('front-door'),
        name: 'Front door',
        class: 'lock',
        kind: 'unit',
        model: 'HMLK',
        room: home.id('room:hall'),
        floor: home.id('floor:ground-floor'),
        reachable: true,
        lastSeen: expect.any(Number) as number,
        operations: ['open', 'close'],
        capabilities: [],
        state: { locked: true, asOf: expect.any(Number) as number },
      },
    })
  })

  verifies(['4.device', 'devices.device'], 'answers a module with its gangs', async (home) => {
    const { device } = (await home.get(home.at('bedside-panel'))) as { device: { gangs: object[] } }
    expect(device).toMatchObject({ id: home.id('bedside-panel'), kind: 'module', class: 'gang_module', operations: [] })
    expect(device.gangs).toMatchObject([
      { id: home.id('bedside-panel:0'), gang: 0, name: 'Left reading lamp' },
      { id: home.id('bedside-panel:1'), gang: 1, name: 'Right reading lamp' },
    ])
    expect('state' in device).toBe(false)
  })

  verifies(['4.device', 'devices.device'], 'answers a gang', async (home) => {
    const { device } = await home.get(home.at('entrance-panel:1'))
    expect(device).toMatchObject({
      id: home.id('entrance-panel:1'),
      name: 'Cloakroom light',
      class: 'switch_gang',
      gang: 1,
      operations: ['set_power', 'set_mode'],
      room: home.id('room:cloakroom'),
      floor: home.id('floor:ground-floor'),
      state: { on: expect.any(Boolean) as boolean },
    })
  })

  verifies(['4.device', 'devices.device'], 'answers a scene', async (home) => {
    const { device } = await home.get(home.at('scene:dinner'))
    expect(device).toMatchObject({
      id: home.id('scene:dinner'),
      name: 'Dinner',
      room: home.id('room:dining-room'),
      floor: home.id('floor:ground-floor'),
      state: { running: false },
    })
  })

  verifies('4.device', 'answers no room and no floor', async (home) => {
    for (const local of ['room:hall', 'floor:ground-floor']) {
      expect(await home.call({ method: 'GET', path: home.at(local) })).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      })
    }
  })

  verifies('4.device', 'shows each device as the house does', async (home) => {
    for (const listed of devicesOf(await houseOf(home))) {
      const { device } = (await home.get(`/v1/devices/${encodeURIComponent(listed.id)}`)) as {
        device: Record<string, unknown>
      }
      const { id, name, class: kind, room, floor, operations } = listed
      expect(device).toMatchObject({ id, name, class: kind, room, floor, operations })
    }
  })
})

describe('the load of a switch', () => {
  verifies('devices.light', 'is shown only for switches: a lamp, another load, or null', async (home) => {
    const loadOf = async (local: string): Promise<unknown> =>
      ((await home.get(home.at(local))) as { device: { light?: boolean | null } }).device.light
    const locals = ['kitchen-panel:0', 'dishwasher', 'hall-light', 'kitchen-panel:2', 'kitchen-panel', 'front-door']
    const expected = [true, false, null, undefined, undefined, undefined]
    expect(await Promise.all(locals.map(loadOf))).toEqual(expected)
    const house = devicesOf(await houseOf(home))
    expect(locals.map((local) => house.find(({ id }) => id === home.id(local))?.light)).toEqual(expected)
  })

  verifies('devices.light', 'is set by the administrator, and announced at once', async (home) => {
    const socket = await home.socket()
    await socket.subscribe(['exposure'])
    const says = async (unit: string, light: boolean | null): Promise<unknown> => {
      await home.running.admin.call('POST', '/house/place', { unit, light })
      expect(await socket.event(() => true)).toMatchObject({ event: 'exposure' })
      return ((await home.get(home.at(unit))) as { device: { light?: boolean | null } }).device.light
    }
    expect(await says('study-desk', true)).toBe(true)
    expect(await says('study-desk', null)).toBe(null)
    await expect(says('front-door', true)).rejects.toThrow('front-door is no switch, so light cannot be set.')
  })
})

describe('operations', () => {
  verifies('devices.operations', 'follow from the class', async (home) => {
    const devices = devicesOf(await houseOf(home))
    expect([...new Set(devices.map((device) => device.class))].toSorted()).toEqual(Object.keys(OPERATIONS).toSorted())
    for (const { name, class: kind, operations } of devices) {
      const also = WITH_CLIMATE.includes(name) ? ['set_temp'] : []
      expect({ name, operations }).toEqual({ name, operations: [...(OPERATIONS[kind] ?? []), ...also] })
    }
  })

  verifies(
    ['4.rule1.operation', 'devices.unsupported', '7.validation'],
    'that the device does not have are 422 validation, and no frame goes to its unit',
    async (home) => {
      const devices = devicesOf(await houseOf(home))
      // One device of each class; the openable ones also get operations that they lack.
      const one = Object.keys(OPERATIONS).map((kind) =>
        devices.find((device) => device.class === kind && !WITH_CLIMATE.includes(device.name)),
      )
      const commands = home.running.sim.counters.commands
      for (const device of one) {
        for (const op of ALL_OPERATIONS.filter((operation) => !device?.operations.includes(operation))) {
          const answer = await home.call({
            method: 'POST',
            path: `/v1/devices/${device?.id}/control`,
            body: { op, ...(ARGS[op] ? { args: ARGS[op] } : {}) },
          })
          expect(answer).toMatchObject({ status: 422, body: { error: { code: 'validation' } } })
          expect((answer.body as { error: { message: string } }).error.message).toContain(op)
        }
      }
      expect(home.running.sim.counters.commands).toBe(commands)
    },
  )

  verifies('4.rule1.operation', 'that do not exist are 422 validation', async (home) => {
    for (const op of ['explode', 'SET_POWER', '', ' set_power', 'constructor', '__proto__', 7, null, ['set_power']]) {
      const answer = await home.call({
        method: 'POST',
        path: home.at('hall-light', '/control'),
        body: { op, args: { on: true } },
      })
      expect(answer, JSON.stringify(op)).toMatchObject({ status: 422, body: { error: { code: 'validation' } } })
    }
  })

  verifies('4.rule1.operation', 'of a scene are only run', async (home) => {
    for (const op of ALL_OPERATIONS.filter((operation) => operation !== 'run')) {
      expect(
        await home.call({ method: 'POST', path: home.at('scene:dinner', '/control'), body: { op } }),
      ).toMatchObject({ status: 422, body: { error: { code: 'validation' } } })
    }
  })
})

describe('an id', () => {
  verifies(
    ['2.2.unit', '2.2.gang'],
    'of a unit, module or gang begins with the gateway and the integration',
    async (home) => {
      for (const { id, gang } of devicesOf(await houseOf(home))) {
        const [gateway, integration, unit, position, ...more] = id.split(':')
        expect({ gateway, integration, more }).toEqual({
          gateway: home.running.gateway.serial,
          integration: home.main.id,
          more: [],
        })
        expect(integration).toMatch(UUID)
        expect(unit).toMatch(/^[a-z0-9-]+$/)
        expect(position).toBe(gang === undefined ? undefined : String(gang))
      }
    },
  )

  verifies('2.2.scene', 'of a scene has the word scene before its own part', async (home) => {
    const { scenes } = await houseOf(home)
    expect(scenes[2]?.id).toBe(`${home.running.gateway.serial}:${home.main.id}:scene:movie-night`)
  })

  verifies('2.2.encoded', 'is the same with its colons percent-encoded, or not', async (home) => {
    const id = home.id('entrance-panel:1')
    await home.running.still(async () => {
      const plain = await home.call({ method: 'GET', path: `/v1/devices/${id}` })
      const encoded = await home.call({ method: 'GET', path: `/v1/devices/${id.replaceAll(':', '%3A')}` })
      const lower = await home.call({ method: 'GET', path: `/v1/devices/${id.replaceAll(':', '%3a')}` })
      expect(plain.status).toBe(200)
      expect(encoded.text).toBe(plain.text)
      expect(lower.text).toBe(plain.text)
    })
    const room = await home.call({
      method: 'PATCH',
      path: `/v1/rooms/${home.id('room:study')}`,
      body: { name: 'Study' },
    })
    expect(room.body).toEqual({ house: 'Sonnenwinkel', room: { id: home.id('room:study'), name: 'Study' } })
  })

  verifies(
    '2.2.foreign',
    'of another integration or gateway is not found, even if both see the device',
    async (home) => {
      const other = await home.integrate({})
      expect(
        (await home.call({ method: 'GET', path: home.at('hall-light', '', other), token: other.token })).status,
      ).toBe(200)
      const foreign = [
        home.id('hall-light', other),
        home.id('hall-light').replace(/^[^:]+/, 'aaaaaaaaaaaa'),
        home.id('scene:dinner', other),
      ]
      for (const id of foreign) {
        expect(await home.call({ method: 'GET', path: `/v1/devices/${encodeURIComponent(id)}` })).toMatchObject({
          status: 404,
          body: { error: { code: 'not_found' } },
        })
      }
    },
  )
})
