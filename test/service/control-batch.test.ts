import { describe, expect, vi } from 'vitest'
import { batch, batchResults as results, localsOf } from '#support/gateway/batches.ts'
import { EVERYTHING_ALLOWED, type TestHome, verifies } from '#support/gateway/harness.ts'
import { commandsOf } from '#support/gateway/await-home.ts'

const ON = { op: 'set_power', args: { on: true } }

const NEEDS_ONE = 'The body needs one of these fields: `controls`, `room`, `floor`, `group`.'
const ONLY_ONE = 'The body may have only one of these fields: `controls`, `room`, `floor`.'

/** Requests that the units got together. */
function watchGroups(home: TestHome): { readonly sizes: () => number[]; stop(): void } {
  const spy = vi.spyOn(home.running.gateway.home.bus, 'controlGroup')
  return { sizes: () => spy.mock.calls.map(([items]) => items.length), stop: () => spy.mockRestore() }
}

describe('POST /v1/control', () => {
  verifies(
    ['api.batch', '1.5.house'],
    'controls many devices and returns one result each, in the order of the request',
    async (home) => {
      const id = (local: string): string => home.id(local)
      const groups = watchGroups(home)
      const answer = await batch(home, {
        controls: [
          { device: id('guest-light'), ...ON },
          { device: id('landing-sensor'), ...ON },
          { device: id('bathroom-panel:1'), op: 'set_power', args: { on: false } },
          { device: id('study-light'), op: 'set_power', args: { on: 'yes' } },
          { device: id('scene:dinner'), op: 'run' },
          { device: id('scene:dinner'), op: 'open' },
          { device: id('living-lamp'), op: 'set_mode', args: { mode: 'manual' } },
        ],
      })
      expect(groups.sizes()).toContain(3)
      groups.stop()
      expect(answer.status, answer.text).toBe(200)
      const asOf = expect.any(Number) as number
      const refused = (message: string): object => ({ error: { code: 'validation', message } })
      expect(answer.body).toEqual({
        house: 'Sonnenwinkel',
        results: [
          { device: id('guest-light'), state: { on: true, mode: 'manual', asOf } },
          {
            device: id('landing-sensor'),
            ...refused('op: this device takes no operations, so it does not take set_power.'),
          },
          { device: id('bathroom-panel:1'), state: { on: false, mode: expect.any(String) as string, asOf } },
          { device: id('study-light'), ...refused('args.on: must be true or false.') },
          { device: id('scene:dinner'), run: { runId: expect.any(String) as string } },
          { device: id('scene:dinner'), ...refused('op: this device does not take open; it takes run.') },
          { device: id('living-lamp'), state: expect.objectContaining({ mode: 'manual', asOf }) as object },
        ],
      })
      expect(home.running.sim.house.unit(83)?.device(null)?.state()).toMatchObject({ on: true })
    },
  )

  verifies('api.batch', 'performs two operations of one device in the order of the request', async (home) => {
    const device = home.id('guest-light')
    for (const on of [true, false]) {
      await results(home, {
        controls: [
          { device, op: 'set_power', args: { on: !on } },
          { device, op: 'set_power', args: { on } },
        ],
      })
      expect(home.running.sim.house.unit(83)?.device(null)?.state()).toMatchObject({ on })
    }
  })

  verifies('api.batch', 'reports for each device that its unit does not answer', async (home) => {
    home.running.sim.silence(83)
    try {
      expect(
        await results(home, {
          controls: [
            { device: home.id('guest-light'), ...ON },
            { device: home.id('study-light'), ...ON },
          ],
        }),
      ).toMatchObject([{ error: { code: 'unit_unreachable' } }, { state: { on: true } }])
    } finally {
      home.running.sim.silence(83, false)
    }
  })

  verifies(
    ['api.batch', '1.4.hidden'],
    'answers a hidden device like an invented one, and moves the others',
    async (home) => {
      const who = await home.integrate({ expose: ['room:study'], settings: EVERYTHING_ALLOWED })
      const ids = ['hall-light', 'invented', 'kitchen-panel:1', 'scene:good-night', 'room:study'].map((local) =>
        home.id(local, who),
      )
      const before = commandsOf(home, 11)
      const found = await results(
        home,
        {
          controls: [
            ...ids.map((device) => ({ device, op: 'set_brightness', args: { bri: 'much' } })),
            { device: home.id('study-light', who), ...ON },
          ],
        },
        who,
      )
      expect(found.slice(0, -1).map(({ device, ...rest }) => [device, rest])).toEqual(
        ids.map((id) => [
          id,
          { error: { code: 'not_found', message: 'There is no such thing here. Ids come from GET /v1/house.' } },
        ]),
      )
      expect(found.at(-1)).toMatchObject({ state: { on: true } })
      expect(commandsOf(home, 11)).toBe(before)
    },
  )

  verifies(
    ['api.batch', '1.4.hidden'],
    'refuses a wrong entry like its single call, and performs the other entries',
    async (home) => {
      const who = await home.integrate({ expose: ['room:study'], settings: EVERYTHING_ALLOWED })
      const light = home.id('study-light', who)
      const wrong = [light, home.id('hall-light', who), home.id('invented', who), 'x'.repeat(257)].flatMap((device) => [
        { device, op: 'nope' },
        { device, ...ON, code: '12' },
        { device, ...ON, code: 7 },
        { device, ...ON, surprise: 1, more: 2 },
        { device, args: { on: true } },
        { device, op: 'set_power', args: 'on' },
        { device },
      ])
      const single = await Promise.all(
        wrong.map(async ({ device, ...body }) => {
          const path = `/v1/devices/${encodeURIComponent(device)}/control`
          return (await home.call({ method: 'POST', path, body, token: who.token })).body
        }),
      )
      const found = await results(home, { controls: [...wrong, { device: light, ...ON }] }, who)
      expect(found.slice(0, -1)).toEqual(
        wrong.map(({ device }, index) => ({ device, ...(single[index] as { error: object }) })),
      )
      expect(found.at(-1)).toMatchObject({ state: { on: true } })
    },
  )

  verifies('api.batch', 'names the fault of an entry without a device', async (home) => {
    const device = home.id('guest-light')
    const none = { error: { code: 'not_found', message: 'There is no such thing here. Ids come from GET /v1/house.' } }
    const refused = (message: string): object => ({ device: '', error: { code: 'validation', message } })
    expect(
      await results(home, {
        controls: [
          { device: '', ...ON },
          { device: 5, ...ON },
          { device: null, op: 'nope' },
          { ...ON },
          { devcie: device, ...ON },
          null,
          [device],
          { device, ...ON },
        ],
      }),
    ).toEqual([
      { device: '', ...none },
      { device: '', ...none },
      { device: '', ...none },
      refused('device: is missing.'),
      refused('The body has no field `devcie`.'),
      refused('The body must be an object.'),
      refused('The body must be an object.'),
      { device, state: expect.objectContaining({ on: true }) as object },
    ])
  })

  verifies(
    'api.batch',
    'refuses a body of an unknown form or with too many devices, and moves no device',
    async (home) => {
      const one = { device: home.id('guest-light'), ...ON }
      const before = commandsOf(home, 83)
      for (const [body, message] of [
        [{}, NEEDS_ONE],
        [{ ...ON }, NEEDS_ONE],
        [{ device: one.device, ...ON }, NEEDS_ONE],
        [{ room: home.id('room:study'), floor: home.id('floor:top-floor'), ...ON }, ONLY_ONE],
        [{ room: home.id('room:study'), controls: [one] }, ONLY_ONE],
        [{ group: 'light', room: home.id('room:study'), floor: home.id('floor:top-floor'), ...ON }, ONLY_ONE],
        [{ group: 'light', controls: [one] }, /^The body has no field `controls`/],
        [{ group: 'light', class: 'shutter', ...ON }, 'The body has no field `class`.'],
        [{ group: 'light', op: 'nope' }, /^op: must be one of/],
        [{ group: 'light', op: 'set_power' }, 'args: is missing.'],
        [[one], 'The body must be an object.'],
        [{ controls: one }, 'controls: must be a list.'],
        [{ controls: [] }, 'controls: must not be empty.'],
        [{ controls: Array.from({ length: 101 }, () => one) }, 'controls: must hold at most 100.'],
        [{ controls: [one], ...ON }, 'The body has no field `op`, `args`.'],
        [{ room: home.id('room:study') }, /^op: is missing/],
        [{ floor: home.id('floor:top-floor'), op: 'nope' }, /^op: must be one of/],
        [{ room: 5, op: 'run' }, 'room: must be a text.'],
        [{ room: home.id('room:study'), ...ON, surprise: 1 }, 'The body has no field `surprise`.'],
        [{ room: home.id('room:study'), ...ON, code: '12' }, 'code: must be six digits.'],
        [{ room: home.id('room:study'), op: 'set_power' }, 'args: is missing.'],
        [{ room: home.id('room:study'), op: 'run' }, /^op: must be one of/],
      ] as const) {
        const answer = await batch(home, body)
        expect(answer.status, answer.text).toBe(422)
        const { error } = answer.body as { error: { message: string } }
        if (typeof message === 'string') expect(error.message).toBe(message)
        else expect(error.message).toMatch(message)
      }
      expect(commandsOf(home, 83)).toBe(before)
    },
  )
})

describe('POST /v1/control of a room or floor', () => {
  verifies('api.batch-place', 'moves every device in it that takes the operation', async (home) => {
    const room = home.id('room:bathroom')
    const found = await results(home, { room, ...ON })
    expect(localsOf(found)).toEqual(['bathroom-panel:0', 'bathroom-panel:1'])
    for (const result of found) expect(result).toMatchObject({ state: { on: true } })
    expect(localsOf(await results(home, { room, class: 'switch_gang', op: 'set_power', args: { on: false } }))).toEqual(
      ['bathroom-panel:0', 'bathroom-panel:1'],
    )
    expect(await results(home, { room, class: 'lock', op: 'close' })).toEqual([])
    expect(localsOf(await results(home, { floor: home.id('floor:top-floor'), class: 'shutter', op: 'stop' }))).toEqual([
      'studio-shutter',
    ])
  })

  verifies('api.batch-place', 'leaves sockets and climate alone unless their class or group is named', async (home) => {
    const bathroom = home.id('room:bathroom')
    const off = { op: 'set_power', args: { on: false } }
    expect(localsOf(await results(home, { room: bathroom, class: 'power_switch', ...off }))).toEqual([
      'bathroom-heater',
    ])
    const bedroom = home.id('room:bedroom')
    expect(localsOf(await results(home, { room: bedroom, ...off }))).toEqual([
      'bedroom-light',
      'bedside-panel:0',
      'bedside-panel:1',
    ])
    expect(localsOf(await results(home, { room: bedroom, class: 'climate', ...off }))).toEqual(['bedroom-ac'])
  })

  verifies('api.batch-place', 'leaves locks and gates alone unless their class is named', async (home) => {
    const room = home.id('room:hall')
    expect(await results(home, { room, op: 'close' })).toEqual([])
    expect(await results(home, { room, op: 'close', class: 'lock' })).toMatchObject([{ state: { locked: true } }])
    expect(await results(home, { room: home.id('room:garden'), op: 'stop' })).toEqual([])
  })

  verifies(['api.batch-place', '1.4.hidden'], 'moves no hidden device there', async (home) => {
    const who = await home.integrate({ expose: ['gang:bathroom-panel:0', 'room:study'], settings: EVERYTHING_ALLOWED })
    expect(localsOf(await results(home, { room: home.id('room:study', who), ...ON }, who))).toEqual(['study-light'])
    expect(localsOf(await results(home, { group: 'light', ...ON }, who))).toEqual(['bathroom-panel:0', 'study-light'])
    const calls = ['room:hall', 'room:invented', 'floor:ground-floor'].map((local) =>
      batch(home, { [local.startsWith('floor') ? 'floor' : 'room']: home.id(local, who), ...ON }, who),
    )
    for (const { status, text } of await Promise.all(calls)) {
      expect(status).toBe(404)
      expect(text).toBe(
        '{"error":{"code":"not_found","message":"There is no such thing here. Ids come from GET /v1/house."}}',
      )
    }
  })
})
