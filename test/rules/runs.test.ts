import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { power, RuleCalls, statusAndCode } from '#support/gateway/rule-calls.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { passTime, SECOND } from '#support/homes/intent-house.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'stream' })

const HALL_LIGHT = 11

/** The whole response for a hidden or invented run. `argument` is the tool's. */
function notFound(home: TestHome, argument = 'id'): string {
  const message =
    home.transport === 'mcp'
      ? `${argument}: there is no such run here. Ids come from the tool rules with kind run.`
      : 'There is no such run here. Ids come from GET /v1/runs.'
  return JSON.stringify({ error: { code: 'not_found', message } })
}

interface RunJson {
  readonly runId: string
  readonly of: string
  readonly state: string
  readonly until: number | null
  readonly endedAt: number | null
  readonly steps: readonly { readonly step: object; readonly state: string; readonly error?: { code: string } }[]
}

interface Entry {
  readonly device: string
  readonly kind: string
  readonly data?: { readonly run: string }
}

/** A scene with a long wait, and a waiting run of it. */
async function waiting(home: TestHome, steps: readonly object[]): Promise<{ scene: string; runId: string }> {
  const { id: scene } = await new RuleCalls(home, 'scene').create({ name: 'Slow', steps: [...steps, { delay: 100 }] })
  const answer = await clock.hasten(home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(scene)}/run` }))
  expect(answer.status, answer.text).toBe(200)
  const { runId } = (answer.body as { run: { runId: string } }).run
  const waits = async (): Promise<void> => {
    while (runOf(await ask(home, runId)).state !== 'waiting') continue
  }
  await clock.hasten(waits())
  return { scene, runId }
}

const ask = (home: TestHome, runId: string, who: TestIntegration = home.main): Promise<RawAnswer> =>
  home.call({ method: 'GET', path: `/v1/runs/${runId}`, token: who.token })
const stop = (home: TestHome, runId: string, who: TestIntegration = home.main): Promise<RawAnswer> =>
  home.call({ method: 'POST', path: `/v1/runs/${runId}/stop`, token: who.token })
const runOf = ({ body, status, text }: RawAnswer): RunJson => {
  expect(status, text).toBe(200)
  return (body as { run: RunJson }).run
}

/** An automation that was triggered and waits in its only step; returns its id. */
async function startedAutomation(home: TestHome): Promise<string> {
  const { id } = await new RuleCalls(home, 'automation').create({
    name: 'Slow',
    when: [{ device: home.id('guest-light'), state: 'on', is: true }],
    then: [{ delay: 100 }],
  })
  for (const on of [false, true]) {
    const body = { op: 'set_power', args: { on } }
    await clock.hasten(home.call({ method: 'POST', path: home.at('guest-light', '/control'), body }))
  }
  await passTime(home, clock, SECOND)
  return id
}

describe('a run', () => {
  verifies('automations.runs', 'reports the end of its wait, its completed steps, and its end', async (home) => {
    const { scene, runId } = await waiting(home, [power(home, 'study-light', true)])
    const run = runOf(await ask(home, runId))
    expect(run).toMatchObject({ runId, kind: 'scene', of: scene, state: 'waiting', endedAt: null })
    expect(run.until).toBeGreaterThan(clock.now() + 90 * SECOND)
    expect(run.steps).toEqual([
      { step: power(home, 'study-light', true), state: 'done' },
      { step: { delay: 100 }, state: 'waiting' },
    ])
    const { runs } = (await home.get('/v1/runs')) as { runs: RunJson[] }
    const { steps: _, ...entry } = run
    expect(runs).toEqual([entry])
    await passTime(home, clock, 110 * SECOND)
    expect(runOf(await ask(home, runId))).toMatchObject({ state: 'done', until: null, steps: [{}, { state: 'done' }] })
    expect(await home.get('/v1/runs')).toMatchObject({ runs: [] })
  })

  verifies('automations.run-stop', 'can be stopped, once; the activity names the cause', async (home) => {
    const { scene, runId } = await waiting(home, [])
    expect(runOf(await stop(home, runId))).toMatchObject({ state: 'stopped', steps: [{ state: 'left_out' }] })
    expect(runOf(await stop(home, runId))).toMatchObject({ state: 'stopped' })
    expect(await new RuleCalls(home, 'scene').get(scene)).toMatchObject({ running: false })
    const { entries } = (await home.get('/v1/activity')) as { entries: { device: string; what: string }[] }
    expect(entries.filter(({ device, what }) => device === scene && what.includes('stopped'))).toEqual([
      expect.objectContaining({
        kind: 'skipped',
        what: 'was stopped before its end',
        cause: expect.objectContaining({ link: home.main.link }) as object,
      }),
    ])
    const { items } = (await home.get(`/v1/devices/${encodeURIComponent(scene)}/explain`)) as {
      items: { what: string }[]
    }
    expect(items.map(({ what }) => what)).toContainEqual(
      expect.stringMatching(/^Scene Slow was stopped before its end \(.*, asked by /),
    )
  })

  verifies(
    'automations.run-hidden',
    'shows only visible steps, and is not found without access to its subject',
    async (home) => {
      home.running.sim.silence(HALL_LIGHT, true)
      const { scene, runId } = await waiting(home, [power(home, 'study-light', true), power(home, 'hall-light', true)])
      const local = `scene:${scene.split(':').at(-1)!}`
      const narrow = await home.integrate({ expose: ['unit:study-light', local] })
      const blind = await home.integrate({ expose: ['unit:study-light'] })
      expect(runOf(await ask(home, runId, narrow))).toMatchObject({
        of: home.id(local, narrow),
        steps: [{ step: power(home, 'study-light', true, narrow) }, { step: { delay: 100 } }],
      })
      // The hidden step fails; only its viewers see that.
      await passTime(home, clock, 120 * SECOND)
      home.running.sim.silence(HALL_LIGHT, false)
      expect(runOf(await ask(home, runId))).toMatchObject({
        state: 'failed',
        steps: [{ state: 'done' }, { state: 'failed', error: { code: 'unit_unreachable' } }, { state: 'done' }],
      })
      expect(runOf(await ask(home, runId, narrow))).toMatchObject({ state: 'done' })
      expect((await ask(home, runId, blind)).text).toBe(notFound(home))
      expect((await stop(home, runId, blind)).text).toBe(notFound(home, 'device'))
      expect((await ask(home, 'invented', blind)).text).toBe(notFound(home))
      expect(await home.get('/v1/runs', blind.token)).toMatchObject({ runs: [] })
    },
  )

  verifies('automations.run-hidden', 'of an automation is visible while the knob is on', async (home) => {
    const id = await startedAutomation(home)
    const { runs } = (await home.get('/v1/runs')) as { runs: RunJson[] }
    const { runId } = runs.find(({ of }) => of === id)!
    const without = await home.integrate({ settings: { automations: 'off' } })
    expect((await ask(home, runId, without)).text).toBe(notFound(home))
    expect(await home.get('/v1/runs', without.token)).toMatchObject({ runs: [] })
    expect(runOf(await stop(home, runId))).toMatchObject({ kind: 'automation', of: id, state: 'stopped' })
    await new RuleCalls(home, 'automation').edit(id, { enabled: false, ifRevision: 1 })
  })

  verifies(['activity.run', 'automations.run-hidden'], 'is named by its activity, and only the run', async (home) => {
    home.running.sim.silence(HALL_LIGHT, true)
    const { scene, runId } = await waiting(home, [power(home, 'hall-light', true)])
    await passTime(home, clock, 120 * SECOND)
    home.running.sim.silence(HALL_LIGHT, false)
    const local = `scene:${scene.split(':').at(-1)!}`
    const narrow = await home.integrate({ expose: ['unit:study-light', local] })
    const runEntries = async (who: TestIntegration): Promise<object[]> => {
      const { entries } = (await home.get('/v1/activity', who.token)) as { entries: Entry[] }
      const about = entries.filter(({ device, kind }) => device === home.id(local, who) && kind !== 'edited')
      return about.map(({ kind, data }) => ({ kind, data }))
    }
    const [ran, failed] = ['run', 'failed'].map((kind) => ({ kind, data: { run: runId } }))
    expect(await runEntries(home.main)).toEqual([failed, ran])
    expect(await runEntries(narrow)).toEqual([ran])
    for (const who of [home.main, narrow]) expect(runOf(await ask(home, runId, who))).toMatchObject({ runId })
  })

  verifies('activity.run', 'of a deleted automation is visible to nobody', async (home) => {
    const id = await startedAutomation(home)
    const ran = async (): Promise<Entry> => {
      const { entries } = (await home.get('/v1/activity?kind=run')) as { entries: Entry[] }
      return entries.find(({ device }) => device === id)!
    }
    const { run } = (await ran()).data!
    expect(runOf(await ask(home, run))).toMatchObject({ kind: 'automation', of: id })
    await home.running.admin.call('DELETE', `/automations/${id.split(':').at(-1)!}`)
    expect((await ask(home, run)).text).toBe(notFound(home))
    expect(await ran()).not.toHaveProperty('data')
  })

  verifies('automations.run-stop-opens', 'that opens a gate is stopped only with allow_unlock', async (home) => {
    const { runId } = await waiting(home, [{ device: home.id('driveway-gate'), op: 'open' }])
    const careful = await home.integrate({ settings: { allow_unlock: 'off' } })
    expect(statusAndCode(await stop(home, runId, careful))).toEqual([403, 'unlock_not_allowed'])
    expect(runOf(await ask(home, runId, careful))).toMatchObject({ state: 'waiting' })
    expect(runOf(await stop(home, runId))).toMatchObject({ state: 'stopped' })
    expect(runOf(await stop(home, runId, careful))).toMatchObject({ state: 'stopped' })
  })
})
