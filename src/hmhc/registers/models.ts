import type { GangClass, SwitchModel } from '../../home/model/device.ts'

export type ValueRange = readonly [lowest: number, highest: number]

/** One register of one model, as in docs/hmhc-registers.md. */
export interface RegisterDef {
  readonly number: number
  readonly name: string
  /** Values the unit accepts, both ends included; a write of any other value is refused. */
  readonly ranges: readonly ValueRange[]
  /** Factory value. */
  readonly default: number
  /** Meaning of the values, in one sentence. */
  readonly coding: string
  /** True if the hardware fixes the value: the unit refuses every write. */
  readonly fixed?: true
}

/** All registers of one model; `gang` is null for a model without gangs, whose class decides which ones they have. */
export interface ModelRegisters {
  readonly unit: readonly RegisterDef[]
  readonly gang: Readonly<Record<GangClass, readonly RegisterDef[]>> | null
}

/**
 * All registers of all models, once: a name always has the same number, range and coding. Models select from here
 * (`choose`) and may differ in the default and, for a shared digit, in range and coding.
 */
type Entry = readonly [number: number, ranges: readonly ValueRange[], standard: number, coding: string]

const within = (...ranges: ValueRange[]): readonly ValueRange[] => ranges
const only = (...values: number[]): readonly ValueRange[] => values.map((value) => [value, value])
const flag: readonly ValueRange[] = [[0, 1]]
const minutesOrSeconds: readonly ValueRange[] = [[0, 59]]
const halfDegrees: readonly ValueRange[] = [[10, 70]]
const raw: readonly ValueRange[] = [[0, 65_535]]

const ENTRIES = {
  // Keys and LEDs
  single_touch: [1, flag, 0, '0 up, mode and down are keys of their own; 1 the whole face is one key'],
  led_mode: [2, [[0, 2]], 2, '0 off; 1 on; 2 while the load is on'],
  led_coding: [3, only(12, 23), 12, 'How `shutter_leds` is coded: 12 means 1 off, 2 on; 23 means 2 off, 3 on'],
  shutter_leds: [4, [[1, 3]], 2, 'LEDs off or on: 1 or 2, or 2 or 3, as `led_coding` says'],
  key_sense_up: [5, [[1, 99]], 30, 'Touch threshold of the up area; higher means less sensitive'],
  key_sense_mode: [6, [[1, 99]], 30, 'Touch threshold of the mode area; higher means less sensitive'],
  key_sense_down: [7, [[1, 99]], 30, 'Touch threshold of the down area; higher means less sensitive'],
  touch_area: [8, flag, 1, '0 blocked; 1 active'],
  key_immunity: [9, [[0, 199]], 20, '0-99 immunity to electrical noise, 90 locks the keys; +100 marks 60 Hz mains'],
  side_buttons_off: [10, flag, 0, '0 the side buttons work; 1 both are off'],
  side_button_left: [11, flag, 1, '0 the left side button does not respond; 1 it responds'],
  side_button_right: [12, flag, 1, '0 the right side button does not respond; 1 it responds'],
  // Light and motion
  turn_on_brightness: [20, [[1, 100]], 100, 'Percent'],
  fade_speed: [21, [[0, 255]], 0, 'Ramp time in units of 25 ms; 0 no fade'],
  off_delay_min: [22, [[0, 3]], 0, 'min:sec'],
  off_delay_s: [23, minutesOrSeconds, 0, 'min:sec; 0:00 no delay'],
  no_motion_h: [24, [[0, 3]], 0, 'h:min'],
  no_motion_min: [25, minutesOrSeconds, 15, 'h:min; 0:00 is refused, except in a gang, where it means never'],
  quick_off_h: [26, [[0, 3]], 0, 'h:min'],
  quick_off_min: [27, minutesOrSeconds, 0, 'h:min; 0:00 no quick off'],
  dark_lux: [28, [[0, 254]], 254, 'Lux; 0 motion never turns the load on; 254 at any light'],
  // Climate and presence
  climate_load: [40, [[0, 3]], 0, '0 none; 1 cooling; 2 heating; 3 both'],
  cool_on: [41, halfDegrees, 52, 'Half degrees Celsius (52 is 26 degrees); above `cool_off`'],
  cool_off: [42, halfDegrees, 48, 'Half degrees Celsius; below `cool_on`'],
  heat_on: [43, halfDegrees, 38, 'Half degrees Celsius; below `heat_off`'],
  heat_off: [44, halfDegrees, 42, 'Half degrees Celsius; above `heat_on`; with `climate_load` 3 not above `cool_off`'],
  presence_sensitivity: [45, [[0, 20]], 1, 'Detections needed within the detection timer; 0 acts as 1'],
  detection_timer_h: [46, [[0, 3]], 0, 'h:min'],
  detection_timer_min: [47, minutesOrSeconds, 5, 'h:min'],
  // Shutter
  up_time_min: [60, [[0, 9]], 0, 'min:sec from closed to open'],
  up_time_s: [61, minutesOrSeconds, 30, 'min:sec'],
  down_time_min: [62, [[0, 9]], 0, 'min:sec from open to closed'],
  down_time_s: [63, minutesOrSeconds, 28, 'min:sec'],
  activating_time: [64, [[0, 255]], 3, 'Tenths of a second from power to motion'],
  flip_time: [65, [[0, 255]], 10, 'Tenths of a second that the slats take to turn when the direction changes'],
  move_frame_h: [66, [[0, 23]], 0, 'h:min between automatic movements'],
  move_frame_min: [67, minutesOrSeconds, 10, 'h:min'],
  auto_movement_s: [68, [[1, 60]], 3, 'Seconds that one automatic step lasts'],
  alignment: [69, [[0, 14]], 3, 'Percent: a target this near to an end goes to the end'],
  ignore_edge: [70, flag, 0, '0 touches at the rim of the face count; 1 they are ignored'],
  passage_remote: [
    71,
    [[0, 2]],
    0,
    '0 window; 1 passage, no remote or automatic down; 2 passage, down only from schedules',
  ],
  eco_lux: [72, [[1, 1_000]], 300, 'Lux that the shutter keeps in Eco mode'],
  // Modes, timers and groups
  automatic_modes: [80, only(1, 4), 1, '1 Auto and Eco mode allowed; 4 not allowed'],
  safety_timer: [
    81,
    [[0, 23]],
    0,
    'Time in Manual before the load turns off, in the unit that `safety_mode` names; 0 never',
  ],
  safety_mode: [
    82,
    within([1, 3], [11, 13], [101, 103], [111, 113]),
    1,
    'Ones: mode then, 1 Auto, 2 Eco, 3 Manual; tens: 1 the load stays on; hundreds: timer in 0 hours, 1 minutes',
  ],
  sleep_h: [83, [[0, 9]], 1, 'h:min'],
  sleep_min: [84, minutesOrSeconds, 0, 'h:min; 0:00 as soon as Sleep mode starts'],
  mains_load: [
    85,
    [[0, 2]],
    2,
    'When mains returns: 0 off (a shutter closes); 1 on (a shutter opens); 2 as before (a shutter stays)',
  ],
  mains_mode: [86, [[0, 3]], 0, 'When mains returns: 0 the mode before; 1 Auto; 2 Eco; 3 Manual'],
  mains_schedules: [87, flag, 1, 'When mains returns: 0 own schedules go off; 1 they stay on'],
  all_off_group: [
    88,
    within([170, 170], [250, 252]),
    250,
    '250 all lights; 251 all shutters; 252 all power units; 170 outside the global group',
  ],
  // Electrical
  low_current: [100, raw, 12, 'Raw; times ten to the power of `low_current_scale`, in mA'],
  low_current_scale: [101, [[0, 3]], 0, 'Power of ten for `low_current`'],
  power_factor: [102, [[1, 10]], 10, 'Tenths'],
  dimmable: [103, flag, 1, '0 the load cannot be dimmed (the dimmer only switches); 1 it can'],
  min_dim_level: [104, [[0, 50]], 5, 'Percent; a lower brightness above 0 is raised to it'],
  gate_time: [105, [[1, 255]], 40, 'Units of 10 microseconds'],
  min_switch: [106, [[0, 255]], 40, 'Shortest switching time in units of 0.1 ms'],
  max_switch: [107, [[0, 255]], 90, 'Longest switching time in units of 0.1 ms'],
  on_level: [108, raw, 10, 'Watts from which the sensed load counts as on'],
  load_type: [109, [[0, 2]], 0, '0 resistive; 1 inductive; 2 electronic'],
  max_temp: [110, [[40, 99]], 75, 'Degrees Celsius inside the unit at which it turns the load off'],
  max_load: [111, raw, 2_300, 'Raw'],
  min_load: [112, raw, 0, 'Raw'],
  load_check: [113, flag, 1, '0 the load is not checked; 1 it is checked against `min_load` and `max_load`'],
  // Bindings
  ir_emitter: [120, [[0, 8]], 0, '0 none; 1-8 slot of the paired IR emitter'],
  ir_channel_on: [121, [[0, 15]], 0, 'Channel that the emitter sends on turning on'],
  ir_channel_off: [122, [[0, 15]], 1, 'Channel that the emitter sends on turning off'],
  group_code: [123, [[0, 255]], 0, '0 no group; 1-255 the group'],
  module_sensor: [124, [[0, 2]], 1, '0 none; 1 built in; 2 a paired sensor'],
  // Protocol
  acknowledge_control: [140, flag, 1, '0 no; 1 the unit acknowledges every control'],
  instant_reporting: [141, flag, 1, '0 changes are reported once a minute; 1 at once'],
  switch_count: [142, [[2, 4]], 2, 'Number of switches of the module'],
  switch_on_speed: [143, [[0, 255]], 5, 'Units of 10 ms between gangs that are turned on together'],
} as const satisfies Readonly<Record<string, Entry>>

type KnownRegister = keyof typeof ENTRIES

/** A definition, optionally with a model's differences. */
function choose(
  name: KnownRegister,
  different: Partial<Pick<RegisterDef, 'default' | 'ranges' | 'coding' | 'fixed'>> = {},
): RegisterDef {
  const [number, ranges, standard, coding]: Entry = ENTRIES[name]
  return { number, name, ranges, default: standard, coding, ...different }
}

/** Shared registers of several models, in order of their numbers. */
const chooseAll = (names: readonly KnownRegister[]): readonly RegisterDef[] => names.map((name) => choose(name))

/** Merges sets into one table in order of the register numbers. */
function table(...sets: readonly (readonly RegisterDef[])[]): readonly RegisterDef[] {
  return sets.flat().sort((a, b) => a.number - b.number)
}

const KEYS = chooseAll(['key_sense_up', 'key_sense_mode', 'key_sense_down', 'key_immunity'])
const NO_MOTION = chooseAll(['no_motion_h', 'no_motion_min'])
const QUICK_OFF = chooseAll(['quick_off_h', 'quick_off_min'])
const SAFETY = chooseAll(['safety_timer', 'safety_mode'])
const SLEEP = chooseAll(['sleep_h', 'sleep_min'])
const MAINS_RETURN = chooseAll(['mains_load', 'mains_mode', 'mains_schedules'])
const CURRENT = chooseAll(['low_current', 'low_current_scale'])
const SWITCHING = chooseAll(['min_switch', 'max_switch'])
const PROTECTION = chooseAll(['max_temp', 'max_load', 'min_load', 'load_check'])
const PROTOCOL = chooseAll(['acknowledge_control', 'instant_reporting'])
const CLIMATE = chooseAll(['climate_load', 'cool_on', 'cool_off', 'heat_on', 'heat_off'])
const PRESENCE = chooseAll(['presence_sensitivity', 'detection_timer_h', 'detection_timer_min'])
const IR = chooseAll(['ir_emitter', 'ir_channel_on', 'ir_channel_off'])
const TRAVEL = chooseAll(['up_time_min', 'up_time_s', 'down_time_min', 'down_time_s', 'activating_time', 'flip_time'])

/** Tens 1 to 10 (power factor in tenths) with the ones 1 (allowed) or 4 (not). */
const MODES_WITH_POWER_FACTOR = only(
  ...Array.from({ length: 10 }, (_, index) => [(index + 1) * 10 + 1, (index + 1) * 10 + 4]).flat(),
)

/** On dimmers and single switches the tens of `automatic_modes` are the power factor (Spec 2.7). */
function automaticModesWithPowerFactor(tenths: number): RegisterDef {
  return choose('automatic_modes', {
    ranges: MODES_WITH_POWER_FACTOR,
    default: tenths * 10 + 1,
    coding:
      'Ones: 1 Auto and Eco mode allowed, 4 not allowed; tens and above: power factor in tenths, 1 to 10 (91 is allowed, 0.9)',
  })
}

/** Shared registers of dimmer and single switch. */
const LIGHT = [KEYS, NO_MOTION, QUICK_OFF, SAFETY, SLEEP, MAINS_RETURN, CURRENT, SWITCHING, PROTECTION, PROTOCOL]

/** The registers of a unit without gangs. */
const alone = (...sets: readonly (readonly RegisterDef[])[]): ModelRegisters => ({ unit: table(...sets), gang: null })

/** Shared registers of the modules of 2, 3 and 4 gangs: all but the number of switches. */
function moduleRegisters(switches: number): ModelRegisters {
  return {
    unit: table(
      PROTECTION,
      PROTOCOL,
      chooseAll([
        'key_immunity',
        'side_buttons_off',
        'side_button_left',
        'side_button_right',
        'fade_speed',
        'group_code',
        'module_sensor',
        'switch_on_speed',
      ]),
      [choose('switch_count', { default: switches, ranges: [[switches, switches]], fixed: true })],
    ),
    gang: {
      switch_gang: table(
        NO_MOTION,
        QUICK_OFF,
        SAFETY,
        MAINS_RETURN,
        CURRENT,
        SWITCHING,
        chooseAll(['led_mode', 'touch_area', 'dark_lux', 'automatic_modes', 'all_off_group', 'power_factor']),
      ),
      shutter_gang: table(MAINS_RETURN, TRAVEL, chooseAll(['led_mode', 'touch_area', 'automatic_modes']), [
        choose('all_off_group', { default: 251 }),
      ]),
    },
  }
}

export const MODEL_REGISTERS: Readonly<Record<SwitchModel, ModelRegisters>> = {
  /** A: the dimmer. */
  HMHH: alone(
    ...LIGHT,
    chooseAll([
      'single_touch',
      'led_mode',
      'turn_on_brightness',
      'off_delay_min',
      'off_delay_s',
      'dark_lux',
      'all_off_group',
      'dimmable',
      'min_dim_level',
      'gate_time',
      'group_code',
    ]),
    [choose('fade_speed', { default: 20 }), automaticModesWithPowerFactor(9)],
  ),
  /** B: the single switch. */
  HMHHX1: alone(
    ...LIGHT,
    chooseAll([
      'single_touch',
      'led_mode',
      'fade_speed',
      'off_delay_min',
      'off_delay_s',
      'dark_lux',
      'all_off_group',
      'group_code',
    ]),
    [automaticModesWithPowerFactor(10)],
  ),
  /** C: the module of 2 gangs. */
  HMHHX2: moduleRegisters(2),
  /** D: the module of 3 gangs. */
  HMHHX3: moduleRegisters(3),
  /** E: the module of 4 gangs. */
  HMHHX4: moduleRegisters(4),
  /** P: the power switch. */
  HMPH: alone(
    KEYS,
    NO_MOTION,
    CLIMATE,
    PRESENCE,
    SAFETY,
    SLEEP,
    MAINS_RETURN,
    CURRENT,
    SWITCHING,
    PROTECTION,
    IR,
    PROTOCOL,
    chooseAll(['single_touch', 'led_mode', 'dark_lux', 'automatic_modes', 'power_factor', 'group_code']),
    [choose('all_off_group', { default: 252 })],
  ),
  /** S: the sense switch. */
  HMSH: alone(
    KEYS,
    NO_MOTION,
    CLIMATE,
    PRESENCE,
    SAFETY,
    SLEEP,
    MAINS_RETURN,
    PROTECTION,
    IR,
    PROTOCOL,
    chooseAll(['led_mode', 'automatic_modes', 'on_level', 'load_type', 'group_code']),
  ),
  /** T: the shutter switch. */
  HMTHX2: alone(
    KEYS,
    TRAVEL,
    SLEEP,
    MAINS_RETURN,
    PROTECTION,
    PROTOCOL,
    chooseAll([
      'single_touch',
      'led_coding',
      'shutter_leds',
      'move_frame_h',
      'move_frame_min',
      'auto_movement_s',
      'alignment',
      'ignore_edge',
      'passage_remote',
      'eco_lux',
      'automatic_modes',
    ]),
    [choose('all_off_group', { default: 251 })],
  ),
}
