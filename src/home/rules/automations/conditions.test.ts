import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GATEWAY_CAUSE } from '../../model/events.ts'
import type { Condition } from '../../model/rules.ts'
import { firstFailed, judge, type Present } from './conditions.ts'

const BERLIN = { zone: 'Europe/Berlin', place: { latitude: 52.52, longitude: 13.405 } }
const presentAt = (local: string, where: Present['where'] = BERLIN): Present => ({
  states: {
    state: (key) => (key === 'lamp' ? { on: true, mode: 'manual' } : null),
    readings: () => ({ light: 12 }),
    reachable: (unit) => unit !== 'freezer',
    mode: () => ({ mode: 'away', since: 0, until: null, previous: null, cause: GATEWAY_CAUSE }),
    presence: (person) => ({ is: person === 'anna' ? 'home' : person === 'ben' ? 'away' : 'unknown', causes: [] }),
  },
  spanOf: () => ({ holds: null, heldMs: null, endedMs: null }),
  testsOf: () => [],
  now: Date.parse(`${local}${local.includes('+') ? '' : '+01:00'}`),
  where,
})
const holds = (condition: Condition, present = presentAt('2027-12-24T20:00')): boolean =>
  judge(condition, present).holds

const ON: Condition = { device: 'lamp', state: 'on', is: true }
const OFF: Condition = { device: 'lamp', state: 'on', is: false }
const UNKNOWN: Condition = { device: 'pump', state: 'on', is: true }

describe('conditions inside conditions', () => {
  it.each<[boolean, Condition]>([
    [true, { any: [OFF, ON] }],
    [false, { any: [OFF, OFF] }],
    [true, { all: [ON, ON] }],
    [false, { all: [ON, OFF] }],
    [true, { not: OFF }],
    [false, { not: ON }],
    [true, { any: [UNKNOWN, ON] }],
    [false, { any: [UNKNOWN, OFF] }],
    [false, { all: [UNKNOWN, ON] }],
    [false, { not: UNKNOWN }],
    [true, { not: { all: [UNKNOWN, OFF] } }],
    [false, { not: { any: [UNKNOWN, OFF] } }],
  ])('%s: %j', (outcome, condition) => expect(holds(condition)).toBe(outcome))

  it('tell the value of each leaf with its place', () => {
    const { leaves } = judge({ any: [OFF, { not: UNKNOWN }] }, presentAt('2027-12-24T20:00'))
    expect(leaves).toEqual([
      { path: ['any', 0], condition: OFF, value: true, holds: false },
      { path: ['any', 1, 'not'], condition: UNKNOWN, value: null, holds: false },
    ])
  })

  it('have the outcome of their leaves by the laws of logic, if all values are known', () => {
    const tree = fc.letrec<{ tree: Condition }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(ON, OFF),
        fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
        fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
        tie('tree').map((not) => ({ not })),
      ),
    })).tree
    const expected = (condition: Condition): boolean => {
      if ('any' in condition) return condition.any.some(expected)
      if ('all' in condition) return condition.all.every(expected)
      return 'not' in condition ? !expected(condition.not) : condition === ON
    }
    fc.assert(
      fc.property(tree, (condition) => {
        expect(holds(condition)).toBe(expected(condition))
        expect(firstFailed([condition], presentAt('2027-12-24T20:00')) === null).toBe(expected(condition))
      }),
    )
  })
})

describe('a condition', () => {
  it('knows whether a unit answers', () => {
    expect(holds({ device: 'lamp', reachable: true })).toBe(true)
    expect(holds({ device: 'freezer', reachable: true })).toBe(false)
    expect(holds({ device: 'freezer', reachable: false })).toBe(true)
  })

  it('knows whether the sun is up, but not without a place', () => {
    const [noon, night] = [presentAt('2027-12-24T12:00'), presentAt('2027-12-24T20:00')]
    expect([holds({ sun: 'up' }, noon), holds({ sun: 'down' }, noon)]).toEqual([true, false])
    expect([holds({ sun: 'up' }, night), holds({ sun: 'down' }, night)]).toEqual([false, true])
    const nowhere = presentAt('2027-12-24T12:00', { zone: 'Europe/Berlin', place: null })
    for (const condition of [{ sun: 'up' }, { sun: 'down' }, { after: 'sunrise' }] as const)
      expect([holds(condition, nowhere), holds({ not: condition }, nowhere)]).toEqual([false, false])
  })

  it.each<[boolean, string, Condition]>([
    [true, '2027-12-20T00:00', { from: '12-20', until: '01-06' }],
    [true, '2028-01-06T23:59', { from: '12-20', until: '01-06' }],
    [false, '2028-01-07T00:00', { from: '12-20', until: '01-06' }],
    [false, '2027-12-19T23:59', { from: '12-20', until: '01-06' }],
    [true, '2027-03-01T12:00', { from: '03-01', until: '03-01' }],
    [true, '2027-12-24T12:00', { from: '2027-12-24', until: '2028-01-02' }],
    [false, '2028-12-24T12:00', { from: '2027-12-24', until: '2028-01-02' }],
    [false, '2027-02-28T12:00', { from: '02-29', until: '03-05' }],
    [true, '2028-02-29T12:00', { from: '02-29', until: '03-05' }],
  ])('%s at %s: %j', (outcome, local, condition) => expect(holds(condition, presentAt(local))).toBe(outcome))
})
