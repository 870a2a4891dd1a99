import {
  allowedAlone,
  allowedWithFactor,
  factorWithAllowed,
  record,
  writableTime,
  single,
  time,
  writableWhole,
  whole,
} from '../coding/coding.ts'
import {
  readOnly,
  ALL,
  ALL_GANGS,
  DIMMER_AND_SINGLE,
  writable,
  LIGHTS,
  SWITCH_GANGS,
  POWER_AND_SENSE,
  SHUTTER,
  POWER,
} from './intent.ts'

export const automaticModes = readOnly({
  id: 'automatic_modes',
  title: 'Automatic modes',
  meaning:
    'Allows or forbids Auto and Eco mode on the unit or gang. If forbidden, motion, climate and presence never act on it, and setting one of those modes is refused. Dimmers and single switches store their power factor in the same register.',
  when: 'A unit never reacts to motion, or set_mode auto is refused.',
  notWhen: 'The unit is merely in Manual mode at the moment: use set_mode.',
  guidance: "Allow or forbid the automatic modes in the app, in the unit's menu for modes.",
  asks: ['Why can I not set the pantry light to auto?'],
  explainRank: 7,
  models: ALL,
  gangs: ALL_GANGS,
  coding: ({ model }) =>
    record(
      DIMMER_AND_SINGLE.includes(model)
        ? { allowed: allowedWithFactor, powerFactor: factorWithAllowed }
        : { allowed: allowedAlone },
    ),
})

/** Spec 2.7 and 8: at most 3 min 59 s. */
const MINUTES_MAX = 3

export const offDelay = writable({
  id: 'off_delay',
  title: 'Off delay',
  meaning: 'Seconds that the load stays on after it is switched off at the switch. 0 turns the delay off.',
  when: 'Somebody needs light on the way out: a garage, a cellar, a hall.',
  notWhen: 'The light should go off by itself when nobody moves: use off_after_no_motion.',
  sideEffects:
    'Only a touch at the switch is delayed; commands, scenes and schedules turn the load off at once. A second touch during the delay turns it off at once. The state says on until the delay ends.',
  examples: [
    { ask: 'Leave the garage light on for a minute and a half after I switch it off.', value: 90 },
    { ask: 'The hall light should go off right away.', value: 0 },
  ],
  unit: 's',
  meanings: { value: { 0: 'no delay' } },
  explainRank: 2,
  models: DIMMER_AND_SINGLE,
  coding: () =>
    writableTime(
      'off_delay_min',
      'off_delay_s',
      MINUTES_MAX,
      0,
      'seconds',
      'Seconds, 0 to 239 (3 min 59 s); 0: no delay',
    ),
})

/** Spec 2.7 and 8: at most 3 h 59 min. */
const HOURS_MAX = 3

export const quickOff = writable({
  id: 'quick_off',
  title: 'Quick off',
  meaning:
    'A shorter off timer in minutes. It starts with the motion that turned the load on; if no second motion follows before its end, the load goes off. A second motion stops it, and off_after_no_motion counts alone. 0 turns it off.',
  when: 'People often just pass through a room and the light then burns for nothing.',
  notWhen: 'People sit still in the room for longer than this soon after they came in.',
  prerequisites: ['The unit or gang is in Auto mode: only there motion turns the load on.'],
  sideEffects: 'If it is not shorter than off_after_no_motion, that one ends first and quick off has no effect.',
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

const SLEEP_HOURS_MAX = 9

export const sleepTimer = readOnly({
  id: 'sleep_timer',
  title: 'Sleep timer',
  meaning:
    'Minutes from the start of Sleep mode until the load turns off, or a shutter closes, and the unit goes to Manual mode. 0 means at once.',
  when: 'A light goes off, or a shutter closes, too early or too late after bedtime.',
  notWhen: 'Sleep mode itself should start: that is done at the unit, not over the API.',
  guidance: "Set it in the app, in the unit's menu for modes.",
  asks: ['How long does the reading light stay on in sleep mode?'],
  explainRank: 10,
  unit: 'min',
  meanings: { value: { 0: 'at once' } },
  models: [...DIMMER_AND_SINGLE, ...POWER_AND_SENSE, ...SHUTTER],
  coding: () => single(time('sleep_h', 'sleep_min', SLEEP_HOURS_MAX, 0, 'Minutes; 0: at once')),
})

const LUX_MAX = 254

export const onlyWhenDark = writable({
  id: 'only_when_dark',
  title: 'Only when dark',
  meaning:
    "Motion turns the load on only while the light in the room is below this many lux. The app's own steps are dark 20, dimmed 60, bright 150 and always 254; 0 means that motion never turns it on.",
  when: 'A light comes on by motion although the room is bright enough, or stays off although it is dark.',
  notWhen: 'The light should be off in daylight even when somebody turns it on: this setting turns nothing off.',
  prerequisites: ['The unit or gang is in Auto mode: only there motion turns the load on.'],
  sideEffects: 'Touches, commands, scenes and schedules work at any light.',
  examples: [
    { ask: 'The hall light should only come on when it is really dark.', value: 20 },
    { ask: 'Switch the store room light on for motion at any time of day.', value: LUX_MAX },
  ],
  unit: 'lx',
  meanings: { value: { 0: 'never by motion', [LUX_MAX]: 'at any light' } },
  explainRank: 5,
  models: [...LIGHTS, ...POWER],
  gangs: SWITCH_GANGS,
  coding: () => writableWhole('dark_lux', 0, LUX_MAX, 'lux', 'Lux, 0 to 254; 254: at any light; 0: never by motion'),
})

/** A gang of a module allows 0 (never), every other unit at least 1. */
export const offAfterNoMotion = writable({
  id: 'off_after_no_motion',
  title: 'Off after no motion',
  meaning:
    'Minutes from the last motion until the load turns off, in Auto and Eco mode. A gang of a module takes 0, which means never; every other unit takes at least 1.',
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

const SENSITIVITY_MAX = 20

export const presenceSensing = readOnly({
  id: 'presence_sensing',
  title: 'Presence sensing',
  meaning:
    'Number of detections (Sensitivity, 0 to 20) within the Detection Timer that turns the appliance on in automatic mode. 0 acts as 1: the first detection is enough.',
  when: 'An appliance turns on when somebody merely passes, or only long after people came in.',
  notWhen: 'Temperature decides about the appliance: while a climate rule is set, presence does not.',
  guidance: "Set it in the app, in the unit's menu for presence.",
  asks: ['How much movement does the office fan need before it turns on?'],
  explainRank: 12,
  unit: 'detections',
  meanings: { sensitivity: { 0: 'acts as 1' } },
  models: POWER_AND_SENSE,
  coding: () =>
    record({
      sensitivity: whole('presence_sensitivity', 0, SENSITIVITY_MAX, 'Detections needed'),
      detectionTimerMinutes: time(
        'detection_timer_h',
        'detection_timer_min',
        HOURS_MAX,
        0,
        'Minutes in which the detections must occur',
      ),
    }),
})
