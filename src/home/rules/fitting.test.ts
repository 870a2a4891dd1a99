// @module-tag repeated
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { times } from '#support/long.ts'
import { type DeviceClass, GANG_CLASSES, OPERATIONS, UNIT_CLASSES } from '../model/device.ts'
import { type Condition, STATE_FIELDS, type Step, type Trigger } from '../model/rules.ts'
import { fitted, type ReplacedDevices, problemWith } from './problems.ts'

/** A lamp of a class, and its successor if it became a module or was one. */
function lampOf(now: DeviceClass | null, heir: DeviceClass | null = null): ReplacedDevices {
  const classes: Readonly<Record<string, DeviceClass | null>> = { lamp: now, heir }
  return {
    concerns: (key) => key === 'lamp' || key === 'heir',
    known: (key) => {
      const its = classes[key] ?? null
      return its === null ? undefined : { class: its, name: key }
    },
    successor: (key) => (key === 'lamp' && heir !== null ? 'heir' : null),
  }
}

const lamp = (rest: object): never => ({ device: 'lamp', ...rest }) as never
const dim = (bri: number): Step => lamp({ op: 'set_brightness', args: { bri } })
const power = (on: boolean, device = 'lamp'): Step => ({ device, op: 'set_power', args: { on } })

describe('fitting rules to a replacement unit', () => {
  test('a level becomes on or off if the new unit only switches', () => {
    const rule = {
      when: [lamp({ state: 'bri', above: 50, for: 60 }), lamp({ state: 'bri', below: 5 })] as Trigger[],
      if: [lamp({ state: 'bri', is: 0 }), lamp({ state: 'bri', is: 7 })] as Condition[],
      then: [dim(40), power(false), dim(0), { delay: 5 }] as Step[],
    }
    const { lists, misfits } = fitted(rule, lampOf('light_switch'))
    expect(lists).toEqual({
      when: [
        { device: 'lamp', state: 'on', is: true, for: 60 },
        { device: 'lamp', state: 'on', is: false },
      ],
      if: [
        { device: 'lamp', state: 'on', is: false },
        { device: 'lamp', state: 'on', is: true },
      ],
      then: [power(true), power(false), power(false), { delay: 5 }],
    })
    expect(misfits.map(({ list, index }) => [list, index])).toEqual([
      ['when', 0],
      ['when', 1],
      ['if', 0],
      ['if', 1],
      ['then', 0],
      ['then', 2],
    ])
  })

  test('a switch that became a module is its first gang, and readings of the module itself stay', () => {
    const motion = lamp({ detection: 'motion' }) as Trigger
    const rule = { when: [motion], then: [power(true), dim(40)] }
    const { lists } = fitted(rule, lampOf('gang_module', 'switch_gang'))
    expect(lists).toEqual({ when: [motion], then: [power(true, 'heir'), power(true, 'heir')] })
  })

  test('a part without an equivalent is removed, with the reason', () => {
    const { lists, misfits } = fitted(
      { steps: [lamp({ op: 'set_position', args: { pos: 30 } }), power(true)] },
      lampOf('switch_gang'),
    )
    expect(lists.steps).toEqual([power(true)])
    expect(misfits).toMatchObject([
      { list: 'steps', index: 0, becomes: null, problem: expect.stringContaining('switch_gang') },
    ])
    expect(fitted({ steps: [power(true)] }, lampOf(null)).misfits[0]?.problem).toBe('the unit no longer has this gang')
  })

  test('waits are removed with the last effective step, and stay otherwise', () => {
    const [move, wait] = [lamp({ op: 'set_position', args: { pos: 30 } }), { delay: 180 }]
    for (const list of ['then', 'steps'] as const) {
      expect(fitted({ [list]: [move, wait, move] }, lampOf('light_switch')).lists[list]).toEqual([])
      expect(fitted({ [list]: [move, wait, power(true)] }, lampOf('light_switch')).lists[list]).toEqual([
        wait,
        power(true),
      ])
      expect(fitted({ [list]: [wait] }, lampOf('light_switch')).lists[list]).toEqual([wait])
    }
  })

  test('a step inside another is adapted there, and an emptied outer step is removed', () => {
    const [move, light] = [lamp({ op: 'set_position', args: { pos: 30 } }), power(true)]
    const other = { device: 'other', op: 'toggle' } as const
    const fit = (then: readonly Step[]): unknown => fitted({ then }, lampOf('light_switch')).lists.then
    expect(fit([{ if: [{ days: [1] }], then: [light], else: [move] }])).toEqual([
      { if: [{ days: [1] }], then: [light] },
    ])
    expect(fit([{ if: [{ days: [1] }], then: [move], else: [light] }, other])).toEqual([other])
    expect(
      fit([
        { repeat: [move, { delay: 5 }], every: 9, times: 2 },
        { wait: [{ days: [1] }], timeout: 9 },
      ]),
    ).toEqual([])
    const until = lamp({ state: 'pos', is: 30 })
    const { lists, misfits } = fitted({ then: [{ wait: [until], timeout: 9 }, other] }, lampOf('light_switch'))
    expect(lists.then).toEqual([other])
    expect(misfits).toMatchObject([{ list: 'then', index: 0, placed: { kind: 'condition' }, becomes: null }])
  })

  test('for all classes: the result fits, and fitting parts stay unchanged', () => {
    const classes = fc.constantFrom(...UNIT_CLASSES, ...GANG_CLASSES)
    const tests = fc.oneof(
      fc.record({ is: fc.constantFrom(true, false, 0, 40, 'auto', 'opening', 'sleep') }),
      fc.record({ above: fc.constantFrom(-1, 0, 50) }),
      fc.record({ below: fc.constantFrom(10, 101) }),
    )
    const state = fc
      .tuple(fc.constantFrom(...STATE_FIELDS), tests)
      .map(([field, its]) => lamp({ state: field, ...its }))
    const reading = fc
      .tuple(fc.constantFrom('temperature', 'motion', 'power'), tests)
      .map(([kind, its]) => lamp({ reading: kind, ...its }))
    const detection = fc.constantFrom('motion', 'door').map((kind) => lamp({ detection: kind }))
    const step = fc
      .tuple(fc.constantFrom(...OPERATIONS), fc.constantFrom(0, 40))
      .map(([op, value]) =>
        lamp({ op, args: { on: value > 0, bri: value, pos: value, mode: 'auto', temp: 20, fan: 'low', key: 'ok' } }),
      )
    const rule = fc.record({
      when: fc.array(fc.oneof(state, reading, detection), { maxLength: 4 }),
      if: fc.array(fc.oneof(state, reading), { maxLength: 4 }),
      then: fc.array(step, { maxLength: 4 }),
    })
    fc.assert(
      fc.property(rule, fc.option(classes), fc.option(classes), (before, now, heir) => {
        const devices = lampOf(now, heir)
        const { lists, misfits } = fitted(before, devices)
        expect(problemWith(lists as typeof before, devices.known)).toBeNull()
        expect(fitted(lists as typeof before, devices).misfits).toEqual([])
        for (const list of ['when', 'if', 'then'] as const) {
          const touched = new Set(misfits.filter((misfit) => misfit.list === list).map(({ index }) => index))
          const unchanged = before[list].filter((_, index) => !touched.has(index))
          for (const part of unchanged) expect(lists[list]).toContainEqual(part)
          const becomes = misfits.filter((misfit) => misfit.list === list && misfit.becomes !== null)
          expect(lists[list]).toHaveLength(unchanged.length + becomes.length)
        }
      }),
      { numRuns: times(100, 5_000) },
    )
  })
})
