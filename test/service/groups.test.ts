import { describe, expect } from 'vitest'
import { batch, batchResults as results, localsOf } from '#support/gateway/batches.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { commandsOf } from '#support/gateway/await-home.ts'

const ON = { op: 'set_power', args: { on: true } }
const OFF = { op: 'set_power', args: { on: false } }
const DISHWASHER = 32
const ROUNDS = 20

/** Confirmed power of a device. */
async function isOn(home: TestHome, local: string): Promise<boolean> {
  const { body } = await home.call({ method: 'GET', path: home.at(local) })
  return (body as { device: { state: { on: boolean } } }).device.state.on
}

/** Stores the load of a gang, as an administrator. */
async function setLoad(home: TestHome, light: boolean | null): Promise<void> {
  await home.running.admin.call('POST', '/house/place', {
    address: 61,
    gangs: [
      { gang: 0, name: 'Mirror light', class: 'switch_gang', light },
      { gang: 1, name: 'Extractor fan', class: 'switch_gang', light: false },
    ],
  })
}

const LIGHTS = [
  'bathroom-panel:0',
  'bedroom-light',
  'bedside-panel:0',
  'bedside-panel:1',
  'entrance-panel:0',
  'entrance-panel:1',
  'entrance-panel:2',
  'guest-light',
  'hall-light',
  'kitchen-panel:0',
  'kitchen-panel:1',
  'lenas-light',
  'living-ceiling',
  'living-lamp',
  'studio-light',
  'study-light',
]
const GROUPS = {
  light: LIGHTS,
  cover: ['bedroom-shutter', 'kitchen-panel:2', 'lenas-shutter', 'living-curtain', 'living-shutter', 'studio-shutter'],
} as const

describe('POST /v1/control of a group', () => {
  verifies(
    ['api.batch-group'],
    'refuses an operation that no device of its kind takes',
    { tags: ['long'] },
    async (home) => {
      for (const kind of [{ group: 'light' }, { class: 'light_dimmer', room: home.id('room:kitchen') }]) {
        const answer = await home.call({ method: 'POST', path: '/v1/control', body: { ...kind, op: 'open' } })
        expect(answer.status).toBe(422)
        expect(answer.text).toContain('op: must be one of set_power')
      }
    },
  )

  verifies(['api.batch-group'], 'switches the lights of the home off, and no socket', async (home) => {
    await results(home, { class: 'sense_switch', room: home.id('room:kitchen'), ...ON })
    const found = await results(home, { group: 'light', ...OFF })
    const sockets = found.filter(({ state }) => state === undefined || 'temp' in (state as object))
    console.info(`House lights off: ${found.length} lights, ${sockets.length} sockets`)
    expect(localsOf(found)).toEqual(GROUPS.light)
    for (const result of found) expect(result).toMatchObject({ state: { on: false } })
    expect(await isOn(home, 'dishwasher')).toBe(true)
  })

  verifies(['api.batch-group'], 'is narrowed by a room or floor, and is a class there too', async (home) => {
    const floor = home.id('floor:top-floor')
    expect(localsOf(await results(home, { group: 'light', floor, ...OFF }))).toEqual(['guest-light', 'studio-light'])
    expect(localsOf(await results(home, { floor, class: 'light', ...OFF }))).toEqual(['guest-light', 'studio-light'])
    expect(localsOf(await results(home, { group: 'cover', op: 'stop' }))).toEqual(GROUPS.cover)
    const room = home.id('room:study')
    expect(localsOf(await results(home, { group: 'socket', room, ...ON }))).toEqual(['study-desk'])
    expect(localsOf(await results(home, { group: 'climate', room: home.id('room:bedroom'), ...OFF }))).toEqual([
      'bedroom-ac',
    ])
    expect(
      await results(home, { group: 'light', room: home.id('room:kitchen'), op: 'set_brightness', args: { bri: 1 } }),
    ).toEqual([])
    for (const place of ['room:invented', 'floor:invented']) {
      const [kind = ''] = place.split(':')
      expect(await batch(home, { group: 'light', [kind]: home.id(place), ...OFF })).toMatchObject({ status: 404 })
    }
  })

  verifies(
    ['api.batch-group'],
    'lists a gang with an unknown load, which a call for lights leaves out',
    async (home) => {
      await setLoad(home, null)
      const room = home.id('room:bathroom')
      const unsaid = [home.id('bathroom-panel:0')]
      for (const body of [
        { group: 'light', room, ...ON },
        { room, class: 'light', ...ON },
      ])
        expect((await batch(home, body)).body).toMatchObject({ results: [], unsaid })
      const whole = (await batch(home, { room, ...OFF })).body as { results: { device: string }[] }
      expect(localsOf(whole.results)).toEqual(['bathroom-panel:0', 'bathroom-panel:1'])
      expect(whole).toMatchObject({ unsaid })
      await setLoad(home, true)
      expect((await batch(home, { group: 'light', room, ...ON })).body).toMatchObject({
        results: [{ state: { on: true } }],
        unsaid: [],
      })
      expect((await batch(home, { room, class: 'switch_gang', ...OFF })).body).not.toHaveProperty('unsaid')
    },
  )
})

describe('POST /v1/control of the kitchen', () => {
  verifies(['api.batch-appliances'], 'switches the worktop light off, and the dishwasher runs on', async (home) => {
    const room = home.id('room:kitchen')
    let rounds = 0
    for (let round = 0; round < ROUNDS; round++) {
      await results(home, { room, class: 'sense_switch', ...ON })
      await results(home, { room, class: 'light', ...ON })
      const before = commandsOf(home, DISHWASHER)
      const found = await results(home, { room, ...OFF })
      expect(found).toMatchObject([{ device: home.id('kitchen-panel:0'), state: { on: false } }])
      expect(commandsOf(home, DISHWASHER)).toBe(before)
      if (!(await isOn(home, 'kitchen-panel:0')) && (await isOn(home, 'dishwasher'))) rounds += 1
    }
    console.info(`Kitchen off: worktop light off, dishwasher on, ${rounds} of ${ROUNDS}`)
    expect(rounds).toBe(ROUNDS)
  })
})
