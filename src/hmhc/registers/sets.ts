import { choose, type KnownRegister } from './definitions.ts'
import type { Range, RegisterDef } from './register.ts'

/** Registers that several models share, in the order of their numbers. */
export const chooseAll = (names: readonly KnownRegister[]): readonly RegisterDef[] => names.map((name) => choose(name))

/** Joins sets into one table in the order of the register numbers. */
export function table(...sets: readonly (readonly RegisterDef[])[]): readonly RegisterDef[] {
  return sets.flat().sort((a, b) => a.number - b.number)
}

export const KEYS = chooseAll(['key_sense_up', 'key_sense_mode', 'key_sense_down', 'key_immunity'])
export const NO_MOTION = chooseAll(['no_motion_h', 'no_motion_min'])
export const QUICK_OFF = chooseAll(['quick_off_h', 'quick_off_min'])
export const SAFETY = chooseAll(['safety_timer', 'safety_mode'])
export const SLEEP = chooseAll(['sleep_h', 'sleep_min'])
export const MAINS_RETURN = chooseAll(['mains_load', 'mains_mode', 'mains_schedules'])
export const CURRENT = chooseAll(['low_current', 'low_current_scale'])
export const SWITCHING = chooseAll(['min_switch', 'max_switch'])
export const PROTECTION = chooseAll(['max_temp', 'max_load', 'min_load', 'load_check'])
export const PROTOCOL = chooseAll(['acknowledge_control', 'instant_reporting'])
export const CLIMATE = chooseAll(['climate_load', 'cool_on', 'cool_off', 'heat_on', 'heat_off'])
export const PRESENCE = chooseAll(['presence_sensitivity', 'detection_timer_h', 'detection_timer_min'])
export const IR = chooseAll(['ir_emitter', 'ir_channel_on', 'ir_channel_off'])
export const TRAVEL = chooseAll([
  'up_time_min',
  'up_time_s',
  'down_time_min',
  'down_time_s',
  'activating_time',
  'flip_time',
])

/** Tens 1 to 10 (power factor in tenths) with the ones 1 (allowed) or 4 (not). */
const MODES_WITH_POWER_FACTOR: readonly Range[] = Array.from({ length: 10 }, (_, index) => (index + 1) * 10).flatMap(
  (tens) =>
    [
      [tens + 1, tens + 1],
      [tens + 4, tens + 4],
    ] as const,
)

/** On dimmers and single switches the tens of `automatic_modes` are the power factor (Spec 2.7). */
export function automaticModesWithPowerFactor(tenths: number): RegisterDef {
  return choose('automatic_modes', {
    ranges: MODES_WITH_POWER_FACTOR,
    default: tenths * 10 + 1,
    coding:
      'Ones: 1 Auto and Eco mode allowed, 4 not allowed; tens and above: power factor in tenths, 1 to 10 (91 is allowed, 0.9)',
  })
}
