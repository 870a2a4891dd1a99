import { describe, expect, test } from 'vitest'
import type { GangClass, Model, RegisterValues } from '../home/model/device.ts'
import { type CachedRegisters, contextOf, INTENTS, sharedSettings } from './index.ts'
import { contextsOf, type IntentContext } from './catalogue/intent.ts'

const CONTEXTS = [...new Set(INTENTS.flatMap(contextsOf))]

const cached = (values: RegisterValues): CachedRegisters =>
  new Map(Object.entries(values).map(([name, value]) => [name, { value, asOf: 1 }]))

/** Every register of a device, with a number that fits most settings. */
const everything = (context: IntentContext): CachedRegisters =>
  cached(
    Object.fromEntries(
      INTENTS.filter((intent) => contextsOf(intent).includes(context)).flatMap((intent) =>
        intent.coding(context).registers.map((name) => [name, 1] as const),
      ),
    ),
  )

const shared = (
  from: readonly [Model, GangClass | null],
  to: readonly [Model, GangClass | null],
): readonly string[] => {
  const [before, after] = [contextOf(...from)!, contextOf(...to)!]
  return sharedSettings(before, after, everything(before)).map(({ intent }) => intent)
}

describe('settings that a new unit takes from the old one', () => {
  test.each(CONTEXTS.flatMap((from) => CONTEXTS.map((to) => ({ from, to }))))(
    '$from.model $from.gangClass -> $to.model $to.gangClass: only settings chosen by people, in registers of the new unit',
    ({ from, to }) => {
      for (const { intent: id, values } of sharedSettings(from, to, everything(from))) {
        const intent = INTENTS.find((candidate) => candidate.id === id)!
        expect(intent.access).toBe('read_write')
        expect(contextsOf(intent)).toContain(to)
        const coding = intent.coding(to)
        expect(coding.registers).toEqual(expect.arrayContaining(Object.keys(values)))
        const read = coding.decode({ ...Object.fromEntries(coding.registers.map((name) => [name, 1])), ...values })
        expect(read.unknown).toBeNull()
      }
    },
  )

  test('none between a lamp, a power load and a shutter', () => {
    expect(shared(['HMHHX4', 'shutter_gang'], ['HMHHX4', 'switch_gang'])).toEqual([])
    expect(shared(['HMHHX3', 'switch_gang'], ['HMHHX4', 'shutter_gang'])).toEqual([])
    expect(shared(['HMPH', null], ['HMHH', null])).toEqual([])
    expect(shared(['HMHHX1', null], ['HMPH', null])).toEqual([])
    expect(shared(['HMTHX2', null], ['HMHH', null])).toEqual([])
  })

  test('all for the same kind of load, without facts about the hardware', () => {
    expect(shared(['HMHH', null], ['HMHHX1', null])).toEqual([
      'single_touch',
      'led_mode',
      'off_delay',
      'off_after_no_motion',
      'quick_off',
      'only_when_dark',
    ])
    expect(shared(['HMHHX4', null], ['HMHHX3', null])).toEqual([])
  })

  test('a value that the new unit does not accept is left out', () => {
    const never = cached({ no_motion_h: 0, no_motion_min: 0 })
    const [gang, unit] = [contextOf('HMHHX2', 'switch_gang')!, contextOf('HMHHX1', null)!]
    expect(sharedSettings(gang, gang, never)).toMatchObject([{ what: 'off after no motion set to 0 min (never)' }])
    expect(sharedSettings(gang, unit, never)).toEqual([])
  })
})
