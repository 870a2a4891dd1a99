import { describe, expect, it } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { tempHistory } from '#support/homes/history.ts'
import { ANNA, automation, off, on, RulesHome, startedRules } from '#support/homes/rules-home.ts'
import type { Condition, Step, Trigger } from '../model/rules.ts'
import { groupSteps } from '../model/steps.ts'

const MINUTE = 60_000
const LIGHTS = ['hall', 'stairs', 'porch']
const HERS = { integration: 'i1', link: 'hers' }
const LOW: Trigger = { group: 'any', reading: 'battery', below: 15 }

/** A home with three lights and an automation. */
function homeWith(
  draft: { when?: readonly Trigger[]; if?: readonly Condition[]; then?: readonly Step[] },
  build: (home: RulesHome) => void = () => {},
): RulesHome {
  return startedRules((home) => {
    home.groups.set('light', LIGHTS)
    home.groups.set('any', [...LIGHTS, 'cell', 'door'])
    home.classes.set('cell', 'sensor')
    build(home)
    home.automation({ then: [on('lamp')], mode: 'restart', ...draft })
  })
}

const runsOf = (home: RulesHome) => home.log.filter(({ kind }) => kind === 'run')
const startedFor = (home: RulesHome): unknown[] =>
  runsOf(home).map(({ data }) => (data?.['trigger'] as { device?: string } | undefined)?.device)

describe('a trigger of a group', () => {
  proves('automations.groups-trigger', 'starts for each of its devices, and the run knows which', async () => {
    const home = homeWith({ when: [LOW] })
    home.reading('cell', { battery: 80 })
    home.reading('door', { battery: 20 })
    home.reading('other', { battery: 20 })
    for (const [unit, battery] of [
      ['cell', 14],
      ['cell', 12],
      ['other', 3],
      ['door', 9],
    ] as const)
      home.reading(unit, { battery })
    await home.pass(0)
    expect(startedFor(home)).toEqual(['cell', 'door'])
    expect(runsOf(home).map(({ cause }) => cause.by)).toEqual([
      { source: 'unit', name: 'battery', ref: 'cell' },
      { source: 'unit', name: 'battery', ref: 'door' },
    ])
  })

  proves(
    'automations.groups-trigger',
    'of two devices at once: single runs for the first, queued for each',
    async () => {
      for (const [mode, runs, skips] of [
        ['single', ['cell'], 1],
        ['queued', ['cell', 'door'], 0],
      ] as const) {
        const home = homeWith({ when: [LOW] }, (it) => {
          it.automation({ name: 'Tells', when: [LOW], then: [{ delay: 1 }], mode })
        })
        for (const unit of ['cell', 'door']) home.reading(unit, { battery: 80 })
        for (const unit of ['cell', 'door']) home.reading(unit, { battery: 14 })
        await home.pass(MINUTE)
        const own = home.log.filter(
          ({ subject }) => subject.kind === 'automation' && subject.id === home.rules.automations.list()[0]?.id,
        )
        expect(own.filter(({ kind }) => kind === 'run').map(({ cause }) => cause.by?.ref)).toEqual(runs)
        expect(own.filter(({ kind }) => kind === 'skipped')).toHaveLength(skips)
      }
    },
  )

  it('is about states, detections and contact too', async () => {
    const home = homeWith({
      when: [
        { group: 'light', state: 'on', is: true, by: 'touch' },
        { group: 'light', detection: 'motion' },
        { group: 'light', detection: 'motion', is: false },
        { group: 'light', reachable: false },
      ],
    })
    home.power('hall', false)
    home.power('hall', true)
    home.power('other', false)
    home.power('other', true)
    home.state('porch', { on: false, mode: 'manual' })
    home.state('porch', { on: true, mode: 'manual' }, ANNA, 'command')
    home.detect('stairs')
    home.detect('stairs', false)
    home.detect('other')
    home.contact('other', false)
    home.contact('porch', false)
    await home.pass(0)
    expect(startedFor(home)).toEqual(['hall', 'stairs', 'stairs', 'porch'])
  })

  it('waits for each device by itself, also over a restart', async () => {
    const home = homeWith({ when: [{ group: 'light', state: 'on', is: true, for: 300 }] })
    for (const light of LIGHTS) home.power(light, false)
    home.power('hall', true)
    await home.pass(2 * MINUTE)
    home.power('stairs', true)
    await home.pass(MINUTE)
    home.power('hall', false)
    const next = home.restarted()
    next.rules.start()
    for (const light of LIGHTS) next.state(light, next.states.get(light)!, ANNA, 'sync')
    await next.pass(MINUTE)
    expect(startedFor(next)).toEqual([])
    await next.pass(3 * MINUTE)
    expect(startedFor(next)).toEqual(['stairs'])
    next.power('porch', true)
    await next.pass(6 * MINUTE)
    expect(startedFor(next)).toEqual(['stairs', 'porch'])
  })

  it('follows the devices of the group as they are', async () => {
    const home = homeWith({ when: [{ group: 'light', state: 'on', is: true, for: 60 }] })
    for (const light of [...LIGHTS, 'new']) home.power(light, false)
    home.power('hall', true)
    home.groups.set('light', ['stairs', 'new'])
    home.power('new', true)
    await home.pass(2 * MINUTE)
    expect(startedFor(home)).toEqual(['new'])
  })

  it('waits for a device that is so when the rule is saved, and forgets a replaced one', async () => {
    const home = homeWith({ when: [{ group: 'light', state: 'on', is: true, for: 120 }] }, (it) => {
      it.power('stairs', true)
    })
    home.automation({ when: [{ group: 'light', state: 'on', is: true, for: 90 }], then: [on('lamp')] })
    await home.pass(MINUTE)
    home.power('hall', true)
    home.replace('hall')
    home.power('hall', true)
    await home.pass(4 * MINUTE)
    expect(startedFor(home)).toEqual(['stairs', 'stairs'])
  })

  proves('automations.groups-author', 'has only devices that its author sees', async () => {
    const home = new RulesHome()
    home.groups.set('any', ['cell', 'door'])
    home.hidden.set(HERS.integration, ['door'])
    home.rules.automations.create(automation({ when: [LOW] }), HERS, ANNA)
    home.rules.start()
    for (const battery of [80, 5]) for (const unit of ['cell', 'door']) home.reading(unit, { battery })
    await home.pass(0)
    expect(startedFor(home)).toEqual(['cell'])
  })
})

describe('a condition of a group', () => {
  const LIT = { group: 'light', state: 'on', is: true } as const

  proves('automations.groups-condition', 'holds for one or each of its devices', () => {
    const home = homeWith({})
    const holds = (condition: Condition): boolean =>
      home.rules.trials.conditions([condition], { author: null, of: null })[0]!.holds
    const outcomes = (): boolean[] =>
      (['any', 'all'] as const).flatMap((of) => [holds({ ...LIT, of }), holds({ not: { ...LIT, of } })])
    expect(outcomes()).toEqual([false, false, false, false])
    home.power('hall', true)
    expect(outcomes()).toEqual([true, false, false, false])
    home.power('stairs', false)
    expect(outcomes()).toEqual([true, false, false, true])
    home.power('stairs', true)
    home.power('porch', true)
    expect(outcomes()).toEqual([true, false, true, false])
    // Only devices with the value count, and without one nothing is known.
    home.reading('cell', { battery: 9 })
    expect(holds({ group: 'any', reading: 'battery', below: 15, of: 'all' })).toBe(false)
    home.reading('door', { battery: 9 })
    expect(holds({ group: 'any', reading: 'battery', below: 15, of: 'all' })).toBe(true)
    expect([
      holds({ ...LIT, group: 'cover', of: 'all' }),
      holds({ not: { ...LIT, group: 'cover', of: 'any' } }),
    ]).toEqual([false, false])
  })

  it('tells the value of each device', () => {
    const home = homeWith({})
    home.power('hall', true)
    const [verdict] = home.rules.trials.conditions([{ any: [{ ...LIT, of: 'any' }] }], { author: null, of: null })
    expect(verdict!.leaves.map(({ path, value, holds }) => [path, value, holds])).toEqual([
      [['any', 0], null, true],
      [['any', 0], true, true],
      [['any', 0], null, false],
      [['any', 0], null, false],
    ])
  })

  it('looks back for each device', async () => {
    const home = startedRules(
      (it) => {
        it.groups.set('light', LIGHTS)
        it.automation({
          when: [{ device: 'eye', detection: 'motion' }],
          if: [{ ...LIT, within: 60, of: 'any' }],
        })
      },
      { history: tempHistory() },
    )
    home.power('stairs', true)
    home.power('stairs', false)
    await home.pass(30_000)
    home.detect('eye')
    await home.pass(MINUTE)
    home.detect('eye')
    home.power('porch', true)
    home.power('porch', false)
    home.detect('eye')
    await home.pass(0)
    expect([runsOf(home).length, home.entries('skipped').length]).toEqual([2, 1])
  })

  it('ends a wait when one of its devices changes', async () => {
    const home = homeWith({
      when: [{ device: 'eye', detection: 'motion' }],
      then: [{ wait: [{ ...LIT, of: 'any' }], timeout: 600 }, on('lamp')],
    })
    home.detect('eye')
    await home.pass(MINUTE)
    expect(home.devices).toEqual([])
    home.power('porch', true)
    await home.pass(0)
    expect(home.devices).toEqual(['lamp'])
  })
})

describe('a step of a group', () => {
  const performed = async (then: readonly Step[], build: (home: RulesHome) => void = () => {}): Promise<RulesHome> => {
    const home = homeWith({ when: [{ device: 'eye', detection: 'motion' }], then }, (it) => {
      it.echo()
      build(it)
    })
    home.detect('eye')
    await home.pass(MINUTE)
    return home
  }
  const sentBy = ({ control }: RulesHome): string[] => control.sent.map(({ device, op }) => `${device} ${op}`)

  proves('automations.groups-step', 'moves the devices of the group together, as they are then', async () => {
    const home = homeWith({
      when: [{ device: 'eye', detection: 'motion' }],
      then: [{ delay: 5 }, { group: 'light', op: 'set_power', args: { on: false } }],
    })
    home.detect('eye')
    home.groups.set('light', ['hall', 'new'])
    await home.pass(MINUTE)
    expect(home.control.sent.map(({ device, group }) => [device, group])).toEqual([
      ['hall', 0],
      ['new', 0],
    ])
  })

  it('leaves out devices that do not take it, and hidden ones', async () => {
    const home = new RulesHome()
    home.groups.set('set', ['hall', 'door', 'blind'])
    home.classes.set('blind', 'shutter')
    home.hidden.set(HERS.integration, ['hall'])
    const then: Step[] = [
      { group: 'set', op: 'set_power', args: { on: true } },
      { group: 'set', op: 'open' },
      { group: 'set', op: 'close' },
    ]
    home.automation({ when: [{ device: 'eye', detection: 'motion' }], then })
    home.rules.automations.create(automation({ when: [{ device: 'eye', detection: 'motion' }], then }), HERS, ANNA)
    home.rules.start()
    home.detect('eye')
    await home.pass(MINUTE)
    const theirs = ['blind open', 'door close', 'blind close']
    expect(sentBy(home).toSorted()).toEqual(['hall set_power', ...theirs, ...theirs].toSorted())
  })

  it('toggles all the same way: off if one is on', async () => {
    const lit = await performed(
      [{ group: 'light', op: 'toggle' }, { delay: 1 }, { group: 'light', op: 'toggle' }],
      (it) => {
        for (const light of LIGHTS) it.power(light, light === 'stairs')
      },
    )
    expect(LIGHTS.map((light) => lit.states.get(light))).toEqual(LIGHTS.map(() => ({ on: true, mode: 'manual' })))
    expect(lit.control.sent).toHaveLength(6)
    const unknown = await performed([{ group: 'light', op: 'toggle' }], (it) => it.power('hall', true))
    expect(sentBy(unknown)).toEqual(['hall set_power'])
    expect(unknown.log.at(-1)?.data).toMatchObject({
      failures: ['stairs', 'porch'].map((device) => ({ step: 0, device, reason: 'unknown_state' })),
    })
  })

  it('closes covers that are not closed, and opens all else', () => {
    const cover = (device: string, pos: number) =>
      ({
        device,
        operations: ['open', 'close', 'set_position'],
        state: { pos, move: 'stopped', mode: 'auto' },
      }) as const
    const ops = (...positions: number[]) =>
      groupSteps(
        { op: 'toggle' },
        positions.map((pos, index) => cover(`c${index}`, pos)),
      ).map(({ op }) => op)
    expect([ops(0, 40), ops(0, 0)]).toEqual([
      ['close', 'close'],
      ['open', 'open'],
    ])
    const dimmer = { device: 'd', operations: ['set_brightness'], state: { on: true, bri: 50, mode: 'auto' } } as const
    const step = { op: 'set_brightness', args: { by: 10 } } as const
    expect(groupSteps(step, [dimmer, cover('c', 5)])).toEqual([{ device: 'd', ...step }])
  })

  it('is undone by restore, except where somebody acted since', async () => {
    const home = homeWith(
      {
        when: [{ device: 'eye', detection: 'motion' }],
        then: [{ group: 'light', op: 'set_power', args: { on: true } }, { delay: 5 }, { restore: true }],
      },
      (it) => {
        it.echo()
        for (const light of ['hall', 'stairs']) it.power(light, false)
      },
    )
    home.detect('eye')
    await home.pass(1_000)
    home.power('stairs', false, ANNA)
    home.power('stairs', true, ANNA)
    await home.pass(MINUTE)
    // The state of the porch was not known before.
    expect(LIGHTS.map((light) => home.states.get(light))).toMatchObject([{ on: false }, { on: true }, { on: true }])
  })

  it('restores in each round what the round changed', async () => {
    const round: Step[] = [{ device: 'hall', op: 'toggle' }, { restore: true }]
    const home = await performed([{ repeat: round, every: 1, times: 3 }], (it) => it.power('hall', false))
    expect(home.control.sent.map(({ op }) => op)).toHaveLength(6)
    expect(home.states.get('hall')).toMatchObject({ on: false })
  })

  it('of a deleted group fails, and counts its devices towards the bound of a run', async () => {
    const home = await performed([{ group: 'gone', op: 'close' }, off('lamp')])
    expect(home.devices).toEqual(['lamp'])
    expect(home.log.at(-1)?.data).toMatchObject({ failures: [{ step: 0, reason: 'no_group' }] })
    const many = homeWith(
      {
        then: [{ repeat: [{ group: 'light', op: 'toggle' }], every: 1, times: 100 }],
        when: [{ device: 'eye', detection: 'motion' }],
      },
      (it) =>
        it.groups.set(
          'light',
          Array.from({ length: 90 }, (_, index) => `l${index}`),
        ),
    )
    for (const light of many.groups.get('light')!) many.power(light, false)
    many.detect('eye')
    await many.pass(2 * MINUTE)
    expect(many.control.sent.length).toBeLessThanOrEqual(2_000)
    expect(many.log.at(-1)?.data).toMatchObject({ failures: [{ reason: 'too_many_steps' }] })
  })
})
