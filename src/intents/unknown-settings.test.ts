import { describe, expect, test } from 'vitest'
import type { SwitchModel, RegisterValues } from '../home/model/device.ts'
import { recordingLog } from '#support/recording-log.ts'
import { contextOf, intentById, readIntent } from './index.ts'
import { UnknownSettings } from './unknown-settings.ts'

const read = (id: string, model: SwitchModel, values: RegisterValues) => {
  const cached = new Map(Object.entries(values).map(([name, value]) => [name, { value, asOf: 1_000 }]))
  return readIntent(intentById(id)!, contextOf(model, null)!, cached)
}

describe('decoding never guesses', () => {
  test.each([
    ['off_delay', 'HMHH', { off_delay_min: 77, off_delay_s: 3 }, { unknown: { off_delay_min: 77 } }],
    ['off_delay', 'HMHH', { off_delay_min: 0, off_delay_s: 60 }, { unknown: { off_delay_s: 60 } }],
    [
      'off_after_no_motion',
      'HMHH',
      { no_motion_h: 0, no_motion_min: 0 },
      { unknown: { no_motion_h: 0, no_motion_min: 0 } },
    ],
    ['led_mode', 'HMHH', { led_mode: 3 }, { unknown: { led_mode: 3 } }],
    ['single_touch', 'HMHH', { single_touch: 2 }, { unknown: { single_touch: 2 } }],
    ['turn_on_brightness', 'HMHH', { turn_on_brightness: 0 }, { unknown: { turn_on_brightness: 0 } }],
    ['key_immunity', 'HMHH', { key_immunity: 200 }, { unknown: { key_immunity: 200 } }],
    ['automatic_modes', 'HMPH', { automatic_modes: 91 }, { unknown: { automatic_modes: 91 } }],
    ['automatic_modes', 'HMHH', { automatic_modes: 1 }, { unknown: { automatic_modes: 1 } }],
    ['automatic_modes', 'HMHH', { automatic_modes: 92 }, { unknown: { automatic_modes: 92 } }],
    [
      'shutter_leds',
      'HMTHX2',
      { shutter_leds: 1, led_coding: 23 },
      { held: 1, coding: '2/3', unknown: { shutter_leds: 1, led_coding: 23 } },
    ],
    [
      'shutter_leds',
      'HMTHX2',
      { shutter_leds: 2, led_coding: 13 },
      { held: 2, unknown: { shutter_leds: 2, led_coding: 13 } },
    ],
    ['all_off_group', 'HMHH', { all_off_group: 7 }, { unknown: { all_off_group: 7 } }],
    [
      'safety_off_in_manual',
      'HMHH',
      { safety_timer: 2, safety_mode: 4 },
      { unknown: { safety_timer: 2, safety_mode: 4 } },
    ],
    [
      'safety_off_in_manual',
      'HMHH',
      { safety_timer: 2, safety_mode: 201 },
      { unknown: { safety_timer: 2, safety_mode: 201 } },
    ],
    [
      'climate',
      'HMPH',
      { climate_load: 4, cool_on: 52, cool_off: 48, heat_on: 38, heat_off: 42 },
      { unknown: { climate_load: 4 } },
    ],
    [
      'climate',
      'HMPH',
      { climate_load: 1, cool_on: 48, cool_off: 48, heat_on: 38, heat_off: 42 },
      { unknown: { cool_on: 48, cool_off: 48 } },
    ],
    [
      'climate',
      'HMPH',
      { climate_load: 3, cool_on: 52, cool_off: 48, heat_on: 38, heat_off: 50 },
      { unknown: { climate_load: 3, cool_off: 48, heat_off: 50 } },
    ],
    [
      'protection',
      'HMHH',
      { max_temp: 12, max_load: 5, min_load: 0, load_check: 1 },
      { maxLoad: 5, minLoad: 0, loadCheck: true, unknown: { max_temp: 12 } },
    ],
    [
      'protocol',
      'HMHH',
      { acknowledge_control: 9, instant_reporting: 1 },
      { instantReporting: true, unknown: { acknowledge_control: 9 } },
    ],
  ] as const)('%s on %s: %j', (id, model, values, expected) => {
    const { item, unknown } = read(id, model, values)
    expect(item.value).toEqual(expected)
    expect(unknown).toEqual(expected.unknown)
  })

  test('an unknown number is logged once for each device, register and number', () => {
    const log = recordingLog()
    const unknowns = new UnknownSettings(log)
    unknowns.note('hall', null)
    for (let times = 0; times < 3; times += 1) unknowns.note('hall', { led_mode: 3, dark_lux: 300 })
    unknowns.note('hall', { led_mode: 4 })
    unknowns.note('cellar', { led_mode: 3 })
    expect(log.lines.map(({ level, fields }) => [level, fields])).toEqual([
      ['warn', { device: 'hall', register: 'led_mode', raw: 3 }],
      ['warn', { device: 'hall', register: 'dark_lux', raw: 300 }],
      ['warn', { device: 'hall', register: 'led_mode', raw: 4 }],
      ['warn', { device: 'cellar', register: 'led_mode', raw: 3 }],
    ])
  })
})
