// @module-tag repeated
import fc from 'fast-check'
import { expect } from 'vitest'
import { simulatedHome } from '../../src/gateway/simulated-home.ts'
import { GATEWAY_CAUSE } from '../../src/home/model/events.ts'
import { type TestHome, verifiesOver } from '#support/gateway/harness.ts'
import { power, statusAndCode, RuleCalls, type RuleObjectKind, type RuleObject } from '#support/gateway/rule-calls.ts'
import { times } from '#support/long.ts'

const verifies = verifiesOver('stream')

const KINDS = ['scene', 'automation', 'schedule'] as const

/** Fields that change neither with every edit nor by themselves (a loop gets paused). */
function settled(read: RuleObject): object {
  const { revision: _, running: __, next: ___, paused: ____, ...rest } = read
  return rest
}

async function sendBack(calls: RuleCalls, id: string): Promise<void> {
  const read = await calls.get(id)
  const answer = await calls.send('PATCH', id, { ...read, ifRevision: read.revision })
  expect(answer.status, answer.text).toBe(200)
  expect(settled(await calls.get(id))).toEqual(settled(read))
}

/** Bodies that create, with all shapes of steps, triggers, conditions and times. */
function bodies(home: TestHome): Readonly<Record<RuleObjectKind, fc.Arbitrary<object>>> {
  const [lamp, sensor] = [home.id('living-lamp'), home.id('landing-sensor')]
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z ]{0,20}[a-z]$/)
  const days = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 })
  const step = fc.oneof(
    fc.constant(power(home, 'hall-light', true)),
    fc.integer({ min: 0, max: 100 }).map((bri) => ({ device: lamp, op: 'set_brightness', args: { bri } })),
    fc.integer({ min: 1, max: 36_000 }).map((tenths) => ({ delay: tenths / 10 })),
    fc.constant({ device: home.id('living-shutter'), op: 'close' }),
  )
  const test = fc.oneof(
    fc.boolean().map((is) => ({ device: lamp, state: 'on', is })),
    fc.integer({ min: 0, max: 99 }).map((above) => ({ device: lamp, state: 'bri', above })),
    fc
      .double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true })
      .map((below) => ({ device: sensor, reading: 'light', below })),
  )
  const at = fc.oneof(
    fc.constant({ time: '07:30' }),
    fc.integer({ min: -360, max: 360 }).map((offset) => ({ sun: 'sunset', offset })),
  )
  const trigger = fc.oneof(
    test,
    fc.integer({ min: 1, max: 86_400 }).chain((hold) => test.map((item) => ({ ...item, for: hold }))),
    fc.boolean().map((is) => ({ device: sensor, detection: 'motion', is })),
    days.chain((on) => at.map((item) => ({ ...item, days: on }))),
    fc.constant({ scene: home.id('scene:dinner') }),
  )
  const condition = fc.oneof(
    test,
    days.map((item) => ({ after: 'sunset', before: '06:00', days: item })),
  )
  const run = fc.constantFrom({ scene: home.id('scene:dinner') }, { scene: home.id('scene:good-night') })
  const then = fc.array(fc.oneof(step, run), { minLength: 1, maxLength: 5 })
  return {
    scene: fc.record({ name, icon: fc.constantFrom('moon', null), steps: fc.array(step, { maxLength: 5 }) }),
    automation: fc.record({
      name,
      enabled: fc.boolean(),
      when: fc.array(trigger, { minLength: 1, maxLength: 4 }),
      if: fc.array(condition, { maxLength: 3 }),
      then,
      mode: fc.constantFrom('single', 'restart', 'queued'),
    }),
    schedule: fc.record({ name, enabled: fc.boolean(), at, days, then }),
  }
}

verifies(
  'automations.sent-back',
  'every scene, automation and schedule of the demo home can be sent back unchanged',
  { tags: ['long'] },
  async (home) => {
    const { rules } = home.running.gateway.home
    const demo = simulatedHome(
      { kind: 'sim', units: null, seed: 1, speed: 1 },
      home.running.clock,
      'UTC',
    ).newHome.rules()
    for (const item of demo.automations) rules.automations.create(item, null, GATEWAY_CAUSE)
    for (const item of demo.schedules) rules.schedules.create(item, null, GATEWAY_CAUSE)
    for (const kind of KINDS) {
      const calls = new RuleCalls(home, kind)
      const listed = await calls.list()
      expect(listed.length).toBeGreaterThan(1)
      for (const { id } of listed) await sendBack(calls, id)
    }
  },
)

verifies('automations.sent-back', 'every created object can be sent back unchanged', async (home) => {
  for (const kind of KINDS) {
    const calls = new RuleCalls(home, kind)
    await fc.assert(
      fc.asyncProperty(bodies(home)[kind], async (body) => {
        const { id } = await calls.create(body)
        await sendBack(calls, id)
      }),
      { numRuns: times(1, 100) },
    )
  }
})

verifies(
  'automations.sent-back',
  'an edit cannot change read-only fields, and fields that change by themselves may be outdated',
  { tags: ['long'] },
  async (home) => {
    const calls = new RuleCalls(home, 'scene')
    const made = await calls.create({ name: 'Kept', steps: [power(home, 'hall-light', true)] })
    for (const wrong of [
      { id: home.id('scene:other') },
      { room: home.id('room:hall') },
      { floor: home.id('floor:ground-floor') },
      { revision: 7 },
      { origin: null },
      { members: [] },
      { members: [home.id('hall-light'), home.id('living-lamp')] },
      { hiddenMembers: 1 },
      { running: 'no' },
      { asOf: 5 },
    ]) {
      const answer = await calls.send('PATCH', made.id, { ...made, ...wrong, ifRevision: 1 })
      expect(statusAndCode(answer), JSON.stringify(wrong)).toEqual([422, 'validation'])
    }
    expect(await calls.get(made.id)).toMatchObject({ revision: 1 })
    expect(await calls.edit(made.id, { ...made, running: true, name: 'Other', ifRevision: 1 })).toMatchObject({
      name: 'Other',
      running: false,
      revision: 2,
    })
    const stale = await calls.send('PATCH', made.id, { ...made, members: [], ifRevision: 1 })
    expect(statusAndCode(stale)).toEqual([409, 'revision_mismatch'])
  },
)

verifies(
  ['automations.sent-back', 'automations.hidden-steps'],
  'a scene with hidden devices can be sent back as shown',
  async (home) => {
    const made = await new RuleCalls(home, 'scene').create({
      name: 'Half shown',
      roomId: home.id('room:study'),
      steps: [power(home, 'hall-light', true), power(home, 'study-light', false)],
    })
    const local = made.id.split(':').slice(2).join(':')
    const calls = new RuleCalls(home, 'scene', await home.integrate({ expose: ['unit:hall-light', local] }))
    const read = await calls.get(calls.mine(made.id))
    expect(read).toMatchObject({ hiddenMembers: 1, room: null })
    expect(await calls.edit(read.id, { ...read, ifRevision: 1 })).toMatchObject({ hiddenMembers: 1, room: null })
    expect(await new RuleCalls(home, 'scene').get(made.id)).toMatchObject({
      steps: made.steps,
      room: home.id('room:study'),
    })
    const refused = await calls.send('PATCH', read.id, { ...read, hiddenMembers: 2, ifRevision: 1 })
    expect(statusAndCode(refused)).toEqual([422, 'validation'])
  },
)

verifies('automations.new-revision', 'a body that creates has no revision to compare with', async (home) => {
  const then = [power(home, 'hall-light', true)]
  const news = {
    scene: { name: 'New', steps: then },
    automation: { name: 'New', when: [{ time: '22:00' }], then },
    schedule: { name: 'New', at: { time: '22:00' }, then },
  }
  for (const kind of KINDS) {
    const calls = new RuleCalls(home, kind)
    const before = (await calls.list()).length
    const answer = await calls.send('POST', undefined, { ...news[kind], ifRevision: 1 })
    expect(statusAndCode(answer)).toEqual([422, 'validation'])
    expect(answer.text).toContain('ifRevision: is only for edits: a new object has no revision yet.')
    expect(await calls.list()).toHaveLength(before)
    await calls.create({ ...news[kind], ifRevision: null })
  }
})
