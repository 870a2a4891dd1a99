import {
  record,
  flag,
  whole,
  factorAlone,
  factorWithAllowed,
  type Field,
  inSteps,
  multiples,
  together,
  words,
  single,
  writableWhole,
  oneRegister,
} from '../coding/coding.ts'
import {
  readOnly,
  ALL,
  DIMMER,
  DIMMER_AND_SINGLE,
  LIGHTS,
  POWER_AND_SENSE,
  SENSE,
  SWITCH_GANGS,
  writable,
  ALL_GANGS,
  POWER,
  SHUTTER,
} from './intent.ts'

const RAW_MAX = 65_535

export const protection = readOnly({
  id: 'protection',
  title: 'Protection',
  meaning:
    'The inside temperature (Max Temp, degrees Celsius) at which the unit turns its load off to protect itself, the largest and smallest load as raw numbers (Max Load, Min Load), and if the load is checked against them.',
  when: 'A unit turns off by itself and its cause says protection.',
  notWhen: 'The temperature of the room is meant: see the sensors, or climate.',
  guidance: "Only an electrician should change the limits; they are in the app, in the unit's menu for protection.",
  asks: ['At what temperature does the hall dimmer protect itself?'],
  models: ALL,
  coding: () =>
    record({
      maxTemp: whole('max_temp', 40, 99, 'Degrees Celsius inside the unit'),
      maxLoad: whole('max_load', 0, RAW_MAX, 'Raw number as stored in the unit'),
      minLoad: whole('min_load', 0, RAW_MAX, 'Raw number as stored in the unit'),
      loadCheck: flag('load_check', 'True if the load is checked against the two'),
    }),
})

const SCALE_MAX = 3
const MIN_DIM_MAX = 50
const TENTHS = 10

const lowCurrent: Field = together(
  ['low_current', 'low_current_scale'],
  {
    type: 'integer',
    minimum: 0,
    maximum: RAW_MAX * TENTHS ** SCALE_MAX,
    description: 'Low Current with its Scale, in mA',
  },
  (current = 0, scale = 0) => (scale <= SCALE_MAX ? current * TENTHS ** scale : null),
)

const switching = {
  minSwitchMs: inSteps('min_switch', TENTHS, 'Shortest switching time in milliseconds'),
  maxSwitchMs: inSteps('max_switch', TENTHS, 'Longest switching time in milliseconds'),
}

const dimming = {
  dimmable: flag('dimmable', 'True if the load can be dimmed'),
  minDimLevelPercent: whole('min_dim_level', 0, MIN_DIM_MAX, 'Lowest brightness in percent'),
  gateTimeUs: multiples('gate_time', 10, 1, 'Gate time in microseconds'),
}

const sensing = {
  onLevelWatts: whole('on_level', 0, RAW_MAX, 'Watts from which the sensed load counts as on'),
  loadType: words('load_type', { 0: 'resistive', 1: 'inductive', 2: 'electronic' }, 'Kind of load'),
}

export const loadCalibration = readOnly({
  id: 'load_calibration',
  title: 'Load calibration',
  meaning:
    'The configured properties of the load: Low Current with its Scale, Power Factor, Min and Max Switch; on a dimmer also its dimmability, Min Dim Level and Gate Time; on a sense switch On Level and Load Type instead.',
  when: 'A lamp flickers, hums or never goes quite dark, or a sense switch says off while its load runs.',
  notWhen: 'A light is only too bright when it comes on: use turn_on_brightness.',
  guidance:
    "Calibrate in the app, in the unit's menu for the load, after every change of lamps; ask an electrician if in doubt.",
  asks: ['Is the new lamp in the dining room set as dimmable?'],
  models: [...LIGHTS, ...POWER_AND_SENSE],
  gangs: SWITCH_GANGS,
  coding: ({ model }) => {
    if (SENSE.includes(model)) return record(sensing)
    const common = {
      lowCurrentMa: lowCurrent,
      powerFactor: DIMMER_AND_SINGLE.includes(model) ? factorWithAllowed : factorAlone,
      ...switching,
    }
    return record(DIMMER.includes(model) ? { ...common, ...dimming } : common)
  },
})

const UNIT_MS = 25

export const fadeSpeed = readOnly({
  id: 'fade_speed',
  title: 'Fade speed',
  meaning:
    'The time in which a dimmer ramps to a new brightness, in milliseconds (the unit counts in steps of 25 ms). 0 means that the light changes at once. Switches without a dimmer store the value but cannot fade.',
  when: 'A light should come on more gently or more promptly.',
  notWhen: 'The light should come on at another brightness: use turn_on_brightness.',
  guidance: "Set it in the app, in the unit's menu for the light.",
  asks: ['How slowly does the bedroom light fade in?'],
  models: LIGHTS,
  unit: 'ms',
  meanings: { value: { 0: 'at once' } },
  coding: () => single(multiples('fade_speed', UNIT_MS, 0, 'Milliseconds in steps of 25; 0: no fade')),
})

export const turnOnBrightness = writable({
  id: 'turn_on_brightness',
  title: 'Brightness when turned on',
  meaning:
    'The brightness in percent that a dimmer comes on at when it is switched on at the wall, by motion, or by an on command that names no level.',
  when: 'A light is too bright or too dim each time it comes on.',
  notWhen: 'The light should have another brightness right now: use the operation set_brightness.',
  sideEffects:
    "A light that is on keeps its brightness; the new value counts from the next time it is turned on. A brightness below the dimmer's own minimum is raised to it.",
  examples: [
    { ask: 'The bathroom light should come on at 30 percent.', value: 30 },
    { ask: 'Always start the dining light at full brightness.', value: 100 },
  ],
  unit: '%',
  models: DIMMER,
  coding: () => writableWhole('turn_on_brightness', 1, 100, 'percent', 'Percent, 1 to 100'),
})

export const afterPowerCut = readOnly({
  id: 'after_power_cut',
  title: 'After a power cut',
  meaning:
    'The reaction of the unit or gang when mains returns: off, on or as before (a shutter closes, opens or stays), its mode, and if its own schedules stay on.',
  when: "Lights are on in the morning after a power cut, or a freezer's socket stays off.",
  notWhen: 'The load is off for another reason: ask explain.',
  guidance: "Set it in the app, in the unit's menu for mains return.",
  asks: ["What happens to the freezer's socket after a power cut?"],
  explainRank: 11,
  models: ALL,
  gangs: ALL_GANGS,
  coding: () =>
    record({
      load: words('mains_load', { 0: 'off', 1: 'on', 2: 'as_before' }, 'Reaction of the load'),
      mode: words('mains_mode', { 0: 'as_before', 1: 'auto', 2: 'eco', 3: 'manual' }, 'Mode after mains returns'),
      schedulesStayOn: flag('mains_schedules', "True if the unit's own schedules stay on"),
    }),
})

/** Spec 2.7: 250 all lights, 251 all shutters, 252 all power units, 170 outside the global group. */
const GROUPS: Readonly<Record<number, string>> = {
  170: 'none',
  250: 'all_lights',
  251: 'all_shutters',
  252: 'all_power_units',
}

export const allOffGroup = readOnly({
  id: 'all_off_group',
  title: 'All-off group',
  meaning:
    'The group with which the unit or gang follows the house-wide all-off: all lights, all shutters (they close) or all power units; or none if it is outside the global group.',
  when: 'Something goes off with the house-wide all-off and should not, or stays on and should go off.',
  notWhen: 'A few units should go off together: make a scene of them.',
  guidance: "Set it in the app, in the unit's menu for groups.",
  asks: ['Does the aquarium light go off when I switch everything off?'],
  models: [...LIGHTS, ...POWER, ...SHUTTER],
  gangs: ALL_GANGS,
  coding: () =>
    record({
      follows: oneRegister(
        'all_off_group',
        { type: 'boolean', description: 'True if it follows the house-wide all-off' },
        (raw) => (GROUPS[raw] === undefined ? null : GROUPS[raw] !== 'none'),
      ),
      group: words('all_off_group', GROUPS, 'The group that it follows'),
    }),
})

/**
 * `safety_mode` in digits: the ones name the mode, the tens tell if the load stays on, the hundreds the timer's unit.
 */
const MODE_OF: Readonly<Record<number, string>> = { 1: 'auto', 2: 'eco', 3: 'manual' }
const TIMER_MAX = 23
const MINUTES_IN_HOUR = 60

interface SafetyMode {
  readonly mode: string
  readonly staysOn: boolean
  readonly timerUnit: 'hours' | 'minutes'
}

function safetyMode(raw: number): SafetyMode | null {
  const mode = MODE_OF[raw % 10]
  const [tens, hundreds] = [Math.floor(raw / 10) % 10, Math.floor(raw / 100)]
  if (mode === undefined || tens > 1 || hundreds > 1) return null
  return { mode, staysOn: tens === 1, timerUnit: hundreds === 1 ? 'minutes' : 'hours' }
}

export const safetyOffInManual = readOnly({
  id: 'safety_off_in_manual',
  title: 'Safety off in Manual',
  meaning:
    'The time without a touch or a command in Manual mode after which a unit or gang turns the load off (Safety Timer, shown in minutes; 0 means never), the mode that follows, and if the load stays on after all (Safety Mode).',
  when: 'A load that was turned on by hand goes off by itself, or a forgotten heater never does.',
  notWhen: 'The unit is in Auto or Eco mode: there off_after_no_motion counts.',
  guidance: "Set the Safety Timer and the Safety Mode in the app, in the unit's menu for modes.",
  asks: ["Does the iron's socket turn off by itself when I forget it?"],
  explainRank: 9,
  omittedFields: ['timerUnit'],
  meanings: { afterMinutes: { 0: 'never' } },
  models: [...LIGHTS, ...POWER_AND_SENSE],
  gangs: SWITCH_GANGS,
  coding: () =>
    record({
      afterMinutes: together(
        ['safety_timer', 'safety_mode'],
        {
          type: 'integer',
          minimum: 0,
          maximum: TIMER_MAX * MINUTES_IN_HOUR,
          description: 'Minutes in Manual before it acts; 0: never',
        },
        (timer = 0, mode = 0) => {
          const coding = safetyMode(mode)
          if (coding === null || timer > TIMER_MAX) return null
          return coding.timerUnit === 'hours' ? timer * MINUTES_IN_HOUR : timer
        },
      ),
      timerUnit: oneRegister(
        'safety_mode',
        { type: 'string', enum: ['hours', 'minutes'], description: 'Unit of the timer' },
        (raw) => safetyMode(raw)?.timerUnit ?? null,
      ),
      thenMode: oneRegister(
        'safety_mode',
        { type: 'string', enum: Object.values(MODE_OF), description: 'The mode that follows' },
        (raw) => safetyMode(raw)?.mode ?? null,
      ),
      loadStaysOn: oneRegister(
        'safety_mode',
        { type: 'boolean', description: 'True if the load stays on when the mode changes' },
        (raw) => safetyMode(raw)?.staysOn ?? null,
      ),
    }),
})
