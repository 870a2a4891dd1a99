import { describe, expect, it } from 'vitest'
import { ANNA, startedRules } from '#support/homes/rules-home.ts'
import { SELF_TRIGGERS_MAX } from './loop-guard.ts'

/**
 * Scenes and automations that set each other off take no time: what is not cut here never lets anything else happen.
 */
describe('automations that set each other off through scenes', () => {
  it('are cut however long the ring is', async () => {
    const h = startedRules()
    const ring = Array.from({ length: 12 }, (_, place) => `scene-${place}`)
    for (const scene of ring) h.scene(scene, [])
    for (const [place, scene] of ring.entries()) {
      h.automation({ mode: 'restart', when: [{ scene }], then: [{ scene: ring[(place + 1) % ring.length]! }] })
    }
    h.rules.runScene('scene-0', ANNA, 'person')
    await h.pass(1_000)
    expect(h.rules.automations.list().filter((rule) => rule.paused)).toHaveLength(1)
    expect(h.entries('run').length).toBeLessThan(2 * ring.length * (SELF_TRIGGERS_MAX + 5))
  })

  it('are bounded where every one sets off ten others', async () => {
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
    h.rules.runScene('scene-0-0', ANNA, 'person')
    await h.pass(1_000)
    expect(h.entries('run').filter((what) => what === 'ran').length).toBeLessThan(10_000)
    expect(h.entries('skipped')).toContain('did not run: too many automations set each other off')
  })
})
