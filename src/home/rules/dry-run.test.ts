// @module-tag repeated
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANNA, automation, RulesHome } from '#support/homes/rules-home.ts'
import { times } from '#support/long.ts'
import type { Step } from '../model/house.ts'
import { isTimed } from '../model/rules.ts'
import { FORESEEN_MAX, type ForeseenStep } from './runs/dry-run.ts'
import type { StepFailure } from '../ports/rule-store.ts'

const HERS = { integration: 'i1', link: 'hers' }
const THEIRS = { integration: 'i2', link: 'theirs' }
const DEVICES = ['a', 'b', 'silent', 'door'] as const
const HOUR = 3_600_000

/** A run of an automation triggered by motion, with two scenes and any obstacles. */
interface Case {
  readonly then: readonly Step[]
  readonly scenes: readonly (readonly Step[])[]
  readonly refused: readonly ('hers' | 'theirs')[]
}

const device = fc.record({ device: fc.constantFrom(...DEVICES), op: fc.constant('open' as const) })
const delay = fc.record({ delay: fc.constantFrom(0.5, 2, 90) })
const cases: fc.Arbitrary<Case> = fc.record({
  // Each scene once: a newer run of a scene ends the older one.
  then: fc
    .tuple(fc.array(fc.oneof(device, delay), { minLength: 1, maxLength: 5 }), fc.subarray(['s0', 's1', 'gone']))
    .chain(([steps, scenes]) =>
      fc.shuffledSubarray([...steps, ...scenes.map((scene) => ({ scene }))], { minLength: 1 }),
    ),
  scenes: fc.array(fc.array(fc.oneof(device, delay), { maxLength: 4 }), { minLength: 2, maxLength: 2 }),
  refused: fc.subarray(['hers', 'theirs'] as const),
})

function homeOf({ then, scenes, refused }: Case): { readonly home: RulesHome; readonly id: string } {
  const home = new RulesHome()
  for (const [index, steps] of scenes.entries()) home.scene(`s${index}`, steps)
  home.scenes.set('s1', { ...home.scenes.get('s1')!, author: THEIRS })
  home.control.failures.set('silent', { kind: 'no_answer' })
  const draft = automation({ when: [{ device: 'eye', detection: 'motion' }], then })
  const made = home.rules.automations.create(draft, HERS, ANNA)
  if (!made.ok) throw new Error(made.error.kind)
  home.rules.start()
  // A start switches off rules without permission; here the permission ends while the gateway runs.
  for (const link of refused) home.refusals.set(link, 'unlock_off')
  return { home, id: made.value.id }
}

/** The dry run's result for each step that names a device, including those in scenes. */
function flat(steps: readonly ForeseenStep[]): readonly ForeseenStep[] {
  return steps.flatMap((step) => [step, ...flat(step.inner)])
}

const failuresOf = (steps: readonly ForeseenStep[]): Partial<StepFailure>[] =>
  steps.flatMap(({ step, obstacle }, index) =>
    obstacle ? [{ step: index, ...named(step), reason: obstacle.kind }] : [],
  )

const named = (step: Step): object =>
  'device' in step ? { device: step.device } : 'scene' in step ? { scene: step.scene } : {}

describe('a dry run', () => {
  it('predicts the run: its steps, their times, and the reasons of failures', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (tried) => {
        const { home, id } = homeOf(tried)
        const rule = home.rules.automations.get(id)!
        const foreseen = home.rules.trials.steps(rule.then, [HERS])
        expect([home.control.sent, home.log.filter(({ kind }) => kind !== 'edited')]).toEqual([[], []])
        const start = home.clock.now()
        home.detect('eye')
        await home.pass(HOUR)
        const made = home.control.sent.map(({ device: key, at }) => `${(at - start) / 1_000} ${key}`)
        const wanted = flat(foreseen).flatMap(({ step, after, obstacle }) =>
          'device' in step && obstacle?.kind !== 'not_allowed' ? [`${after} ${step.device}`] : [],
        )
        expect(made.toSorted()).toEqual(wanted.toSorted())
        const failed = (subject: string): unknown => {
          const entry = home.log.find(
            (step) => step.kind === 'failed' && 'id' in step.subject && step.subject.id === subject,
          )
          const failures = (entry?.data?.['failures'] ?? []) as readonly StepFailure[]
          return failures.toSorted((a, b) => a.step - b.step)
        }
        expect(failed(id)).toEqual(failuresOf(foreseen))
        for (const { step, inner } of foreseen)
          if ('scene' in step) expect(failed(step.scene)).toEqual(failuresOf(inner))
      }),
      { numRuns: times(20, 2_000) },
    )
  })

  it('predicts a run exactly when one starts, regardless of earlier queries', async () => {
    const states = fc.record({ isOn: fc.option(fc.boolean()), enabled: fc.boolean(), wanted: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(states, async ({ isOn, enabled, wanted }) => {
        const home = new RulesHome()
        const draft = automation({
          enabled,
          when: [{ device: 'eye', detection: 'motion' }],
          if: [{ device: 'lamp', state: 'on', is: wanted }, { after: '08:00' }],
        })
        if (isOn !== null) home.power('lamp', isOn)
        const because = home.rules.trials.reasonNotToRun(draft, { device: () => 'Lamp', scene: () => null })
        home.rules.start()
        home.automation(draft)
        home.detect('eye')
        await home.pass(1_000)
        expect(home.entries('run').length).toBe(because === null ? 1 : 0)
        expect(home.rules.trials.conditions(draft.if).map(({ holds }) => holds)).toEqual([isOn === wanted, true])
      }),
      { numRuns: times(5, 100) },
    )
  })

  it('knows the next runs of an unsaved draft, over a clock change and with the sun', async () => {
    const home = new RulesHome({ at: '2027-10-29T12:00:00+02:00' })
    home.rules.start()
    const draft = automation({
      when: [
        { time: '02:30' },
        { sun: 'sunset', offset: -10 },
        { time: '02:30', days: [7] },
        { device: 'eye', detection: 'motion' },
      ],
    })
    const moments = home.rules.trials.moments(draft.when.filter((trigger) => isTimed(trigger)))
    expect(moments).toHaveLength(10)
    expect(new Set(moments).size).toBe(10)
    const id = home.automation(draft)
    expect(home.rules.timed.nextOf('automation', id)).toBe(moments[0])
    expect(home.rules.trials.momentsOf('automation', id)).toEqual(moments)
    await home.pass(moments[3]! - home.clock.now())
    expect(home.control.sent.map(({ at }) => at)).toEqual(moments.slice(0, 4))
  })

  it('expands a scene once, however often it is run', () => {
    const home = new RulesHome()
    home.scene('s', [{ device: 'a', op: 'open' }])
    const steps = home.rules.trials.steps([{ scene: 's' }, { delay: 1 }, { scene: 's' }], [])
    expect(steps.map(({ inner }) => inner.length)).toEqual([1, 0, 0])
  })

  it('returns a bounded number of steps, whatever scenes it runs', () => {
    const home = new RulesHome()
    const scenes = Array.from({ length: 20 }, (_, index) => `s${index}`)
    for (const scene of scenes)
      home.scene(
        scene,
        Array.from({ length: 100 }, (): Step => ({ device: 'a', op: 'open' })),
      )
    const steps = home.rules.trials.steps(
      scenes.map((scene) => ({ scene })),
      [],
    )
    expect(steps).toHaveLength(20)
    expect(flat(steps).length).toBeLessThan(FORESEEN_MAX + 100 + 20)
  })
})
