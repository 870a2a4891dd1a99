import type { SimModel } from '../model/house-plan.ts'

/** One setting of a unit: docs/hmhc-registers.md, `Tables`. */
export interface Register {
  readonly number: number
  readonly name: string
  readonly ranges: readonly (readonly [number, number])[]
  readonly default: number
  readonly fixed: boolean
}

type Ranges = string
/** Number and allowed values of every register; both are the same in every model. */
const ALL: Readonly<Record<string, readonly [number: number, values: Ranges, normal: number]>> = {
  single_touch: [1, '0-1', 0],
  led_mode: [2, '0-2', 2],
  led_coding: [3, '12 23', 12],
  shutter_leds: [4, '1-3', 2],
  key_sense_up: [5, '1-99', 30],
  key_sense_mode: [6, '1-99', 30],
  key_sense_down: [7, '1-99', 30],
  touch_area: [8, '0-1', 1],
  key_immunity: [9, '0-199', 20],
  side_buttons_off: [10, '0-1', 0],
  side_button_left: [11, '0-1', 1],
  side_button_right: [12, '0-1', 1],
  turn_on_brightness: [20, '1-100', 100],
  fade_speed: [21, '0-255', 0],
  off_delay_min: [22, '0-3', 0],
  off_delay_s: [23, '0-59', 0],
  no_motion_h: [24, '0-3', 0],
  no_motion_min: [25, '0-59', 15],
  quick_off_h: [26, '0-3', 0],
  quick_off_min: [27, '0-59', 0],
  dark_lux: [28, '0-254', 254],
  climate_load: [40, '0-3', 0],
  cool_on: [41, '10-70', 52],
  cool_off: [42, '10-70', 48],
  heat_on: [43, '10-70', 38],
  heat_off: [44, '10-70', 42],
  presence_sensitivity: [45, '0-20', 1],
  detection_timer_h: [46, '0-3', 0],
  detection_timer_min: [47, '0-59', 5],
  up_time_min: [60, '0-9', 0],
  up_time_s: [61, '0-59', 30],
  down_time_min: [62, '0-9', 0],
  down_time_s: [63, '0-59', 28],
  activating_time: [64, '0-255', 3],
  flip_time: [65, '0-255', 10],
  move_frame_h: [66, '0-23', 0],
  move_frame_min: [67, '0-59', 10],
  auto_movement_s: [68, '1-60', 3],
  alignment: [69, '0-14', 3],
  ignore_edge: [70, '0-1', 0],
  passage_remote: [71, '0-2', 0],
  eco_lux: [72, '1-1000', 300],
  automatic_modes: [80, '1 4', 1],
  safety_timer: [81, '0-23', 0],
  safety_mode: [82, '1-3 11-13 101-103 111-113', 1],
  sleep_h: [83, '0-9', 1],
  sleep_min: [84, '0-59', 0],
  mains_load: [85, '0-2', 2],
  mains_mode: [86, '0-3', 0],
  mains_schedules: [87, '0-1', 1],
  all_off_group: [88, '170 250-252', 250],
  low_current: [100, '0-65535', 12],
  low_current_scale: [101, '0-3', 0],
  power_factor: [102, '1-10', 10],
  dimmable: [103, '0-1', 1],
  min_dim_level: [104, '0-50', 5],
  gate_time: [105, '1-255', 40],
  min_switch: [106, '0-255', 40],
  max_switch: [107, '0-255', 90],
  on_level: [108, '0-65535', 10],
  load_type: [109, '0-2', 0],
  max_temp: [110, '40-99', 75],
  max_load: [111, '0-65535', 2300],
  min_load: [112, '0-65535', 0],
  load_check: [113, '0-1', 1],
  ir_emitter: [120, '0-8', 0],
  ir_channel_on: [121, '0-15', 0],
  ir_channel_off: [122, '0-15', 1],
  group_code: [123, '0-255', 0],
  module_sensor: [124, '0-2', 1],
  acknowledge_control: [140, '0-1', 1],
  instant_reporting: [141, '0-1', 1],
  switch_count: [142, '', 0],
  switch_on_speed: [143, '0-255', 5],
}

const words = (text: string): string[] => text.trim().split(/\s+/)
const KEYS = 'key_sense_up key_sense_mode key_sense_down key_immunity'
const MOTION_OFF = 'no_motion_h no_motion_min'
const LIGHT_MOTION = `${MOTION_OFF} quick_off_h quick_off_min dark_lux`
const SAFETY = 'automatic_modes safety_timer safety_mode'
const SLEEP = 'sleep_h sleep_min'
const MAINS = 'mains_load mains_mode mains_schedules'
const GUARD = 'max_temp max_load min_load load_check'
const LOW = 'low_current low_current_scale'
const PROTOCOL = 'acknowledge_control instant_reporting'
const CLIMATE =
  'climate_load cool_on cool_off heat_on heat_off presence_sensitivity detection_timer_h detection_timer_min'
const IR = 'ir_emitter ir_channel_on ir_channel_off'
const TRAVEL = 'up_time_min up_time_s down_time_min down_time_s activating_time flip_time'
const LIGHT = `single_touch led_mode ${KEYS} fade_speed off_delay_min off_delay_s ${LIGHT_MOTION} ${SAFETY} ${SLEEP} ${MAINS} all_off_group ${LOW} min_switch max_switch ${GUARD} group_code ${PROTOCOL}`
const MODULE = `key_immunity side_buttons_off side_button_left side_button_right fade_speed ${GUARD} group_code module_sensor ${PROTOCOL} switch_count switch_on_speed`
const SWITCH_GANG = `led_mode touch_area ${LIGHT_MOTION} ${SAFETY} ${MAINS} all_off_group ${LOW} power_factor min_switch max_switch`
const SHUTTER_GANG = `led_mode touch_area ${TRAVEL} automatic_modes ${MAINS} all_off_group`

const POWER_FACTORS = Array.from({ length: 10 }, (_, index) => `${10 * (index + 1) + 1} ${10 * (index + 1) + 4}`).join(
  ' ',
)

type Special = Readonly<Record<string, { values?: Ranges; normal?: number; fixed?: boolean }>>

/** Scope of registers: the unit or module itself, or one gang by its class. */
export type ClassScope = 'unit' | 'switch_gang' | 'shutter_gang'

const moduleOf = (gangs: number): Record<ClassScope, readonly Register[]> => ({
  unit: table(MODULE, { switch_count: { values: String(gangs), normal: gangs, fixed: true } }),
  switch_gang: table(SWITCH_GANG),
  shutter_gang: table(SHUTTER_GANG, { all_off_group: { normal: 251 } }),
})

/** The registers of each switch model, by scope, in order of their numbers. Other models have none. */
export const REGISTERS: Readonly<
  Partial<Record<SimModel, Readonly<Partial<Record<ClassScope, readonly Register[]>>>>>
> = {
  HMHH: {
    unit: table(`${LIGHT} turn_on_brightness dimmable min_dim_level gate_time`, {
      automatic_modes: { values: POWER_FACTORS, normal: 91 },
      fade_speed: { normal: 20 },
    }),
  },
  HMHHX1: { unit: table(LIGHT, { automatic_modes: { values: POWER_FACTORS, normal: 101 } }) },
  HMHHX2: moduleOf(2),
  HMHHX3: moduleOf(3),
  HMHHX4: moduleOf(4),
  HMPH: {
    unit: table(
      `single_touch led_mode ${KEYS} ${MOTION_OFF} dark_lux ${CLIMATE} ${SAFETY} ${SLEEP} ${MAINS} all_off_group ${LOW} power_factor min_switch max_switch ${GUARD} ${IR} group_code ${PROTOCOL}`,
      { all_off_group: { normal: 252 } },
    ),
  },
  HMSH: {
    unit: table(
      `led_mode ${KEYS} ${MOTION_OFF} ${CLIMATE} ${SAFETY} ${SLEEP} ${MAINS} on_level load_type ${GUARD} ${IR} group_code ${PROTOCOL}`,
    ),
  },
  HMTHX2: {
    unit: table(
      `single_touch led_coding shutter_leds ${KEYS} ${TRAVEL} move_frame_h move_frame_min auto_movement_s alignment ignore_edge passage_remote eco_lux automatic_modes ${SLEEP} ${MAINS} all_off_group ${GUARD} ${PROTOCOL}`,
      { all_off_group: { normal: 251 } },
    ),
  },
}

function table(names: string, special: Special = {}): readonly Register[] {
  const registers = words(names).map((name): Register => {
    const row = ALL[name]
    if (row === undefined) throw new Error(`no register is called ${name}`)
    const own = special[name] ?? {}
    return {
      number: row[0],
      name,
      ranges: rangesOf(own.values ?? row[1]),
      default: own.normal ?? row[2],
      fixed: own.fixed ?? false,
    }
  })
  return registers.sort((a, b) => a.number - b.number)
}

function rangesOf(text: string): (readonly [number, number])[] {
  return words(text).map((word) => {
    const [low = 0, high = low] = word.split('-').map(Number)
    return [low, high] as const
  })
}
