import { describe, expect, it } from 'vitest'
import { ANNA, on, startedRules } from '#support/homes/rules-home.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('turning off and deleting', () => {
  it('ends current runs and triggers nothing more', async () => {
    const h = startedRules()
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
    expect(h.rules.timed.upcoming()).toEqual([])
    expect(
      h.core.db.prepare('SELECT (SELECT count(*) FROM rule_runs) + (SELECT count(*) FROM rule_claims) AS n').get(),
    ).toEqual({ n: 0 })
  })

  it('an edit at the very moment does not swallow the run of that moment', async () => {
    const h = startedRules()
    const id = h.schedule({ at: { time: '12:01' } })
    h.clock.jumpWall(MINUTE)
    h.rules.schedules.update(id, { at: { time: '18:00' } }, 1, ANNA, null)
    await h.pass(0)
    expect(h.devices).toEqual(['lamp'])
  })
})

describe('looking ahead', () => {
  it('predicts the result of a trigger, and does nothing', async () => {
    const h = startedRules()
    const id = h.automation({
      name: 'Night light',
      when: [{ device: 'eye', detection: 'motion' }, { time: '13:00' }],
      if: [{ device: 'eye', reading: 'light', below: 20 }, { after: '08:00' }],
      then: [on('lamp'), { delay: 90 }, { scene: 'x' }],
    })
    h.reading('eye', { light: 35 })
    const names = {
      device: (key: string) => ({ eye: 'Hall sensor', lamp: 'Lamp' })[key] ?? null,
      scene: () => null,
      mode: () => null,
      rule: () => null,
      calendar: () => null,
      person: () => null,
      place: () => null,
    }
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
      because: 'This condition is not met right now: Hall sensor: light is below 20 lux.',
    })
    await h.pass(MINUTE)
    expect([...h.devices, ...h.entries('skipped')]).toEqual([])
    h.reading('eye', { light: 3 })
    expect(h.rules.trials.automation(id, names)).toMatchObject({ wouldRun: true, because: null })
    expect(h.rules.trials.automation('nothing', names)).toBeNull()
  })

  it('lists the runs of the next seven days', () => {
    const h = startedRules()
    const id = h.schedule({ name: 'Blinds', at: { time: '07:00' }, days: [6, 7] })
    h.automation({ name: 'Dusk', when: [{ sun: 'sunset' }] })
    h.automation({ name: 'Off', enabled: false, when: [{ time: '09:00' }] })
    const runs = h.rules.timed.upcoming()
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
    expect(h.rules.timed.nextOf('schedule', id)).toBe(Date.parse('2027-05-08T05:00:00Z'))
  })
})
