// @module-tag repeated
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANNA, BERLIN, RulesHome, off, on, startedRules } from '#support/homes/rules-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import type { SceneStep } from '../model/steps.ts'
import type { RuleStore } from '../ports/rule-store.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

function restarted(home: RulesHome, ms: number): RulesHome {
  const next = home.restarted(ms)
  next.rules.start()
  return next
}

describe('a clock that was ahead', () => {
  const DAY = 24 * HOUR

  proves('automations.wrong-clock', 'over a restart costs no run of the day that it reported', async () => {
    let h = startedRules((it) => it.schedule({ at: { time: '13:00' }, then: [on('a')] }))
    await h.pass(2 * HOUR)
    expect(h.devices).toEqual(['a'])
    h.clock.jumpWall(3 * DAY)
    await h.pass(2 * MINUTE)
    expect(h.entries('skipped')).toEqual(['missed several runs: the gateway was off or its clock was wrong'])
    h = restarted(h, MINUTE)
    h.clock.jumpWall(-3 * DAY)
    await h.pass(4 * DAY)
    expect(h.devices).toEqual(['a', 'a', 'a', 'a'])
  })
})

describe('a restart', () => {
  const steps: SceneStep[] = [on('a'), { delay: 600 }, on('b')]

  it('keeps a long delay', async () => {
    let h = startedRules((it) => it.schedule({ at: { time: '12:01' }, then: steps }))
    await h.pass(5 * MINUTE)
    h = restarted(h, 2 * MINUTE)
    await h.pass(4 * MINUTE - 1)
    expect(h.devices).toEqual([])
    await h.pass(1)
    expect(h.devices).toEqual(['b'])
    expect(h.core.db.prepare('SELECT count(*) AS n FROM rule_runs').get()).toEqual({ n: 0 })
  })

  it('performs late steps within five minutes, and reports them as missed after that', async () => {
    for (const [away, devices, skipped] of [
      [10 * MINUTE, ['b'], []],
      [13 * MINUTE, [], ['did not continue: the gateway was off when its delay ended']],
    ] as const) {
      let h = startedRules((it) => it.schedule({ at: { time: '12:01' }, then: steps }))
      await h.pass(4 * MINUTE)
      h = restarted(h, away)
      await h.pass(0)
      expect(h.devices).toEqual(devices)
      expect(h.entries('skipped')).toEqual(skipped)
    }
  })

  it('waits no longer than the delay, whatever the clock shows afterwards', async () => {
    let h = startedRules((it) => it.schedule({ at: { time: '12:01' }, then: steps }))
    await h.pass(5 * MINUTE)
    h = restarted(h, -400 * 24 * HOUR)
    await h.pass(10 * MINUTE)
    expect(h.devices).toEqual(['b'])
  })

  proves('automations.delays-kept', 'keeps a short delay, and does nothing twice', async () => {
    let h = startedRules((it) => it.schedule({ at: { time: '12:01' }, then: [on('a'), { delay: 50 }, on('b')] }))
    await h.pass(MINUTE + 20_000)
    expect(h.devices).toEqual(['a'])
    h = restarted(h, 10_000)
    await h.pass(20_000 - 1)
    expect(h.devices).toEqual([])
    await h.pass(1)
    expect(h.devices).toEqual(['b'])
    h = restarted(h, 10_000)
    await h.pass(HOUR)
    expect([...h.devices, ...h.entries('failed')]).toEqual([])
  })

  it('reports a run as interrupted if it was inside a step', async () => {
    let h = startedRules((it) => it.schedule({ at: { time: '12:01' }, then: [on('a'), { delay: 50 }, on('b')] }))
    h.control.delayMs = HOUR
    await h.pass(MINUTE + 20_000)
    h = restarted(h, 10_000)
    await h.pass(HOUR)
    expect(h.devices).toEqual([])
    expect(h.entries('failed')).toEqual(['interrupted by a restart'])
    expect(h.log[0]).toMatchObject({ subject: { kind: 'schedule' }, data: { step: 0, steps: 3 } })
  })

  it('reports runs that waited for their turn', async () => {
    let h = startedRules((it) =>
      it.automation({ mode: 'queued', when: [{ device: 'eye', detection: 'motion' }], then: steps }),
    )
    h.detect('eye')
    h.detect('eye')
    await h.pass(MINUTE)
    h = restarted(h, 0)
    expect(h.entries('skipped')).toEqual(['did not run: the gateway stopped before its turn'])
    await h.pass(HOUR)
    expect(h.devices).toEqual(['b'])
  })

  it('a continued scene is running, and reports its end without triggering anything', async () => {
    let h = startedRules((it) => {
      it.scene('evening', steps)
      it.automation({ when: [{ scene: 'evening' }], then: [on('x')] })
    })
    h.rules.scenes.run('evening', ANNA, 'person')
    await h.pass(MINUTE)
    expect(h.devices).toEqual(['a', 'x'])
    h = restarted(h, MINUTE)
    expect(h.rules.scenes.running('evening')).toBe(true)
    await h.pass(10 * MINUTE)
    expect(h.devices).toEqual(['b'])
    expect(h.emittedEvents.filter((event) => event.kind === 'scene').map((event) => event.running)).toEqual([
      true,
      false,
    ])
  })

  it('a continued run counts for its mode', async () => {
    let h = startedRules((it) =>
      it.automation({ mode: 'single', when: [{ device: 'eye', detection: 'motion' }], then: steps }),
    )
    h.detect('eye')
    await h.pass(MINUTE)
    h = restarted(h, MINUTE)
    h.detect('eye')
    await h.pass(HOUR)
    expect(h.devices).toEqual(['b'])
  })

  it('a late run happens once, however often the gateway starts', async () => {
    let h = startedRules((it) => it.schedule({ at: { time: '12:05' } }))
    h = restarted(h, 7 * MINUTE)
    await h.pass(0)
    expect(h.devices).toEqual(['lamp'])
    h = restarted(h, 0)
    await h.pass(HOUR)
    expect(h.devices).toEqual([])
  })

  it('a missed run is reported once', async () => {
    let h = startedRules((it) => it.schedule({ at: { time: '12:05' } }))
    h = restarted(h, 20 * MINUTE)
    expect(h.entries('skipped')).toEqual(['missed a run: the gateway was off or its clock was wrong'])
    h = restarted(h, MINUTE)
    await h.pass(MINUTE)
    expect([...h.entries('skipped'), ...h.devices]).toEqual([])
  })

  it('follows the home to another time zone', async () => {
    let h = startedRules((it) => it.schedule({ at: { time: '18:00' } }))
    h.info = { ...BERLIN, timeZone: 'UTC' }
    h.events.emit({ kind: 'structure', cause: ANNA, at: h.clock.now() })
    expect(h.rules.timed.upcoming(1).map((run) => new Date(run.at).toISOString())).toEqual(['2027-05-03T18:00:00.000Z'])
    h = restarted(h, 0)
    expect(h.rules.timed.upcoming(1).map((run) => new Date(run.at).toISOString())).toEqual(['2027-05-03T16:00:00.000Z'])
  })
})

describe('a full disk', () => {
  const refusing = (store: RuleStore): RuleStore =>
    new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (['begin', 'claim', 'progress', 'end', 'saveHold', 'dropHold'].includes(String(name)))
          return () => {
            throw new Error('database or disk is full')
          }
        return value.bind(target) as unknown
      },
    })

  it('stops no run, and repeats none', async () => {
    const h = new RulesHome({ store: refusing })
    h.schedule({ at: { time: '12:01' }, then: [on('a'), { delay: 120 }, on('b')] })
    h.automation({ when: [{ device: 'hall', state: 'on', is: true, for: 120 }], then: [off('hall')] })
    h.rules.start()
    h.power('hall', false)
    h.power('hall', true)
    await h.pass(HOUR)
    expect(h.devices.toSorted()).toEqual(['a', 'b', 'hall'])
  })
})

/**
 * Invariants of one automation with the steps a, 90 s, b, 30 s, c under any events. The model knows its modes and the
 * effects of a crash, in seconds.
 */
describe('runs against a model', () => {
  interface ModelRun {
    start: number
    done: number
  }
  const STEPS: SceneStep[] = [on('a'), { delay: 90 }, on('b'), { delay: 30 }, on('c')]
  const AT = [
    ['a', 0],
    ['b', 90],
    ['c', 120],
  ] as const

  class Model {
    readonly made: string[] = []
    now = 0
    active: ModelRun | null = null
    queue = 0
    readonly mode: 'single' | 'restart' | 'queued'
    constructor(mode: Model['mode']) {
      this.mode = mode
    }
    trigger(): void {
      if (this.active === null || this.mode === 'restart') this.begin()
      else if (this.mode === 'queued' && this.queue < 10) this.queue += 1
    }
    begin(): void {
      this.active = { start: this.now, done: 0 }
      this.settle()
    }
    settle(): void {
      while (this.active !== null) {
        const next = AT[this.active.done]
        if (next === undefined) {
          const end = this.active.start + 120
          this.active = null
          if (this.queue === 0) return
          this.queue -= 1
          this.active = { start: end, done: 0 }
          continue
        }
        const at = this.active.start + next[1]
        if (at > this.now) return
        this.made.push(`${next[0]}@${at}`)
        this.active.done += 1
      }
    }
    pass(seconds: number): void {
      this.now += seconds
      this.settle()
    }
    crash(seconds: number): void {
      this.queue = 0
      const run = this.active
      this.now += seconds
      // A step that is more than five minutes late is skipped.
      const [, after] = AT[run?.done ?? 0]!
      if (run === null || this.now - (run.start + after) > 300) this.active = null
      else if (run.start + after < this.now) run.start = this.now - after
      this.settle()
    }
  }

  interface Event {
    readonly kind: 'trigger' | 'pass' | 'crash'
    readonly seconds: number
  }
  // The lengths of the delays and of lateness, so that events often coincide.
  const edges = fc.constantFrom(30, 90, 120, 240, 300, 390)
  const event: fc.Arbitrary<Event> = fc.oneof(
    fc.record({ kind: fc.constant('trigger' as const), seconds: fc.constant(0) }),
    fc.record({ kind: fc.constant('pass' as const), seconds: fc.oneof(edges, fc.integer({ min: 1, max: 200 })) }),
    fc.record({
      kind: fc.constant('crash' as const),
      seconds: fc.oneof(fc.constant(0), edges, fc.integer({ min: 0, max: 500 })),
    }),
  )

  const modes = fc.constantFrom('single' as const, 'restart' as const, 'queued' as const)
  const trigger: Event = { kind: 'trigger', seconds: 0 }

  /** A run that continues after a crash, two that wait for it, and a crash at the start of the second. */
  const QUEUED_AND_KEPT: [Model['mode'], Event[]] = [
    'queued',
    [
      trigger,
      { kind: 'crash', seconds: 72 },
      trigger,
      trigger,
      { kind: 'pass', seconds: 168 },
      { kind: 'crash', seconds: 0 },
    ],
  ]

  async function expectAsModel(mode: Model['mode'], events: readonly Event[]): Promise<void> {
    const model = new Model(mode)
    const made: string[] = []
    let home = startedRules((it) =>
      it.automation({ mode, when: [{ device: 'eye', detection: 'motion' }], then: STEPS }),
    )
    const begin = home.clock.now()
    const collect = (): void => {
      for (const sent of home.control.sent.splice(0)) made.push(`${sent.device}@${(sent.at - begin) / 1_000}`)
    }
    for (const { kind, seconds } of [...events, { kind: 'pass' as const, seconds: 3_600 }]) {
      if (kind === 'trigger') {
        home.detect('eye')
        await home.pass(0)
        model.trigger()
      } else if (kind === 'pass') {
        await home.pass(seconds * 1_000)
        model.pass(seconds)
      } else {
        collect()
        home = restarted(home, seconds * 1_000)
        await home.pass(0)
        model.crash(seconds)
      }
      collect()
    }
    expect(made).toEqual(model.made)
    expect(home.lines.sentences('error')).toEqual([])
    expect(home.core.db.prepare('SELECT count(*) AS n FROM rule_runs').get()).toEqual({ n: 0 })
    home.core.close()
  }

  it('follow their mode over crashes, and no step runs twice', async () => {
    await fc.assert(fc.asyncProperty(modes, fc.array(event, { minLength: 3, maxLength: 25 }), expectAsModel), {
      numRuns: times(10, 600),
      examples: [QUEUED_AND_KEPT],
    })
  })
})
