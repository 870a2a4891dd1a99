import { writableTime } from '../coding/writable.ts'
import { writable } from '../define.ts'
import { LIGHTS, SWITCH_GANGS } from '../models.ts'

const HOURS_MAX = 3

export const quickOff = writable({
  id: 'quick_off',
  title: 'Quick off',
  meaning:
    'A shorter off timer in minutes. It starts with the motion that turned the load on; if no second motion follows before its end, the load goes off. A second motion stops it, and off_after_no_motion counts alone. 0 turns it off.',
  when: 'People often just pass through a room and the light then burns for nothing.',
  notWhen: 'People sit still in the room for longer than this soon after they came in.',
  prerequisites: ['The unit or gang is in Auto mode: only there motion turns the load on.'],
  sideEffects: 'Where it is not shorter than off_after_no_motion, that one ends first and quick off has no effect.',
  examples: [
    { ask: 'If I only walk through the corridor, switch its light off after two minutes.', value: 2 },
    { ask: 'No quick off in the bathroom, please.', value: 0 },
  ],
  unit: 'min',
  meanings: { value: { 0: 'never' } },
  explainRank: 4,
  models: LIGHTS,
  gangs: SWITCH_GANGS,
  coding: () =>
    writableTime(
      'quick_off_h',
      'quick_off_min',
      HOURS_MAX,
      0,
      'minutes',
      'Minutes, 0 to 239 (3 h 59 min); 0: no quick off',
    ),
})
