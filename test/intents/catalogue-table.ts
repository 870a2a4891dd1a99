/**
 * The catalogue of Spec 2.7, copied by hand: id, access, models by letter, and the gangs of a module for per-gang
 * intents.
 */
type Scope = 'unit' | 'module' | 'switch_gang' | 'shutter_gang'
type Row = readonly [id: string, access: 'read_write' | 'read_only', letters: string, gangs?: 'switch' | 'all']

export const LETTER_OF: Readonly<Record<string, string>> = {
  HMHH: 'A',
  HMHHX1: 'B',
  HMHHX2: 'C',
  HMHHX3: 'D',
  HMHHX4: 'E',
  HMPH: 'P',
  HMSH: 'S',
  HMTHX2: 'T',
}
export const MODULES = 'CDE'

/**
 * `switch`: intents that a shutter of two gangs cannot have, because they concern a load or motion (docs/intents.md).
 */
export const CATALOGUE: readonly Row[] = [
  ['single_touch', 'read_write', 'ABPT'],
  ['led_mode', 'read_write', 'ABCDEPS', 'all'],
  ['turn_on_brightness', 'read_write', 'A'],
  ['off_delay', 'read_write', 'AB'],
  ['off_after_no_motion', 'read_write', 'ABCDEPS', 'switch'],
  ['quick_off', 'read_write', 'ABCDE', 'switch'],
  ['only_when_dark', 'read_write', 'ABCDEP', 'switch'],
  ['climate', 'read_write', 'PS'],
  ['shutter_eco_light', 'read_write', 'T'],
  ['key_sense', 'read_only', 'ABCDEPST', 'all'],
  ['key_immunity', 'read_only', 'ABCDEPST'],
  ['fade_speed', 'read_only', 'ABCDE'],
  ['presence_sensing', 'read_only', 'PS'],
  ['shutter_travel', 'read_only', 'T'],
  ['shutter_automatic', 'read_only', 'T'],
  ['shutter_edges', 'read_only', 'T'],
  ['shutter_leds', 'read_only', 'T'],
  ['automatic_modes', 'read_only', 'ABCDEPST', 'all'],
  ['safety_off_in_manual', 'read_only', 'ABCDEPS', 'switch'],
  ['sleep_timer', 'read_only', 'ABPST'],
  ['after_power_cut', 'read_only', 'ABCDEPST', 'all'],
  ['all_off_group', 'read_only', 'ABCDEPT', 'all'],
  ['load_calibration', 'read_only', 'ABCDEPS', 'switch'],
  ['protection', 'read_only', 'ABCDEPST'],
  ['ir_binding', 'read_only', 'PS'],
  ['side_buttons', 'read_only', 'CDE'],
  ['groups_and_sensors', 'read_only', 'ABCDEPS'],
  ['protocol', 'read_only', 'ABCDEPST'],
]

/** The rows of one cell: a model, as a whole or as one of its gangs. */
export function rowsOf(letter: string, scope: Scope): readonly Row[] {
  return CATALOGUE.filter(([, , letters, gangs]) => {
    if (!letters.includes(letter)) return false
    if (!MODULES.includes(letter)) return scope === 'unit'
    if (scope === 'module') return gangs === undefined
    return gangs === 'all' || (gangs === 'switch' && scope === 'switch_gang')
  })
}
