import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { refusedAsText } from '#support/gateway/text-values.ts'
import { commandsOf, awaitState } from '#support/gateway/await-home.ts'

function control(home: TestHome, local: string, op: string, args?: unknown): Promise<RawAnswer> {
  return home.call({
    method: 'POST',
    path: home.at(local, '/control'),
    body: { op, ...(args === undefined ? {} : { args }) },
  })
}

/** Controls a device and returns the state in the response. */
async function controlled(home: TestHome, local: string, op: string, args?: unknown): Promise<Record<string, unknown>> {
  const answer = await control(home, local, op, args)
  expect(answer.status, answer.text).toBe(200)
  return (answer.body as { state: Record<string, unknown> }).state
}

describe('POST /v1/devices/{id}/control', () => {
  verifies(
    ['4.control', '2.4.control-answer', '1.5.house', '2.4.set-power'],
    'performs one operation and answers house, device and the state after it',
    async (home) => {
      const before = commandsOf(home, 83)
      const answer = await control(home, 'guest-light', 'set_power', { on: true })
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({
        house: 'Sonnenwinkel',
        device: home.id('guest-light'),
        state: { on: true, mode: 'manual', asOf: expect.any(Number) as number },
      })
      expect(commandsOf(home, 83)).toBe(before + 1)
      expect(home.running.sim.house.unit(83)?.device(null)?.state()).toMatchObject({ on: true })
      expect(await controlled(home, 'guest-light', 'set_power', { on: false })).toMatchObject({ on: false })
      expect(home.running.sim.house.unit(83)?.device(null)?.state()).toMatchObject({ on: false })
    },
  )

  verifies('2.4.set-power', 'switches one gang of a module and leaves the others', async (home) => {
    await controlled(home, 'bathroom-panel:1', 'set_power', { on: false })
    expect(await controlled(home, 'bathroom-panel:0', 'set_power', { on: true })).toMatchObject({ on: true })
    const module = home.running.sim.house.unit(61)
    expect([module?.device(0)?.state(), module?.device(1)?.state()]).toMatchObject([{ on: true }, { on: false }])
    await controlled(home, 'bathroom-panel:0', 'set_power', { on: false })
  })

  verifies(['2.4.set-brightness', '8.brightness'], 'dims a light to 0, 100 and between', async (home) => {
    for (const bri of [40, 100, 0]) {
      await controlled(home, 'lenas-light', 'set_brightness', { bri })
      // A fade takes time; an event of the unit reports its end.
      await awaitState(home, 'lenas-light', (state) => state['bri'] === bri && state['on'] === bri > 0)
    }
  })

  verifies(['2.4.set-position', '8.position'], 'moves a shutter and a curtain to a position', async (home) => {
    await Promise.all(
      (
        [
          ['bedroom-shutter', 4],
          ['living-curtain', 3],
        ] as const
      ).map(async ([local, by]) => {
        await controlled(home, local, 'stop')
        const { pos } = (await awaitState(home, local, (state) => state['move'] === 'stopped')) as { pos: number }
        const target = pos > 50 ? pos - by : pos + by
        await controlled(home, local, 'set_position', { pos: target })
        await awaitState(home, local, (state) => state['move'] === 'stopped' && state['pos'] === target)
      }),
    )
    for (const pos of [0, 100])
      expect(await controlled(home, 'studio-shutter', 'set_position', { pos })).toMatchObject({
        move: expect.any(String) as string,
      })
    await controlled(home, 'studio-shutter', 'stop')
  })

  verifies('2.4.open-close-stop', 'opens, closes and stops moving devices without arguments', async (home) => {
    for (const local of ['lenas-shutter', 'kitchen-panel:2', 'driveway-gate']) {
      await controlled(home, local, 'stop')
      const { pos } = (await awaitState(home, local, (state) => state['move'] === 'stopped')) as { pos: number }
      const [op, move] = pos > 50 ? ['close', 'closing'] : ['open', 'opening']
      expect(await controlled(home, local, op), local).toMatchObject({ move })
      expect(await controlled(home, local, 'stop'), local).toMatchObject({ move: 'stopped' })
    }
    for (const args of [{}, null])
      expect(await controlled(home, 'lenas-shutter', 'stop', args)).toMatchObject({ move: 'stopped' })
    expect(await control(home, 'lenas-shutter', 'stop', { pos: 3 })).toMatchObject({
      status: 422,
      body: { error: { code: 'validation' } },
    })
  })

  verifies(['2.4.set-mode', '2.4.set-mode-sleep'], 'sets only the modes auto, eco and manual', async (home) => {
    for (const mode of ['auto', 'eco', 'manual'])
      expect(await controlled(home, 'study-light', 'set_mode', { mode })).toMatchObject({ mode })
    const before = commandsOf(home, 75)
    for (const mode of ['sleep', 'holiday', 'AUTO', '', 1, null]) {
      expect(await control(home, 'study-light', 'set_mode', { mode })).toMatchObject({
        status: 422,
        body: { error: { code: 'validation' } },
      })
    }
    expect(commandsOf(home, 75)).toBe(before)
  })

  verifies(
    ['2.4.set-temp', '2.4.set-ac-mode', '2.4.set-fan'],
    'sets temperature, mode and fan of an air conditioner',
    async (home) => {
      expect(await controlled(home, 'bedroom-ac', 'set_temp', { temp: 21.5 })).toMatchObject({ temp: 21.5 })
      expect(await controlled(home, 'bedroom-ac', 'set_ac_mode', { mode: 'heat' })).toMatchObject({ mode: 'heat' })
      expect(await controlled(home, 'bedroom-ac', 'set_ac_mode', { mode: 'cool' })).toMatchObject({ mode: 'cool' })
      expect(await controlled(home, 'bedroom-ac', 'set_fan', { fan: 'high' })).toMatchObject({ fan: 'high' })
      expect(await controlled(home, 'bedroom-ac', 'set_fan', { fan: 'auto' })).toMatchObject({
        fan: 'auto',
        temp: 21.5,
        mode: 'cool',
      })
      expect(home.running.sim.house.unit(54)?.device(null)?.state()).toMatchObject({
        temp: 21.5,
        mode: 'cool',
        fan: 'auto',
      })
      for (const [op, args] of [
        ...refusedAsText(home, ['set_temp', { temp: '21' }] as const),
        ['set_temp', {}],
        ['set_ac_mode', { mode: 7 }],
        ['set_ac_mode', {}],
        ['set_fan', { fan: 'storm' }],
        ['set_fan', {}],
      ] as const) {
        expect(await control(home, 'bedroom-ac', op, args)).toMatchObject({
          status: 422,
          body: { error: { code: 'validation' } },
        })
      }
    },
  )

  verifies('2.4.set-temp', 'sets the temperature of a power switch that feeds a climate load', async (home) => {
    expect(await controlled(home, 'bathroom-heater', 'set_temp', { temp: 23 })).toMatchObject({ temp: 23 })
    expect(await controlled(home, 'bathroom-heater', 'set_temp', { temp: 22 })).toMatchObject({ temp: 22 })
  })

  verifies('2.4.key', 'sends a key through an IR remote', async (home) => {
    const before = commandsOf(home, 26)
    expect(await controlled(home, 'living-remote', 'key', { key: 'volume_up' })).toMatchObject({ key: 'volume_up' })
    expect(commandsOf(home, 26)).toBe(before + 1)
    expect(home.running.sim.house.unit(26)?.device(null)?.state()).toMatchObject({ key: 'volume_up' })
    for (const args of [{}, { key: 'self_destruct' }, { key: '' }, { key: 1 }]) {
      expect(await control(home, 'living-remote', 'key', args)).toMatchObject({
        status: 422,
        body: { error: { code: 'validation' } },
      })
    }
  })
})

describe('arguments', () => {
  verifies(
    ['8.brightness', '8.position', '4.rule1.range', '7.validation', 'devices.unsupported'],
    'out of range or invalid are 422 validation that names them, and no frame goes to the unit',
    async (home) => {
      const before = home.running.sim.counters.commands
      const wrong = [
        ...[-1, 101, 1.5, 1e9, -0.5, ...refusedAsText(home, '40'), true, null, [40], {}].flatMap(
          (value) =>
            [
              ['living-lamp', 'set_brightness', { bri: value }, 'bri'],
              ['living-shutter', 'set_position', { pos: value }, 'pos'],
              ['living-curtain', 'set_position', { pos: value }, 'pos'],
              ['kitchen-panel:2', 'set_position', { pos: value }, 'pos'],
            ] as const,
        ),
        ...[0, 1, ...refusedAsText(home, 'true'), 'on', null, {}].map(
          (value) => ['living-tv', 'set_power', { on: value }, 'on'] as const,
        ),
        ['living-lamp', 'set_brightness', {}, 'bri'],
        ['living-lamp', 'set_brightness', undefined, 'args'],
        ['living-lamp', 'set_power', null, 'args'],
        ['living-lamp', 'set_power', [], 'args'],
        ['living-lamp', 'set_power', 'on', 'args'],
        ['living-lamp', 'set_power', { on: true, bri: 4 }, 'bri'],
      ] as const
      for (const [local, op, args, named] of wrong) {
        const answer = await control(home, local, op, args)
        expect(answer, `${op} ${JSON.stringify(args)}`).toMatchObject({
          status: 422,
          body: { error: { code: 'validation' } },
        })
        expect((answer.body as { error: { message: string } }).error.message).toContain(named)
      }
      expect(home.running.sim.counters.commands).toBe(before)
    },
  )

  verifies('4.rule1.range', 'at both ends of the range are accepted', { tags: ['long'] }, async (home) => {
    for (const bri of [0, 100]) await controlled(home, 'bedroom-light', 'set_brightness', { bri })
    for (const pos of [100, 0]) await controlled(home, 'bedroom-shutter', 'set_position', { pos })
    await controlled(home, 'bedroom-shutter', 'stop')
  })
})

describe('the state in a control answer', () => {
  verifies('devices.state-confirmed', 'is the state that the unit confirmed, not the requested one', async (home) => {
    // A dimmer with a lowest level confirms that level. A cover that has just started
    // to move confirms its present position.
    home.running.sim.house
      .unit(81)
      ?.settings.write([[home.running.sim.house.unit(81)?.settings.numberOf('min_dim_level') ?? -1, 12]])
    expect(await controlled(home, 'studio-light', 'set_brightness', { bri: 1 })).toMatchObject({ on: true, bri: 12 })
    expect(await home.get(home.at('studio-light'))).toMatchObject({ device: { state: { bri: 12 } } })

    await controlled(home, 'driveway-gate', 'stop')
    const { pos } = (await awaitState(home, 'driveway-gate', (state) => state['move'] === 'stopped')) as { pos: number }
    const [op, target] = pos > 50 ? (['close', 0] as const) : (['open', 100] as const)
    const state = await controlled(home, 'driveway-gate', op)
    expect(state['move']).not.toBe('stopped')
    expect(Math.abs(Number(state['pos']) - target)).toBeGreaterThan(40)
    await controlled(home, 'driveway-gate', 'stop')
  })

  verifies('devices.state-confirmed', 'stays the same when the unit refuses', async (home) => {
    const { house } = home.running.sim
    await controlled(home, 'front-door', 'close')
    house.jam(13, true)
    const answer = await control(home, 'front-door', 'open')
    house.jam(13, false)
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { code: 'validation', message: expect.stringContaining('refused') as string } },
    })
    expect(house.unit(13)?.device(null)?.state()).toMatchObject({ locked: true })
    expect(await home.get(home.at('front-door'))).toMatchObject({ device: { state: { locked: true } } })
  })
})
