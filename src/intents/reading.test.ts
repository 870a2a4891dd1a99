import { describe, expect, test } from 'vitest'
import type { GangClass, SwitchModel } from '../home/model/device.ts'
import type { RegisterValues } from '../home/model/register.ts'
import { recordingLog } from '#support/recording-log.ts'
import { proves } from '#support/gateway/verifies.ts'
import { contextOf, intentById, readIntent, readIntents, type CachedRegisters } from './index.ts'
import { UnknownSettings } from './unknown-settings.ts'
import { settingWords, registerChangeWords, settingChangeWords } from './words.ts'

const cached = (values: RegisterValues, asOf = 1_000): CachedRegisters =>
  new Map(Object.entries(values).map(([name, value]) => [name, { value, asOf }]))

const read = (id: string, model: SwitchModel, gangClass: GangClass | null, values: RegisterValues) =>
  readIntent(intentById(id)!, contextOf(model, gangClass)!, cached(values))

/** Raw registers by hand, and what they mean (Spec 2.7). */
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
    const { item, unknown } = read(id, model, null, values)
    expect(item.value).toEqual(expected)
    expect(unknown).toEqual(expected.unknown)
  })

  test('what is strange is logged once for each device, register and number', () => {
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

describe('the list of a device', () => {
  test('nothing read yet: every value null, with no time', () => {
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

  proves('intents.age', 'a value is as old as the oldest register that it is made of', () => {
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

  test('guidance and appAction stand on read-only items alone', () => {
    for (const { item } of readIntents(contextOf('HMHHX2', 'switch_gang')!, new Map())) {
      if (item.access === 'read_only')
        expect(item).toMatchObject({ guidance: expect.any(String), appAction: 'unit.menus' })
      else expect(Object.keys(item)).toEqual(['intent', 'title', 'access', 'value', 'source', 'asOf'])
    }
  })
})

describe('wording for explanations', () => {
  test.each([
    ['off_delay', 90, 'off delay is 90 s'],
    ['automatic_modes', { allowed: true, powerFactor: 1 }, 'automatic modes is allowed, power factor 1'],
    [
      'after_power_cut',
      { load: 'as_before', mode: 'auto', schedulesStayOn: false },
      'after a power cut is load as before, mode auto, schedules stay on: no',
    ],
    [
      'climate',
      { cool: { on: 26, off: 24 }, heat: { on: 19, off: 21 } },
      'climate is cool on 26 °C off 24 °C, heat on 19 °C off 21 °C',
    ],
    ['sleep_timer', 60, 'sleep timer is 60 min'],
    [
      'safety_off_in_manual',
      { afterMinutes: 360, timerUnit: 'hours', thenMode: 'auto', loadStaysOn: false },
      'safety off in Manual is after 360 min, then mode auto, load stays on: no',
    ],
    [
      'presence_sensing',
      { sensitivity: 3, detectionTimerMinutes: 5 },
      'presence sensing is sensitivity 3 detections, detection timer 5 min',
    ],
    [
      'shutter_automatic',
      { moveFrameMinutes: 30, stepSeconds: 2, alignmentPercent: 5 },
      'automatic movement is move frame 30 min, step 2 s, alignment 5 %',
    ],
    ['shutter_automatic', { unknown: { alignment: 99 } }, 'automatic movement is unknown alignment 99'],
  ] as const)('%s: %j', (id, value, sentence) => {
    expect(settingWords(intentById(id)!, value)).toBe(sentence)
  })
})

describe('wording for the activity log', () => {
  const wish = (id: string, value: Parameters<typeof settingChangeWords>[1]): string => {
    const intent = intentById(id)!
    if (intent.access !== 'read_write') throw new Error(id)
    return settingChangeWords(intent, value)
  }

  test('what was asked for', () => {
    expect(wish('off_delay', 90)).toBe('off delay set to 90 s')
    expect(wish('single_touch', true)).toBe('single touch set to on')
    expect(wish('led_mode', 'while_on')).toBe('status LEDs set to while on')
    expect(wish('climate', { cool: { on: 26, off: 24 } })).toBe('climate set to cool on 26 °C off 24 °C')
    expect(wish('climate', { none: true })).toBe('climate set to none')
  })

  test('what changed at the unit', () => {
    const dimmer = contextOf('HMHH', null)
    expect(registerChangeWords(dimmer, ['off_delay_s'])).toBe('off delay changed at the unit')
    expect(registerChangeWords(dimmer, ['off_delay_s', 'quick_off_min', 'led_mode'])).toBe(
      'status LEDs, off delay and quick off changed at the unit',
    )
    expect(registerChangeWords(contextOf('HMPH', null), ['ir_emitter'])).toBe('IR emitter changed at the unit')
    expect(registerChangeWords(dimmer, ['eco_lux'])).toBe('settings changed at the unit')
    expect(registerChangeWords(null, ['off_delay_s'])).toBe('settings changed at the unit')
  })
})
