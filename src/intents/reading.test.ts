import { describe, expect, test } from 'vitest'
import type { GangClass, SwitchModel, RegisterValues } from '../home/model/device.ts'
import { proves } from '#support/gateway/verifies.ts'
import { contextOf, intentById, readIntent, readIntents, type CachedRegisters } from './index.ts'

const cached = (values: RegisterValues, asOf = 1_000): CachedRegisters =>
  new Map(Object.entries(values).map(([name, value]) => [name, { value, asOf }]))

const read = (id: string, model: SwitchModel, gangClass: GangClass | null, values: RegisterValues) =>
  readIntent(intentById(id)!, contextOf(model, gangClass)!, cached(values))

/** Raw registers by hand, and their meaning (Spec 2.7). */
const MEANINGS = [
  ['single_touch', 'HMHH', null, { single_touch: 1 }, true],
  ['led_mode', 'HMHHX2', 'switch_gang', { led_mode: 2 }, 'while_on'],
  ['turn_on_brightness', 'HMHH', null, { turn_on_brightness: 30 }, 30],
  ['off_delay', 'HMHHX1', null, { off_delay_min: 3, off_delay_s: 59 }, 239],
  ['off_after_no_motion', 'HMHHX2', 'switch_gang', { no_motion_h: 0, no_motion_min: 0 }, 0],
  ['quick_off', 'HMHH', null, { quick_off_h: 1, quick_off_min: 5 }, 65],
  ['only_when_dark', 'HMPH', null, { dark_lux: 254 }, 254],
  ['climate', 'HMPH', null, { climate_load: 0, cool_on: 0, cool_off: 0, heat_on: 0, heat_off: 0 }, { none: true }],
  [
    'climate',
    'HMSH',
    null,
    { climate_load: 2, cool_on: 52, cool_off: 48, heat_on: 37, heat_off: 42 },
    { heat: { on: 18.5, off: 21 } },
  ],
  [
    'climate',
    'HMSH',
    null,
    { climate_load: 3, cool_on: 52, cool_off: 48, heat_on: 38, heat_off: 42 },
    { cool: { on: 26, off: 24 }, heat: { on: 19, off: 21 } },
  ],
  ['shutter_eco_light', 'HMTHX2', null, { eco_lux: 300 }, 300],
  [
    'key_sense',
    'HMTHX2',
    null,
    { key_sense_up: 1, key_sense_mode: 30, key_sense_down: 99 },
    { up: 1, mode: 30, down: 99 },
  ],
  ['key_sense', 'HMHHX4', 'switch_gang', { touch_area: 0 }, { touchArea: 'blocked' }],
  ['key_immunity', 'HMHH', null, { key_immunity: 20 }, { immunity: 20, locked: false, mainsHz: 50 }],
  ['key_immunity', 'HMHHX2', null, { key_immunity: 190 }, { immunity: 90, locked: true, mainsHz: 60 }],
  ['key_immunity', 'HMTHX2', null, { key_immunity: 90 }, { immunity: 90, locked: true, mainsHz: 50 }],
  ['key_immunity', 'HMTHX2', null, { key_immunity: 100 }, { immunity: 0, locked: false, mainsHz: 60 }],
  ['fade_speed', 'HMHH', null, { fade_speed: 20 }, 500],
  [
    'presence_sensing',
    'HMPH',
    null,
    { presence_sensitivity: 20, detection_timer_h: 1, detection_timer_min: 1 },
    { sensitivity: 20, detectionTimerMinutes: 61 },
  ],
  [
    'shutter_travel',
    'HMTHX2',
    null,
    { up_time_min: 1, up_time_s: 2, down_time_min: 0, down_time_s: 58, activating_time: 3, flip_time: 12 },
    { upSeconds: 62, downSeconds: 58, activatingSeconds: 0.3, flipSeconds: 1.2 },
  ],
  [
    'shutter_automatic',
    'HMTHX2',
    null,
    { move_frame_h: 1, move_frame_min: 30, auto_movement_s: 4, alignment: 14 },
    { moveFrameMinutes: 90, stepSeconds: 4, alignmentPercent: 14 },
  ],
  [
    'shutter_edges',
    'HMTHX2',
    null,
    { ignore_edge: 1, passage_remote: 2 },
    { ignoreEdge: true, passage: 'passage_schedules' },
  ],
  ['shutter_leds', 'HMTHX2', null, { shutter_leds: 2, led_coding: 12 }, { on: true, held: 2, coding: '1/2' }],
  ['shutter_leds', 'HMTHX2', null, { shutter_leds: 2, led_coding: 23 }, { on: false, held: 2, coding: '2/3' }],
  ['automatic_modes', 'HMHH', null, { automatic_modes: 94 }, { allowed: false, powerFactor: 0.9 }],
  ['automatic_modes', 'HMHHX1', null, { automatic_modes: 101 }, { allowed: true, powerFactor: 1 }],
  ['automatic_modes', 'HMPH', null, { automatic_modes: 4 }, { allowed: false }],
  [
    'safety_off_in_manual',
    'HMSH',
    null,
    { safety_timer: 8, safety_mode: 12 },
    { afterMinutes: 480, timerUnit: 'hours', thenMode: 'eco', loadStaysOn: true },
  ],
  [
    'safety_off_in_manual',
    'HMHH',
    null,
    { safety_timer: 8, safety_mode: 101 },
    { afterMinutes: 8, timerUnit: 'minutes', thenMode: 'auto', loadStaysOn: false },
  ],
  ['sleep_timer', 'HMTHX2', null, { sleep_h: 1, sleep_min: 15 }, 75],
  [
    'after_power_cut',
    'HMHHX2',
    'shutter_gang',
    { mains_load: 2, mains_mode: 3, mains_schedules: 0 },
    { load: 'as_before', mode: 'manual', schedulesStayOn: false },
  ],
  ['all_off_group', 'HMPH', null, { all_off_group: 252 }, { follows: true, group: 'all_power_units' }],
  ['all_off_group', 'HMHH', null, { all_off_group: 170 }, { follows: false, group: 'none' }],
  [
    'load_calibration',
    'HMHH',
    null,
    {
      low_current: 12,
      low_current_scale: 1,
      automatic_modes: 91,
      min_switch: 40,
      max_switch: 90,
      dimmable: 1,
      min_dim_level: 5,
      gate_time: 40,
    },
    {
      lowCurrentMa: 120,
      powerFactor: 0.9,
      minSwitchMs: 4,
      maxSwitchMs: 9,
      dimmable: true,
      minDimLevelPercent: 5,
      gateTimeUs: 400,
    },
  ],
  ['load_calibration', 'HMSH', null, { on_level: 10, load_type: 2 }, { onLevelWatts: 10, loadType: 'electronic' }],
  [
    'protection',
    'HMHHX2',
    null,
    { max_temp: 75, max_load: 2300, min_load: 0, load_check: 1 },
    { maxTemp: 75, maxLoad: 2300, minLoad: 0, loadCheck: true },
  ],
  [
    'ir_binding',
    'HMPH',
    null,
    { ir_emitter: 3, ir_channel_on: 4, ir_channel_off: 5 },
    { bound: true, emitter: 3, channelOn: 4, channelOff: 5 },
  ],
  [
    'side_buttons',
    'HMHHX3',
    null,
    { side_buttons_off: 0, side_button_left: 1, side_button_right: 0 },
    { off: false, left: true, right: false },
  ],
  ['groups_and_sensors', 'HMHHX3', null, { group_code: 7, module_sensor: 2 }, { groupCode: 7, sensor: 'paired' }],
  ['groups_and_sensors', 'HMHH', null, { group_code: 0 }, { groupCode: 0 }],
  [
    'protocol',
    'HMHHX4',
    null,
    { acknowledge_control: 1, instant_reporting: 0, switch_count: 4, switch_on_speed: 5 },
    { acknowledgeControl: true, instantReporting: false, switches: 4, switchOnPauseMs: 50 },
  ],
] as const

describe('registers have a meaning', () => {
  test.each(MEANINGS)('%s on %s %s: %j', (id, model, gangClass, values, expected) => {
    const { item, unknown } = read(id, model, gangClass, values)
    expect(item).toMatchObject({ intent: id, value: expected, source: 'cache', asOf: 1_000 })
    expect(item.value).toEqual(expected)
    expect(unknown).toBeNull()
  })
})

describe('the list of a device', () => {
  test('before the first read every value is null, without a time', () => {
    const readings = readIntents(contextOf('HMTHX2', null)!, new Map())
    expect(readings).toHaveLength(14)
    for (const { item, unknown } of readings) {
      expect(item).toMatchObject({ value: null, asOf: null, source: 'cache' })
      expect(unknown).toBeNull()
    }
  })

  test('one register of two is not a value', () => {
    expect(read('off_delay', 'HMHH', null, { off_delay_min: 1 }).item).toMatchObject({ value: null, asOf: null })
  })

  proves('intents.age', 'a value is as old as the oldest of its registers', () => {
    const at = (load: number): number | null => {
      const registers: CachedRegisters = new Map([
        ['climate_load', { value: load, asOf: 900 }],
        ...['cool_on', 'cool_off'].map((name, index) => [name, { value: 52 - index * 4, asOf: 700 }] as const),
        ...['heat_on', 'heat_off'].map((name, index) => [name, { value: 38 + index * 4, asOf: 500 }] as const),
      ])
      return readIntent(intentById('climate')!, contextOf('HMPH', null)!, registers).item.asOf
    }
    expect([at(0), at(1), at(2), at(3)]).toEqual([900, 700, 500, 500])
  })

  test('a value is as old as its oldest register', () => {
    const registers: CachedRegisters = new Map([
      ['off_delay_min', { value: 1, asOf: 500 }],
      ['off_delay_s', { value: 0, asOf: 900 }],
    ])
    expect(readIntent(intentById('off_delay')!, contextOf('HMHH', null)!, registers).item).toMatchObject({
      value: 60,
      asOf: 500,
    })
  })

  test('only read-only items have guidance and appAction', () => {
    for (const { item } of readIntents(contextOf('HMHHX2', 'switch_gang')!, new Map())) {
      if (item.access === 'read_only')
        expect(item).toMatchObject({ guidance: expect.any(String), appAction: 'unit.menus' })
      else expect(Object.keys(item)).toEqual(['intent', 'title', 'access', 'value', 'source', 'asOf'])
    }
  })
})
