// @module-tag repeated
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { ANNA, automation, CountingRandom, RulesHome } from '#support/homes/rules-home.ts'
import { times } from '#support/long.ts'
import { type Condition, isTimed, type Step } from '../model/rules.ts'
import type { SceneStep } from '../model/steps.ts'
import { FORESEEN_MAX, type ForeseenStep } from './runs/dry-run.ts'
import type { StepFailure } from '../ports/rule-store.ts'

const HERS = { integration: 'i1', link: 'hers' }
const THEIRS = { integration: 'i2', link: 'theirs' }
const DEVICES = ['a', 'b', 'silent', 'door'] as const
const HOUR = 3_600_000
const NAMES = {
  ...{ device: () => 'Lamp', scene: () => null, mode: () => null, place: () => null },
  ...{ rule: () => null, calendar: () => null, person: () => null },
}
const NEW = { author: null, of: null }
const NOBODY = { author: null, principals: [] }
/** Devices of the group of lights; one of them does not answer, and the state of the lamp may be unknown. */
const LIGHTS = ['a', 'silent', 'lamp'] as const

/** A run of an automation triggered by motion, with two scenes and any obstacles. */
interface Case {
  readonly then: readonly Step[]
  readonly scenes: readonly (readonly SceneStep[])[]
  readonly refused: readonly ('hers' | 'theirs')[]
  /** The lamp before the run; null: unknown. */
  readonly isOn: boolean | null
  readonly chance: number
  /** The credential that set the mode of the home. */
  readonly modeBy: 'hers' | 'theirs'
}

const device = fc.record({ device: fc.constantFrom(...DEVICES), op: fc.constant('open' as const) })
const toggle = fc.constant({ device: 'lamp', op: 'toggle' } as const)
const toggleAll = fc.constant({ group: 'light', op: 'toggle' } as const)
const power = fc.boolean().map((on) => ({ group: 'light', op: 'set_power', args: { on } }) as const)
const group = fc.oneof(toggleAll, power)
const restore = fc.constant({ restore: true } as const)
const delay = fc.record({ delay: fc.constantFrom(0.5, 2, 90) })
const randomDelay = fc.record({ delay: fc.constant(1), random: fc.constantFrom(5, 60) })
const mode = fc.record({ mode: fc.constantFrom('home', 'away', 'none') })
const tell = fc.constantFrom<Step>({ tell: 'It is {time}: {device}', to: 'everyone' }, { tell: 'Hello', to: 'home' })
const lit = fc.oneof(
  fc.boolean().map((is) => [{ device: 'lamp', state: 'on', is } as const]),
  fc.subarray(['home', 'away'], { minLength: 1 }).map((modes) => [{ mode: modes }]),
  fc
    .tuple(fc.boolean(), fc.constantFrom('any' as const, 'all' as const))
    .map(([is, of]) => [{ group: 'light', state: 'on', is, of } as const]),
)
/**
 * A dry run shows the first round of a repeat. Later ones would restore something else, and toggle a device whose state
 * was unknown until the first round set it.
 */
const roundOf = (step: fc.Arbitrary<Step>): fc.Arbitrary<readonly Step[]> =>
  fc.array(step, { minLength: 1, maxLength: 3 })
const round = fc.oneof(
  roundOf(fc.oneof(device, delay, toggle, mode, toggleAll)),
  roundOf(fc.oneof(device, delay, mode, power)),
)
const tree = fc.oneof(
  fc.record({
    wait: lit,
    timeout: fc.constantFrom(7, 70),
    else: fc.constantFrom('go_on' as const, 'go_on' as const, 'stop' as const),
  }),
  fc.record({ repeat: round, every: fc.constant(10), times: fc.constantFrom(1, 3) }),
  fc.record({ repeat: round, every: fc.constant(10), until: lit, times: fc.constantFrom(1, 2) }),
)
const branch = fc.record(
  {
    if: lit,
    then: fc.array(
      fc.oneof(
        round.map(([one]) => one!),
        restore,
        tree,
      ),
      { minLength: 1, maxLength: 3 },
    ),
    else: round,
  },
  { requiredKeys: ['if', 'then'] },
)
const cases: fc.Arbitrary<Case> = fc.record({
  // Each scene once: a newer run of a scene ends the older one.
  then: fc
    .tuple(
      fc.array(fc.oneof(device, delay, toggle, mode, group, restore, randomDelay, tell, tree, branch), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.subarray(['s0', 's1', 'gone']),
    )
    .chain(([steps, scenes]) =>
      fc.shuffledSubarray<Step>([...steps, ...scenes.map((scene) => ({ scene }))], { minLength: 1 }),
    ),
  scenes: fc.array(fc.array(fc.oneof(device, delay), { maxLength: 4 }), { minLength: 2, maxLength: 2 }),
  refused: fc.subarray(['hers', 'theirs'] as const),
  isOn: fc.option(fc.boolean()),
  chance: fc.nat(255),
  modeBy: fc.constantFrom('hers', 'theirs'),
})

const span = fc.constantFrom({}, { for: 60 }, { within: 60 })
/** A condition of each form, with each kind of span. */
const leaves: fc.Arbitrary<Condition> = fc.oneof(
  fc
    .tuple(fc.boolean(), span, fc.constantFrom({}, { by: 'touch' as const }))
    .map(([is, its, by]) => ({ device: 'lamp', state: 'on' as const, is, ...its, ...by })),
  span.map((its) => ({ device: 'eye', reading: 'light' as const, below: 20, ...its })),
  fc.constant({ device: 'eye', detection: 'motion' as const, within: 60 }),
  fc.tuple(fc.boolean(), span).map(([reachable, its]) => ({ device: 'eye', reachable, ...its })),
  fc
    .tuple(fc.boolean(), span, fc.constantFrom('light', 'nothing'), fc.constantFrom('any' as const, 'all' as const))
    .map(([is, its, among, of]) => ({ group: among, state: 'on' as const, is, of, ...its })),
  fc.constantFrom<Condition>(
    { mode: ['home', 'night'] },
    { after: '12:00' },
    { before: '11:00' },
    { sun: 'up' },
    { from: '05-03', until: '05-04' },
  ),
)
const { tree: trees } = fc.letrec<{ readonly tree: Condition }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaves,
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    tie('tree').map((not) => ({ not })),
  ),
}))
const draftsOfEveryForm = fc
  .tuple(fc.array(trees, { maxLength: 2 }), fc.constantFrom(true, true, true, false))
  .map(([conditions, enabled]) =>
    automation({ enabled, when: [{ device: 'eye', detection: 'motion' }], if: conditions }),
  )
/** Events that change the outcome of these conditions. */
const happenings: fc.Arbitrary<(home: RulesHome) => unknown> = fc.oneof(
  fc.tuple(fc.constantFrom('lamp', 'eye'), fc.boolean()).map(
    ([key, isOn]) =>
      (home: RulesHome) =>
        home.power(key, isOn),
  ),
  fc.boolean().map((isOn) => (home: RulesHome) => home.state('lamp', { on: isOn, mode: 'auto' }, ANNA, 'command')),
  fc.constantFrom(5, 50).map((light) => (home: RulesHome) => home.reading('eye', { light })),
  fc.boolean().map((motion) => (home: RulesHome) => home.reading('eye', { motion })),
  fc.boolean().map((reachable) => (home: RulesHome) => home.contact('eye', reachable)),
  fc.constantFrom('home', 'away').map((id) => (home: RulesHome) => home.mode(id)),
  fc.constantFrom(10, 40, 90).map((seconds) => (home: RulesHome) => home.pass(seconds * 1_000)),
)

function homeOf({ then, scenes, refused, isOn, chance, modeBy }: Case): {
  readonly home: RulesHome
  readonly id: string
} {
  const ids = new CountingRandom()
  const home = new RulesHome({
    random: { uuid: () => ids.uuid(), bytes: (count) => (count === 4 ? Buffer.alloc(4, chance) : ids.bytes(count)) },
  })
  for (const [index, steps] of scenes.entries()) home.scene(`s${index}`, steps)
  home.scenes.set('s1', { ...home.scenes.get('s1')!, author: THEIRS })
  const setter = modeBy === 'hers' ? HERS : THEIRS
  home.held = { ...home.held, cause: { source: 'integration', name: 'API: Panel', ...setter } }
  home.control.failures.set('silent', { kind: 'no_answer' })
  home.groups.set('light', LIGHTS)
  home.echo()
  home.power('a', false)
  home.power('silent', false)
  if (isOn !== null) home.power('lamp', isOn)
  const draft = automation({ when: [{ device: 'eye', detection: 'motion' }], then })
  const made = home.rules.automations.create(draft, HERS, ANNA)
  if (!made.ok) throw new Error(made.error.kind)
  home.rules.start()
  // A start switches off rules without permission; here the permission ends while the gateway runs.
  for (const link of refused) home.refusals.set(link, 'unlock_off')
  return { home, id: made.value.id }
}

/** The dry run's result for each step, including those inside others. */
function flat(steps: readonly ForeseenStep[]): readonly ForeseenStep[] {
  return steps.flatMap((step) => [step, ...flat(step.inner)])
}

/** Seconds and devices of the commands; a repeat shows its first round only. */
function commandsOf(steps: readonly ForeseenStep[]): readonly { readonly after: number; readonly device: string }[] {
  return steps.flatMap(({ step, after, obstacle, foresight, inner }) => {
    if (foresight.reached === false) return []
    const sends = obstacle?.kind !== 'not_allowed' && obstacle?.kind !== 'unknown_state'
    if ('device' in step) return sends ? [{ after, device: step.device }] : []
    if (!('repeat' in step)) return commandsOf(inner)
    const lasts = step.repeat.reduce((sum, one) => sum + ('delay' in one ? one.delay : 0), step.every)
    return Array.from({ length: foresight.rounds ?? 0 }, (_, index) =>
      commandsOf(inner).map((command) => ({ ...command, after: command.after + index * lasts })),
    ).flat()
  })
}

/** Places and reasons of the failures, each once. */
const failuresOf = (steps: readonly ForeseenStep[], at = ''): readonly string[] =>
  steps.flatMap(({ step, obstacle, foresight, inner }, index) => {
    if ('group' in step || 'restore' in step)
      return [...new Set(inner.flatMap((one) => (one.obstacle ? [`${at}/${index} ${one.obstacle.kind}`] : [])))]
    const key = 'if' in step ? foresight.branch : 'repeat' in step ? 'repeat' : null
    const inside = key === null ? [] : failuresOf(inner, `${at}/${index}/${key}`)
    return obstacle && foresight.reached !== false ? [`${at}/${index} ${obstacle.kind}`, ...inside] : inside
  })

describe('a dry run', () => {
  it('predicts the run: its steps, their times, and the reasons of failures', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (tried) => {
        const { home, id } = homeOf(tried)
        const rule = home.rules.automations.get(id)!
        const foreseen = home.rules.trials.steps(rule.then, { author: HERS, principals: [HERS] })
        expect([home.control.sent, home.log.filter(({ kind }) => kind !== 'edited')]).toEqual([[], []])
        const start = home.clock.now()
        home.detect('eye')
        await home.pass(HOUR)
        const made = home.control.sent.map(({ device: key, at }) => `${((at - start) / 1_000).toFixed(1)} ${key}`)
        const wanted = commandsOf(foreseen).map(({ after, device: key }) => `${after.toFixed(1)} ${key}`)
        expect(made.toSorted()).toEqual(wanted.toSorted())
        const failed = (subject: string): unknown => {
          const entry = home.log.find(
            (step) => step.kind === 'failed' && 'id' in step.subject && step.subject.id === subject,
          )
          const failures = (entry?.data?.['failures'] ?? []) as readonly StepFailure[]
          return [
            ...new Set(failures.map(({ step, at, reason }) => `${at?.slice(5) ?? `/${step}`} ${reason}`)),
          ].toSorted()
        }
        expect(failed(id)).toEqual(failuresOf(foreseen).toSorted())
        for (const { step, inner, foresight } of foreseen)
          if ('scene' in step && foresight.reached !== false)
            expect(failed(step.scene)).toEqual(failuresOf(inner).toSorted())
      }),
      { numRuns: times(10, 2_000) },
    )
  })

  it('predicts a run exactly when one starts, for conditions of every form', async () => {
    const found = { rules: 0, ran: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(happenings, { maxLength: 8 }), draftsOfEveryForm, async (past, draft) => {
        const home = new RulesHome({ history: tempHistory() })
        home.groups.set('light', ['lamp', 'eye'])
        home.rules.start()
        for (const happen of past) await happen(home)
        const because = home.rules.trials.reasonNotToRun(draft, NAMES, NEW)
        const tried = home.rules.trials.conditions(draft.if, NEW).map(({ holds }) => holds)
        expect(because).toEqual(draft.enabled && tried.every(Boolean) ? null : expect.any(String))
        home.automation(draft)
        expect(home.rules.trials.conditions(draft.if, NEW).map(({ holds }) => holds)).toEqual(tried)
        home.detect('eye')
        await home.pass(1_000)
        expect(home.entries('run').length).toBe(because === null ? 1 : 0)
        found.rules += 1
        found.ran += because === null ? 1 : 0
      }),
      { numRuns: times(20, 500) },
    )
    console.info(`Tries equal to the run: ${JSON.stringify(found)}`)
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
    const steps = home.rules.trials.steps([{ scene: 's' }, { delay: 1 }, { scene: 's' }], NOBODY)
    expect(steps.map(({ inner }) => inner.length)).toEqual([1, 0, 0])
  })

  it('returns a bounded number of steps, whatever scenes it runs', () => {
    const home = new RulesHome()
    const scenes = Array.from({ length: 20 }, (_, index) => `s${index}`)
    for (const scene of scenes)
      home.scene(
        scene,
        Array.from({ length: 100 }, (): SceneStep => ({ device: 'a', op: 'open' })),
      )
    const steps = home.rules.trials.steps(
      scenes.map((scene) => ({ scene })),
      NOBODY,
    )
    expect(steps).toHaveLength(20)
    expect(flat(steps).length).toBeLessThan(FORESEEN_MAX + 100 + 20)
  })
})
