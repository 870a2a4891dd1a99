import { describe, expect, vi } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { EVERYTHING_ALLOWED, type TestHome, type TestIntegration, verifies } from '#support/gateway/harness.ts'
import { commandsOf } from '#support/gateway/watching.ts'

type Fields = Readonly<Record<string, unknown>>

const FRONT_DOOR = 13
const ON = { op: 'set_power', args: { on: true } }

function batch(home: TestHome, body: unknown, { token }: TestIntegration = home.main): Promise<RawAnswer> {
  return home.call({ method: 'POST', path: '/v1/control', body, token })
}

async function results(home: TestHome, body: unknown, who: TestIntegration = home.main): Promise<readonly Fields[]> {
  const answer = await batch(home, body, who)
  expect(answer.status, answer.text).toBe(200)
  return (answer.body as { results: Fields[] }).results
}

/** The local ids of the devices that were controlled. */
function localsOf(found: readonly Fields[]): string[] {
  return found.map(({ device }) => String(device).split(':').slice(2).join(':')).toSorted()
}

/** What went out to the units together. */
function watchGroups(home: TestHome): { readonly sizes: () => number[]; stop(): void } {
  const spy = vi.spyOn(home.running.gateway.home.bus, 'controlGroup')
  return { sizes: () => spy.mock.calls.map(([items]) => items.length), stop: () => spy.mockRestore() }
}

describe('POST /v1/control', () => {
  verifies(
    ['api.batch', '1.5.house'],
    'controls many devices and answers one result each, in the order asked',
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
            ...refused('op: this device takes no operations, so not set_power either.'),
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

  verifies('api.batch', 'performs two operations of one device in the order asked', async (home) => {
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

  verifies('api.batch', 'says of each device that its unit does not answer', async (home) => {
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
    'api.batch',
    'refuses a body that is none of its forms, or names too many, and moves nothing',
    async (home) => {
      const one = { device: home.id('guest-light'), ...ON }
      const before = commandsOf(home, 83)
      for (const [body, message] of [
        [{}, 'controls: is missing.'],
        [{ controls: [] }, 'controls: must not be empty.'],
        [{ controls: Array.from({ length: 101 }, () => one) }, 'controls: must hold at most 100.'],
        [{ controls: [one, { device: one.device }] }, /^controls\[1\].op: is missing/],
        [{ controls: [{ ...one, surprise: 1 }] }, 'controls[0] has no field `surprise`.'],
        [{ room: home.id('room:study'), ...ON, surprise: 1 }, 'The body has no field `surprise`.'],
        [{ room: home.id('room:study'), op: 'set_power' }, 'args is missing.'],
        [{ room: home.id('room:study'), op: 'run' }, /^op: must be one of/],
      ] as const) {
        const answer = await batch(home, body)
        expect(answer.status, answer.text).toBe(422)
        const { error } = answer.body as { error: { message: string } }
        if (typeof message === 'string') expect([error.message.replace(': has', ' has')]).toEqual([message])
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
    expect(localsOf(found)).toEqual(['bathroom-heater', 'bathroom-panel:0', 'bathroom-panel:1'])
    for (const result of found) expect(result).toMatchObject({ state: { on: true } })
    expect(localsOf(await results(home, { room, class: 'switch_gang', op: 'set_power', args: { on: false } }))).toEqual(
      ['bathroom-panel:0', 'bathroom-panel:1'],
    )
    expect(await results(home, { room, class: 'lock', op: 'close' })).toEqual([])
    expect(localsOf(await results(home, { floor: home.id('floor:top-floor'), class: 'shutter', op: 'stop' }))).toEqual([
      'studio-shutter',
    ])
  })

  verifies('api.batch-place', 'leaves locks and gates alone unless their class is named', async (home) => {
    const room = home.id('room:hall')
    expect(await results(home, { room, op: 'close' })).toEqual([])
    expect(await results(home, { room, op: 'close', class: 'lock' })).toMatchObject([{ state: { locked: true } }])
    expect(await results(home, { room: home.id('room:garden'), op: 'stop' })).toEqual([])
  })

  verifies(['api.batch-place', '1.4.hidden'], 'moves nothing that is hidden there', async (home) => {
    const who = await home.integrate({ expose: ['gang:bathroom-panel:0', 'room:study'], settings: EVERYTHING_ALLOWED })
    expect(localsOf(await results(home, { room: home.id('room:study', who), ...ON }, who))).toEqual([
      'study-desk',
      'study-light',
    ])
    const asked = ['room:hall', 'room:invented', 'floor:ground-floor'].map((local) =>
      batch(home, { [local.startsWith('floor') ? 'floor' : 'room']: home.id(local, who), ...ON }, who),
    )
    for (const { status, text } of await Promise.all(asked)) {
      expect(status).toBe(404)
      expect(text).toBe(
        '{"error":{"code":"not_found","message":"There is no such thing here. Ids come from GET /v1/house."}}',
      )
    }
  })
})

describe('many at once that open', () => {
  verifies(
    ['api.batch', '4.rule2.lock', '4.rule2.gate'],
    'obey allow_unlock one by one: what needs it is refused, the rest is performed',
    async (home) => {
      const careful = await home.integrate({ settings: { ...EVERYTHING_ALLOWED, allow_unlock: 'off' } })
      const before = commandsOf(home, FRONT_DOOR)
      expect(
        await results(
          home,
          {
            controls: [
              { device: home.id('front-door', careful), op: 'open' },
              { device: home.id('guest-light', careful), ...ON },
              { device: home.id('driveway-gate', careful), op: 'open' },
            ],
          },
          careful,
        ),
      ).toMatchObject([
        { error: { code: 'unlock_not_allowed', appAction: 'integrations.record' } },
        { state: { on: true } },
        { error: { code: 'unlock_not_allowed' } },
      ])
      expect(
        await results(home, { room: home.id('room:hall', careful), class: 'lock', op: 'open' }, careful),
      ).toMatchObject([{ error: { code: 'unlock_not_allowed' } }])
      expect(commandsOf(home, FRONT_DOOR)).toBe(before)
    },
  )

  verifies(
    ['api.batch', '4.rule2.gate', 'agents.confirmation'],
    'by an agent need a person’s word for each, and the entry says whose',
    async (home) => {
      const agent = await agentOf(home)
      const body = {
        controls: [
          { device: home.id('front-door', agent), op: 'open' },
          { device: home.id('guest-light', agent), ...ON },
        ],
      }
      expect(await results(home, body, agent)).toMatchObject([
        { error: { code: 'confirmation_required', appAction: 'integrations.confirm' } },
        { state: { on: true } },
      ])
      await confirmOf(home, agent)
      expect(await results(home, body, agent)).toMatchObject([{ state: { locked: false } }, { state: { on: true } }])
      const device = home.id('front-door', agent)
      const { entries } = (
        await home.call({ method: 'GET', path: '/v1/activity', query: { device }, token: agent.token })
      ).body as { entries: { kind: string; cause: Fields }[] }
      expect(entries.find(({ kind }) => kind === 'state')?.cause).toMatchObject({
        source: 'agent',
        confirmedBy: 'administrator (command line)',
      })
      expect(await results(home, body, agent)).toMatchObject([{ error: { code: 'confirmation_required' } }, {}])
      expect(await results(home, { controls: [{ device: home.id('front-door'), op: 'close' }] })).toMatchObject([
        { state: { locked: true } },
      ])
    },
  )
})

async function agentOf(home: TestHome): Promise<TestIntegration> {
  const { id } = await home.integrate({ settings: { ...EVERYTHING_ALLOWED, agent_access: 'on' } })
  const { token, link } = await home.running.admin.call<{ token: string; link: string }>('POST', '/agents', {
    integration: id,
    name: 'Claude',
    platform: 'Desk',
    session: false,
  })
  return { id, token, link }
}

async function confirmOf(home: TestHome, agent: TestIntegration): Promise<void> {
  const { confirmations } = await home.running.admin.call<{ confirmations: { id: string; link: string }[] }>(
    'GET',
    '/confirmations',
  )
  const waiting = confirmations.find(({ link }) => link === agent.link)
  await home.running.admin.call('POST', `/confirmations/${waiting?.id}`, { confirm: true })
}
