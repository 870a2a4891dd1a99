import { choose } from './definitions.ts'
import type { ModelRegisters } from './register.ts'
import { chooseAll, KEYS, MAINS_RETURN, PROTECTION, PROTOCOL, SLEEP, table, TRAVEL } from './sets.ts'

/** T: the shutter switch. */
export const HMTHX2: ModelRegisters = {
  model: 'HMTHX2',
  unit: table(
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
  gang: null,
}
