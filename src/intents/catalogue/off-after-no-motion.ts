import { writableTime } from '../coding/writable.ts'
import { writable } from '../define.ts'
import { LIGHTS, POWER_AND_SENSE, SWITCH_GANGS } from '../models.ts'

/** Spec 2.7 and 8: at most 3 h 59 min; a gang of a module allows 0 (never), every other unit at least 1. */
const HOURS_MAX = 3

export const offAfterNoMotion = writable({
  id: 'off_after_no_motion',
  title: 'Off after no motion',
  meaning:
    'How many minutes after the last motion the load turns off, in Auto and Eco mode. A gang of a module takes 0, which means never; every other unit takes at least 1.',
  when: 'Lights stay on too long in empty rooms, or go off while somebody sits still.',
  notWhen:
    'The load should stay on a little after a touch: use off_delay. It should go off soon after somebody merely walked through: use quick_off.',
  prerequisites: ['The unit or gang is in Auto or Eco mode; in Manual mode motion has no effect.'],
  sideEffects:
    'A timer that is running keeps its end; the new time counts from the next motion. While a climate rule is set (climate), temperature decides and motion does not turn the load off.',
  examples: [
    { ask: 'Switch the kitchen light off ten minutes after the last person left.', value: 10 },
    { ask: 'The office light goes off while I read; give it an hour and a half.', value: 90 },
  ],
  unit: 'min',
  meanings: { value: { 0: 'never' } },
  explainRank: 3,
  models: [...LIGHTS, ...POWER_AND_SENSE],
  gangs: SWITCH_GANGS,
  coding: ({ scope }) =>
    scope === 'gang'
      ? writableTime(
          'no_motion_h',
          'no_motion_min',
          HOURS_MAX,
          0,
          'minutes',
          'On a gang of a module: minutes, 0 to 239 (3 h 59 min); 0: never',
        )
      : writableTime(
          'no_motion_h',
          'no_motion_min',
          HOURS_MAX,
          1,
          'minutes',
          'On a unit that is not a module: minutes, 1 to 239 (3 h 59 min)',
        ),
})
