import { describe, expect } from 'vitest'
import { verifiesIn } from '#support/gateway/harness.ts'
import { passTime, MINUTE, SECOND, settingsRead } from '#support/homes/intent-house.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { ExplainCalls, type ExplainAnswer } from '#support/gateway/explain-calls.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'http' })
const calls = new ExplainCalls(clock)

describe('the answer', () => {
  verifies(
    ['4.rule9.answer', '2.6.explain', '4.rule9.range', '4.explain'],
    'has house, device, from, to, items and note; the range is the last 24 hours by default',
    async (home) => {
      const before = clock.now()
      const got = (await home.get(home.at('hall-light', '/explain'))) as unknown as ExplainAnswer
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
      const { from, to } = posted.body as ExplainAnswer
      expect(to - from).toBe(24 * 60 * MINUTE)
      expect(await calls.explain(home, 'hall-light', home.main, { from: 1_000, to: 2_000 })).toMatchObject({
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
      await calls.order(home, porch, 'set_mode', { mode: 'auto' })
      await calls.order(home, porch, 'set_power', { on: true })
      home.running.sim.house.door(35, true)
      await passTime(home, clock, SECOND)
      const { items, note } = await calls.explain(home, porch)
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
      const around = (await calls.explain(home, 'kitchen-panel:1')).items
        .filter(({ kind }) => kind === 'sensor')
        .map(({ what }) => what)
      expect(around.some((what) => /^Terrace door: door opened at \d\d:\d\d/.test(what))).toBe(true)
      await new RuleCalls(home, 'automation').edit(automation.id, { enabled: false, ifRevision: 1 })
      await new RuleCalls(home, 'schedule').edit(schedule.id, { enabled: false, ifRevision: 1 })
      // The next visitor opens it again.
      home.running.sim.house.door(35, false)
      await passTime(home, clock, SECOND)
    },
  )

  verifies(['4.rule9.exposed', '4.rule9.rules'], 'has only exposed things that its knobs allow', async (home) => {
    await settingsRead(home, clock)
    const elsewhere = await new RuleCalls(home, 'automation').create({
      name: 'Cellar alarm',
      when: [{ device: home.id('terrace-door'), detection: 'door' }],
      then: [power(home, 'entrance-panel:1', true)],
    })
    await calls.order(home, 'entrance-panel:1', 'set_power', { on: true })
    home.running.sim.motion('hall')
    await passTime(home, clock, SECOND)
    const narrow = await home.integrate({
      expose: ['gang:entrance-panel:1'],
      settings: { advanced_config: 'off', automations: 'on', schedules: 'off' },
    })
    const { items } = await calls.explain(home, 'entrance-panel:1', narrow)
    expect(JSON.stringify(items)).not.toMatch(/Cellar|Terrace|Porch|Hall|Entrance panel|entrance-panel:0/)
    expect(items.some(({ source, kind }) => source === 'cache' && kind === 'schedule')).toBe(false)
    expect(items.some(({ what }) => what.includes('as last read'))).toBe(false)
    for (const { device } of items) if (device !== null) expect(device).toBe(home.id('entrance-panel:1', narrow))
    await new RuleCalls(home, 'automation').edit(elsewhere.id, { enabled: false, ifRevision: 1 })
  })
})
