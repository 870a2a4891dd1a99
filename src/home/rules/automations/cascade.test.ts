// @module-tag repeated
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { ANNA, on, type RulesHome, startedRules } from '#support/homes/rules-home.ts'
import { times } from '#support/long.ts'
import type { Step } from '../../model/rules.ts'
import { CASCADE, RUNS_PER_CAUSE } from '../runs/cascade-limits.ts'
import { SELF_TRIGGERS_MAX } from './automation-engine.ts'

/** Scenes and automations that trigger each other take no time: without a limit, nothing else would ever run. */
describe('automations that trigger each other through scenes', () => {
  it('are stopped, however long the ring is', async () => {
    const h = startedRules()
    const ring = Array.from({ length: 12 }, (_, place) => `scene-${place}`)
    for (const scene of ring) h.scene(scene, [])
    for (const [place, scene] of ring.entries()) {
      h.automation({ mode: 'restart', when: [{ scene }], then: [{ scene: ring[(place + 1) % ring.length]! }] })
    }
    h.rules.scenes.run('scene-0', ANNA, 'person')
    await h.pass(1_000)
    expect(h.rules.automations.list().filter((rule) => rule.paused)).toHaveLength(1)
    expect(h.entries('run').length).toBeLessThan(2 * ring.length * (SELF_TRIGGERS_MAX + 5))
  })

  it('are limited if every one triggers ten others', async () => {
    const h = startedRules()
    const layers = Array.from({ length: 5 }, (_, layer) =>
      Array.from({ length: 10 }, (__, place) => `scene-${layer}-${place}`),
    )
    for (const scene of layers.flat()) h.scene(scene, [])
    for (const [layer, scenes] of layers.entries()) {
      const next = layers[layer + 1]
      if (next)
        for (const _ of scenes)
          h.automation({
            mode: 'restart',
            when: scenes.map((scene) => ({ scene })),
            then: next.map((scene) => ({ scene })),
          })
    }
    h.rules.scenes.run('scene-0-0', ANNA, 'person')
    await h.pass(1_000)
    // Each run counts with the ten scenes that it starts, the last of them on credit.
    expect(h.entries('run').length).toBeLessThanOrEqual(RUNS_PER_CAUSE.burst + 12)
    expect(h.entries('skipped')).toEqual([SPENT])
  })

  it('one that runs the scene which triggers it is a loop', async () => {
    const h = startedRules()
    const [id] = knot(h, 1)
    h.rules.scenes.run('knot', ANNA, 'person')
    await h.pass(1_000)
    expect(h.entries('run')).toHaveLength(1 + 2 * (SELF_TRIGGERS_MAX + 1))
    expect(h.rules.automations.get(id!)?.paused).toBe(true)
  })

  it('trigger no more runs than one cause may, reported by one entry, without affecting other causes', async () => {
    const h = startedRules()
    knot(h, 300)
    h.scene('other', [])
    h.scene('after', [])
    const other = { source: 'unit', name: 'touched', ref: 'hall' } as const
    h.automation({ name: 'First', when: [{ device: 'hall', state: 'on', is: true }], then: [{ scene: 'other' }] })
    h.automation({ name: 'Second', when: [{ scene: 'other' }], then: [{ scene: 'after' }] })
    h.automation({ name: 'Third', when: [{ scene: 'after' }], then: [on('lamp')] })
    h.power('hall', false)
    h.rules.scenes.run('knot', ANNA, 'person')
    h.power('hall', true, other)
    await h.pass(0)
    expect(h.entries('run').length).toBeLessThanOrEqual(RUNS_PER_CAUSE.burst + 10)
    expect(limitEntries(h)).toHaveLength(1)
    expect(h.devices).toEqual(['lamp'])
    await h.pass(1_000)
    expect(h.rules.runs.underWay()).toEqual([])
  })

  test('wait in delays and still count for their original cause', { tags: ['long'] }, async () => {
    const h = startedRules()
    knot(h, 300, [{ delay: 5 }])
    const lamp = { mode: 'restart', when: [{ scene: 'knot' }], then: [on('lamp')] } as const
    const held = h.automation(lamp)
    const barred = h.automation({ ...lamp, if: [{ device: 'hall', state: 'on', is: true }] })
    h.rules.scenes.run('knot', ANNA, 'person')
    await h.pass(10 * 60_000)
    expect(h.entries('run').length).toBeLessThanOrEqual(RUNS_PER_CAUSE.burst + 10 * 60 * RUNS_PER_CAUSE.perSecond + 10)
    expect(limitEntries(h)).toHaveLength(1)
    expect(h.rules.engine.limitedRun(held)?.limit).toBe('cause')
    // Its condition was not met, independent of its cause.
    expect(h.rules.engine.limitedRun(barred)).toBeNull()
  })

  it('of many causes of one unit are limited together', async () => {
    const h = startedRules((it) => {
      it.scene('next', [])
      it.automation({ mode: 'restart', when: [{ device: 'eye', detection: 'motion' }], then: [{ scene: 'next' }] })
      it.automation({ mode: 'restart', when: [{ scene: 'next' }], then: [on('lamp')] })
    })
    for (let count = 0; count < 2 * CASCADE.burst; count += 1) {
      h.detect('eye')
      await h.pass(0)
    }
    expect(h.devices).toHaveLength(CASCADE.burst)
    expect(limitEntries(h)).toEqual(['did not run: too many automations set each other off'])
  })

  test('are limited in every combination', { tags: ['long'] }, async () => {
    await fc.assert(
      fc.asyncProperty(homes(), async ({ scenes, automations }) => {
        const h = startedRules()
        for (let scene = 0; scene < scenes; scene += 1) h.scene(`s${scene}`, [])
        for (const { mode, when, then } of automations) {
          const steps = then.map((to) => (to === null ? { delay: 0.1 } : { scene: `s${to % scenes}` }))
          h.automation({ mode, when: [{ scene: `s${when % scenes}` }], then: steps })
        }
        h.rules.scenes.run('s0', ANNA, 'person')
        await h.pass(10_000)
        const most = Math.max(...automations.map(({ then }) => then.length))
        const bound = RUNS_PER_CAUSE.burst + 10 * (RUNS_PER_CAUSE.perSecond * (1 + most)) + 2 + most
        expect(h.entries('run').filter((what) => what === 'ran').length).toBeLessThanOrEqual(bound)
        expect(limitEntries(h).length).toBeLessThanOrEqual(1)
      }),
      { numRuns: times(10, 300) },
    )
  })
})

const SPENT = 'did not run: its cause had already set off too many runs'

const limitEntries = (h: RulesHome): string[] =>
  h.entries('skipped').filter((what) => what === SPENT || what.includes('each other'))

/** Many automations, each triggered by the scene that all of them run. */
function knot(h: RulesHome, count: number, before: readonly Step[] = []): readonly string[] {
  h.scene('knot', [])
  const draft = { mode: 'restart', when: [{ scene: 'knot' }], then: [...before, { scene: 'knot' }] } as const
  return Array.from({ length: count }, () => h.automation(draft))
}

/** Homes whose automations run the scenes that trigger others; null stands for a delay. */
function homes() {
  const automation = fc.record({
    mode: fc.constantFrom('single' as const, 'restart' as const, 'queued' as const),
    when: fc.nat(),
    then: fc.array(fc.option(fc.nat(), { freq: 8 }), { minLength: 1, maxLength: 5 }),
  })
  return fc.record({
    scenes: fc.integer({ min: 1, max: 4 }),
    automations: fc.array(automation, { minLength: 1, maxLength: 120, size: 'max' }),
  })
}
