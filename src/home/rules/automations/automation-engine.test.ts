import { describe, expect, it } from 'vitest'
import { ANNA, automation, off, on, startedRules } from '#support/homes/rules-home.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('triggers', () => {
  it('a state triggers when its test becomes true, not while it stays true', async () => {
    const h = startedRules((it) => it.automation({ when: [{ device: 'hall', state: 'on', is: true }] }))
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

  it('the first reported state triggers nothing, because it may be old', async () => {
    const h = startedRules((it) => it.automation({ when: [{ device: 'hall', state: 'on', is: true }] }))
    h.power('hall', true)
    await h.pass(HOUR)
    expect(h.devices).toEqual([])
  })

  it('a reading triggers when it crosses its bound', async () => {
    const h = startedRules((it) => it.automation({ when: [{ device: 'eye', reading: 'temperature', above: 25 }] }))
    for (const temperature of [24, 25, 25.1, 26, 24.9, 25.5]) h.reading('eye', { temperature })
    await h.pass(0)
    expect(h.log.filter((draft) => draft.kind === 'run' || draft.kind === 'skipped')).toHaveLength(2)
    expect(h.log.find((draft) => draft.kind === 'run')?.cause).toMatchObject({
      source: 'automation',
      by: { source: 'unit', name: 'temperature', ref: 'eye' },
    })
  })

  it('a detection triggers each time, its end only on request', async () => {
    const h = startedRules((it) => {
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

  it('a scene triggers when it starts', async () => {
    const h = startedRules((it) => {
      it.scene('evening', [on('a')])
      it.automation({ when: [{ scene: 'evening' }], then: [on('b')] })
    })
    h.rules.scenes.run('evening', ANNA, 'person')
    await h.pass(0)
    expect(h.devices.toSorted()).toEqual(['a', 'b'])
  })

  it('a time and the sun trigger once a day', async () => {
    const h = startedRules((it) => {
      it.automation({ when: [{ time: '13:00' }], then: [on('a')] })
      it.automation({ when: [{ sun: 'sunset', offset: -30 }], then: [on('b')] })
    })
    await h.pass(24 * HOUR)
    expect(h.devices).toEqual(['a', 'b'])
    const [noon, sun] = h.control.sent
    expect(new Date(noon!.at).toISOString()).toBe('2027-05-03T11:00:00.000Z')
    expect(Math.abs(sun!.at - Date.parse('2027-05-03T18:06:00Z'))).toBeLessThan(5 * MINUTE)
  })

  it('one event triggers an automation once, even if several of its triggers match', async () => {
    const h = startedRules((it) =>
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
  it('waits, and starts again after an interruption', async () => {
    const h = startedRules((it) =>
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

  it('counts a state that is already true when the automation is created', async () => {
    const h = startedRules()
    h.power('hall', true)
    h.automation({ when: [{ device: 'hall', state: 'on', is: true, for: 600 }], then: [off('hall')] })
    await h.pass(10 * MINUTE)
    expect(h.devices).toEqual(['hall'])
  })

  it('continues over a restart, and does not trigger twice', async () => {
    let h = startedRules((it) => it.automation({ when: [{ device: 'hall', state: 'on', is: true, for: 600 }] }))
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

  it('drops a hold that ended while the gateway was off', async () => {
    let h = startedRules((it) => it.automation({ when: [{ device: 'hall', state: 'on', is: true, for: 600 }] }))
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

  it('is not triggered by a replacement unit that was already on', async () => {
    const h = startedRules((it) => it.automation({ when: [{ device: 'hall', state: 'on', is: true, for: 600 }] }))
    h.power('hall', false)
    h.power('hall', true)
    await h.pass(6 * MINUTE)
    h.replace('hall')
    await h.pass(MINUTE)
    h.power('hall', true)
    await h.pass(HOUR)
    expect(h.devices).toEqual([])
    h.power('hall', false)
    h.power('hall', true)
    await h.pass(10 * MINUTE)
    expect(h.devices).toEqual(['lamp'])
  })

  it('nor by one that was replaced while the gateway was off', async () => {
    let h = startedRules((it) => it.automation({ when: [{ device: 'hall', state: 'on', is: true, for: 600 }] }))
    h.power('hall', false)
    h.power('hall', true)
    await h.pass(6 * MINUTE)
    h = h.restarted(MINUTE)
    h.replace('hall')
    h.rules.start()
    h.power('hall', true)
    await h.pass(HOUR)
    expect(h.devices).toEqual([])
    h.power('hall', false)
    h.power('hall', true)
    await h.pass(10 * MINUTE)
    expect(h.devices).toEqual(['lamp'])
  })

  it('survives an unrelated edit', async () => {
    const h = startedRules()
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
  it('all must hold; the first unmet one is recorded, but not repeatedly', async () => {
    const h = startedRules((it) =>
      it.automation({
        when: [{ device: 'eye', detection: 'motion' }],
        if: [
          { after: '08:00', before: '20:00' },
          { device: 'eye', reading: 'light', below: 20 },
        ],
      }),
    )
    for (let count = 0; count < 50; count += 1) h.detect('eye')
    expect(h.entries('skipped')).toEqual(['did not run: a condition was not met'])
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

describe('the cost of an event', () => {
  it('grows with the automations that concern the device, not with all', () => {
    const costWith = (others: number, own: number): number => {
      const h = startedRules((it) => {
        for (let index = 0; index < others; index += 1)
          it.rules.engine.index.set(`other-${index}`, [
            { device: `unit-${index}`, state: 'on', is: true },
            { device: `unit-${index}`, reading: 'light', below: 5 },
          ])
        for (let index = 0; index < own; index += 1)
          it.rules.engine.index.set(
            `own-${index}`,
            automation({ when: [{ device: 'hall', state: 'on', is: true }] }).when,
          )
      })
      const before = h.rules.engine.index.examined
      h.power('hall', true)
      return h.rules.engine.index.examined - before
    }
    expect(costWith(1_000, 3)).toBe(3)
    expect(costWith(0, 3)).toBe(3)
    expect(costWith(1_000, 0)).toBe(0)
  })
})
