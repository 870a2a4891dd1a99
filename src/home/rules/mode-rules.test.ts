// @module-tag repeated
import * as fc from 'fast-check'
import { describe, expect } from 'vitest'
import { on, off, type RulesHome, startedRules } from '#support/homes/rules-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import type { Cause } from '../model/events.ts'
import type { Author } from '../model/house.ts'
import type { AutomationDraft, Condition, Step, Trigger } from '../model/rules.ts'

const PHONE: Cause = { source: 'integration', name: 'API: Phone', integration: 'phone', link: 'phone-key' }
const OPEN = { device: 'door', op: 'open' } as const

/** A home whose phone may not open, with a rule that opens the door. */
function doorHome(rule: Parameters<RulesHome['automation']>[0]): RulesHome {
  const home = startedRules((made) => made.automation({ then: [OPEN], ...rule }))
  home.refusals.set('phone-key', 'unlock_off')
  return home
}

const MODES = ['home', 'away', 'night']
const LAMPS = ['l0', 'l1', 'l2']
const modes = fc.subarray(MODES, { minLength: 1 })
const reads: fc.Arbitrary<Condition> = modes.chain((mode) =>
  fc.constantFrom<Condition>({ mode }, { not: { mode } }, { any: [{ mode }, { sun: 'up' }] }),
)
const acts: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(...MODES).map((mode) => ({ mode })),
  fc.constantFrom(...LAMPS.flatMap((lamp) => [on(lamp), on(lamp), off(lamp)])),
  fc.constantFrom<Step>({ scene: 's0' }, { scene: 's1' }, { delay: 1 }, { delay: 70 }, OPEN, OPEN),
)
const then: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: acts },
    {
      weight: 1,
      arbitrary: fc.record({
        if: fc.tuple(reads),
        then: fc.array(acts, { minLength: 1, maxLength: 2 }),
        else: fc.array(acts, { minLength: 1, maxLength: 2 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ wait: fc.tuple(reads), timeout: fc.constantFrom(5, 90) }) },
  ),
  { minLength: 1, maxLength: 4 },
)
const author = fc.constantFrom<Author>(
  null,
  null,
  { integration: 'phone', link: 'phone-key' },
  { integration: 'tablet', link: 'tablet-key' },
)
/** Rules that only a mode, or what it led to, can start. */
const led: fc.Arbitrary<Partial<AutomationDraft>> = fc.record({
  when: fc.tuple(
    fc.constantFrom<Trigger>(
      ...MODES.map((mode) => ({ mode })),
      ...LAMPS.map((device) => ({ device, state: 'on' as const, is: true })),
      ...LAMPS.map((device) => ({ device, state: 'on' as const, is: true, for: 65 })),
      { scene: 's0' },
      { scene: 's1' },
    ),
  ),
  if: fc.array(reads, { maxLength: 1 }),
  then,
  mode: fc.constantFrom('single', 'restart', 'queued'),
})
/** Rules that somebody's motion starts, and that ask for the mode before they act. */
const asking: fc.Arbitrary<Partial<AutomationDraft>> = fc
  .tuple(reads, then, fc.constantFrom('if', 'branch', 'wait'))
  .map(([condition, steps, by]) => ({
    when: [{ device: 'eye', detection: 'motion' as const }],
    if: by === 'if' ? [condition] : [],
    then:
      by === 'branch'
        ? [{ if: [condition], then: steps }]
        : by === 'wait'
          ? [{ wait: [condition], timeout: 5 }, ...steps]
          : steps,
  }))
interface Chain {
  readonly rules: readonly (readonly [Partial<AutomationDraft>, Author])[]
  readonly events: readonly string[]
}
const chains: fc.Arbitrary<Chain> = fc.record({
  rules: fc.array(fc.tuple(fc.oneof(led, asking), author), { minLength: 2, maxLength: 12 }),
  events: fc.array(fc.constantFrom('motion', 'restart', ...MODES), { minLength: 1, maxLength: 8 }),
})

/** Openings of a home whose only other caller is the phone; it sets the mode first. */
async function openedBy({ rules, events }: Chain, isForbidden: boolean): Promise<number> {
  let home = startedRules((made) => {
    for (const [rule, its] of rules) made.automation(rule, its)
    for (const scene of ['s0', 's1'])
      made.scene(scene, scene === 's0' ? [on('l0')] : [off('l1'), { delay: 2 }, on('l2')])
    for (const lamp of LAMPS) made.power(lamp, false)
  })
  if (isForbidden) home.refusals.set('phone-key', 'unlock_off')
  let opened = 0
  for (const event of ['away', ...events, 'pass']) {
    home.echo()
    if (event === 'motion') home.detect('eye')
    else if (event === 'restart') {
      opened += openings(home)
      home = home.restarted(1_000)
      home.rules.start()
    } else if (event !== 'pass') home.mode(event, PHONE)
    await home.pass(40_000)
  }
  return opened + openings(home)
}

const openings = (home: RulesHome): number => home.devices.filter((device) => device === 'door').length

describe('rules about the mode', () => {
  proves('automations.mode', 'a trigger fires when the mode begins, and not for a new end of it', async () => {
    const home = startedRules((made) => made.automation({ when: [{ mode: 'away' }] }))
    for (const mode of ['away', 'away', 'night', 'away']) {
      home.mode(mode)
      await home.pass(0)
    }
    expect(home.devices).toEqual(['lamp', 'lamp'])
    expect(home.control.sent[0]?.cause).toMatchObject({ by: { source: 'mode', name: 'Away', by: { name: 'Anna' } } })
  })

  proves('automations.mode', 'a condition holds while one of its modes does', async () => {
    const home = startedRules((made) => {
      made.automation({ when: [{ scene: 'ask' }], if: [{ mode: ['home', 'guest'] }] })
    })
    for (const mode of ['home', 'away', 'guest']) {
      home.mode(mode)
      home.events.emit({ kind: 'scene', scene: 'ask', running: true, cause: PHONE, at: home.clock.now() })
      await home.pass(0)
    }
    expect(home.devices).toEqual(['lamp', 'lamp'])
  })

  proves('automations.mode', 'a step sets the mode, and a missing mode fails it', async () => {
    const home = startedRules((made) => {
      made.automation({
        when: [{ device: 'lamp', state: 'on', is: true }],
        then: [{ mode: 'night' }, { mode: 'none' }],
      })
      made.automation({ when: [{ mode: 'night' }], then: [on('alarm')] })
    })
    home.power('lamp', false)
    home.power('lamp', true)
    await home.pass(0)
    expect(home.held.mode).toBe('night')
    expect(home.devices).toEqual(['alarm'])
    expect(home.log.find(({ kind }) => kind === 'failed')?.data?.['failures']).toEqual([{ step: 1, reason: 'no_mode' }])
  })

  proves('automations.mode-loop', 'rules that change the mode to and fro are stopped', async () => {
    const home = startedRules((made) => {
      made.automation({ mode: 'queued', when: [{ mode: 'away' }], then: [{ delay: 0.1 }, { mode: 'home' }] })
      made.automation({ mode: 'queued', when: [{ mode: 'home' }], then: [{ delay: 0.1 }, { mode: 'away' }] })
    })
    home.mode('away')
    await home.pass(3_600_000)
    expect(home.rules.automations.list().filter(({ paused }) => paused)).toHaveLength(1)
  })
})

describe('a mode set by a caller who may not open', () => {
  const chain = async (home: RulesHome, cause: Cause): Promise<readonly string[]> => {
    home.mode('away', cause)
    await home.pass(0)
    return home.devices
  }

  proves('automations.mode-opens-nothing', 'opens nothing by a trigger', async () => {
    expect(await chain(doorHome({ when: [{ mode: 'away' }] }), PHONE)).toEqual([])
    const entry = doorHome({ when: [{ mode: 'away' }] })
    await chain(entry, PHONE)
    expect(entry.log.filter(({ kind }) => kind === 'refused')).toMatchObject([{ data: { refusal: 'unlock_off' } }])
  })

  proves('automations.mode-opens-nothing', 'opens nothing by a longer chain, nor by its later return', async () => {
    const home = doorHome({ when: [{ device: 'lamp', state: 'on', is: true }] })
    home.automation({ when: [{ mode: 'away' }], then: [on('lamp')] })
    home.echo()
    home.power('lamp', false)
    expect(await chain(home, { source: 'gateway', name: 'gateway', by: PHONE })).toEqual(['lamp'])
  })

  proves('automations.mode-opens-nothing', 'opens nothing by a condition, until somebody else sets it', async () => {
    const home = doorHome({ when: [{ device: 'lamp', state: 'on', is: true }], if: [{ mode: ['away'] }] })
    for (const cause of [PHONE, undefined]) {
      home.mode('home')
      home.mode('away', cause)
      home.power('lamp', false)
      home.power('lamp', true)
      await home.pass(0)
    }
    expect(home.devices).toEqual(['door'])
  })

  proves('automations.mode-opens-nothing', 'is no obstacle for a caller who may open', async () => {
    const home = doorHome({ when: [{ mode: 'away' }] })
    home.refusals.clear()
    expect(await chain(home, PHONE)).toEqual(['door'])
  })

  proves('automations.mode-opens-nothing', 'opens nothing after a decision, a wait and a restart', async () => {
    const decides: readonly (readonly Step[])[] = [
      [{ if: [{ mode: ['away'] }], then: [{ delay: 90 }, OPEN] }],
      [{ wait: [{ not: { mode: ['home'] } }], timeout: 60 }, { delay: 90 }, OPEN],
      [{ repeat: [{ delay: 1 }], every: 1, until: [{ mode: ['away'] }], times: 2 }, { delay: 90 }, OPEN],
    ]
    for (const then of decides) {
      const home = doorHome({ when: [{ device: 'lamp', state: 'on', is: true }], then })
      home.power('lamp', false)
      home.mode('away', PHONE)
      home.power('lamp', true)
      await home.pass(10_000)
      // Somebody else sets the mode meanwhile, but the phone's mode has decided.
      home.mode('home')
      const later = home.restarted()
      later.rules.start()
      await later.pass(120_000)
      expect(later.log.filter(({ kind }) => kind === 'refused')).toHaveLength(1)
      expect(later.devices).toEqual([])
    }
  })

  proves(
    'automations.mode-opens-nothing',
    'opens nothing by a light that it turned on, also over a restart',
    async () => {
      const home = doorHome({ when: [{ device: 'lamp', state: 'on', is: true, for: 120 }] })
      home.automation({ when: [{ mode: 'away' }], then: [on('lamp')] })
      home.echo()
      home.power('lamp', false)
      home.mode('away', PHONE)
      await home.pass(0)
      const later = home.restarted(10_000)
      later.rules.start()
      await later.pass(200_000)
      expect(later.log.filter(({ kind }) => kind === 'refused')).toHaveLength(1)
      expect(later.devices).toEqual([])
    },
  )

  proves('automations.mode-opens-nothing', 'opens nothing by a mode that a rule of that caller sets', async () => {
    const home = doorHome({ when: [{ mode: 'away' }] })
    home.automation(
      { when: [{ device: 'lamp', state: 'on', is: true }], then: [{ mode: 'away' }] },
      { integration: 'phone', link: 'phone-key' },
    )
    home.power('lamp', false)
    home.power('lamp', true)
    await home.pass(0)
    expect(home.held.mode).toBe('away')
    expect(home.devices).toEqual([])
  })

  proves('automations.mode-opens-nothing', 'opens nothing by any chain of rules', async () => {
    let opened = 0
    await fc.assert(
      fc.asyncProperty(chains, async (chain) => {
        expect(await openedBy(chain, true)).toBe(0)
        opened += await openedBy(chain, false)
      }),
      {
        numRuns: times(6, 1_000),
        examples: [[{ rules: [[{ when: [{ mode: 'away' }], then: [OPEN] }, null]], events: [] }]],
      },
    )
    // The same chains open for a caller who may.
    expect(opened).toBeGreaterThan(0)
  })
})
