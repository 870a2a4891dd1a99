import { describe, expect } from 'vitest'
import type { TestHome, TestIntegration } from '#support/gateway/harness.ts'
import { verifiesIn } from '#support/gateway/harness.ts'
import { lapse, MINUTE, SECOND, settingsRead } from '#support/homes/intent-house.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { until } from '#support/gateway/watching.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }))

interface Item {
  readonly kind: string
  readonly source: string
  readonly at: number | null
  readonly what: string
  readonly cause: { readonly source: string; readonly name: string; readonly by?: object } | null
  readonly device: string | null
  readonly asOf?: number
}
interface Explanation {
  readonly house: string
  readonly device: string
  readonly from: number
  readonly to: number
  readonly items: readonly Item[]
  readonly note: string
}

/** Asks by GET and by POST, which must answer the same, over a range that is given to both. */
async function explain(
  home: TestHome,
  local: string,
  who: TestIntegration = home.main,
  range: { from?: number; to?: number } = {},
): Promise<Explanation> {
  // What is on its way has arrived: the two calls see the same.
  await clock.pass(500)
  const to = range.to ?? clock.now() + 1
  const from = range.from ?? to - 24 * 60 * MINUTE
  const got = await home.call({
    method: 'GET',
    path: home.at(local, '/explain', who),
    query: { from: `${from}`, to: `${to}` },
    token: who.token,
  })
  const posted = await home.call({
    method: 'POST',
    path: '/v1/explain',
    body: { device: home.id(local, who), from, to },
    token: who.token,
  })
  expect(got.status, got.text).toBe(200)
  expect(posted.text).toBe(got.text)
  return got.body as Explanation
}

const first = async (home: TestHome, local: string, who?: TestIntegration): Promise<string> =>
  (await explain(home, local, who)).items[0]?.what ?? ''

async function order(
  home: TestHome,
  local: string,
  op: string,
  args?: object,
  who: TestIntegration = home.main,
): Promise<number> {
  return (
    await clock.hasten(
      home.call({
        method: 'POST',
        path: home.at(local, '/control', who),
        token: who.token,
        body: { op, ...(args ? { args } : {}) },
      }),
    )
  ).status
}

async function put(home: TestHome, local: string, intent: string, value: unknown): Promise<void> {
  const answer = await clock.hasten(
    home.call({ method: 'PUT', path: home.at(local, `/intents/${intent}`), body: { value } }),
  )
  expect(answer.status, answer.text).toBe(200)
}

const lit = (home: TestHome, on: boolean) => clock.hasten(until(home, 'hall-light', (state) => state['on'] === on))

/** The hall light, unit 11: off and in Manual, its keys one by one. */
async function dark(home: TestHome): Promise<void> {
  await put(home, 'hall-light', 'single_touch', false)
  await order(home, 'hall-light', 'set_mode', { mode: 'manual' })
  await order(home, 'hall-light', 'set_power', { on: false })
}

describe('why is the hall light on', () => {
  verifies(['4.explain', '4.rule9.activity'], 'a touch at the wall', async (home) => {
    await dark(home)
    home.running.sim.touch(11, null, 'up')
    await lit(home, true)
    expect(await first(home, 'hall-light')).toMatch(/^Hall light turned on at \d\d:\d\d: touched at the wall\.$/)
  })

  verifies(['4.rule9.activity', '4.rule9.integrations'], 'a key’s control, told by the credential', async (home) => {
    await dark(home)
    const name = `Panel ${home.transport}`
    const panel = await home.integrate({ name })
    expect(await order(home, 'hall-light', 'set_power', { on: true }, panel)).toBe(200)
    const { items } = await explain(home, 'hall-light')
    expect(items[0]).toMatchObject({
      kind: 'activity',
      source: 'live',
      cause: { source: 'integration', name: `API: ${name}` },
    })
    expect(items[0]!.what.replace(/\d\d:\d\d/, 'NOW')).toBe(`Hall light turned on at NOW: API: ${name}.`)
    expect(items.find(({ kind, what }) => kind === 'integration' && what.startsWith(`API: ${name}`))?.what).toContain(
      'commanded it once, last at ',
    )
  })

  verifies(['activity.chain', '4.rule9.activity'], 'an automation through a scene, set off by motion', async (home) => {
    await dark(home)
    const scene = await new RuleCalls(home, 'scene').create({
      name: 'Evening',
      steps: [power(home, 'hall-light', true)],
    })
    const automations = new RuleCalls(home, 'automation')
    const rule = await automations.create({
      name: 'Dusk',
      when: [{ device: home.id('landing-sensor'), detection: 'motion' }],
      then: [{ scene: scene.id }],
    })
    await lapse(home, clock, 5 * MINUTE)
    home.running.sim.motion('landing')
    await lit(home, true)
    const { items } = await explain(home, 'hall-light')
    expect(items[0]!.what).toMatch(
      /^Hall light turned on at \d\d:\d\d: scene Evening, run by automation Dusk, set off by motion at Landing sensor\.$/,
    )
    expect(items[0]!.cause).toEqual({
      source: 'scene',
      name: 'Evening',
      ref: scene.id,
      by: {
        source: 'automation',
        name: 'Dusk',
        ref: rule.id,
        by: { source: 'unit', name: 'motion', ref: home.id('landing-sensor') },
      },
    })
    // Whoever sees the lamp alone learns that something did it, and no more.
    const narrow = await home.integrate({ expose: ['unit:hall-light'], settings: { automations: 'on' } })
    const seen = await explain(home, 'hall-light', narrow)
    expect(seen.items[0]!.what).toMatch(/^Hall light turned on at \d\d:\d\d: something outside this integration\.$/)
    expect(JSON.stringify(seen)).not.toMatch(/Evening|Dusk|Landing/)
    await automations.edit(rule.id, { enabled: false, ifRevision: 1 })
  })

  verifies('4.rule9.activity', 'motion, seen by the switch itself', async (home) => {
    await dark(home)
    await put(home, 'hall-light', 'only_when_dark', 254)
    await order(home, 'hall-light', 'set_mode', { mode: 'auto' })
    home.running.sim.motion('hall')
    await lit(home, true)
    expect(await first(home, 'hall-light')).toMatch(/^Hall light turned on at \d\d:\d\d: motion\.$/)
    await lapse(home, clock, 10 * MINUTE)
    expect(await first(home, 'hall-light')).toMatch(/^Hall light turned off at \d\d:\d\d: own timer\.$/)
  })

  verifies('4.rule9.activity', 'a schedule of the unit’s own', async (home) => {
    await dark(home)
    const { house } = home.running.sim
    const [hour = 0, minute = 0] = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      hour: '2-digit',
      minute: '2-digit',
    })
      .format(clock.now() + 2 * MINUTE)
      .split(':')
      .map(Number)
    house.unit(11)!.addSchedule({
      slot: home.transport === 'http' ? 0 : 1,
      enabled: true,
      gang: null,
      days: 0b111_1111,
      minute: hour * 60 + minute,
      command: { op: 'set_power', on: true },
    })
    await order(home, 'hall-light', 'set_mode', { mode: 'auto' })
    await lapse(home, clock, 3 * MINUTE)
    await lit(home, true)
    expect(await first(home, 'hall-light')).toMatch(/^Hall light turned on at \d\d:\d\d: own schedule\.$/)
  })

  verifies('4.rule9.activity', 'mains return', async (home) => {
    await dark(home)
    const unit = home.running.sim.house.unit(11)!
    unit.changeAtMenu(null, [[unit.settings.numberOf('mains_load'), 1]])
    home.running.sim.cutMains([11])
    await lapse(home, clock, MINUTE)
    home.running.sim.returnMains([11])
    await lit(home, true)
    expect(await first(home, 'hall-light')).toMatch(/^Hall light turned on at \d\d:\d\d: mains return\.$/)
    unit.changeAtMenu(null, [[unit.settings.numberOf('mains_load'), 2]])
  })
})

describe('why did it not come on', () => {
  verifies('explain.why-not', 'the unit is unplugged', async (home) => {
    await dark(home)
    home.running.sim.cutMains([11])
    try {
      await lapse(home, clock, 15 * MINUTE)
      const lost = await explain(home, 'hall-light')
      expect(lost.items[0]!.what).toMatch(
        /^Hall light has not answered since \d\d:\d\d: what is shown of it is the last it confirmed\.$/,
      )
      expect(lost.note).toContain('does not answer')
      expect(await order(home, 'hall-light', 'set_power', { on: true })).toBe(504)
      expect(await first(home, 'hall-light')).toMatch(
        /^Hall light: turn on failed: the unit does not answer \(at \d\d:\d\d, asked by API: Test\)\.$/,
      )
    } finally {
      home.running.sim.returnMains([11])
      const { live } = home.running.gateway.home
      while (!live.reachable('hall-light')) await clock.pass(SECOND)
    }
  })

  verifies('explain.why-not', 'a condition of an automation did not hold', async (home) => {
    await dark(home)
    const automations = new RuleCalls(home, 'automation')
    const rule = await automations.create({
      name: 'Only with the porch',
      when: [{ device: home.id('landing-sensor'), detection: 'motion' }],
      if: [{ device: home.id('guest-light'), state: 'on', is: true }],
      then: [power(home, 'hall-light', true)],
    })
    await order(home, 'guest-light', 'set_power', { on: false })
    await lapse(home, clock, 5 * MINUTE)
    home.running.sim.motion('landing')
    await lapse(home, clock, SECOND)
    const { items } = await explain(home, 'hall-light')
    expect(items[0]).toMatchObject({ kind: 'automation', device: rule.id })
    expect(items[0]!.what.replace(/\d\d:\d\d/, 'NOW')).toBe(
      'Automation Only with the porch did not run: a condition did not hold (Guest room light: power is on) (at NOW, set off by motion at Landing sensor).',
    )
    await automations.edit(rule.id, { enabled: false, ifRevision: 1 })
    expect(JSON.stringify((await explain(home, 'hall-light')).items)).toContain(
      'Automation Only with the porch is off: it would turn on when Landing sensor detects motion',
    )
  })

  verifies('explain.why-not', 'the adapter is gone', async (home) => {
    await dark(home)
    home.running.sim.unplug()
    try {
      await lapse(home, clock, SECOND)
      expect(await first(home, 'hall-light')).toBe(
        'No unit can be reached, Hall light neither: the unit adapter was lost: its port cannot be opened.',
      )
    } finally {
      home.running.sim.plug()
      await clock.hasten(home.running.settled())
    }
  })
})

describe('the answer', () => {
  verifies(
    ['4.rule9.answer', '2.6.explain', '4.rule9.range', '4.explain'],
    'has house, device, from, to, items and note; the range is the last 24 hours unless told',
    async (home) => {
      const before = clock.now()
      const got = (await home.get(home.at('hall-light', '/explain'))) as unknown as Explanation
      expect(Object.keys(got).toSorted()).toEqual(['device', 'from', 'house', 'items', 'note', 'to'])
      expect(got).toMatchObject({
        house: 'Sonnenwinkel',
        device: home.id('hall-light'),
        items: expect.any(Array),
        note: expect.any(String),
      })
      expect(got.to - got.from).toBe(24 * 60 * MINUTE)
      expect(got.to).toBeGreaterThanOrEqual(before)
      const posted = await home.call({
        method: 'POST',
        path: '/v1/explain',
        body: { device: home.id('hall-light'), from: null, to: null },
      })
      expect(posted.body).toMatchObject({ device: home.id('hall-light') })
      const { from, to } = posted.body as Explanation
      expect(to - from).toBe(24 * 60 * MINUTE)
      expect(await explain(home, 'hall-light', home.main, { from: 1_000, to: 2_000 })).toMatchObject({
        from: 1_000,
        to: 2_000,
      })
      const post = (body: unknown) => home.call({ method: 'POST', path: '/v1/explain', body })
      for (const body of [
        {},
        { device: 7 },
        { device: home.id('hall-light'), from: 'yesterday' },
        { device: home.id('hall-light'), from: 5, to: 4 },
        { device: home.id('hall-light'), since: 5 },
        null,
      ]) {
        expect((await post(body)).status, JSON.stringify(body)).toBe(422)
      }
      expect((await post({ device: home.id('never-was') })).status).toBe(404)
      expect(
        (await home.call({ method: 'GET', path: home.at('hall-light', '/explain'), query: { from: 'x' } })).status,
      ).toBe(422)
    },
  )

  verifies(
    [
      '4.rule9.rules',
      '4.rule9.unit-settings',
      '4.rule9.sensors',
      '4.rule9.kind-source',
      '4.rule9.wording',
      '4.rule9.integrations',
    ],
    'has every kind of item, each with its source, cached ones worded as such',
    async (home) => {
      await settingsRead(home, clock)
      const porch = 'entrance-panel:0'
      const automation = await new RuleCalls(home, 'automation').create({
        name: 'Welcome',
        when: [{ device: home.id('front-door'), state: 'locked', is: false }],
        then: [power(home, porch, true)],
      })
      const schedule = await new RuleCalls(home, 'schedule').create({
        name: 'Late',
        at: { time: '23:50' },
        then: [power(home, porch, false)],
      })
      await order(home, porch, 'set_mode', { mode: 'auto' })
      await order(home, porch, 'set_power', { on: true })
      home.running.sim.house.door(35, home.transport === 'http')
      await lapse(home, clock, SECOND)
      const { items, note } = await explain(home, porch)
      const of = (kind: string, source: string) =>
        items.filter((item) => item.kind === kind && item.source === source).map(({ what }) => what)
      expect(of('automation', 'live')).toContain(
        'Automation Welcome is set to turn on when Front door: lock is unlocked.',
      )
      expect(of('schedule', 'live')).toContain('Schedule Late is set to turn off at 23:50.')
      expect(of('schedule', 'cache')).toContain('Porch lamp has a schedule of its own, as last read: turn on at 18:30.')
      expect(of('unit_setting', 'cache')).toContain(
        'Porch lamp is in Auto mode, as last confirmed: its own sensors and timers may move it.',
      )
      expect(
        of('unit_setting', 'cache').some((what) => what.startsWith('Porch lamp: ') && what.endsWith(', as last read.')),
      ).toBe(true)
      expect(of('integration', 'live').some((what) => what.startsWith('API: Test commanded it'))).toBe(true)
      for (const item of items) {
        expect(['live', 'cache']).toContain(item.source)
        if (item.source === 'cache') expect(item.asOf).toEqual(expect.any(Number))
        if (item.source === 'cache') expect(item.what).toMatch(/as last (read|confirmed)/)
      }
      expect(note).toContain('last available data')
      // A sensor in the same room that triggered.
      const around = (await explain(home, 'kitchen-panel:1')).items
        .filter(({ kind }) => kind === 'sensor')
        .map(({ what }) => what)
      expect(around.some((what) => /^Terrace door: door (opened|closed) at \d\d:\d\d/.test(what))).toBe(true)
      await new RuleCalls(home, 'automation').edit(automation.id, { enabled: false, ifRevision: 1 })
      await new RuleCalls(home, 'schedule').edit(schedule.id, { enabled: false, ifRevision: 1 })
    },
  )

  verifies(
    ['4.rule9.exposed', '4.rule9.rules'],
    'has only what is exposed, and what its knobs let be seen',
    async (home) => {
      await settingsRead(home, clock)
      const elsewhere = await new RuleCalls(home, 'automation').create({
        name: 'Cellar alarm',
        when: [{ device: home.id('terrace-door'), detection: 'door' }],
        then: [power(home, 'entrance-panel:1', true)],
      })
      await order(home, 'entrance-panel:1', 'set_power', { on: true })
      home.running.sim.motion('hall')
      await lapse(home, clock, SECOND)
      const narrow = await home.integrate({
        expose: ['gang:entrance-panel:1'],
        settings: { advanced_config: 'off', automations: 'on', schedules: 'off' },
      })
      const { items } = await explain(home, 'entrance-panel:1', narrow)
      expect(JSON.stringify(items)).not.toMatch(/Cellar|Terrace|Porch|Hall|Entrance panel|entrance-panel:0/)
      expect(items.some(({ source, kind }) => source === 'cache' && kind === 'schedule')).toBe(false)
      expect(items.some(({ what }) => what.includes('as last read'))).toBe(false)
      for (const { device } of items) if (device !== null) expect(device).toBe(home.id('entrance-panel:1', narrow))
      await new RuleCalls(home, 'automation').edit(elsewhere.id, { enabled: false, ifRevision: 1 })
    },
  )
})
