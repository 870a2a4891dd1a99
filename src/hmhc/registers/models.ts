import {
  choose,
  type ModelRegisters,
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
  TRAVEL,
  CLIMATE,
  IR,
  PRESENCE,
} from './definitions.ts'
import type { SwitchModel } from '../../home/model/device.ts'

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

/** What the modules of 2, 3 and 4 gangs have in common: all but the number of switches. */
function moduleRegisters(model: SwitchModel, switches: number): ModelRegisters {
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

/** C: the module of 2 gangs. */
export const HMHHX2 = moduleRegisters('HMHHX2', 2)

/** D: the module of 3 gangs. */
export const HMHHX3 = moduleRegisters('HMHHX3', 3)

/** E: the module of 4 gangs. */
export const HMHHX4 = moduleRegisters('HMHHX4', 4)

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
