import { factorAlone, factorBesideAllowed } from '../coding/automatic-modes.ts'
import { record, type Field } from '../coding/coding.ts'
import { flag, inSteps, multiples, together, whole, words } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { DIMMER, DIMMER_AND_SINGLE, LIGHTS, POWER_AND_SENSE, SENSE, SWITCH_GANGS } from '../models.ts'

const RAW_MAX = 65_535
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
  dimmable: flag('dimmable', 'Whether the load can be dimmed'),
  minDimLevelPercent: whole('min_dim_level', 0, MIN_DIM_MAX, 'Lowest brightness in percent'),
  gateTimeUs: multiples('gate_time', 10, 1, 'Gate time in microseconds'),
}

const sensed = {
  onLevelWatts: whole('on_level', 0, RAW_MAX, 'Watts from which the sensed load counts as on'),
  loadType: words('load_type', { 0: 'resistive', 1: 'inductive', 2: 'electronic' }, 'Kind of load'),
}

export const loadCalibration = readOnly({
  id: 'load_calibration',
  title: 'Load calibration',
  meaning:
    'What the unit or gang was told about its load: Low Current with its Scale, Power Factor, Min and Max Switch; on a dimmer also whether the load is dimmable, its Min Dim Level and the Gate Time; on a sense switch On Level and Load Type instead.',
  when: 'A lamp flickers, hums or never goes quite dark, or a sense switch says off while its load runs.',
  notWhen: 'A light is only too bright when it comes on: use turn_on_brightness.',
  sideEffects: 'None: it is only shown.',
  guidance:
    "Calibrate in the app, in the unit's menu for the load, after every change of lamps; leave it to an electrician where in doubt.",
  asks: ['Is the new lamp in the dining room set as dimmable?'],
  models: [...LIGHTS, ...POWER_AND_SENSE],
  gangs: SWITCH_GANGS,
  coding: ({ model }) => {
    if (SENSE.includes(model)) return record(sensed)
    const common = {
      lowCurrentMa: lowCurrent,
      powerFactor: DIMMER_AND_SINGLE.includes(model) ? factorBesideAllowed : factorAlone,
      ...switching,
    }
    return record(DIMMER.includes(model) ? { ...common, ...dimming } : common)
  },
})
