// @module-tag repeated
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { times } from '#support/long.ts'
import {
  type DeviceClass,
  type DeviceState,
  GANG_CLASSES,
  opensEntrance,
  parseCommand,
  UNIT_CLASSES,
} from './device.ts'
import { commandNow, parseStepCommand, type RelativeCommand, stateAfter, stepOperations } from './steps.ts'

const lamp = (on: boolean, bri: number): DeviceState => ({ on, bri, mode: 'manual' })
const cover = (pos: number): DeviceState => ({ pos, move: 'stopped', mode: 'manual' })
const brighter = (by: number): RelativeCommand => ({ op: 'set_brightness', args: { by } })

/** States of every shape, whatever the class says. */
const states: fc.Arbitrary<DeviceState | null> = fc.oneof(
  fc.constant(null),
  fc.record({ on: fc.boolean(), bri: fc.nat(100), mode: fc.constant('auto' as const) }),
  fc.record({ pos: fc.nat(100), move: fc.constantFrom('stopped', 'opening'), mode: fc.constant('auto' as const) }),
  fc.record({ pos: fc.nat(100), move: fc.constantFrom('stopped', 'opening') }),
  fc.record({ locked: fc.boolean() }),
  fc.record({ on: fc.boolean(), temp: fc.option(fc.constantFrom(5, 20.5, 35)), mode: fc.constant('auto' as const) }),
)
const changes: fc.Arbitrary<RelativeCommand> = fc.oneof(
  fc.constant({ op: 'toggle' } as const),
  fc.record({
    op: fc.constantFrom('set_brightness', 'set_position'),
    args: fc.record({ by: fc.integer({ min: -100, max: 100 }) }),
  }),
  fc.record({ op: fc.constant('set_temp' as const), args: fc.record({ by: fc.constantFrom(-30, -0.5, 2, 30) }) }),
)

describe('a change from the confirmed state', () => {
  it.each([
    [{ op: 'toggle' }, lamp(true, 40), { op: 'set_power', args: { on: false } }],
    [{ op: 'toggle' }, lamp(false, 40), { op: 'set_power', args: { on: true } }],
    [{ op: 'toggle' }, cover(0), { op: 'open' }],
    [{ op: 'toggle' }, cover(1), { op: 'close' }],
    [{ op: 'toggle' }, { locked: true }, null],
    [{ op: 'toggle' }, { pos: 0, move: 'stopped' }, null],
    [{ op: 'toggle' }, null, null],
    [brighter(-20), lamp(true, 50), { op: 'set_brightness', args: { bri: 30 } }],
    [brighter(-20), lamp(true, 10), { op: 'set_brightness', args: { bri: 0 } }],
    [brighter(20), lamp(false, 50), { op: 'set_brightness', args: { bri: 20 } }],
    [{ op: 'set_position', args: { by: 30 } }, cover(80), { op: 'set_position', args: { pos: 100 } }],
    [
      { op: 'set_temp', args: { by: -0.5 } },
      { on: true, mode: 'auto', temp: 21 },
      { op: 'set_temp', args: { temp: 20.5 } },
    ],
    [{ op: 'set_temp', args: { by: -0.5 } }, { on: true, mode: 'auto', temp: null }, null],
  ] as const)('%j from %j sends %j', (command, state, sent) => expect(commandNow(command, state)).toEqual(sent))

  it('sends a valid command, and never opens a lock or gate', () => {
    fc.assert(
      fc.property(changes, states, fc.constantFrom(...UNIT_CLASSES, ...GANG_CLASSES), (change, state, deviceClass) => {
        const command = commandNow(change, state)
        if (command === null) return
        expect(parseCommand(command.op, command.args).ok).toBe(true)
        if (isEntrance(deviceClass) && fits(deviceClass, state))
          expect(opensEntrance(deviceClass, command.op)).toBe(false)
        expect(stateAfter(state!, command)).toMatchObject(command.args ?? {})
      }),
      { numRuns: times(500, 5_000) },
    )
    for (const deviceClass of ['lock', 'gate'] as const) expect(stepOperations(deviceClass)).not.toContain('toggle')
  })

  it('has checked arguments', () => {
    expect(parseStepCommand('set_brightness', { by: -20 })).toEqual({ ok: true, value: brighter(-20) })
    expect(parseStepCommand('set_brightness', { bri: 20 }).ok).toBe(true)
    expect(parseStepCommand('set_brightness', { by: 0 })).toMatchObject({ error: { message: 'must not be 0' } })
    expect(parseStepCommand('set_temp', { by: 0.3 })).toMatchObject({ error: { field: 'by' } })
    expect(parseStepCommand('set_power', { by: 1 }).ok).toBe(false)
    expect(parseStepCommand('toggle', null)).toEqual({ ok: true, value: { op: 'toggle' } })
    expect(parseStepCommand('toggle', { on: true }).ok).toBe(false)
  })
})

const isEntrance = (deviceClass: DeviceClass): boolean => deviceClass === 'lock' || deviceClass === 'gate'

/** True if a device of this class may have such a state. */
function fits(deviceClass: DeviceClass, state: DeviceState | null): boolean {
  if (state === null) return true
  return deviceClass === 'lock' ? 'locked' in state : 'pos' in state && !('mode' in state)
}
