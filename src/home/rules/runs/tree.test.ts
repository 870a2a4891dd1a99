// @module-tag repeated
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { automation, off, on, type RulesHome, startedRules } from '#support/homes/rules-home.ts'
import { RUN_MS_MAX, type Step, STEPS_RUN_MAX } from '../../model/rules.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import type { RunReport } from './run-report.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const LIT = { device: 'lamp', state: 'on', is: true } as const
const EYE = [{ device: 'eye', detection: 'motion' }] as const

function triggered(then: readonly Step[], build: (home: RulesHome) => void = () => {}): RulesHome {
  const home = startedRules((it) => {
    build(it)
    it.automation(automation({ when: [...EYE], then, mode: 'restart' }))
  })
  home.detect('eye')
  return home
}

/** Names of the sent commands: `a`, or `a off`. */
const sent = (home: RulesHome): string[] => home.devices
const report = (home: RulesHome): RunReport => {
  const id = home.log.find(({ kind }) => kind === 'run')?.data?.['run']
  return home.rules.runs.find(String(id))!
}

/** A home after its process was killed and `ms` have passed. */
function restarted(home: RulesHome, ms: number): RulesHome {
  const next = home.restarted(ms)
  next.log.push(...home.log.filter(({ kind }) => kind === 'run'))
  next.rules.start()
  return next
}

describe('a branch', () => {
  const branch: Step = { if: [LIT], then: [on('a')], else: [on('b')] }

  it.each([
    [true, ['x', 'a', 'y']],
    [false, ['x', 'b', 'y']],
  ])('with a lamp that is %s performs %j', async (isOn, devices) => {
    const home = triggered([on('x'), branch, on('y')], (it) => it.power('lamp', isOn))
    await home.pass(0)
    expect(sent(home)).toEqual(devices)
  })

  it('decides when the run comes to it, and an unknown state is not met', async () => {
    const home = triggered([{ delay: 10 }, branch, { if: [LIT], then: [on('c')] }])
    await home.pass(5 * SECOND)
    home.power('lamp', true)
    await home.pass(MINUTE)
    expect(sent(home)).toEqual(['a', 'c'])
    const unknown = triggered([branch, { if: [LIT], then: [on('c')] }, on('d')])
    await unknown.pass(0)
    expect(sent(unknown)).toEqual(['b', 'd'])
  })
})

describe('a wait', () => {
  it('ends as soon as its conditions hold, also by time', async () => {
    const home = triggered([{ wait: [LIT], timeout: 600 }, on('a')])
    await home.pass(MINUTE)
    expect(report(home)).toMatchObject({ progress: 'waiting', until: home.clock.now() + 9 * MINUTE, at: '/then/0' })
    home.power('lamp', true)
    await home.pass(0)
    expect(sent(home)).toEqual(['a'])
    const evening = triggered([{ wait: [{ after: '12:05' }], timeout: 600 }, on('a')])
    await evening.pass(5 * MINUTE - 2 * SECOND)
    expect(sent(evening)).toEqual([])
    await evening.pass(3 * SECOND)
    expect(sent(evening)).toEqual(['a'])
    expect(evening.clock.waiting).toBeLessThan(5)
  })

  it('goes on at its timeout, or stops the run and says so', async () => {
    const home = triggered([{ wait: [LIT], timeout: 60 }, on('a')])
    await home.pass(MINUTE)
    expect(sent(home)).toEqual(['a'])
    expect(report(home).progress).toBe('finished')
    const stopping = triggered([
      { if: [{ not: LIT }], then: [on('x')], else: [{ wait: [LIT], timeout: 60, else: 'stop' }, on('a')] },
      on('b'),
    ])
    await stopping.pass(MINUTE)
    expect(sent(stopping)).toEqual([])
    expect(report(stopping)).toMatchObject({ progress: 'stopped', at: null })
    expect(stopping.entries('skipped')).toEqual(['did not go on: a wait ended without its condition'])
  })

  it('ends with the run', async () => {
    const home = triggered([{ wait: [LIT], timeout: 60 }, on('a')])
    await home.pass(SECOND)
    home.rules.runs.stop(report(home).id, { source: 'person', name: 'Anna' })
    home.power('lamp', true)
    await home.pass(8 * MINUTE)
    expect(sent(home)).toEqual([])
    expect(report(home).steps.map(({ state }) => state)).toEqual(['left_out', 'left_out'])
  })
})

describe('a repeat', () => {
  const seconds = (home: RulesHome): number[] =>
    home.control.sent.map(({ at }) => (at - home.control.sent[0]!.at) / SECOND)

  it('performs its steps as often as it says', async () => {
    const home = triggered([{ repeat: [on('a')], every: 60, times: 3 }, on('b')])
    await home.pass(8 * MINUTE)
    expect(sent(home)).toEqual(['a', 'a', 'a', 'b'])
    expect(seconds(home)).toEqual([0, 60, 120, 120])
    expect(report(home).progress).toBe('finished')
  })

  it('ends once its conditions hold before a round, and tests them once more after the last', async () => {
    const step: Step = { repeat: [on('a')], every: 60, until: [LIT], times: 3 }
    const home = triggered([step, on('b')])
    await home.pass(70 * SECOND)
    home.power('lamp', true)
    await home.pass(HOUR)
    expect(sent(home)).toEqual(['a', 'a', 'b'])
    const last = triggered([step, on('b')])
    await last.pass(130 * SECOND)
    last.power('lamp', true)
    await last.pass(HOUR)
    expect(sent(last)).toEqual(['a', 'a', 'a', 'b'])
    expect(last.entries('failed')).toEqual([])
  })

  it('that never succeeds fails, and the run goes on', async () => {
    const home = triggered([{ repeat: [on('a')], every: 60, until: [LIT], times: 2 }, on('b')])
    await home.pass(8 * MINUTE)
    expect(sent(home)).toEqual(['a', 'a', 'b'])
    expect(report(home).steps[0]).toMatchObject({ state: 'failed', reason: 'unmet' })
    expect(home.log.at(-1)).toMatchObject({ kind: 'failed', data: { failures: [{ step: 0, reason: 'unmet' }] } })
  })
})

describe('steps inside others', () => {
  it('tell where the run is, and where it failed', async () => {
    const inner: Step = { repeat: [on('a'), { delay: 5 }, on('b')], every: 60, times: 2 }
    const home = triggered([on('x'), { if: [LIT], then: [inner] }], (it) => it.power('lamp', true))
    home.control.failures.set('b', { kind: 'no_answer' })
    await home.pass(SECOND)
    expect(report(home)).toMatchObject({ progress: 'waiting', at: '/then/1/then/0/repeat/1' })
    expect(report(home).steps.map(({ state }) => state)).toEqual(['done', 'waiting'])
    await home.pass(10 * SECOND)
    expect(report(home)).toMatchObject({ progress: 'waiting', at: '/then/1/then/0' })
    await home.pass(8 * MINUTE)
    expect(report(home).steps[1]).toMatchObject({
      state: 'failed',
      reason: 'no_answer',
      failedAt: '/then/1/then/0/repeat/2',
    })
  })

  it('end a run that performs too many', async () => {
    const many: Step = { repeat: [{ repeat: [on('a'), off('a')], every: 1, times: 100 }], every: 1, times: 100 }
    const home = triggered([many, on('b')])
    await home.pass(HOUR)
    expect(home.control.sent.length).toBeGreaterThan(STEPS_RUN_MAX - 100)
    expect(home.control.sent.length).toBeLessThan(STEPS_RUN_MAX)
    expect(sent(home)).not.toContain('b')
    expect(home.log.at(-1)).toMatchObject({
      kind: 'failed',
      data: { failures: [{ step: 0, at: expect.stringMatching(/^\/then\/0\/repeat\/0/), reason: 'too_many_steps' }] },
    })
  })

  it('end a run that lasts a day, also over restarts', async () => {
    const long: Step[] = [{ wait: [LIT], timeout: 72_000 }, { wait: [LIT], timeout: 72_000 }, on('a')]
    let home = triggered(long)
    const begin = home.clock.now()
    await home.pass(10 * HOUR)
    home = restarted(home, MINUTE)
    await home.pass(30 * HOUR)
    expect(sent(home)).toEqual([])
    expect(home.log.find(({ kind }) => kind === 'failed')).toMatchObject({
      at: begin + RUN_MS_MAX,
      data: { failures: [{ step: 1, reason: 'too_long' }] },
    })
  })
})

describe('after a restart a run goes on', () => {
  proves('automations.trees-restart', 'inside the branch that it took, whatever its conditions say now', async () => {
    let home = triggered([{ if: [LIT], then: [on('a'), { delay: 60 }, on('b')], else: [on('c')] }, on('d')], (it) =>
      it.power('lamp', true),
    )
    await home.pass(SECOND)
    home.power('lamp', false)
    home = restarted(home, 10 * SECOND)
    await home.pass(HOUR)
    expect(sent(home)).toEqual(['b', 'd'])
  })

  it('inside a wait, whose timeout does not begin again', async () => {
    let home = triggered([{ wait: [LIT], timeout: 600, else: 'stop' }, on('a')])
    const begin = home.clock.now()
    await home.pass(MINUTE)
    home = restarted(home, MINUTE)
    await home.pass(SECOND)
    expect(report(home).until).toBe(begin + 10 * MINUTE)
    home.power('lamp', true)
    await home.pass(0)
    expect(sent(home)).toEqual(['a'])
  })

  it('in the round of each repeat around it', async () => {
    const inner: Step = { repeat: [on('a')], every: 10, times: 3 }
    let home = triggered([{ repeat: [inner, on('b')], every: 100, times: 2 }, on('c')])
    const all: string[] = []
    for (let kill = 0; kill < 40; kill += 1) {
      await home.pass(4 * SECOND)
      all.push(...sent(home))
      home = restarted(home, SECOND)
    }
    expect(all).toEqual(['a', 'a', 'a', 'b', 'a', 'a', 'a', 'b', 'c'])
  })

  proves('automations.chance', 'at the moment that chance has chosen before', async () => {
    let home = triggered([{ delay: 60, random: 120 }, on('a')])
    await home.pass(SECOND)
    const { until } = report(home)
    home = restarted(home, 10 * SECOND)
    await home.pass(0)
    expect(report(home).until).toBe(until)
    await home.pass(8 * MINUTE)
    expect(home.control.sent.map(({ at }) => at)).toEqual([until])
  })

  it('at most five minutes late', async () => {
    let home = triggered([{ repeat: [on('a')], every: 60, times: 3 }])
    await home.pass(SECOND)
    home = restarted(home, 6 * MINUTE + SECOND)
    await home.pass(HOUR)
    expect(sent(home)).toEqual([])
    expect(home.entries('skipped')).toEqual(['did not continue: the gateway was off when its delay ended'])
  })
})

describe('restore', () => {
  const motion: Step[] = [on('a'), { delay: 60 }, { restore: true }, on('z')]
  const lit = (isOn: boolean) => ({ on: isOn, mode: 'manual' }) as const
  /** A home whose units confirm what they are told. */
  const confirming = (then: readonly Step[], build: (home: RulesHome) => void = () => {}): RulesHome =>
    triggered(then, (home) => {
      home.echo()
      for (const device of ['a', 'b', 'c']) home.power(device, false)
      build(home)
    })
  const commands = (home: RulesHome): string[] => home.control.sent.map(({ device, op }) => `${device} ${op}`)

  it('returns each changed device to its state before the run, and no other', async () => {
    const home = confirming([on('a'), on('a'), on('b'), off('c'), { delay: 60 }, { restore: true }])
    await home.pass(MINUTE)
    expect(['a', 'b', 'c'].map((device) => home.states.get(device))).toEqual([lit(false), lit(false), lit(false)])
    expect(sent(home)).toEqual(['a', 'a', 'b', 'c', 'a', 'b'])
  })

  it('leaves a device that somebody has changed since, until the run changes it again', async () => {
    const home = confirming(motion)
    await home.pass(SECOND)
    home.power('a', false)
    home.power('a', true)
    await home.pass(MINUTE)
    expect(sent(home)).toEqual(['a', 'z'])
    const again = confirming([on('a'), { delay: 10 }, off('a'), { delay: 50 }, { restore: true }])
    await again.pass(SECOND)
    again.state('a', { on: true, mode: 'eco' })
    await again.pass(MINUTE)
    expect(again.states.get('a')).toEqual({ on: true, mode: 'eco' })
  })

  it('counts the changes of scenes that the run started', async () => {
    const home = confirming([{ scene: 's' }, { delay: 5 }, { restore: true }], (it) => it.scene('s', [on('b')]))
    await home.pass(MINUTE)
    expect(home.states.get('b')).toEqual(lit(false))
  })

  it('locks, and never unlocks', async () => {
    const home = confirming(
      [{ device: 'door-1', op: 'open' }, { device: 'door-2', op: 'close' }, { restore: true }],
      (it) => {
        it.state('door-1', { locked: true })
        it.state('door-2', { locked: false })
      },
    )
    await home.pass(0)
    expect(commands(home)).toEqual(['door-1 open', 'door-2 close', 'door-1 close'])
  })

  proves('automations.restore', 'knows its changes after a restart, and what changed meanwhile', async () => {
    const restart = async (isOn: boolean): Promise<RulesHome> => {
      const home = confirming(motion)
      await home.pass(SECOND)
      home.states.set('a', lit(isOn))
      const next = restarted(home, 10 * SECOND)
      next.echo()
      await next.pass(MINUTE)
      return next
    }
    expect(commands(await restart(true))).toEqual(['a set_power', 'z set_power'])
    expect(commands(await restart(false))).toEqual(['z set_power'])
  })

  proves('automations.restore', 'of any changes returns every device', async () => {
    const devices = ['a', 'b', 'c'] as const
    const step = fc.oneof(
      fc.tuple(fc.constantFrom(...devices), fc.boolean()).map(([device, isOn]) => (isOn ? on(device) : off(device))),
      fc.constantFrom(...devices).map((device): Step => ({ device, op: 'toggle' })),
      fc.constantFrom<Step>({ delay: 5 }, { scene: 's' }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.array(fc.boolean()), async (steps, first) => {
        const home = confirming([...steps, { delay: 30 }, { restore: true }], (it) => {
          it.scene('s', [on('b')])
          for (const [index, device] of devices.entries()) it.power(device, first[index] ?? false)
        })
        await home.pass(2 * MINUTE)
        expect(devices.map((device) => home.states.get(device))).toEqual(
          devices.map((_, index) => lit(first[index] ?? false)),
        )
      }),
      { numRuns: times(10, 300) },
    )
  })
})
