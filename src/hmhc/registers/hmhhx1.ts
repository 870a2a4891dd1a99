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

/** B: the single switch. */
export const HMHHX1: ModelRegisters = {
  model: 'HMHHX1',
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
      'fade_speed',
      'off_delay_min',
      'off_delay_s',
      'dark_lux',
      'all_off_group',
      'group_code',
    ]),
    [automaticModesWithPowerFactor(10)],
  ),
  gang: null,
}
