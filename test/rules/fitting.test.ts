import { expect } from 'vitest'
import { GATEWAY_CAUSE } from '../../src/home/model/events.ts'
import { type TestHome, verifiesOver } from '#support/gateway/harness.ts'
import { power, statusAndCode, RuleCalls } from '#support/gateway/rule-calls.ts'

const verifies = verifiesOver('stream')

const lacking = (home: TestHome): [part: object, sentence: string][] => [
  [
    { device: home.id('front-door'), detection: 'smoke' },
    'when[0].detection: smoke is not available: Front door (lock) detects door, tamper.',
  ],
  [
    { device: home.id('hall-light'), reading: 'co2', above: 900 },
    'when[0].reading: co2 is not available: Hall light (light_switch) measures temperature, light, motion, power, energy.',
  ],
  [
    { device: home.id('landing-sensor'), reading: 'co2', above: 900 },
    'measures temperature, light, motion, battery, smoke, water, tamper.',
  ],
  [{ device: home.id('living-climate'), detection: 'motion' }, 'detects smoke, water, tamper.'],
  [{ device: home.id('driveway-gate'), reading: 'battery', below: 10 }, 'measures nothing.'],
]

verifies(
  'automations.sensing',
  'a reading or detection that the device does not have is 422 on create and on edit, and the refusal lists its own',
  async (home) => {
    const automations = new RuleCalls(home, 'automation')
    const then = [power(home, 'hall-light', true)]
    const made = await automations.create({ name: 'Fits', when: [{ time: '22:00' }], then })
    for (const [part, sentence] of lacking(home)) {
      const created = await automations.send('POST', undefined, { name: 'Never', when: [part], then })
      const edited = await automations.send('PATCH', made.id, { when: [part], ifRevision: 1 })
      for (const answer of [created, edited]) {
        expect(statusAndCode(answer), answer.text).toEqual([422, 'validation'])
        expect((answer.body as { error: { message: string } }).error.message).toContain(sentence)
      }
      if ('reading' in part) {
        const condition = await automations.send('PATCH', made.id, { if: [part], ifRevision: 1 })
        expect(statusAndCode(condition)).toEqual([422, 'validation'])
      }
    }
    expect(await automations.get(made.id)).toMatchObject({ when: [{ time: '22:00' }], if: [], revision: 1 })
  },
)

const impossible = (home: TestHome): [part: object, sentence: string][] => [
  [
    { device: home.id('living-lamp'), state: 'mode', is: 'banana' },
    '[0].is: must be one of auto, eco, manual, sleep: mode of Floor lamp (light_dimmer) has no other value.',
  ],
  [{ device: home.id('bedroom-ac'), state: 'mode', is: 'eco' }, '[0].is: must be one of auto, cool, heat, dry, '],
  [{ device: home.id('living-remote'), state: 'key', is: 'nope' }, '[0].is: must be one of power, up, '],
  [{ device: home.id('living-lamp'), state: 'bri', above: 100 }, '[0].above: must be less than 100: '],
  [{ device: home.id('living-lamp'), state: 'bri', below: 0 }, '[0].below: must be more than 0: '],
  [{ device: home.id('living-lamp'), state: 'bri', above: -1 }, '[0].above: must be at least 0: bri of Floor lamp '],
  [{ device: home.id('living-lamp'), state: 'bri', below: 101 }, '[0].below: must be at most 100: '],
  [{ device: home.id('landing-sensor'), reading: 'light', above: -1 }, '[0].above: must be at least 0: light is '],
  [{ device: home.id('living-lamp'), state: 'bri', above: 50, below: 40 }, '[0]: no whole number is above 50 and '],
  [{ device: home.id('living-shutter'), state: 'pos', is: 200 }, '[0].is: must be a whole number from 0 to 100: '],
  [{ device: home.id('living-shutter'), state: 'pos', is: 10.5 }, '[0].is: must be a whole number from 0 to 100: '],
]

verifies(
  'automations.possible',
  'a test that no value passes is 422 on create, edit and try, and the refusal lists the possible ones',
  async (home) => {
    const automations = new RuleCalls(home, 'automation')
    const then = [power(home, 'hall-light', true)]
    const made = await automations.create({ name: 'Possible', when: [{ time: '22:00' }], then })
    for (const [part, sentence] of impossible(home)) {
      const draft = { name: 'Never', when: [part], then }
      for (const answer of [
        await automations.send('POST', undefined, draft),
        await automations.send('POST', 'try', draft),
        await automations.send('PATCH', made.id, { when: [part], ifRevision: 1 }),
        await automations.send('PATCH', made.id, { if: [part], ifRevision: 1 }),
      ]) {
        expect(statusAndCode(answer), answer.text).toEqual([422, 'validation'])
        expect((answer.body as { error: { message: string } }).error.message).toContain(sentence)
      }
    }
    expect(await automations.get(made.id)).toMatchObject({ when: [{ time: '22:00' }], if: [], revision: 1 })
  },
)

verifies(
  ['automations.possible', 'automations.sent-back'],
  'a stored test that no value passes stays, also next to edited ones and in a house file',
  async (home) => {
    const never = { device: 'living-lamp', state: 'mode', is: 'banana' } as const
    const then = [{ device: 'hall-light', op: 'set_power', args: { on: true } }] as const
    const draft = { name: 'Stored', enabled: true, when: [never], if: [never], then, mode: 'single' } as const
    home.running.gateway.home.rules.automations.create(draft, null, GATEWAY_CAUSE)
    const automations = new RuleCalls(home, 'automation')
    const read = (await automations.list()).find(({ name }) => name === 'Stored')!
    const when = [{ time: '22:00' }, ...(read['when'] as object[])]
    expect(await automations.edit(read.id, { ...read, name: 'Renamed', ifRevision: 1 })).toMatchObject({ revision: 2 })
    expect(await automations.edit(read.id, { when, ifRevision: 2 })).toMatchObject({ when, revision: 3 })
    const { file } = (await home.running.admin.call('GET', '/house/file')) as { file: string }
    expect(file).toContain('banana')
    expect(await home.running.admin.call('PUT', '/house/file', { file, check: true })).toMatchObject({ checked: true })
  },
)

verifies(
  'automations.scene-place',
  'a scene’s room must be on its floor, both when named together and with a stored one',
  async (home) => {
    const scenes = new RuleCalls(home, 'scene')
    const [study, bedroom] = [home.id('room:study'), home.id('room:bedroom')]
    const { floor: up } = (
      (await home.get('/v1/house')) as { floors: { rooms: { id: string; floor: string }[] }[] }
    ).floors
      .flatMap(({ rooms }) => rooms)
      .find(({ id }) => id === bedroom)!
    const ground = home.id('floor:ground-floor')
    expect(up).not.toBe(ground)
    const misfit = await scenes.send('POST', undefined, { name: 'Misfit', roomId: bedroom, floorId: ground })
    expect(statusAndCode(misfit)).toEqual([422, 'validation'])
    expect(misfit.text).toContain('roomId: the room Bedroom is not on the floor Ground floor.')
    const { id } = await scenes.create({ name: 'Fits', roomId: bedroom, floorId: up })
    const refused = await scenes.send('PATCH', id, { floorId: ground, ifRevision: 1 })
    expect(statusAndCode(refused)).toEqual([422, 'validation'])
    expect(refused.text).toContain('floorId: the room Bedroom is not on the floor Ground floor.')
    expect(await scenes.edit(id, { floorId: ground, roomId: null, ifRevision: 1 })).toMatchObject({
      room: null,
      floor: ground,
    })
    expect(statusAndCode(await scenes.send('PATCH', id, { roomId: bedroom, ifRevision: 2 }))).toEqual([
      422,
      'validation',
    ])
    expect(await scenes.edit(id, { roomId: bedroom, floorId: null, ifRevision: 2 })).toMatchObject({
      room: bedroom,
      floor: null,
    })
    expect(await scenes.edit(id, { roomId: study, ifRevision: 3 })).toMatchObject({ room: study, floor: null })
  },
)

verifies(
  'automations.scene-place',
  'a hidden floor is no reason to refuse a room, and the room replaces it',
  async (home) => {
    const all = new RuleCalls(home, 'scene')
    const { id } = await all.create({ name: 'Downstairs', floorId: home.id('floor:ground-floor') })
    const local = id.split(':').slice(2).join(':')
    const some = new RuleCalls(home, 'scene', await home.integrate({ expose: ['room:bedroom', local] }))
    const mine = some.mine(id)
    const roomId = home.id('room:bedroom', some.who)
    expect(await some.edit(mine, { name: 'Renamed', ifRevision: 1 })).toMatchObject({ floor: null })
    expect(await all.get(id)).toMatchObject({ floor: home.id('floor:ground-floor') })
    expect(await some.edit(mine, { roomId, ifRevision: 2 })).toMatchObject({ room: roomId, floor: null })
    expect(await all.get(id)).toMatchObject({ room: home.id('room:bedroom'), floor: null })
  },
)
