import { expect } from 'vitest'
import { callerOver } from '#support/gateway/caller-over.ts'
import { type TestHome, verifiesIn } from '#support/gateway/harness.ts'
import { simulatedRegisters, INTENT_PLAN, intentHouse, settingsRead } from '#support/homes/intent-house.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock, sim: { plan: INTENT_PLAN }, firstHouse: intentHouse() }), {
  over: 'stream',
})

const put = (home: TestHome, local: string, intent: string, value: unknown) =>
  home.call({ method: 'PUT', path: home.at(local, `/intents/${intent}`), body: { value } })

async function itemOf(home: TestHome, local: string, intent: string): Promise<{ value: unknown; asOf: number | null }> {
  const { intents } = (await home.get(home.at(local, '/intents'))) as {
    intents: { intent: string; value: unknown; asOf: number | null }[]
  }
  return intents.find((item) => item.intent === intent)!
}

async function activityOf(
  home: TestHome,
  local: string,
): Promise<{ kind: string; what: string; cause: { source: string; name: string } }[]> {
  return (await home.call({ method: 'GET', path: '/v1/activity', query: { device: home.id(local), limit: '20' } }))
    .body as never
}

verifies('intents.read-back', "responses and lists show the unit's value, not the requested one", async (home) => {
  const unit = home.running.sim.house.unit(1)!
  const before = clock.now()
  // A unit that rounds: it takes the 61 seconds as one minute, reports it, and all clients get that value.
  const write = unit.writeRegisters.bind(unit)
  unit.writeRegisters = (gang, registers) =>
    write(
      gang,
      registers.map(([number, value]) => [number, number === 23 ? 0 : value]),
    )
  try {
    const answer = await put(home, 'dimmer', 'off_delay', 61)
    expect(answer).toMatchObject({ status: 200, body: { intent: { value: 60, source: 'cache' } } })
    expect((await itemOf(home, 'dimmer', 'off_delay')).value).toBe(60)
    expect((await itemOf(home, 'dimmer', 'off_delay')).asOf).toBeGreaterThanOrEqual(before)
  } finally {
    unit.writeRegisters = write
  }
})

verifies(
  '2.7.write-answer',
  'a write returns house, device and the one intent with its new value, and is logged with the credential’s name',
  async (home) => {
    const answer = await put(home, 'module:1', 'quick_off', 90)
    expect(answer.body).toEqual({
      house: 'Werkhof',
      device: home.id('module:1'),
      intent: {
        intent: 'quick_off',
        title: expect.any(String),
        access: 'read_write',
        value: 90,
        source: 'cache',
        asOf: expect.any(Number),
      },
    })
    const {
      entries: [latest],
    } = (await activityOf(home, 'module:1')) as never as { entries: { kind: string; what: string; cause: object }[] }
    expect(latest).toMatchObject({
      kind: 'setting',
      what: expect.stringContaining('90'),
      cause: { source: 'integration', name: 'API: Test' },
    })
  },
)

verifies(
  '2.7.write-answer',
  'other clients get a state event that names the intent; one without advanced_config does not',
  async (home) => {
    const other = await home.integrate({ name: 'Other', settings: { advanced_config: 'read' } })
    const blind = await home.integrate({ name: 'Blind', settings: { advanced_config: 'off' } })
    const sockets = await Promise.all([other, blind].map((integration) => home.socket(integration.token)))
    for (const socket of sockets) await socket.subscribe(['state'])
    await put(home, 'single', 'quick_off', 13)
    const event = await sockets[0]!.event(
      ({ device, intents }) => device === home.id('single', other) && intents !== undefined,
    )
    expect(event).toMatchObject({
      event: 'state',
      house: 'Werkhof',
      class: 'light_switch',
      state: { on: expect.any(Boolean) },
      intents: ['quick_off'],
    })
    // Later events have not overtaken it.
    await home.call({
      method: 'POST',
      path: home.at('second', '/control'),
      body: { op: 'set_mode', args: { mode: 'eco' } },
    })
    await home.call({
      method: 'POST',
      path: home.at('second', '/control'),
      body: { op: 'set_mode', args: { mode: 'auto' } },
    })
    await sockets[1]!.event(({ device }) => device === home.id('second', blind))
    expect(sockets[1]!.events.filter(({ device }) => device === home.id('single', blind))).toEqual([])
    for (const socket of sockets) socket.close()
  },
)

verifies(
  'intents.failed-write',
  'a unit that refuses: 422, the last confirmed value stays, and the log records a failure',
  async (home) => {
    expect((await put(home, 'power', 'off_after_no_motion', 33)).status).toBe(200)
    const before = await itemOf(home, 'power', 'off_after_no_motion')
    const unit = home.running.sim.house.unit(6)!
    const write = unit.writeRegisters.bind(unit)
    unit.writeRegisters = () => ({ detail: 'out_of_range', number: 25 })
    try {
      expect(await put(home, 'power', 'off_after_no_motion', 44)).toMatchObject({
        status: 422,
        body: { error: { code: 'validation', message: expect.stringContaining('refused') } },
      })
    } finally {
      unit.writeRegisters = write
    }
    expect(await itemOf(home, 'power', 'off_after_no_motion')).toEqual(before)
    const {
      entries: [latest],
    } = (await activityOf(home, 'power')) as never as { entries: object[] }
    expect(latest).toMatchObject({ kind: 'refused', cause: { name: 'API: Test' } })
  },
)

verifies(
  ['intents.failed-write', '4.rule3.unreachable'],
  'a unit that does not answer: 504, and the last confirmed value stays',
  async (home) => {
    expect((await put(home, 'sense', 'off_after_no_motion', 33)).status).toBe(200)
    const before = await itemOf(home, 'sense', 'off_after_no_motion')
    home.running.sim.silence(7)
    try {
      expect(await clock.hasten(put(home, 'sense', 'off_after_no_motion', 44))).toMatchObject({
        status: 504,
        body: { error: { code: 'unit_unreachable' } },
      })
      expect(await itemOf(home, 'sense', 'off_after_no_motion')).toEqual(before)
    } finally {
      home.running.sim.silence(7, false)
    }
    // The unknown result is read again: the unit still has the old value, and the list shows it.
    expect(simulatedRegisters(home.running.sim.house, 7, null, ['no_motion_min'])).toEqual({ no_motion_min: 33 })
  },
)

verifies(
  ['intents.failed-write', '4.rule3.unavailable'],
  'without the adapter: 503, and the list still answers',
  async (home) => {
    await settingsRead(home, clock)
    const { sim, gateway } = home.running
    expect((await clock.hasten(put(home, 'shutter', 'shutter_eco_light', 111))).status).toBe(200)
    const before = await itemOf(home, 'shutter', 'shutter_eco_light')
    sim.unplug()
    expect(await put(home, 'shutter', 'shutter_eco_light', 222)).toMatchObject({
      status: 503,
      body: { error: { code: 'hmhc_unavailable' } },
    })
    expect(await itemOf(home, 'shutter', 'shutter_eco_light')).toEqual(before)
    sim.plug()
    while (gateway.home.bus.down !== null) await clock.pass(100)
    await clock.hasten(home.running.settled())
    expect((await clock.hasten(put(home, 'shutter', 'shutter_eco_light', 222))).status).toBe(200)
  },
)

verifies(
  'intents.failed-write',
  'a link lost during the write: a refusal, and soon the list matches the unit',
  async (home) => {
    await settingsRead(home, clock)
    const { sim, gateway } = home.running
    expect((await clock.hasten(put(home, 'dimmer', 'turn_on_brightness', 40))).status).toBe(200)
    // The unit is written; its answer is cut off in the middle of the frame.
    const unit = sim.house.unit(1)!
    const write = unit.writeRegisters.bind(unit)
    unit.writeRegisters = (gang, registers) => {
      sim.unplug(3)
      return write(gang, registers)
    }
    const answer = await clock.hasten(put(home, 'dimmer', 'turn_on_brightness', 70))
    unit.writeRegisters = write
    expect([503, 504]).toContain(answer.status)
    expect((await itemOf(home, 'dimmer', 'turn_on_brightness')).value).toBe(40)
    expect(simulatedRegisters(sim.house, 1, null, ['turn_on_brightness'])).toEqual({ turn_on_brightness: 70 })
    sim.plug()
    while (gateway.home.bus.down !== null || (await itemOf(home, 'dimmer', 'turn_on_brightness')).value === 40)
      await clock.pass(1_000)
    expect((await itemOf(home, 'dimmer', 'turn_on_brightness')).value).toBe(70)
  },
)

verifies(
  '2.7.write-answer',
  'two simultaneous writers: each gets its own value, and list and unit agree in the end',
  async (home) => {
    const second = await home.integrate({ name: 'Second', settings: { advanced_config: 'read_write' } })
    await using other = callerOver(home.transport, home.access(second.token))
    const values = [11, 22, 33, 44]
    const answers = await clock.hasten(
      Promise.all(
        values.map((value, index) =>
          (index % 2 === 0 ? home : other).call({
            method: 'PUT',
            path: home.at('dimmer', '/intents/off_delay', index % 2 === 0 ? home.main : second),
            body: { value },
          }),
        ),
      ),
    )
    expect(answers.map(({ status, body }) => [status, (body as { intent: { value: number } }).intent.value])).toEqual(
      values.map((value) => [200, value]),
    )
    const { off_delay_min: whole, off_delay_s: rest } = simulatedRegisters(home.running.sim.house, 1, null, [
      'off_delay_min',
      'off_delay_s',
    ])
    const { value } = await itemOf(home, 'dimmer', 'off_delay')
    expect(values).toContain(value)
    expect(whole! * 60 + rest!).toBe(value)
  },
)

verifies(
  '2.7.item',
  'a setting changed at the unit’s own menu is listed and emitted without a request',
  async (home) => {
    await settingsRead(home, clock)
    const socket = await home.socket()
    await socket.subscribe(['state'])
    const settings = home.running.sim.house.unit(3)!.settings
    const seconds = home.transport === 'http' ? 17 : 18
    home.running.sim.house.unit(3)!.changeAtMenu(null, [
      [settings.numberOf('off_delay_s'), seconds],
      [settings.numberOf('off_delay_min'), 1],
    ])
    await socket.event(
      ({ device, intents }) => device === home.id('single') && JSON.stringify(intents) === '["off_delay"]',
    )
    expect((await itemOf(home, 'single', 'off_delay')).value).toBe(60 + seconds)
    socket.close()
  },
)
