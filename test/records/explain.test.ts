import { describe, expect } from 'vitest'
import { verifiesIn } from '#support/gateway/harness.ts'
import { passTime, MINUTE, SECOND } from '#support/homes/intent-house.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { ExplainCalls } from '#support/gateway/explain-calls.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'http' })
const calls = new ExplainCalls(clock)

describe('why is the hall light on', () => {
  verifies(['4.explain', '4.rule9.activity'], 'a touch at the wall', { tags: ['long'] }, async (home) => {
    await calls.dark(home)
    home.running.sim.touch(11, null, 'up')
    await calls.lit(home, true)
    expect(await calls.first(home, 'hall-light')).toMatch(/^Hall light turned on at \d\d:\d\d: touched at the wall\.$/)
  })

  verifies(
    ['4.rule9.activity', '4.rule9.integrations'],
    'a control by a key, with the name of the credential',
    { tags: ['long'] },
    async (home) => {
      await calls.dark(home)
      const name = `Panel ${home.transport}`
      const panel = await home.integrate({ name })
      expect(await calls.order(home, 'hall-light', 'set_power', { on: true }, panel)).toBe(200)
      const { items } = await calls.explain(home, 'hall-light')
      expect(items[0]).toMatchObject({
        kind: 'activity',
        source: 'live',
        cause: { source: 'integration', name: `API: ${name}` },
      })
      expect(items[0]!.what.replace(/\d\d:\d\d/, 'NOW')).toBe(`Hall light turned on at NOW: API: ${name}.`)
      expect(items.find(({ kind, what }) => kind === 'integration' && what.startsWith(`API: ${name}`))?.what).toContain(
        'commanded it once, last at ',
      )
    },
  )

  verifies(['activity.chain', '4.rule9.activity'], 'an automation through a scene, set off by motion', async (home) => {
    await calls.dark(home)
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
    await passTime(home, clock, 5 * MINUTE)
    home.running.sim.motion('landing')
    await calls.lit(home, true)
    const { items } = await calls.explain(home, 'hall-light')
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
    // An integration that sees only the lamp gets no name of the cause.
    const narrow = await home.integrate({ expose: ['unit:hall-light'], settings: { automations: 'on' } })
    const seen = await calls.explain(home, 'hall-light', narrow)
    expect(seen.items[0]!.what).toMatch(/^Hall light turned on at \d\d:\d\d: something outside this integration\.$/)
    expect(JSON.stringify(seen)).not.toMatch(/Evening|Dusk|Landing/)
    await automations.edit(rule.id, { enabled: false, ifRevision: 1 })
  })

  verifies('4.rule9.activity', 'motion at the switch itself', async (home) => {
    await calls.dark(home)
    await calls.put(home, 'hall-light', 'only_when_dark', 254)
    await calls.order(home, 'hall-light', 'set_mode', { mode: 'auto' })
    home.running.sim.motion('hall')
    await calls.lit(home, true)
    expect(await calls.first(home, 'hall-light')).toMatch(/^Hall light turned on at \d\d:\d\d: motion\.$/)
    await passTime(home, clock, 10 * MINUTE)
    expect(await calls.first(home, 'hall-light')).toMatch(/^Hall light turned off at \d\d:\d\d: own timer\.$/)
  })

  verifies('4.rule9.activity', 'a schedule of the unit’s own', async (home) => {
    await calls.dark(home)
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
    await calls.order(home, 'hall-light', 'set_mode', { mode: 'auto' })
    await passTime(home, clock, 3 * MINUTE)
    await calls.lit(home, true)
    expect(await calls.first(home, 'hall-light')).toMatch(/^Hall light turned on at \d\d:\d\d: own schedule\.$/)
  })

  verifies('4.rule9.activity', 'mains return', async (home) => {
    await calls.dark(home)
    const unit = home.running.sim.house.unit(11)!
    unit.changeAtMenu(null, [[unit.settings.numberOf('mains_load'), 1]])
    // Units are read again after a long silence. A read in flight when the mains return may be
    // answered before the unit reports.
    await passTime(home, clock, 3 * MINUTE)
    home.running.sim.cutMains([11])
    await passTime(home, clock, MINUTE)
    home.running.sim.returnMains([11])
    await calls.lit(home, true)
    expect(await calls.first(home, 'hall-light')).toMatch(/^Hall light turned on at \d\d:\d\d: mains return\.$/)
    unit.changeAtMenu(null, [[unit.settings.numberOf('mains_load'), 2]])
  })
})

describe('why did it not come on', () => {
  verifies('explain.why-not', 'the unit is unplugged', async (home) => {
    await calls.dark(home)
    home.running.sim.cutMains([11])
    try {
      await passTime(home, clock, 15 * MINUTE)
      const lost = await calls.explain(home, 'hall-light')
      expect(lost.items[0]!.what).toMatch(
        /^Hall light has not answered since \d\d:\d\d\. Its values are the last ones that it confirmed\.$/,
      )
      expect(lost.note).toContain('does not answer')
      expect(await calls.order(home, 'hall-light', 'set_power', { on: true })).toBe(504)
      expect(await calls.first(home, 'hall-light')).toMatch(
        /^Hall light: turn on failed: the unit does not answer \(at \d\d:\d\d, asked by API: Test\)\.$/,
      )
    } finally {
      home.running.sim.returnMains([11])
      const { live } = home.running.gateway.home
      while (!live.reachable('hall-light')) await clock.pass(SECOND)
    }
  })

  verifies('explain.why-not', 'a condition of an automation did not hold', async (home) => {
    await calls.dark(home)
    const automations = new RuleCalls(home, 'automation')
    const rule = await automations.create({
      name: 'Only with the porch',
      when: [{ device: home.id('landing-sensor'), detection: 'motion' }],
      if: [{ device: home.id('guest-light'), state: 'on', is: true }],
      then: [power(home, 'hall-light', true)],
    })
    await calls.order(home, 'guest-light', 'set_power', { on: false })
    await passTime(home, clock, 5 * MINUTE)
    home.running.sim.motion('landing')
    await passTime(home, clock, SECOND)
    const { items } = await calls.explain(home, 'hall-light')
    expect(items[0]).toMatchObject({ kind: 'automation', device: rule.id })
    expect(items[0]!.what.replace(/\d\d:\d\d/, 'NOW')).toBe(
      'Automation Only with the porch did not run: a condition was not met (Guest room light: power is on) (at NOW, set off by motion at Landing sensor).',
    )
    await automations.edit(rule.id, { enabled: false, ifRevision: 1 })
    expect(JSON.stringify((await calls.explain(home, 'hall-light')).items)).toContain(
      'Automation Only with the porch is off: it would turn on when Landing sensor detects motion',
    )
  })

  verifies('explain.why-not', 'the adapter is lost', async (home) => {
    await calls.dark(home)
    home.running.sim.unplug()
    try {
      await passTime(home, clock, SECOND)
      expect(await calls.first(home, 'hall-light')).toBe(
        'No unit can be reached, including Hall light: the unit adapter was lost: its port cannot be opened.',
      )
    } finally {
      home.running.sim.plug()
      await clock.hasten(home.running.settled())
    }
  })
})
