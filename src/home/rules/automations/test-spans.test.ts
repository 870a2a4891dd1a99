// @module-tag repeated
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { ANNA, on, type RulesHome, startedRules } from '#support/homes/rules-home.ts'
import { tempHistory } from '#support/homes/history.ts'
import { times } from '#support/long.ts'
import { proves } from '#support/gateway/verifies.ts'
import { DAY_MS } from '../../../lib/durations.ts'
import type { Condition, Step } from '../../model/rules.ts'

const SECOND_MS = 1_000
const YEARS_MS = 730 * DAY_MS

const LIT: Condition = { device: 'hall', state: 'on', is: true }

const NEW = { author: null, of: null }

/** A home whose scene `ask` turns on the lamp if the condition holds. */
function asking(condition: Condition, build: (home: RulesHome) => void = () => {}): RulesHome {
  return startedRules(
    (home) => {
      home.scene('ask', [])
      build(home)
      home.automation({ when: [{ scene: 'ask' }], if: [condition], then: [on('lamp')] })
    },
    { history: tempHistory() },
  )
}

/** True if the automation runs now, and a dry run of it as a draft tells the same. */
async function runs(home: RulesHome, condition: Condition): Promise<boolean> {
  const before = home.control.sent.length
  const predicted = home.rules.trials.conditions([condition], NEW)[0]?.holds
  home.events.emit({ kind: 'scene', scene: 'ask', running: true, cause: ANNA, at: home.clock.now() })
  await home.pass(0)
  const ran = home.control.sent.length > before
  expect(ran).toBe(predicted)
  return ran
}

function restarted(home: RulesHome, ms: number): RulesHome {
  const next = home.restarted(ms)
  next.rules.start()
  return next
}

/** Sets the wall clock two years forward, to 1970, and back. */
const JUMPS = (home: RulesHome): readonly number[] => [YEARS_MS, -home.clock.now() - YEARS_MS, home.clock.now()]

describe('a condition with `for`', () => {
  const held = { ...LIT, for: 600 } as const

  proves('automations.spans', 'holds once its test has held so long, also over a restart', async () => {
    let home = asking(held, (made) => made.power('hall', false))
    home.power('hall', true)
    await home.pass(300 * SECOND_MS)
    home = restarted(home, 299 * SECOND_MS)
    expect(await runs(home, held)).toBe(false)
    await home.pass(SECOND_MS)
    expect(await runs(home, held)).toBe(true)
    home.power('hall', false)
    home.power('hall', true)
    expect(await runs(home, held)).toBe(false)
  })

  proves('automations.spans', 'counts steady time while the clock jumps', async () => {
    const home = asking(held, (made) => made.power('hall', false))
    home.power('hall', true)
    for (const jump of JUMPS(home)) {
      await home.pass(150 * SECOND_MS)
      home.clock.jumpWall(jump)
    }
    await home.pass(149 * SECOND_MS)
    expect(await ranWithoutTrial(home)).toBe(false)
    await home.pass(SECOND_MS)
    expect(await ranWithoutTrial(home)).toBe(true)
  })

  proves('automations.spans', 'begins again with a replaced unit', async () => {
    const home = asking(held, (made) => made.power('hall', false))
    home.power('hall', true)
    await home.pass(700 * SECOND_MS)
    home.replace('hall')
    home.power('hall', true)
    expect(await runs(home, held)).toBe(false)
  })
})

describe('a step that waits', () => {
  /** Seconds after which the lamp comes on; `act` jumps the clock or restarts the gateway. */
  async function waited(then: readonly Step[], act: (home: RulesHome, jump: number) => RulesHome): Promise<number> {
    let home = startedRules((made) => {
      made.power('hall', false)
      made.automation({ when: [{ device: 'eye', detection: 'motion' }], then: [...then, on('lamp')] })
    })
    home.detect('eye')
    let seconds = 0
    for (const jump of [...JUMPS(home), 0]) {
      await home.pass(150 * SECOND_MS)
      seconds += 150
      home = act(home, jump)
    }
    while (home.devices.length === 0 && seconds < 1_200) {
      await home.pass(SECOND_MS)
      seconds += 1
    }
    return seconds
  }

  const PAUSES: readonly (readonly Step[])[] = [
    [{ wait: [LIT], timeout: 700 }],
    [{ wait: [{ sun: 'down' }, LIT], timeout: 700 }],
    [{ delay: 700 }],
    [{ repeat: [{ delay: 1 }], every: 699, times: 1, until: [LIT] }],
  ]

  proves('automations.spans', 'counts steady time while the clock jumps', async () => {
    for (const then of PAUSES)
      expect(
        await waited(then, (home, jump) => {
          home.clock.jumpWall(jump)
          return home
        }),
      ).toBe(700)
  })

  proves('automations.spans', 'counts steady time while the clock jumps during restarts', async () => {
    for (const then of PAUSES)
      expect(
        await waited(then, (home, jump) => {
          home.clock.jumpWall(jump)
          const next = home.restarted(0, home.clock)
          next.rules.start()
          return next
        }),
      ).toBe(700)
  })
})

/** Like `runs`, for a jumped clock: a draft has no spans but those of the history. */
async function ranWithoutTrial(home: RulesHome): Promise<boolean> {
  const before = home.control.sent.length
  home.events.emit({ kind: 'scene', scene: 'ask', running: true, cause: ANNA, at: home.clock.now() })
  await home.pass(0)
  return home.control.sent.length > before
}

describe('a condition with `within`', () => {
  const moved = { device: 'eye', detection: 'motion', within: 1_800 } as const

  proves('automations.spans', 'holds during a detection and so long after its end, also over a restart', async () => {
    let home = asking(moved)
    expect(await runs(home, moved)).toBe(false)
    home.reading('eye', { motion: true })
    await home.pass(7_200 * SECOND_MS)
    expect(await runs(home, moved)).toBe(true)
    home.reading('eye', { motion: false })
    await home.pass(1_000 * SECOND_MS)
    home = restarted(home, 800 * SECOND_MS)
    home.reading('eye', { motion: false })
    expect(await runs(home, moved)).toBe(true)
    await home.pass(SECOND_MS)
    expect(await runs(home, moved)).toBe(false)
  })

  proves('automations.spans', 'holds for a reading that passed the test a while ago', async () => {
    const used = { device: 'plug', reading: 'power', above: 10, within: 600 } as const
    const home = asking(used)
    home.reading('plug', { power: 2_000 })
    home.reading('plug', { power: 1 })
    await home.pass(600 * SECOND_MS)
    expect(await runs(home, used)).toBe(true)
    home.clock.jumpWall(YEARS_MS)
    expect(await ranWithoutTrial(home)).toBe(true)
    await home.pass(SECOND_MS)
    expect(await ranWithoutTrial(home)).toBe(false)
  })
})

describe('`by`', () => {
  proves('automations.by', 'in a condition asks for the last change of the field, also over a restart', async () => {
    const byHand = { ...LIT, by: 'touch' } as const
    let home = asking(byHand, (made) => made.power('hall', false))
    home.power('hall', true)
    expect(await runs(home, byHand)).toBe(true)
    home = restarted(home, SECOND_MS)
    expect(await runs(home, byHand)).toBe(true)
    home.state('hall', { on: false, mode: 'manual' }, ANNA, 'command')
    home.state('hall', { on: true, mode: 'manual' }, ANNA, 'command')
    expect(await runs(home, byHand)).toBe(false)
    home = restarted(home, SECOND_MS)
    expect(await runs(home, byHand)).toBe(false)
  })

  proves('automations.by', 'in a trigger asks for the change that begins the test', async () => {
    const home = startedRules((made) => {
      made.power('hall', false)
      made.automation({ when: [{ device: 'hall', state: 'on', is: true, by: 'touch' }] })
    })
    home.state('hall', { on: true, mode: 'manual' }, ANNA, 'command')
    home.power('hall', false)
    await home.pass(0)
    expect(home.devices).toEqual([])
    home.power('hall', true)
    await home.pass(0)
    expect(home.devices).toEqual(['lamp'])
  })
})

describe('a trigger of a lost unit', () => {
  const lost = { device: 'freezer', reachable: false, for: 600 } as const

  proves('automations.lost', 'fires once when the unit has not answered so long, also over a restart', async () => {
    let home = startedRules((made) => made.automation({ when: [lost] }))
    home.contact('freezer', false)
    await home.pass(300 * SECOND_MS)
    home.contact('freezer', true)
    home.contact('freezer', false)
    for (const jump of JUMPS(home)) {
      await home.pass(50 * SECOND_MS)
      home.clock.jumpWall(jump)
      home = restarted(home, 50 * SECOND_MS)
    }
    await home.pass(299 * SECOND_MS)
    expect(home.devices).toEqual([])
    await home.pass(SECOND_MS)
    expect(home.devices).toEqual(['lamp'])
    home = restarted(home, SECOND_MS)
    await home.pass(DAY_MS)
    expect(home.devices).toEqual([])
  })

  proves('automations.lost', 'fires at once without `for`, and when the unit answers again', async () => {
    const home = startedRules((made) => {
      made.automation({ when: [{ device: 'freezer', reachable: false }], then: [on('alarm')] })
      made.automation({ when: [{ device: 'freezer', reachable: true }], then: [on('calm')] })
    })
    home.contact('freezer', false)
    await home.pass(0)
    home.contact('freezer', true)
    await home.pass(0)
    expect(home.devices).toEqual(['alarm', 'calm'])
  })
})

type Action =
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: 'restart'; readonly seconds: number }
  | { readonly kind: 'power'; readonly on: boolean; readonly by: 'touch' | 'command' }

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constantFrom('pass' as const, 'restart' as const), seconds: fc.integer({ min: 1, max: 400 }) }),
  fc.record({
    kind: fc.constant('power' as const),
    on: fc.boolean(),
    by: fc.constantFrom('touch' as const, 'command' as const),
  }),
)

proves('automations.spans', 'spans of any changes and restarts are as a list of the changes tells', async () => {
  const conditions: readonly Condition[] = [
    { ...LIT, for: 300 },
    { ...LIT, within: 300 },
    { ...LIT, by: 'touch' },
    { ...LIT, by: 'touch', within: 300 },
  ]
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (actions) => {
      let home = startedRules((made) => made.power('hall', false), { history: tempHistory() })
      for (const condition of conditions) home.automation({ when: [{ scene: 'ask' }], if: [condition] })
      const changes = [{ at: home.clock.now(), isOn: false, by: 'touch' }]
      for (const one of actions) {
        if (one.kind === 'power') {
          if (changes.at(-1)?.isOn !== one.on) changes.push({ at: home.clock.now(), isOn: one.on, by: one.by })
          home.state('hall', { on: one.on, mode: 'manual' }, one.by === 'touch' ? undefined : ANNA, one.by)
        } else if (one.kind === 'restart') home = restarted(home, one.seconds * SECOND_MS)
        else await home.pass(one.seconds * SECOND_MS)
        expect(home.rules.trials.conditions(conditions, NEW).map(({ holds }) => holds)).toEqual(
          expectedOf(changes, home.clock.now()),
        )
      }
    }),
    { numRuns: times(10, 300) },
  )
})

/** The outcomes of the four conditions by a list of changes. */
function expectedOf(
  changes: readonly { readonly at: number; readonly isOn: boolean; readonly by: string }[],
  now: number,
): readonly boolean[] {
  const last = changes.at(-1)!
  const heldWithin = (passes: (change: (typeof changes)[number]) => boolean): boolean =>
    changes.some((change, index) => passes(change) && now - (changes[index + 1]?.at ?? now) <= 300 * SECOND_MS)
  return [
    last.isOn && now - last.at >= 300 * SECOND_MS,
    heldWithin(({ isOn }) => isOn),
    last.isOn && last.by === 'touch',
    heldWithin(({ isOn, by }) => isOn && by === 'touch'),
  ]
}
