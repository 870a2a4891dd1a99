// @module-tag repeated
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { explanationOf, key, MINUTE, NOW, type Situation } from '#support/homes/explained-home.ts'
import { smallHouse } from '#support/homes/small-house.ts'
import { casesOf, times } from '#support/long.ts'
import {
  type DeviceClass,
  GANG_CLASSES,
  UNIT_CLASSES,
  AC_MODES,
  type DeviceState,
  FAN_SPEEDS,
  MODES,
  UNIT_MOVES,
  REMOTE_KEYS,
  type StateOf,
} from '../model/device.ts'
import { changeWords } from '../words/changes.ts'

type Stateful = Exclude<keyof StateOf, 'sensor' | 'meter'>
type Fields = Readonly<Record<string, unknown>>

const on = fc.boolean()
const percent = fc.constantFrom(0, 20, 40, 70, 100)
const mode = fc.constantFrom(...MODES)
const temp = fc.constantFrom(18, 21.5)
const cover = { pos: percent, move: fc.constantFrom(...UNIT_MOVES) }
/** A few values of each field of each class, so that sequences return to earlier values. */
const STATES: { readonly [C in Stateful]: fc.Arbitrary<StateOf[C]> } = {
  light_switch: fc.record({ on, mode }),
  light_dimmer: fc.record({ on, bri: percent, mode }),
  shutter: fc.record({ ...cover, mode }),
  curtain: fc.record({ ...cover, mode }),
  power_switch: fc.record({ on, mode, temp: fc.option(temp) }),
  sense_switch: fc.record({ on, mode }),
  ac: fc.record({ on, temp, mode: fc.constantFrom(...AC_MODES), fan: fc.constantFrom(...FAN_SPEEDS) }),
  ir_remote: fc.record({ key: fc.constantFrom(...REMOTE_KEYS) }),
  lock: fc.record({ locked: fc.boolean() }),
  gate: fc.record(cover),
  switch_gang: fc.record({ on, mode }),
  shutter_gang: fc.record({ ...cover, mode }),
}

/** Each state differs from the previous one in one or more fields. */
const sequences = (deviceClass: Stateful): fc.Arbitrary<readonly DeviceState[]> =>
  fc.array(fc.tuple(STATES[deviceClass], fc.nat({ max: 4 })), { minLength: 2, maxLength: 12 }).map((steps) => {
    const states: DeviceState[] = []
    for (const [next, only] of steps) {
      const before = states.at(-1)
      const [field, value] = Object.entries(next)[only] ?? []
      // Most changes affect one field, as people and rules make them.
      states.push(before === undefined || field === undefined ? next : { ...before, [field]: value })
    }
    return states
  })

/** The level of a light that is off and a position during a movement are not recorded. */
function isRecorded(before: DeviceState, after: DeviceState): boolean {
  const [was, is] = [before as Fields, after as Fields]
  const changed = Object.keys(after).filter((field) => was[field] !== is[field])
  const silent = (field: string): boolean =>
    (field === 'bri' && is['on'] === false) ||
    (field === 'pos' && is['move'] !== 'stopped' && was['move'] === is['move'])
  return changed.some((field) => !silent(field))
}

const isGang = (deviceClass: DeviceClass) => GANG_CLASSES.some((gang) => gang === deviceClass)

/** The home with the device and its recorded changes: one change a minute, each with its own cause. */
function situation(
  deviceClass: Stateful,
  states: readonly DeviceState[],
): Situation & { readonly last: number | null } {
  const id = isGang(deviceClass) ? 'module:0' : 'thing'
  const gang = { gang: 0, name: 'Thing', class: 'switch_gang', room: null } as const
  const unit = isGang(deviceClass)
    ? ({
        id: 'module',
        name: 'Module',
        class: 'gang_module',
        gangs: [{ ...gang, class: deviceClass as 'switch_gang' }],
      } as const)
    : ({ id: 'thing', name: 'Thing', class: deviceClass as 'lock' } as const)
  let last: number | null = null
  const drafts = states.slice(1).flatMap((after, index) => {
    const before = states[index] ?? after
    if (isRecorded(before, after)) last = index
    const change = changeWords(before, after)
    if (change === null) return []
    const { what, from, to } = change
    const cause = { ...key, name: `Change ${index}` }
    const subject = { kind: 'device', id } as const
    return [{ ago: states.length - index, kind: 'state' as const, subject, what, cause, data: { from, to } }]
  })
  return {
    about: { kind: 'device', id },
    drafts,
    state: states.at(-1) ?? { locked: true },
    sources: { house: smallHouse([unit]), automations: () => [], schedules: () => [] },
    view: { device: () => 'Thing', gangsOf: () => [] },
    last,
  }
}

describe('the first item of an explanation', () => {
  const classes = [...UNIT_CLASSES, ...GANG_CLASSES].filter(
    (deviceClass): deviceClass is Stateful =>
      deviceClass !== 'sensor' && deviceClass !== 'meter' && deviceClass !== 'gang_module',
  )
  test.each(casesOf(classes, 3))('is the newest change behind the present values of a %s', (deviceClass) => {
    fc.assert(
      fc.property(sequences(deviceClass), (states) => {
        const { last, ...seen } = situation(deviceClass, states)
        const { items } = explanationOf(seen)
        const [first] = items
        expect(JSON.stringify(items)).not.toContain('could not see it')
        expect(first?.cause?.name, JSON.stringify(states)).toBe(last === null ? undefined : `Change ${last}`)
        // A past range is explained by its own newest change.
        const past = explanationOf({ ...seen, state: { locked: true }, to: NOW - 2 * MINUTE }).items[0]
        expect(past?.at ?? 0).toBeLessThan(NOW - 2 * MINUTE)
      }),
      { numRuns: times(3, 250) },
    )
  })

  test.each(casesOf(classes, 4))(
    'reports that a value of a %s changed while the gateway could not see it',
    (deviceClass) => {
      fc.assert(
        fc.property(sequences(deviceClass), STATES[deviceClass], (states, present) => {
          const { last, ...seen } = situation(deviceClass, states)
          const left = (seen.drafts?.at(-1)?.data?.['to'] ?? {}) as Fields
          const now: Fields = present
          const shows = (field: string): boolean =>
            field === 'bri' ? now['on'] === true : field !== 'pos' || now['move'] === 'stopped'
          fc.pre(last !== null && Object.keys(left).some((field) => left[field] !== now[field] && shows(field)))
          expect(explanationOf({ ...seen, state: present }).items[0]?.what).toContain(
            'while the gateway could not see it',
          )
        }),
        { numRuns: times(3, 200) },
      )
    },
  )

  test('is the newest detection behind the present readings of a sensor', () => {
    const readings = fc.record({ kind: fc.constantFrom('door', 'motion'), value: fc.boolean() })
    fc.assert(
      fc.property(fc.array(readings, { minLength: 1, maxLength: 12 }), (changes) => {
        const state: Record<string, boolean> = {}
        let last: number | null = null
        for (const { kind, value } of changes) state[kind] = value
        const drafts = changes.flatMap(({ kind, value }, index) => {
          if (kind === 'motion' && !value) return []
          if (state[kind] === value) last = index
          return [
            {
              ago: changes.length - index + 1,
              kind: 'detection' as const,
              subject: { kind: 'device', id: 'sensor' } as const,
              what: `${kind} ${index}`,
              cause: { source: 'unit', name: kind, ref: 'sensor' } as const,
              data: { detection: kind, value },
            },
          ]
        })
        const back = { kind: 'unit', what: 'answers again', cause: { source: 'gateway', name: 'gateway' } } as const
        const subject = { kind: 'device', id: 'sensor' } as const
        const { items } = explanationOf({ about: subject, state, drafts: [...drafts, { ...back, ago: 1, subject }] })
        if (last !== null) expect(items[0]?.at).toBe(NOW - (changes.length - last + 1) * MINUTE)
      }),
      { numRuns: times(3, 250) },
    )
  })

  test('for a module, is the newest valid change of one of its gangs', () => {
    const subject = (gang: number) => ({ kind: 'device', id: `module:${gang}` }) as const
    const { items } = explanationOf({
      about: { kind: 'device', id: 'module' },
      view: { device: () => 'Mirror', gangsOf: () => ['module:0', 'module:1'] },
      drafts: [
        { ago: 30, kind: 'state', what: 'turned on', cause: key, subject: subject(1), data: { to: { on: true } } },
        {
          ago: 9,
          kind: 'state',
          what: 'mode set to eco',
          cause: key,
          subject: subject(0),
          data: { to: { mode: 'eco' } },
        },
      ],
      state: { on: true, mode: 'eco' },
    })
    expect(items.slice(0, 2).map(({ at }) => at)).toEqual([NOW - 9 * MINUTE, NOW - 30 * MINUTE])
  })

  test('is found behind hundreds of newer entries, in the range and before it', () => {
    for (const ago of [1_000, 3 * 1_440]) {
      const noise = Array.from({ length: 450 }, (_, index) => ({
        ago: index + 2,
        kind: 'detection' as const,
        what: 'motion',
        cause: { source: 'unit', name: 'motion', ref: 'hall' } as const,
        data: { detection: 'motion', value: true },
      }))
      const { items } = explanationOf({
        drafts: [
          { ago, kind: 'state', what: 'turned on', cause: key, data: { from: { on: false }, to: { on: true } } },
          ...noise,
        ],
      })
      expect(items[0]?.at).toBe(NOW - ago * MINUTE)
    }
  })
})
