// @module-tag repeated
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANNA, on, RulesHome, startedRules } from '#support/homes/rules-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import type { SceneStep } from '../../model/steps.ts'
import { ENDED_RUN_MS, ENDED_RUNS_MAX } from './run-report.ts'

const MINUTE = 60_000
const ANYONE = { source: 'integration', name: 'API: Panel', integration: 'i', link: 'l' } as const

const started = (steps: readonly SceneStep[]): RulesHome => startedRules((home) => home.scene('evening', steps))

const run = (home: RulesHome): string => home.rules.scenes.run('evening', ANNA, 'person')?.runId ?? ''
const states = (home: RulesHome, id: string) => home.rules.runs.find(id)?.steps.map(({ state }) => state)

describe('a run', () => {
  it('reports its progress, its failures, and the end of its wait', async () => {
    const h = started([on('a'), on('b'), { delay: 5 }, on('c')])
    h.control.delayMs = 1_000
    h.control.failures.set('b', { kind: 'no_answer' })
    const at = h.clock.now()
    const id = run(h)
    await h.pass(500)
    expect(h.rules.runs.find(id)).toMatchObject({ id, of: { kind: 'scene', id: 'evening' }, progress: 'running' })
    expect(states(h, id)).toEqual(['running', 'running', 'next', 'next'])
    await h.pass(1_000)
    expect(h.rules.runs.find(id)).toMatchObject({
      progress: 'waiting',
      startedAt: at,
      until: at + 6_000,
      endedAt: null,
    })
    expect(states(h, id)).toEqual(['done', 'failed', 'waiting', 'next'])
    await h.pass(10_000)
    expect(h.rules.runs.find(id)).toMatchObject({ progress: 'finished', until: null, endedAt: at + 7_000 })
    expect(h.rules.runs.find(id)?.steps[1]).toMatchObject({ state: 'failed', reason: 'no_answer' })
    expect(h.rules.runs.underWay()).toEqual([])
  })

  it('is stopped before its next step, and the activity names the cause', async () => {
    const h = started([on('a'), { delay: 90 }, on('b')])
    const id = run(h)
    await h.pass(MINUTE)
    expect(h.rules.runs.stop(id, ANYONE)).toMatchObject({ progress: 'stopped', endedAt: h.clock.now(), until: null })
    await h.pass(MINUTE)
    expect(h.devices).toEqual(['a'])
    expect(states(h, id)).toEqual(['done', 'left_out', 'left_out'])
    expect(h.log.at(-1)).toMatchObject({
      kind: 'skipped',
      subject: { kind: 'scene', id: 'evening' },
      what: 'was stopped before its end',
      cause: ANYONE,
      data: { run: id, step: 1, steps: 3 },
    })
    expect(h.rules.scenes.running('evening')).toBe(false)
    // An ended run stays as it is, and nothing is logged.
    const logged = h.log.length
    expect(h.rules.runs.stop(id, ANNA)).toMatchObject({ progress: 'stopped' })
    expect(h.rules.runs.stop('invented', ANNA)).toBeUndefined()
    expect(h.log).toHaveLength(logged)
    expect(h.core.db.prepare('SELECT count(*) AS n FROM rule_runs').get()).toEqual({ n: 0 })
  })

  it("that is stopped during a command reports the command's result in the end", async () => {
    const h = started([on('a'), on('a')])
    h.control.delayMs = 1_000
    const id = run(h)
    await h.pass(500)
    h.rules.runs.stop(id, ANYONE)
    expect(states(h, id)).toEqual(['running', 'left_out'])
    await h.pass(1_000)
    expect(states(h, id)).toEqual(['done', 'left_out'])
  })

  it('that a newer one replaced was stopped', async () => {
    const h = started([{ delay: 5 }])
    const [first, second] = [run(h), run(h)]
    await h.pass(1_000)
    expect(h.rules.runs.find(first)).toMatchObject({ progress: 'stopped' })
    expect(h.rules.runs.underWay().map(({ id }) => id)).toEqual([second])
  })

  it('that waits for its turn can be queried and stopped; the others continue', async () => {
    const h = new RulesHome()
    h.automation({
      mode: 'queued',
      when: [{ device: 'eye', detection: 'motion' }],
      then: [on('a'), { delay: 5 }],
    })
    h.rules.start()
    for (let times = 0; times < 3; times += 1) h.detect('eye')
    await h.pass(1_000)
    const [active, second, third] = h.rules.runs.underWay()
    expect([active, second, third].map((run) => run?.progress)).toEqual(['waiting', 'queued', 'queued'])
    h.rules.runs.stop(second!.id, ANYONE)
    expect(h.rules.runs.find(second!.id)).toMatchObject({ progress: 'stopped' })
    await h.pass(5_000)
    expect(h.rules.runs.find(third!.id)).toMatchObject({ progress: 'waiting' })
    await h.pass(5_000)
    expect(h.devices).toEqual(['a', 'a'])
  })

  it('can be queried for a while after its end, but only the last few for each subject', async () => {
    const h = started([on('a')])
    h.scene('night', [on('b')])
    const other = h.rules.scenes.run('night', ANNA, 'person')!.runId
    await h.pass(1_000)
    const ids: string[] = []
    for (let count = 0; count <= ENDED_RUNS_MAX; count += 1) {
      ids.push(run(h))
      await h.pass(1_000)
    }
    expect(ids.map((id) => h.rules.runs.find(id) !== undefined)).toEqual([false, ...ids.slice(1).map(() => true)])
    expect(h.rules.runs.find(other)).toBeDefined()
    await h.pass(ENDED_RUN_MS - 2_000)
    expect(h.rules.runs.find(ids.at(-1)!)).toBeDefined()
    await h.pass(2_000)
    expect(ids.filter((id) => h.rules.runs.find(id) !== undefined)).toEqual([])
    run(h)
    await h.pass(1_000)
    expect(h.rules.runs.find(other)).toBeUndefined()
  })
})

describe('over a restart', () => {
  it('a continued run keeps its id and its earlier failures', async () => {
    let h = started([on('a'), { delay: 600 }, on('b')])
    h.control.failures.set('a', { kind: 'no_answer' })
    const id = run(h)
    await h.pass(MINUTE)
    h = h.restarted(MINUTE)
    h.rules.start()
    await h.pass(0)
    expect(h.rules.runs.find(id)).toMatchObject({ progress: 'waiting', until: h.clock.now() + 8 * MINUTE })
    expect(states(h, id)).toEqual(['failed', 'waiting', 'next'])
    await h.pass(8 * MINUTE)
    expect(states(h, id)).toEqual(['failed', 'done', 'done'])
    expect(h.entries('failed')).toEqual(['ran, but not every step succeeded'])
  })

  it('a run whose end could not be stored at first is not repeated', async () => {
    let h = started([on('a'), { delay: 90 }, on('b')])
    run(h)
    await h.pass(MINUTE)
    h.core.db.pragma('query_only = ON')
    await h.pass(MINUTE)
    expect(h.devices).toEqual(['a', 'b'])
    h.core.db.pragma('query_only = OFF')
    await h.pass(MINUTE)
    h = h.restarted(0)
    h.rules.start()
    await h.pass(5 * MINUTE)
    expect(h.devices).toEqual([])
  })

  it('an interrupted run was stopped, and the result of its current step is unknown', async () => {
    let h = started([on('a'), on('a'), on('b'), { delay: 30 }])
    h.control.delayMs = MINUTE
    const id = run(h)
    await h.pass(1.5 * MINUTE)
    h = h.restarted(0)
    h.rules.start()
    expect(h.rules.runs.find(id)).toMatchObject({ progress: 'stopped' })
    expect(states(h, id)).toEqual(['done', 'unknown', 'unknown', 'left_out'])
  })

  proves('automations.short-runs', 'a run without a delay is not stored, so it needs no disk', async () => {
    let h = started([on('a'), on('a'), on('b')])
    h.automation({ mode: 'queued', when: [{ device: 'eye', detection: 'motion' }], then: [on('c')] })
    const written = (): unknown => h.core.db.prepare('SELECT total_changes() AS n').get()
    const before = written()
    const id = run(h)
    for (let turn = 0; turn < 3; turn += 1) h.detect('eye')
    await h.pass(MINUTE)
    expect(h.devices).toEqual(['a', 'c', 'a', 'b', 'c', 'c'])
    expect(states(h, id)).toEqual(['done', 'done', 'done'])
    expect(written()).toEqual(before)
    h = h.restarted(0)
    h.rules.start()
    expect([h.rules.runs.find(id), h.log]).toEqual([undefined, []])
  })
})

describe('any stop or interruption', () => {
  /** A step for its own device, or a wait of some seconds. */
  const plan = fc.array(fc.option(fc.integer({ min: 1, max: 200 })), { maxLength: 8 })
  const events = fc.array(
    fc.record({ afterMs: fc.integer({ min: 0, max: 90_000 }), what: fc.constantFrom('stop', 'restart') }),
    { maxLength: 3 },
  )

  it('reports for each step what was really sent', async () => {
    await fc.assert(
      fc.asyncProperty(plan, fc.boolean(), events, async (waits, slow, what) => {
        const steps = waits.map((delay, index): SceneStep => (delay === null ? on(`d${index}`) : { delay }))
        let h = started(steps)
        const sent: string[] = []
        h.control.delayMs = slow ? 700 : 0
        h.control.failures.set('d1', { kind: 'no_answer' })
        const id = run(h)
        for (const event of what) {
          await h.pass(event.afterMs)
          if (event.what === 'stop') h.rules.runs.stop(id, ANYONE)
          else {
            sent.push(...h.devices)
            h = h.restarted(1_000)
            h.rules.start()
          }
        }
        let report = h.rules.runs.find(id)
        // A stopped run has ended; its last command may still be pending.
        for (let minutes = 0; minutes === 0 || h.rules.runs.underWay().length > 0; minutes += 1) {
          expect(minutes).toBeLessThan(40)
          await h.pass(MINUTE)
          report = h.rules.runs.find(id)
        }
        sent.push(...h.devices)
        // A restart forgets a run that ended before it.
        if (report === undefined) return
        expect(['finished', 'stopped']).toContain(report.progress)
        for (const [index, { state }] of report.steps.entries()) {
          const count = sent.filter((device) => device === `d${index}`).length
          const isWait = waits[index] !== null
          if (state === 'done' && !isWait) expect(count).toBe(1)
          else if (state === 'failed') expect([index, count]).toEqual([1, 1])
          else if (state === 'unknown') expect(count).toBeLessThanOrEqual(1)
          else {
            expect(isWait ? ['done', 'left_out'] : ['left_out']).toContain(state)
            expect(count).toBe(0)
          }
        }
      }),
      { numRuns: times(12, 1_000) },
    )
  })
})
