import { describe, expect } from 'vitest'
import { GATEWAY_CAUSE } from '../../src/home/model/events.ts'
import { RUNS_PER_CAUSE } from '../../src/home/rules/runs/cascade-limits.ts'
import { type TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { passTime, MINUTE, SECOND } from '#support/homes/intent-house.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { activityPage } from '#support/gateway/activity-calls.ts'
import { ExplainCalls } from '#support/gateway/explain-calls.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { commandsOf, awaitState } from '#support/gateway/await-home.ts'

const clock = new PassingClock()
const SPENT = 'did not run: its cause had already set off too many runs'
const verifies = verifiesIn(() => ({ clock }), { over: 'http' })

const isOn = (home: TestHome, local: string) => clock.hasten(awaitState(home, local, ({ on }) => on === true))

async function turn(home: TestHome, local: string, on: boolean): Promise<void> {
  const answer = await clock.hasten(
    home.call({ method: 'POST', path: home.at(local, '/control'), body: { op: 'set_power', args: { on } } }),
  )
  expect(answer.status, answer.text).toBe(200)
}

/** An automation that turns the studio light on, ready to trigger; ends it again after `run`. */
async function automated(home: TestHome, body: object, run: (id: string) => Promise<void>): Promise<void> {
  await turn(home, 'studio-light', false)
  const automations = new RuleCalls(home, 'automation')
  const { id, revision } = await automations.create({
    name: 'Tested',
    then: [power(home, 'studio-light', true)],
    ...body,
  })
  await run(id)
  await automations.edit(id, { enabled: false, ifRevision: revision })
}

async function entriesOf(
  home: TestHome,
  id: string,
): Promise<{ kind: string; what: string; cause: { source: string; name: string } }[]> {
  const { body } = await home.call({ method: 'GET', path: '/v1/activity', query: { limit: '200' } })
  return (body as { entries: { device: string; kind: string; what: string; cause: never }[] }).entries.filter(
    ({ device }) => device === id,
  )
}

describe('an automation is triggered', () => {
  verifies('automations.triggers', 'by a state that starts', { tags: ['long'] }, async (home) => {
    await turn(home, 'guest-light', false)
    await automated(home, { when: [{ device: home.id('guest-light'), state: 'on', is: true }] }, async () => {
      home.running.sim.touch(83, null, 'up')
      await isOn(home, 'studio-light')
    })
  })

  verifies('automations.triggers', 'by a state that lasts', { tags: ['long'] }, async (home) => {
    await turn(home, 'guest-light', false)
    await automated(home, { when: [{ device: home.id('guest-light'), state: 'on', is: true, for: 120 }] }, async () => {
      await turn(home, 'guest-light', true)
      await passTime(home, clock, 110 * SECOND)
      expect(await home.get(home.at('studio-light'))).toMatchObject({ device: { state: { on: false } } })
      await passTime(home, clock, 10 * SECOND)
      await isOn(home, 'studio-light')
    })
  })

  verifies('automations.triggers', 'by a reading, and by a detection', { tags: ['long'] }, async (home) => {
    const door = home.id('terrace-door')
    for (const trigger of [
      { device: door, reading: 'door', is: true },
      { device: door, detection: 'door' },
    ]) {
      home.running.sim.house.door(35, false)
      await passTime(home, clock, SECOND)
      await automated(home, { when: [trigger] }, async () => {
        home.running.sim.house.door(35, true)
        await isOn(home, 'studio-light')
      })
    }
    // Earlier motion has ended.
    await passTime(home, clock, 5 * MINUTE)
    await automated(home, { when: [{ device: home.id('landing-sensor'), detection: 'motion' }] }, async () => {
      home.running.sim.motion('landing')
      await isOn(home, 'studio-light')
    })
  })

  verifies('automations.triggers', 'by a scene that starts', async (home) => {
    const scene = await new RuleCalls(home, 'scene').create({ name: 'Starter', steps: [{ delay: 0.1 }] })
    await automated(home, { when: [{ scene: scene.id }] }, async () => {
      await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(scene.id)}/run` })
      await isOn(home, 'studio-light')
    })
  })

  verifies(['automations.triggers', '4.automations'], 'by a time of day, once', async (home) => {
    const time = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      hour: '2-digit',
      minute: '2-digit',
    }).format(clock.now() + 2 * MINUTE)
    const before = commandsOf(home, 81)
    await automated(home, { when: [{ time }] }, async () => {
      await passTime(home, clock, 4 * MINUTE)
      await isOn(home, 'studio-light')
      expect(commandsOf(home, 81)).toBe(before + 2)
    })
  })
})

verifies(
  ['4.schedules', 'automations.schedule'],
  'a schedule runs at its local time, and with the sun',
  { tags: ['long'] },
  async (home) => {
    const schedules = new RuleCalls(home, 'schedule')
    const then = [power(home, 'studio-light', true)]
    const { home: before } = (await home.running.admin.call('GET', '/home')) as {
      home: { latitude: number; longitude: number }
    }
    // A place on the equator where the sun is about to set: there it sets about six in the evening by the sun.
    const solarHour = (clock.now() / 3_600_000) % 24
    const longitude = (((((17.5 - solarHour) * 15) % 360) + 540) % 360) - 180
    await home.running.admin.call('PATCH', '/home', { latitude: 0, longitude })
    try {
      await turn(home, 'studio-light', false)
      const made = await schedules.create({ name: 'Sunset', at: { sun: 'sunset' }, then })
      const wait = made.next! - clock.now()
      expect(wait).toBeLessThan(90 * MINUTE)
      await passTime(home, clock, wait - MINUTE)
      expect(await home.get(home.at('studio-light'))).toMatchObject({ device: { state: { on: false } } })
      await passTime(home, clock, 2 * MINUTE)
      await isOn(home, 'studio-light')
      const after = await schedules.get(made.id)
      expect(after.next! - made.next!).toBeGreaterThan(23 * 60 * MINUTE)
    } finally {
      await home.running.admin.call('PATCH', '/home', { latitude: before.latitude, longitude: before.longitude })
    }
    const time = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      hour: '2-digit',
      minute: '2-digit',
    }).format(clock.now() + 2 * MINUTE)
    await turn(home, 'studio-light', false)
    await schedules.create({ name: 'Soon', at: { time }, then })
    await passTime(home, clock, 3 * MINUTE)
    await isOn(home, 'studio-light')
  },
)

verifies(
  'automations.conditions',
  'conditions decide about each trigger: a state, a reading, a time window; the log names the unmet one',
  { tags: ['long'] },
  async (home) => {
    const local = (at: number): string =>
      new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' }).format(at)
    const window = { after: local(clock.now() - 60 * MINUTE), before: local(clock.now() + 60 * MINUTE) }
    await turn(home, 'guest-light', true)
    const guest = (is: boolean) => ({ device: home.id('guest-light'), state: 'on', is })
    const air = (test: object) => ({ device: home.id('landing-sensor'), reading: 'temperature', ...test })
    const cases = [
      [[guest(true), air({ above: -50, below: 60 }), window], true],
      [[guest(false)], false],
      [[air({ above: 60 })], false],
      [[{ after: window.before, before: window.after }], false],
      [[guest(true), guest(false)], false],
    ] as const
    for (const [conditions, runs] of cases) {
      await automated(
        home,
        { when: [{ device: home.id('landing-sensor'), detection: 'motion' }], if: conditions },
        async (id) => {
          await passTime(home, clock, 5 * MINUTE)
          home.running.sim.motion('landing')
          if (runs) return void (await isOn(home, 'studio-light'))
          const skipped = async () => (await entriesOf(home, id)).find(({ kind }) => kind === 'skipped')
          while ((await skipped()) === undefined) await clock.pass(50)
          expect(await skipped()).toMatchObject({
            what: expect.stringContaining('condition'),
            cause: { source: 'automation', name: 'Tested' },
          })
          expect(await home.get(home.at('studio-light'))).toMatchObject({ device: { state: { on: false } } })
        },
      )
    }
  },
)

verifies(
  ['4.scene-edit', '4.automations'],
  'a unit that does not answer does not stop the rest of a run, and the log reports it',
  async (home) => {
    await turn(home, 'guest-light', false)
    home.running.sim.silence(75)
    try {
      const scene = await new RuleCalls(home, 'scene').create({
        name: 'Half',
        steps: [power(home, 'study-light', true), { delay: 0.1 }, power(home, 'guest-light', true)],
      })
      await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(scene.id)}/run` })
      await isOn(home, 'guest-light')
      expect((await entriesOf(home, home.id('study-light')))[0]).toMatchObject({
        kind: 'failed',
        what: expect.stringContaining('does not answer'),
        cause: { source: 'scene', name: 'Half' },
      })
    } finally {
      home.running.sim.silence(75, false)
      // The adapter must list the unit again before the next test needs it.
      while (!home.running.gateway.home.live.reachable('study-light')) await clock.pass(SECOND)
    }
  },
)

verifies(
  '4.scene-edit',
  'steps for many units are sent as one frame; a newer run of the scene replaces the older one',
  async (home) => {
    const scenes = new RuleCalls(home, 'scene')
    const units = ['guest-light', 'study-light', 'studio-light', 'lenas-light', 'living-ceiling', 'living-lamp']
    for (const unit of units) await turn(home, unit, false)
    const many = await scenes.create({ name: 'Many', steps: units.map((unit) => power(home, unit, true)) })
    const { controls } = home.running.sim.counters
    await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(many.id)}/run` })
    for (const unit of units) await isOn(home, unit)
    expect(home.running.sim.counters.controls - controls).toBe(1)

    await turn(home, 'guest-light', false)
    const slow = await scenes.create({
      name: 'Slow',
      steps: [power(home, 'study-light', false), { delay: 10 }, power(home, 'guest-light', true)],
    })
    const run = async (): Promise<string> => {
      const { body } = await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(slow.id)}/run` })
      return (body as { run: { runId: string } }).run.runId
    }
    const first = await run()
    await passTime(home, clock, 6 * SECOND)
    expect(await run()).not.toBe(first)
    await passTime(home, clock, 8 * SECOND)
    expect(await home.get(home.at('guest-light'))).toMatchObject({ device: { state: { on: false } } })
    await passTime(home, clock, 3 * SECOND)
    await isOn(home, 'guest-light')
  },
)

verifies(
  'automations.one-cause',
  'hundreds of automations triggered by the scene that they all run are limited, and one entry reports it',
  async (home) => {
    const { rules } = home.running.gateway.home
    await turn(home, 'studio-light', false)
    const knot = await new RuleCalls(home, 'scene').create({ name: 'Knot', steps: [] })
    const [scene, device] = [knot.id.split(':').at(-1)!, 'studio-light']
    const rule = { enabled: true, when: [{ scene }], if: [], mode: 'restart' } as const
    const runKnot = Array.from({ length: 9 }, () => ({ scene }))
    for (let count = 0; count < 299; count += 1)
      rules.automations.create({ ...rule, name: `Knot ${count}`, then: runKnot }, null, GATEWAY_CAUSE)
    const lamp = [{ device, op: 'set_power', args: { on: true } }] as const
    rules.automations.create({ ...rule, name: 'Last', then: lamp }, null, GATEWAY_CAUSE)
    const settings = { automations: 'on' }
    const sees = await home.integrate({ expose: ['unit:studio-light', `scene:${scene}`], settings })
    const blind = await home.integrate({ expose: ['unit:studio-light'], settings })
    const runs = (): number => {
      const begun = rules.runs.counts.metrics.find(({ name }) => name === 'hm_runs_total')!.text()
      return [...begun.matchAll(/ (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)
    }
    const before = runs()
    const answer = await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(knot.id)}/run` })
    expect(answer.status, answer.text).toBe(200)
    expect((await home.call({ method: 'GET', path: '/v1/state' })).status).toBe(200)
    expect(runs() - before).toBeLessThanOrEqual(1 + RUNS_PER_CAUSE.burst + runKnot.length)

    const limitEntries = async (who: TestIntegration): Promise<string[]> => {
      const found: string[] = []
      for (let to: number | null = clock.now() + 1; to !== null;) {
        const { entries, nextTo } = await activityPage(home, { limit: 200, kind: 'skipped', to }, who)
        found.push(...entries.map(({ what }) => what))
        to = nextTo
      }
      return found.filter((what) => what === SPENT)
    }
    expect(await limitEntries(home.main)).toEqual([SPENT])
    expect(await limitEntries(sees)).toEqual([SPENT])
    expect(await limitEntries(blind)).toEqual([])
    const remove = (isMeant: (name: string) => boolean): void => {
      for (const { id, name } of rules.automations.list())
        if (isMeant(name)) rules.automations.delete(id, GATEWAY_CAUSE)
    }
    // Runs that continue once a second would come between two queries.
    remove((name) => name.startsWith('Knot'))
    const calls = new ExplainCalls(clock)
    expect(await calls.first(home, device)).toMatch(
      /^Automation Last did not run .*: its cause had already set off too many runs\.$/,
    )
    expect(JSON.stringify(await calls.explain(home, device, blind))).not.toMatch(/too many runs|Last|Knot/)
    remove((name) => name === 'Last')
  },
)
