import { choose } from './definitions.ts'
import type { ModelRegisters } from './register.ts'
import {
  chooseAll,
  CLIMATE,
  CURRENT,
  IR,
  KEYS,
  MAINS_RETURN,
  NO_MOTION,
  PRESENCE,
  PROTECTION,
  PROTOCOL,
  SAFETY,
  SLEEP,
  SWITCHING,
  table,
} from './sets.ts'

/** P: the power switch. */
export const HMPH: ModelRegisters = {
  model: 'HMPH',
  unit: table(
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
  gang: null,
}
