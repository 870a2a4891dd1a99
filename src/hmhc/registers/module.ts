import type { SwitchModel } from '../../home/model/device.ts'
import { choose } from './definitions.ts'
import type { ModelRegisters } from './register.ts'
import {
  chooseAll,
  CURRENT,
  MAINS_RETURN,
  NO_MOTION,
  PROTECTION,
  PROTOCOL,
  QUICK_OFF,
  SAFETY,
  SWITCHING,
  table,
  TRAVEL,
} from './sets.ts'

/** What the modules of 2, 3 and 4 gangs have in common: all but the number of switches. */
export function moduleRegisters(model: SwitchModel, switches: number): ModelRegisters {
  return {
    model,
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
