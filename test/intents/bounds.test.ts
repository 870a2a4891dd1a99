import { expect } from 'vitest'
import { type TestHome, verifiesIn } from '#support/gateway/harness.ts'
import { simulatedRegisters, INTENT_PLAN, intentHouse, placeOf, settingsRead } from '#support/homes/intent-house.ts'
import { requestsDuring } from '#support/gateway/requests-to-units.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock, sim: { plan: INTENT_PLAN }, firstHouse: intentHouse() }), {
  over: 'stream',
})

type Registers = Readonly<Record<string, number>>
/** An accepted value with the registers that the unit then stores; or refused values. */
interface Case {
  readonly local: string
  readonly taken: readonly (readonly [value: unknown, registers: Registers])[]
  readonly refused: readonly unknown[]
}

/** Values of a wrong type and of a wrong shape for a number. */
const NO_NUMBERS = ['50', true, null, 7.5, {}, [7], { value: 7 }]
const minutes = (hours: string, rest: string, lowest: number) => ({
  taken: [
    [lowest, { [hours]: 0, [rest]: lowest }],
    [239, { [hours]: 3, [rest]: 59 }],
    [60, { [hours]: 1, [rest]: 0 }],
  ] as const,
  refused: [lowest - 1, 240, 100_000, ...NO_NUMBERS],
})

const CASES: Readonly<Record<string, readonly Case[]>> = {
  single_touch: ['dimmer', 'single', 'power', 'shutter'].map((local) => ({
    local,
    taken: [
      [true, { single_touch: 1 }],
      [false, { single_touch: 0 }],
    ],
    refused: ['true', 1, 0, null, {}, [true]],
  })),
  led_mode: ['dimmer', 'single', 'module:0', 'mixed:1', 'power', 'sense'].map((local) => ({
    local,
    taken: [
      ['on', { led_mode: 1 }],
      ['while_on', { led_mode: 2 }],
      ['off', { led_mode: 0 }],
    ],
    refused: ['ON', 'auto', '', true, 1, null, ['on'], { led_mode: 'on' }],
  })),
  turn_on_brightness: [
    {
      local: 'dimmer',
      taken: [
        [1, { turn_on_brightness: 1 }],
        [100, { turn_on_brightness: 100 }],
      ],
      refused: [0, 101, -1, ...NO_NUMBERS],
    },
  ],
  off_delay: ['dimmer', 'single'].map((local) => ({
    local,
    taken: [
      [0, { off_delay_min: 0, off_delay_s: 0 }],
      [239, { off_delay_min: 3, off_delay_s: 59 }],
      [61, { off_delay_min: 1, off_delay_s: 1 }],
    ],
    refused: [-1, 240, ...NO_NUMBERS],
  })),
  off_after_no_motion: [
    ...['dimmer', 'single', 'power', 'sense'].map((local) => ({
      local,
      ...minutes('no_motion_h', 'no_motion_min', 1),
    })),
    { local: 'module:0', ...minutes('no_motion_h', 'no_motion_min', 0) },
  ],
  quick_off: ['dimmer', 'single', 'module:0'].map((local) => ({
    local,
    ...minutes('quick_off_h', 'quick_off_min', 0),
  })),
  only_when_dark: ['dimmer', 'single', 'module:0', 'power'].map((local) => ({
    local,
    taken: [
      [0, { dark_lux: 0 }],
      [254, { dark_lux: 254 }],
      [20, { dark_lux: 20 }],
      [60, { dark_lux: 60 }],
      [150, { dark_lux: 150 }],
    ],
    refused: [-1, 255, ...NO_NUMBERS],
  })),
  climate: ['power', 'sense'].map((local) => ({
    local,
    taken: [
      [{ cool: { on: 35, off: 5 } }, { climate_load: 1, cool_on: 70, cool_off: 10 }],
      [{ heat: { on: 5, off: 35 } }, { climate_load: 2, heat_on: 10, heat_off: 70 }],
      [
        { cool: { on: 26.5, off: 24 }, heat: { on: 19, off: 24 } },
        { climate_load: 3, cool_on: 53, cool_off: 48, heat_on: 38, heat_off: 48 },
      ],
      [{ none: true }, { climate_load: 0 }],
    ],
    refused: [
      { cool: { on: 35.5, off: 20 } },
      { cool: { on: 20, off: 4.5 } },
      { heat: { on: 4.5, off: 20 } },
      { heat: { on: 20, off: 35.5 } },
      { cool: { on: 20, off: 20 } },
      { cool: { on: 19, off: 20 } },
      { heat: { on: 20, off: 20 } },
      { heat: { on: 21, off: 20 } },
      { cool: { on: 26, off: 20 }, heat: { on: 15, off: 20.5 } },
      { cool: { on: 20.25, off: 19 } },
      { cool: { on: '25', off: 20 } },
      { cool: { on: 25 } },
      { heat: { off: 25 } },
      { cool: 25 },
      { cool: null },
      { none: false },
      { none: true, cool: { on: 25, off: 20 } },
      {},
      { warm: { on: 20, off: 21 } },
      { cool: { on: 25, off: 20, until: 1 } },
      [],
      'none',
      20,
      null,
    ],
  })),
  shutter_eco_light: [
    {
      local: 'shutter',
      taken: [
        [1, { eco_lux: 1 }],
        [1_000, { eco_lux: 1_000 }],
      ],
      refused: [0, 1_001, -1, ...NO_NUMBERS],
    },
  ],
}

/** Writes every value of an intent's cases, through the requests of the test and against the simulated unit. */
async function hold(home: TestHome, intent: string): Promise<void> {
  const { house } = home.running.sim
  await settingsRead(home, clock)
  for (const { local, taken, refused } of CASES[intent] ?? []) {
    const [address, gang] = placeOf(local)
    const put = (value: unknown) =>
      home.call({ method: 'PUT', path: home.at(local, `/intents/${intent}`), body: { value } })
    for (const [value, registers] of taken) {
      const answer = await put(value)
      expect(answer.status, `${local} ${intent} ${JSON.stringify(value)}: ${answer.text}`).toBe(200)
      expect(answer.body).toMatchObject({
        house: 'Werkhof',
        device: home.id(local),
        intent: { intent, access: 'read_write', source: 'cache', value },
      })
      expect(simulatedRegisters(house, address, gang, Object.keys(registers)), `${local} ${intent}`).toEqual(registers)
      expect(valueIn(await home.get(home.at(local, '/intents')), intent)).toEqual(value)
    }
    const [last, registers] = taken.at(-1)!
    // A refused value never reaches the unit.
    const requests = await requestsDuring(home, async () => {
      for (const value of refused) {
        const answer = await put(value)
        expect(answer.status, `${local} ${intent} ${JSON.stringify(value)}`).toBe(422)
        expect(answer.body).toMatchObject({
          error: { code: 'validation', message: expect.stringMatching(/^[A-Za-z].*\.$/) },
        })
      }
    })
    expect(requests).toBe(0)
    expect(simulatedRegisters(house, address, gang, Object.keys(registers))).toEqual(registers)
    expect(valueIn(await home.get(home.at(local, '/intents')), intent)).toEqual(last)
  }
}

const valueIn = (list: Record<string, unknown>, intent: string): unknown =>
  (list['intents'] as { intent: string; value: unknown }[]).find((item) => item.intent === intent)?.value

verifies(['2.7.write-answer', 'intents.shapes'], 'single_touch: true and false, nothing else', (home) =>
  clock.hasten(hold(home, 'single_touch')),
)
verifies(['2.7.led_mode', 'intents.shapes'], 'led_mode: on, while_on and off, nothing else', (home) =>
  clock.hasten(hold(home, 'led_mode')),
)
verifies('intents.shapes', 'turn_on_brightness: 1 to 100', (home) => clock.hasten(hold(home, 'turn_on_brightness')))
verifies(['8.off_delay', 'intents.shapes'], 'off_delay: 0 to 239 s', (home) => clock.hasten(hold(home, 'off_delay')))
verifies(['8.off_after_no_motion', 'intents.shapes'], 'off_after_no_motion: 1 to 239 min, 0 for gangs only', (home) =>
  clock.hasten(hold(home, 'off_after_no_motion')),
)
verifies('intents.shapes', 'quick_off: 0 to 239 min', (home) => clock.hasten(hold(home, 'quick_off')))
verifies('intents.shapes', 'only_when_dark: 0 to 254 lux', (home) => clock.hasten(hold(home, 'only_when_dark')))
verifies(['2.7.climate', 'intents.shapes'], 'climate: cool, heat, both or none, from 5 to 35 degrees', (home) =>
  clock.hasten(hold(home, 'climate')),
)
verifies('intents.shapes', 'shutter_eco_light: 1 to 1000 lux', (home) => clock.hasten(hold(home, 'shutter_eco_light')))

verifies(
  '2.7.climate',
  'climate: one part sent alone leaves the temperatures of the other in the unit',
  async (home) => {
    const put = (value: unknown) =>
      home.call({ method: 'PUT', path: home.at('power', '/intents/climate'), body: { value } })
    expect((await put({ heat: { on: 18, off: 20 } })).status).toBe(200)
    expect((await put({ cool: { on: 27, off: 25 } })).body).toMatchObject({
      intent: { value: { cool: { on: 27, off: 25 } } },
    })
    expect(simulatedRegisters(home.running.sim.house, 6, null, ['heat_on', 'heat_off'])).toEqual({
      heat_on: 36,
      heat_off: 40,
    })
    expect((await put({ none: true })).body).toMatchObject({ intent: { value: { none: true } } })
    expect(simulatedRegisters(home.running.sim.house, 6, null, ['heat_on', 'cool_on', 'climate_load'])).toEqual({
      heat_on: 36,
      cool_on: 54,
      climate_load: 0,
    })
  },
)

verifies('2.6.intent-value', 'a write is `{value}`, requires it, and accepts nothing else', async (home) => {
  const put = (body: unknown) =>
    home.call({ method: 'PUT', path: home.at('dimmer', '/intents/off_delay'), ...(body === undefined ? {} : { body }) })
  expect((await put({ value: 30 })).status).toBe(200)
  for (const body of [undefined, {}, null, 30, [30], 'value', { values: 30 }, { value: 30, unit: 's' }]) {
    const answer = await put(body)
    expect([answer.status, (answer.body as { error: { code: string } }).error.code], JSON.stringify(body)).toEqual([
      422,
      'validation',
    ])
  }
  expect((await put({ value: 30, unit: 's' })).text).toContain('unit')
})
