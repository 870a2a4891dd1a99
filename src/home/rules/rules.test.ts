import { describe, expect, it } from 'vitest'
import { ANNA, RulesHome, automation, off, on } from '#support/homes/rules-home.ts'
import type { Cause } from '../model/cause.ts'
import { QUEUE_MAX } from './runs/run-manager.ts'
import { SELF_TRIGGERS_MAX } from './automations/loop-guard.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A started home; the rules are made first, as they would be by the time anything happens. */
function home(build: (home: RulesHome) => void = () => {}): RulesHome {
  const made = new RulesHome()
  build(made)
  made.rules.start()
  return made
}

describe('triggers', () => {
  it('a state sets off when its test becomes true, not while it stays true', async () => {
    const h = home((it) => it.automation({ when: [{ device: 'hall', state: 'on', is: true }] }))
    h.power('hall', false)
    h.power('hall', true)
    await h.pass(0)
    h.state('hall', { on: true, mode: 'auto' })
    await h.pass(0)
    expect(h.devices).toEqual(['lamp'])
    h.power('hall', false)
    h.power('hall', true)
    await h.pass(0)
    expect(h.devices).toEqual(['lamp', 'lamp'])
  })

  it('the first state that is heard sets nothing off: nothing has begun', async () => {
    const h = home((it) => it.automation({ when: [{ device: 'hall', state: 'on', is: true }] }))
    h.power('hall', true)
    await h.pass(HOUR)
    expect(h.devices).toEqual([])
  })

  it('a reading sets off when it crosses its bound', async () => {
    const h = home((it) => it.automation({ when: [{ device: 'eye', reading: 'temperature', above: 25 }] }))
    for (const temperature of [24, 25, 25.1, 26, 24.9, 25.5]) h.reading('eye', { temperature })
    await h.pass(0)
    expect(h.log.filter((draft) => draft.kind === 'run' || draft.kind === 'skipped')).toHaveLength(2)
    expect(h.log.find((draft) => draft.kind === 'run')?.cause).toMatchObject({
      source: 'automation',
      by: { source: 'unit', name: 'temperature', ref: 'eye' },
    })
  })

  it('a detection sets off each time, its end only where asked for', async () => {
    const h = home((it) => {
      it.automation({ when: [{ device: 'eye', detection: 'motion' }], then: [on('a')] })
      it.automation({ when: [{ device: 'eye', detection: 'motion', is: false }], then: [on('b')] })
    })
    h.detect('eye')
    await h.pass(0)
    h.detect('eye', false)
    await h.pass(0)
    h.detect('eye')
    await h.pass(0)
    expect(h.devices).toEqual(['a', 'b', 'a'])
  })

  it('a scene sets off when it starts', async () => {
    const h = home((it) => {
      it.scene('evening', [on('a')])
      it.automation({ when: [{ scene: 'evening' }], then: [on('b')] })
    })
    h.rules.runScene('evening', ANNA, 'person')
    await h.pass(0)
    expect(h.devices.toSorted()).toEqual(['a', 'b'])
  })

  it('a time and the sun set off once a day', async () => {
    const h = home((it) => {
      it.automation({ when: [{ time: '13:00' }], then: [on('a')] })
      it.automation({ when: [{ sun: 'sunset', offset: -30 }], then: [on('b')] })
    })
    await h.pass(24 * HOUR)
    expect(h.devices).toEqual(['a', 'b'])
    const [noon, sun] = h.control.sent
    expect(new Date(noon!.at).toISOString()).toBe('2027-05-03T11:00:00.000Z')
    expect(Math.abs(sun!.at - Date.parse('2027-05-03T18:06:00Z'))).toBeLessThan(5 * MINUTE)
  })

  it('one piece of news sets an automation off once, whichever of its triggers it meets', async () => {
    const h = home((it) =>
      it.automation({
        mode: 'queued',
        when: [
          { device: 'eye', reading: 'light', below: 20 },
          { device: 'eye', reading: 'light', below: 10 },
        ],
      }),
    )
    h.reading('eye', { light: 100 })
    h.reading('eye', { light: 5 })
    await h.pass(0)
    expect(h.devices).toEqual(['lamp'])
  })
})

describe('for', () => {
  it('waits, and begins anew when it was interrupted', async () => {
    const h = home((it) =>
      it.automation({ when: [{ device: 'hall', state: 'on', is: true, for: 600 }], then: [off('hall')] }),
    )
    h.power('hall', false)
    h.power('hall', true)
    await h.pass(9 * MINUTE)
    h.power('hall', false)
    h.power('hall', true)
    await h.pass(9 * MINUTE)
    expect(h.devices).toEqual([])
    await h.pass(MINUTE)
    expect(h.devices).toEqual(['hall'])
    await h.pass(HOUR)
    expect(h.devices).toEqual(['hall'])
  })

  it('counts what is true already when the automation is made', async () => {
    const h = home()
    h.power('hall', true)
    h.automation({ when: [{ device: 'hall', state: 'on', is: true, for: 600 }], then: [off('hall')] })
    await h.pass(10 * MINUTE)
    expect(h.devices).toEqual(['hall'])
  })

  it('goes on over a restart, and does not set off again what it did before', async () => {
    let h = home((it) => it.automation({ when: [{ device: 'hall', state: 'on', is: true, for: 600 }] }))
    h.power('hall', false)
    h.power('hall', true)
    await h.pass(6 * MINUTE)
    h = h.restarted(MINUTE)
    h.rules.start()
    await h.pass(3 * MINUTE - 1)
    expect(h.devices).toEqual([])
    await h.pass(1)
    expect(h.devices).toEqual(['lamp'])
    h = h.restarted(MINUTE)
    h.rules.start()
    await h.pass(HOUR)
    expect(h.devices).toEqual([])
  })

  it('forgets what ended while the gateway was off', async () => {
    let h = home((it) => it.automation({ when: [{ device: 'hall', state: 'on', is: true, for: 600 }] }))
    h.power('hall', false)
    h.power('hall', true)
    await h.pass(6 * MINUTE)
    h = h.restarted(MINUTE)
    h.states.clear()
    h.rules.start()
    h.power('hall', false)
    h.power('hall', true)
    await h.pass(9 * MINUTE)
    expect(h.devices).toEqual([])
    await h.pass(MINUTE)
    expect(h.devices).toEqual(['lamp'])
  })

  it('survives an edit of something else', async () => {
    const h = home()
    const id = h.automation({ when: [{ device: 'hall', state: 'on', is: true, for: 600 }] })
    h.power('hall', false)
    h.power('hall', true)
    await h.pass(6 * MINUTE)
    h.rules.automations.update(id, { name: 'Other' }, 1, ANNA, null)
    await h.pass(4 * MINUTE)
    expect(h.devices).toEqual(['lamp'])
    h.rules.automations.update(id, { name: 'Third' }, 2, ANNA, null)
    await h.pass(HOUR)
    expect(h.devices).toEqual(['lamp'])
  })
})

describe('conditions', () => {
  it('all must hold; the first that does not is told, but not over and over', async () => {
    const h = home((it) =>
      it.automation({
        when: [{ device: 'eye', detection: 'motion' }],
        if: [
          { after: '08:00', before: '20:00' },
          { device: 'eye', reading: 'light', below: 20 },
        ],
      }),
    )
    for (let count = 0; count < 50; count += 1) h.detect('eye')
    expect(h.entries('skipped')).toEqual(['did not run: a condition did not hold'])
    expect(h.log.find((draft) => draft.kind === 'skipped')?.data).toMatchObject({
      index: 1,
      condition: { device: 'eye', reading: 'light', below: 20 },
    })
    h.reading('eye', { light: 3 })
    h.detect('eye')
    await h.pass(0)
    expect(h.devices).toEqual(['lamp'])
    await h.pass(9 * HOUR)
    h.detect('eye')
    expect(h.log.findLast((draft) => draft.kind === 'skipped')?.data).toMatchObject({ index: 0 })
  })
})

describe('modes', () => {
  const slow = (mode: 'single' | 'restart' | 'queued'): RulesHome =>
    home((it) =>
      it.automation({ mode, when: [{ device: 'eye', detection: 'motion' }], then: [on('a'), { delay: 10 }, on('b')] }),
    )

  it('single ignores a trigger while it runs, and says so once for each run', async () => {
    const h = slow('single')
    for (let second = 0; second < 5; second += 1) {
      h.detect('eye')
      await h.pass(1_000)
    }
    await h.pass(MINUTE)
    expect(h.devices).toEqual(['a', 'b'])
    expect(h.entries('skipped')).toEqual(['did not run: it was still running'])
  })

  it('restart begins anew', async () => {
    const h = slow('restart')
    h.detect('eye')
    await h.pass(9_000)
    h.detect('eye')
    await h.pass(9_000)
    expect(h.devices).toEqual(['a', 'a'])
    await h.pass(1_000)
    expect(h.devices).toEqual(['a', 'a', 'b'])
    expect(h.core.db.prepare('SELECT count(*) AS n FROM rule_runs').get()).toEqual({ n: 0 })
  })

  it('queued runs one after the other, and no more than its queue holds', async () => {
    const h = slow('queued')
    for (let count = 0; count < QUEUE_MAX + 3; count += 1) h.detect('eye')
    await h.pass(10 * MINUTE)
    expect(h.devices).toEqual(Array.from({ length: QUEUE_MAX + 1 }, () => ['a', 'b']).flat())
    expect(h.entries('skipped')).toEqual(['did not run: too many runs wait for their turn'])
  })
})

describe('steps', () => {
  it('neighbours travel together, what follows a wait or repeats a device travels alone', async () => {
    const h = home((it) =>
      it.schedule({ at: { time: '12:01' }, then: [on('a'), on('b'), off('a'), { delay: 1 }, on('c'), on('d')] }),
    )
    await h.pass(2 * MINUTE)
    expect(h.control.sent.map((sent) => `${sent.device}${sent.group}`)).toEqual(['a0', 'b0', 'a1', 'c2', 'd2'])
    expect(h.control.sent[3]!.at - h.control.sent[2]!.at).toBe(1_000)
    expect(h.control.sent.every((sent) => sent.priority === 'automation')).toBe(true)
  })

  it('a unit that does not answer, or is gone, does not stop the rest, and is told', async () => {
    const h = home((it) =>
      it.schedule({
        at: { time: '12:01' },
        then: [on('a'), on('dead'), { delay: 1 }, on('gone'), { scene: 'lost' }, on('b')],
      }),
    )
    h.control.failures.set('dead', { kind: 'no_answer' })
    h.control.failures.set('gone', { kind: 'not_there' })
    await h.pass(2 * MINUTE)
    expect(h.devices).toEqual(['a', 'dead', 'gone', 'b'])
    expect(h.log.filter((draft) => draft.kind === 'failed')).toMatchObject([
      {
        subject: { kind: 'schedule' },
        data: {
          failures: [
            { step: 1, device: 'dead', reason: 'no_answer' },
            { step: 3, device: 'gone', reason: 'not_there' },
            { step: 4, scene: 'lost', reason: 'no_scene' },
          ],
        },
      },
    ])
  })

  it('a scene is run to its first wait before the next step', async () => {
    const h = home((it) => {
      it.scene('evening', [on('s1'), { delay: 300 }, on('s2')])
      it.schedule({ at: { time: '12:01' }, then: [{ scene: 'evening' }, on('after')] })
    })
    h.control.delayMs = 500
    await h.pass(2 * MINUTE)
    expect(h.devices).toEqual(['s1', 'after'])
    await h.pass(5 * MINUTE)
    expect(h.devices).toEqual(['s1', 'after', 's2'])
  })

  it('a light says who turned it on: a scene, by an automation, by a detection', async () => {
    const h = home((it) => {
      it.scene('evening', [on('lamp')])
      it.automation({ name: 'Welcome', when: [{ device: 'eye', detection: 'motion' }], then: [{ scene: 'evening' }] })
    })
    h.detect('eye')
    await h.pass(0)
    expect(h.control.sent[0]!.cause).toMatchObject({
      source: 'scene',
      name: 'evening',
      by: { source: 'automation', name: 'Welcome', by: { source: 'unit', name: 'motion', ref: 'eye' } },
    })
  })
})

describe('scenes', () => {
  it('say when they run and when they have ended', async () => {
    const h = home((it) => it.scene('evening', [on('a'), { delay: 5 }, on('b')]))
    const run = h.rules.runScene('evening', ANNA, 'person')!
    expect(run.runId).toMatch(/^run-/)
    expect(h.rules.isSceneRunning('evening')).toBe(true)
    await h.pass(6_000)
    expect(h.rules.isSceneRunning('evening')).toBe(false)
    expect(h.told.filter((event) => event.kind === 'scene').map((event) => event.running)).toEqual([true, false])
    expect(h.control.sent[0]).toMatchObject({ priority: 'person', cause: { source: 'scene', by: ANNA } })
    expect(h.rules.runScene('nothing', ANNA, 'person')).toBeNull()
  })

  it('a newer run cancels the older, and the scene goes on running', async () => {
    const h = home((it) => it.scene('evening', [on('a'), { delay: 5 }, on('b')]))
    h.rules.runScene('evening', ANNA, 'person')
    await h.pass(3_000)
    h.rules.runScene('evening', ANNA, 'person')
    await h.pass(3_000)
    expect(h.devices).toEqual(['a', 'a'])
    await h.pass(3_000)
    expect(h.devices).toEqual(['a', 'a', 'b'])
    expect(h.told.filter((event) => event.kind === 'scene').map((event) => event.running)).toEqual([true, true, false])
  })

  it('report what failed and keep nothing else waiting', async () => {
    const h = home((it) => {
      it.scene('slow', [on('dead')])
      it.scene('quick', [on('b')])
    })
    h.control.failures.set('dead', { kind: 'no_answer' })
    h.control.delayMs = 5_000
    h.rules.runScene('slow', ANNA, 'person')
    await h.pass(1_000)
    h.rules.runScene('quick', ANNA, 'person')
    await h.pass(0)
    expect(h.devices).toEqual(['dead', 'b'])
    await h.pass(5_000)
    expect(h.log.filter((draft) => draft.kind === 'failed')).toMatchObject([
      { subject: { kind: 'steps', id: 'slow', devices: ['dead'] }, cause: { by: ANNA } },
    ])
  })
})

describe('loops', () => {
  it('an automation that sets itself off over ten times a minute is paused and told, and an edit wakes it', async () => {
    const h = home()
    h.echo()
    const id = h.automation({
      mode: 'restart',
      when: [{ device: 'lamp', state: 'on', is: true }],
      then: [off('lamp'), { delay: 0.1 }, on('lamp')],
    })
    h.power('lamp', false)
    h.power('lamp', true)
    await h.pass(HOUR)
    expect(h.devices.length).toBeLessThan(4 * SELF_TRIGGERS_MAX)
    expect(h.entries('run')).toHaveLength(SELF_TRIGGERS_MAX + 1)
    expect(h.rules.automations.get(id)).toMatchObject({ paused: true, revision: 1, enabled: true })
    expect(h.changes().filter((what) => what === 'paused: it kept setting itself off')).toHaveLength(1)
    const later = h.restarted()
    later.rules.start()
    expect(later.rules.automations.get(id)?.paused).toBe(true)
    later.rules.automations.update(id, { then: [on('other')] }, 1, ANNA, null)
    expect(later.rules.automations.get(id)?.paused).toBe(false)
    later.power('lamp', false)
    later.power('lamp', true)
    await later.pass(0)
    expect(later.devices).toEqual(['other'])
  })

  it('two automations that set each other off are cut as well', async () => {
    const h = home((it) => {
      it.echo()
      it.automation({
        name: 'On',
        mode: 'queued',
        when: [{ device: 'lamp', state: 'on', is: false }],
        then: [{ delay: 0.1 }, on('lamp')],
      })
      it.automation({
        name: 'Off',
        mode: 'queued',
        when: [{ device: 'lamp', state: 'on', is: true }],
        then: [{ delay: 0.1 }, off('lamp')],
      })
    })
    h.power('lamp', false)
    h.power('lamp', true)
    await h.pass(HOUR)
    expect(h.devices.length).toBeLessThan(4 * SELF_TRIGGERS_MAX)
    expect(h.rules.automations.list().filter((rule) => rule.paused)).toHaveLength(1)
  })

  it('lets one that sets itself off slowly go on, and its causes do not grow', async () => {
    const h = home((it) => {
      it.echo()
      it.automation({
        mode: 'restart',
        when: [{ device: 'lamp', state: 'on', is: true }],
        then: [{ delay: 10 }, off('lamp'), { delay: 10 }, on('lamp')],
      })
    })
    h.power('lamp', false)
    h.power('lamp', true)
    await h.pass(HOUR)
    expect(h.devices.length).toBeGreaterThan(300)
    let depth = 0
    for (let link: Cause | undefined = h.control.sent.at(-1)!.cause; link; link = link.by) depth += 1
    expect(depth).toBe(2)
  })
})

describe('turning off and deleting', () => {
  it('ends what runs and sets off nothing more', async () => {
    const h = home()
    const timed = h.automation({
      when: [{ device: 'eye', detection: 'motion' }, { time: '12:05' }],
      then: [on('a'), { delay: 60 }, on('b')],
    })
    const daily = h.schedule({ at: { time: '12:05' }, then: [on('c')] })
    h.detect('eye')
    await h.pass(1_000)
    h.rules.automations.update(timed, { enabled: false }, 1, ANNA, null)
    h.rules.schedules.delete(daily, ANNA)
    h.detect('eye')
    await h.pass(HOUR)
    expect(h.devices).toEqual(['a'])
    expect(h.rules.nextRuns()).toEqual([])
    expect(
      h.core.db.prepare('SELECT (SELECT count(*) FROM rule_runs) + (SELECT count(*) FROM rule_claims) AS n').get(),
    ).toEqual({ n: 0 })
  })

  it('an edit at the very moment does not swallow the run of that moment', async () => {
    const h = home()
    const id = h.schedule({ at: { time: '12:01' } })
    h.clock.jumpWall(MINUTE)
    h.rules.schedules.update(id, { at: { time: '18:00' } }, 1, ANNA, null)
    await h.pass(0)
    expect(h.devices).toEqual(['lamp'])
  })
})

describe('looking ahead', () => {
  it('tells what would happen now, and does nothing', async () => {
    const h = home()
    const id = h.automation({
      name: 'Night light',
      when: [{ device: 'eye', detection: 'motion' }, { time: '13:00' }],
      if: [{ device: 'eye', reading: 'light', below: 20 }, { after: '08:00' }],
      then: [on('lamp'), { delay: 90 }, { scene: 'x' }],
    })
    h.reading('eye', { light: 35 })
    const names = { device: (key: string) => ({ eye: 'Hall sensor', lamp: 'Lamp' })[key] ?? null, scene: () => null }
    expect(h.rules.trials.automation(id, names)).toEqual({
      id,
      name: 'Night light',
      enabled: true,
      paused: false,
      when: [
        { text: 'when Hall sensor detects motion', next: null },
        { text: 'at 13:00', next: Date.parse('2027-05-03T11:00:00Z') },
      ],
      if: [
        { text: 'Hall sensor: light is below 20 lux', now: '35 lux', holds: false },
        { text: 'after 08:00', now: null, holds: true },
      ],
      then: ['Lamp: turn on', 'wait 1 min 30 s', 'run scene something outside this integration'],
      wouldRun: false,
      because: 'This does not hold right now: Hall sensor: light is below 20 lux.',
    })
    await h.pass(MINUTE)
    expect([...h.devices, ...h.entries('skipped')]).toEqual([])
    h.reading('eye', { light: 3 })
    expect(h.rules.trials.automation(id, names)).toMatchObject({ wouldRun: true, because: null })
    expect(h.rules.trials.automation('nothing', names)).toBeNull()
  })

  it('lists the runs of the next seven days', () => {
    const h = home()
    const id = h.schedule({ name: 'Blinds', at: { time: '07:00' }, days: [6, 7] })
    h.automation({ name: 'Dusk', when: [{ sun: 'sunset' }] })
    h.automation({ name: 'Off', enabled: false, when: [{ time: '09:00' }] })
    const runs = h.rules.nextRuns()
    expect(runs.map((run) => run.name)).toEqual([
      'Dusk',
      'Dusk',
      'Dusk',
      'Dusk',
      'Dusk',
      'Blinds',
      'Dusk',
      'Blinds',
      'Dusk',
    ])
    expect(runs.find((run) => run.id === id)).toEqual({
      kind: 'schedule',
      id,
      name: 'Blinds',
      at: Date.parse('2027-05-08T05:00:00Z'),
      text: 'at 07:00 on Sat, Sun',
    })
    expect(h.rules.nextOf('schedule', id)).toBe(Date.parse('2027-05-08T05:00:00Z'))
  })
})

describe('the cost of a piece of news', () => {
  it('grows with the automations that concern the device, not with all', () => {
    const costWith = (others: number, own: number): number => {
      const h = home((it) => {
        for (let index = 0; index < others; index += 1)
          it.rules.triggerIndex.set(`other-${index}`, [
            { device: `unit-${index}`, state: 'on', is: true },
            { device: `unit-${index}`, reading: 'light', below: 5 },
          ])
        for (let index = 0; index < own; index += 1)
          it.rules.triggerIndex.set(
            `own-${index}`,
            automation({ when: [{ device: 'hall', state: 'on', is: true }] }).when,
          )
      })
      const before = h.rules.triggerIndex.examined
      h.power('hall', true)
      return h.rules.triggerIndex.examined - before
    }
    expect(costWith(1_000, 3)).toBe(3)
    expect(costWith(0, 3)).toBe(3)
    expect(costWith(1_000, 0)).toBe(0)
  })
})
