import type { ModelRegisters } from './register.ts'
import {
  chooseAll,
  CLIMATE,
  IR,
  KEYS,
  MAINS_RETURN,
  NO_MOTION,
  PRESENCE,
  PROTECTION,
  PROTOCOL,
  SAFETY,
  SLEEP,
  table,
} from './sets.ts'

/** S: the sense switch. */
export const HMSH: ModelRegisters = {
  model: 'HMSH',
  unit: table(
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
  gang: null,
}
