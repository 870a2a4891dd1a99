import { describe, expect, test } from 'vitest'
import type { GangClass, SwitchModel } from '../home/model/device.ts'
import { contextOf, encodeIntent, intentById, type WritableIntent } from './index.ts'

const writableById = (id: string): WritableIntent => {
  const intent = intentById(id)
  if (intent?.access !== 'read_write') throw new Error(`${id} cannot be written`)
  return intent
}

const encode = (id: string, model: SwitchModel, gangClass: GangClass | null, value: unknown) =>
  encodeIntent(writableById(id), contextOf(model, gangClass)!, value)

/**
 * Lowest and highest with their registers, and values next to the limits. Limits: Spec 2.7 and 8, docs/intents.md#why.
 */
const NUMBERS = [
  ['turn_on_brightness', 'HMHH', null, 1, { turn_on_brightness: 1 }, 100, { turn_on_brightness: 100 }],
  ['off_delay', 'HMHH', null, 0, { off_delay_min: 0, off_delay_s: 0 }, 239, { off_delay_min: 3, off_delay_s: 59 }],
  ['off_delay', 'HMHHX1', null, 0, { off_delay_min: 0, off_delay_s: 0 }, 239, { off_delay_min: 3, off_delay_s: 59 }],
  [
    'off_after_no_motion',
    'HMHH',
    null,
    1,
    { no_motion_h: 0, no_motion_min: 1 },
    239,
    { no_motion_h: 3, no_motion_min: 59 },
  ],
  [
    'off_after_no_motion',
    'HMHHX1',
    null,
    1,
    { no_motion_h: 0, no_motion_min: 1 },
    239,
    { no_motion_h: 3, no_motion_min: 59 },
  ],
  [
    'off_after_no_motion',
    'HMPH',
    null,
    1,
    { no_motion_h: 0, no_motion_min: 1 },
    239,
    { no_motion_h: 3, no_motion_min: 59 },
  ],
  [
    'off_after_no_motion',
    'HMSH',
    null,
    1,
    { no_motion_h: 0, no_motion_min: 1 },
    239,
    { no_motion_h: 3, no_motion_min: 59 },
  ],
  [
    'off_after_no_motion',
    'HMHHX2',
    'switch_gang',
    0,
    { no_motion_h: 0, no_motion_min: 0 },
    239,
    { no_motion_h: 3, no_motion_min: 59 },
  ],
  [
    'off_after_no_motion',
    'HMHHX3',
    'switch_gang',
    0,
    { no_motion_h: 0, no_motion_min: 0 },
    239,
    { no_motion_h: 3, no_motion_min: 59 },
  ],
  [
    'off_after_no_motion',
    'HMHHX4',
    'switch_gang',
    0,
    { no_motion_h: 0, no_motion_min: 0 },
    239,
    { no_motion_h: 3, no_motion_min: 59 },
  ],
  ['quick_off', 'HMHH', null, 0, { quick_off_h: 0, quick_off_min: 0 }, 239, { quick_off_h: 3, quick_off_min: 59 }],
  [
    'quick_off',
    'HMHHX4',
    'switch_gang',
    0,
    { quick_off_h: 0, quick_off_min: 0 },
    239,
    { quick_off_h: 3, quick_off_min: 59 },
  ],
  ['only_when_dark', 'HMPH', null, 0, { dark_lux: 0 }, 254, { dark_lux: 254 }],
  ['only_when_dark', 'HMHHX2', 'switch_gang', 0, { dark_lux: 0 }, 254, { dark_lux: 254 }],
  ['shutter_eco_light', 'HMTHX2', null, 1, { eco_lux: 1 }, 1000, { eco_lux: 1000 }],
] as const

describe('numbers', () => {
  test.each(NUMBERS)(
    '%s on %s %s takes %d to highest',
    (id, model, gangClass, lowest, atLowest, highest, atHighest) => {
      expect(encode(id, model, gangClass, lowest)).toEqual({ ok: true, value: atLowest })
      expect(encode(id, model, gangClass, highest)).toEqual({ ok: true, value: atHighest })
      expect(encode(id, model, gangClass, lowest - 1)).toMatchObject({
        ok: false,
        error: expect.stringMatching(/^value: must be .*; -?\d+ is too low\.$/),
      })
      expect(encode(id, model, gangClass, highest + 1)).toMatchObject({
        ok: false,
        error: expect.stringMatching(/^value: must be .* is too high\.$/),
      })
      expect(encode(id, model, gangClass, lowest + 0.5)).toMatchObject({
        ok: false,
        error: expect.stringContaining('without a fraction'),
      })
      for (const wrong of [String(lowest), true, null, undefined, [lowest], { value: lowest }]) {
        expect(encode(id, model, gangClass, wrong)).toMatchObject({
          ok: false,
          error: expect.stringMatching(/, not (a text|true or false|null|nothing|a list|an object)\.$/),
        })
      }
    },
  )

  test('a value in between is split into its two registers', () => {
    expect(encode('off_delay', 'HMHH', null, 90)).toEqual({ ok: true, value: { off_delay_min: 1, off_delay_s: 30 } })
    expect(encode('off_after_no_motion', 'HMSH', null, 60)).toEqual({
      ok: true,
      value: { no_motion_h: 1, no_motion_min: 0 },
    })
  })
})

describe('words and flags', () => {
  test('single_touch', () => {
    expect(encode('single_touch', 'HMTHX2', null, true)).toEqual({ ok: true, value: { single_touch: 1 } })
    expect(encode('single_touch', 'HMPH', null, false)).toEqual({ ok: true, value: { single_touch: 0 } })
    for (const wrong of [0, 1, 'true', null, {}, []]) {
      expect(encode('single_touch', 'HMHH', null, wrong)).toMatchObject({
        ok: false,
        error: expect.stringContaining('must be true or false'),
      })
    }
  })

  test('led_mode', () => {
    expect(encode('led_mode', 'HMHH', null, 'off')).toEqual({ ok: true, value: { led_mode: 0 } })
    expect(encode('led_mode', 'HMHHX3', 'switch_gang', 'on')).toEqual({ ok: true, value: { led_mode: 1 } })
    expect(encode('led_mode', 'HMHHX3', 'shutter_gang', 'while_on')).toEqual({ ok: true, value: { led_mode: 2 } })
    for (const wrong of ['On', 'always', '', 1, true, null, ['on'], { on: true }]) {
      expect(encode('led_mode', 'HMHH', null, wrong)).toEqual({
        ok: false,
        error: 'value: must be one of off, on, while_on.',
      })
    }
  })
})

describe('climate', () => {
  const climate = (value: unknown) => encode('climate', 'HMPH', null, value)

  test('each of the three parts may be sent alone', () => {
    expect(climate({ cool: { on: 26, off: 24 } })).toEqual({
      ok: true,
      value: { climate_load: 1, cool_on: 52, cool_off: 48 },
    })
    expect(climate({ heat: { on: 18.5, off: 20 } })).toEqual({
      ok: true,
      value: { climate_load: 2, heat_on: 37, heat_off: 40 },
    })
    expect(climate({ none: true })).toEqual({ ok: true, value: { climate_load: 0 } })
  })

  test('cool and heat together are a heat pump', () => {
    expect(climate({ cool: { on: 26, off: 24 }, heat: { on: 18, off: 24 } })).toEqual({
      ok: true,
      value: { climate_load: 3, cool_on: 52, cool_off: 48, heat_on: 36, heat_off: 48 },
    })
    expect(climate({ cool: { on: 26, off: 24 }, heat: { on: 18, off: 24.5 } })).toMatchObject({
      ok: false,
      error: expect.stringContaining('value.heat.off: must not be above cool.off'),
    })
  })

  test('limits: 5 to 35 degrees', () => {
    expect(climate({ cool: { on: 35, off: 5 } })).toMatchObject({ ok: true })
    expect(climate({ heat: { on: 5, off: 35 } })).toMatchObject({ ok: true })
    expect(climate({ cool: { on: 35.5, off: 5 } })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^value\.cool\.on: .*35\.5 is too high\.$/),
    })
    expect(climate({ cool: { on: 35, off: 4.5 } })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^value\.cool\.off: .*4\.5 is too low\.$/),
    })
    expect(climate({ heat: { on: 4.5, off: 20 } })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^value\.heat\.on: /),
    })
    expect(climate({ heat: { on: 19.3, off: 20 } })).toMatchObject({
      ok: false,
      error: expect.stringContaining('19.3 is between two steps'),
    })
  })

  test.each([
    [{ cool: { on: 24, off: 24 } }, 'value.cool.on: must be above cool.off'],
    [{ cool: { on: 22, off: 24 } }, 'value.cool.on: must be above cool.off'],
    [{ heat: { on: 20, off: 20 } }, 'value.heat.on: must be below heat.off'],
    [{ heat: { on: 22, off: 20 } }, 'value.heat.on: must be below heat.off'],
    [{}, 'one of cool, heat or none'],
    [{ none: false }, 'value.none: can only be true'],
    [{ none: true, cool: { on: 26, off: 24 } }, 'value.none: cannot be sent together'],
    [{ dry: { on: 1, off: 2 } }, 'dry'],
    [{ cool: { on: 26 } }, 'value.cool.off: must be degrees'],
    [{ cool: { on: '26', off: 24 } }, 'not a text'],
    [{ cool: { on: 26, off: 24, hysteresis: 1 } }, 'hysteresis'],
    [{ cool: null }, 'value.cool: must be an object with on and off, not null'],
    [{ heat: [18, 20] }, 'value.heat: must be an object with on and off, not a list'],
    ['cool', 'not a text'],
    [26, 'not a number'],
    [null, 'not null'],
    [[{ none: true }], 'not a list'],
  ])('%j is refused', (value, part) => {
    expect(climate(value)).toMatchObject({ ok: false, error: expect.stringContaining(part) })
  })
})
