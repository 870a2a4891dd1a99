import { expect } from 'vitest'
import { type TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { settingsRead } from '#support/homes/intent-house.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'http' })

const CONFIG_NOT_ALLOWED = { status: 403, code: 'config_not_allowed', appAction: 'integrations.record' }
const NOT_OFFERED = { status: 403, code: 'not_offered', appAction: 'unit.menus' }
const NOT_FOUND = { status: 404, code: 'not_found', appAction: undefined }
const VALIDATION = { status: 422, code: 'validation', appAction: undefined }

/** The refusal of a request, or its status only. */
async function refusal(
  home: TestHome,
  who: TestIntegration,
  method: string,
  local: string,
  path: string,
  body?: unknown,
): Promise<object> {
  const answer = await home.call({
    method,
    path: home.at(local, path, who),
    token: who.token,
    ...(body === undefined ? {} : { body }),
  })
  if (answer.status === 200) return { status: 200 }
  const { error } = answer.body as { error: { code: string; appAction?: string } }
  return { status: answer.status, code: error.code, appAction: error.appAction }
}

verifies(
  ['2.1.advanced-config-off', '4.intents', '7.config'],
  'with advanced_config off, reading and writing are 403 config_not_allowed for every body',
  async (home) => {
    const who = await home.integrate({ settings: { advanced_config: 'off' } })
    expect(await refusal(home, who, 'GET', 'hall-light', '/intents')).toEqual(CONFIG_NOT_ALLOWED)
    for (const [intent, value] of [
      ['off_delay', 10],
      ['off_delay', 'wrong'],
      ['key_immunity', 1],
      ['invented', 1],
    ] as const) {
      expect(await refusal(home, who, 'PUT', 'hall-light', `/intents/${intent}`, { value })).toEqual(CONFIG_NOT_ALLOWED)
    }
    expect((await home.call({ method: 'GET', path: '/v1/intents', token: who.token })).status).toBe(200)
  },
)

verifies(
  ['2.1.advanced-config-read', '4.intents', '4.intent-write', '7.config'],
  'with advanced_config read, intents can be read, and writing is 403 config_not_allowed',
  async (home) => {
    const who = await home.integrate({ settings: { advanced_config: 'read' } })
    expect(await refusal(home, who, 'GET', 'hall-light', '/intents')).toEqual({ status: 200 })
    for (const [intent, value] of [
      ['off_delay', 10],
      ['off_delay', 'wrong'],
      ['invented', 1],
    ] as const) {
      expect(await refusal(home, who, 'PUT', 'hall-light', `/intents/${intent}`, { value })).toEqual(CONFIG_NOT_ALLOWED)
    }
  },
)

verifies(
  'intents.read-only',
  'a read-only intent is not_offered even with advanced_config read: changing the knob would not help',
  async (home) => {
    for (const [advanced_config, expected] of [
      ['off', CONFIG_NOT_ALLOWED],
      ['read', NOT_OFFERED],
      ['read_write', NOT_OFFERED],
    ] as const) {
      const who = await home.integrate({ settings: { advanced_config } })
      expect(await refusal(home, who, 'PUT', 'hall-light', '/intents/key_immunity', { value: 1 })).toEqual(expected)
    }
  },
)

verifies(
  ['2.1.advanced-config-write', '4.intent-write', '7.not-offered'],
  'with read_write, writable intents are written; read-only ones are 403 not_offered with guidance',
  async (home) => {
    const who = await home.integrate({ settings: { advanced_config: 'read_write' } })
    expect(await refusal(home, who, 'PUT', 'hall-light', '/intents/off_delay', { value: 0 })).toEqual({ status: 200 })
    expect(await refusal(home, who, 'PUT', 'hall-light', '/intents/off_delay', { value: 240 })).toEqual(VALIDATION)
    // A shutter has one of the nine writable intents, and a hall light has no turn-on brightness.
    expect(await refusal(home, who, 'PUT', 'hall-light', '/intents/turn_on_brightness', { value: 50 })).toEqual(
      NOT_FOUND,
    )
    expect(await refusal(home, who, 'PUT', 'hall-light', '/intents/invented', { value: 50 })).toEqual(NOT_FOUND)
    for (const local of [
      'hall-light',
      'living-shutter',
      'bathroom-panel',
      'bathroom-panel:0',
      'bathroom-heater',
      'dishwasher',
    ]) {
      const { intents } = (await home.get(home.at(local, '/intents', who), who.token)) as {
        intents: { intent: string; access: string; guidance?: string; value: unknown }[]
      }
      for (const { intent, guidance, value } of intents.filter(({ access }) => access === 'read_only')) {
        expect(await refusal(home, who, 'PUT', local, `/intents/${intent}`, { value }), `${local} ${intent}`).toEqual(
          NOT_OFFERED,
        )
        const answer = await home.call({
          method: 'PUT',
          path: home.at(local, `/intents/${intent}`, who),
          token: who.token,
          body: { value },
        })
        expect(answer.text).toContain(JSON.stringify(guidance).slice(1, -1))
      }
    }
  },
)

verifies(
  '2.7.per-gang',
  'a per-gang intent is written to one gang: the module does not have it, and another gang keeps its value',
  async (home) => {
    await settingsRead(home, clock)
    const who = home.main
    const valueOf = async (local: string): Promise<unknown> =>
      ((await home.get(home.at(local, '/intents'))) as { intents: { intent: string; value: unknown }[] }).intents.find(
        ({ intent }) => intent === 'off_after_no_motion',
      )?.value
    expect(await refusal(home, who, 'PUT', 'bathroom-panel', '/intents/off_after_no_motion', { value: 7 })).toEqual(
      NOT_FOUND,
    )
    expect(await valueOf('bathroom-panel:1')).toBe(25)
    expect(await refusal(home, who, 'PUT', 'bathroom-panel:0', '/intents/off_after_no_motion', { value: 7 })).toEqual({
      status: 200,
    })
    expect([
      await valueOf('bathroom-panel'),
      await valueOf('bathroom-panel:0'),
      await valueOf('bathroom-panel:1'),
    ]).toEqual([undefined, 7, 25])
  },
)

verifies(
  ['4.intents', '4.intent-write', '4.unit-schedules'],
  'a hidden device is 404 before any knob, intent or body is checked, exactly like a missing one',
  async (home) => {
    const knobs: readonly Record<string, string>[] = [
      { advanced_config: 'off' },
      { advanced_config: 'read' },
      { advanced_config: 'read_write', schedules: 'on' },
    ]
    for (const settings of knobs) {
      const who = await home.integrate({ expose: ['room:kitchen'], settings })
      for (const [method, path, body] of [
        ['GET', '/intents'],
        ['PUT', '/intents/off_delay', { value: 10 }],
        ['PUT', '/intents/key_immunity', { value: 10 }],
        ['PUT', '/intents/off_delay', { nonsense: 1 }],
        ['GET', '/schedules'],
        ['PUT', '/schedules', []],
      ] as const) {
        const answers = await Promise.all(
          ['hall-light', 'entrance-panel:0', 'never-was'].map((local) =>
            home.call({ method, path: home.at(local, path, who), token: who.token, ...(body ? { body } : {}) }),
          ),
        )
        expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, `${method} ${path}`).toBe(1)
        expect(answers[0]).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
      }
    }
  },
)

verifies('2.7.list', 'a sensor and a lock have no intents, and a scene is not found', async (home) => {
  for (const local of ['landing-sensor', 'front-door', 'living-curtain', 'house-meter']) {
    const list = await home.get(home.at(local, '/intents'))
    expect(list).toMatchObject({ device: home.id(local), intents: [], note: expect.stringMatching(/\w/) })
  }
  expect(await refusal(home, home.main, 'GET', 'scene:dinner', '/intents')).toEqual(NOT_FOUND)
})

verifies(
  '4.unit-schedules',
  'a unit’s own schedules are returned as last read; a gang returns its own',
  async (home) => {
    await settingsRead(home, clock)
    // As in the house file: the porch lamp by the clock each day, the garden shutter on workdays and at the weekend.
    const porch = [
      {
        slot: 0,
        enabled: true,
        gang: 0,
        days: [1, 2, 3, 4, 5, 6, 7],
        time: '18:30',
        op: 'set_power',
        args: { on: true },
      },
      {
        slot: 1,
        enabled: true,
        gang: 0,
        days: [1, 2, 3, 4, 5, 6, 7],
        time: '23:15',
        op: 'set_power',
        args: { on: false },
      },
    ]
    for (const local of ['entrance-panel', 'entrance-panel:0']) {
      expect(await home.get(home.at(local, '/schedules'))).toEqual({
        house: 'Sonnenwinkel',
        device: home.id(local),
        schedules: porch,
        source: 'cache',
        asOf: expect.any(Number),
      })
    }
    expect(await home.get(home.at('entrance-panel:1', '/schedules'))).toMatchObject({
      schedules: [],
      asOf: expect.any(Number),
    })
    expect(await home.get(home.at('living-shutter', '/schedules'))).toMatchObject({
      schedules: [
        { days: [1, 2, 3, 4, 5], time: '07:15', op: 'open' },
        { days: [6, 7], time: '08:45', op: 'open' },
      ],
    })
    const elsewhere = await home.integrate({ expose: ['gang:entrance-panel:1'], settings: { schedules: 'on' } })
    expect(await home.get(home.at('entrance-panel', '/schedules', elsewhere), elsewhere.token)).toMatchObject({
      schedules: [],
    })
  },
)

verifies(
  '2.1.unit-schedules',
  'with schedules off, a unit’s own schedules are 403 schedules_not_allowed',
  async (home) => {
    const who = await home.integrate({ settings: { schedules: 'off' } })
    for (const [method, body] of [['GET'], ['PUT', {}], ['POST', {}], ['DELETE']] as const) {
      expect(await refusal(home, who, method, 'entrance-panel', '/schedules', body)).toEqual({
        status: 403,
        code: 'schedules_not_allowed',
        appAction: 'integrations.record',
      })
    }
  },
)

verifies(
  ['4.rule8.unit-schedules', '7.not-offered'],
  'changing a unit’s own schedules is 403 not_offered for every body',
  async (home) => {
    for (const method of ['PUT', 'PATCH', 'POST', 'DELETE']) {
      for (const body of [undefined, { schedules: [] }, { slot: 0, enabled: false }]) {
        expect(await refusal(home, home.main, method, 'entrance-panel', '/schedules', body)).toMatchObject({
          status: 403,
          code: 'not_offered',
        })
      }
    }
    expect(home.running.sim.house.unit(12)?.schedules()).toHaveLength(2)
  },
)
