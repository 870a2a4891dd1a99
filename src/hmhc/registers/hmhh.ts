import { choose } from './definitions.ts'
import type { ModelRegisters } from './register.ts'
import {
  automaticModesWithPowerFactor,
  chooseAll,
  CURRENT,
  KEYS,
  MAINS_RETURN,
  NO_MOTION,
  PROTECTION,
  PROTOCOL,
  QUICK_OFF,
  SAFETY,
  SLEEP,
  SWITCHING,
  table,
} from './sets.ts'

/** A: the dimmer. */
export const HMHH: ModelRegisters = {
  model: 'HMHH',
  unit: table(
    KEYS,
    NO_MOTION,
    QUICK_OFF,
    SAFETY,
    SLEEP,
    MAINS_RETURN,
    CURRENT,
    SWITCHING,
    PROTECTION,
    PROTOCOL,
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
  gang: null,
}
