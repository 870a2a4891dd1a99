import { climateCoding } from '../coding/climate.ts'
import { writable, POWER_AND_SENSE, readOnly, ALL, MODULES, LIGHTS } from './intent.ts'
import { record, flag, multiples, whole, words } from '../coding/coding.ts'

export const climate = writable({
  id: 'climate',
  title: 'Climate',
  meaning:
    'The climate load of the switch and its room-temperature rules in Auto and Eco mode. cool: on above its on temperature, off below its off temperature. heat: on below on, off above off. none: temperature does nothing. ' +
    'A new value replaces the old one: send cool or heat alone, both for a reversible heat pump, or none alone.',
  when: 'The switch feeds a heater, a fan or an air conditioner and should hold a room temperature.',
  notWhen:
    'The load should be on or off right now: use set_power. Only the target temperature of an existing rule should change: use set_temp on a power switch.',
  prerequisites: ['The switch is in Auto or Eco mode for the rule to act; in Manual mode it waits.'],
  sideEffects:
    'While a rule is set, motion and presence no longer turn the load on or off. Between the two temperatures the load stays as it is. A rule that is not sent no longer acts.',
  examples: [
    { ask: 'The fan should start above 26 degrees and stop below 24.', value: { cool: { on: 26, off: 24 } } },
    { ask: 'Keep the conservatory between 18 and 20 degrees with the heater.', value: { heat: { on: 18, off: 20 } } },
    { ask: 'The socket by the window feeds a lamp now, no temperatures.', value: { none: true } },
  ],
  explainRank: 6,
  models: POWER_AND_SENSE,
  unit: '°C',
  coding: climateCoding,
})

const SWITCHES_MIN = 2
const SWITCHES_MAX = 4

export const protocol = readOnly({
  id: 'protocol',
  title: 'Unit protocol',
  meaning:
    'Shows if the unit acknowledges every control (Acknowledge Control) and reports changes at once; on a module also its number of switches and the pause between gangs that are turned on together.',
  when: 'Changes made at the wall show up late, or a technician asks.',
  notWhen: 'The unit does not answer at all: then commands answer unit_unreachable.',
  guidance: "Leave it as it is; a technician finds it in the app, in the unit's menu for the protocol.",
  asks: ['Does the cellar switch report its changes at once?'],
  models: ALL,
  coding: ({ model }) => {
    const common = {
      acknowledgeControl: flag('acknowledge_control', 'True if the unit acknowledges every control'),
      instantReporting: flag('instant_reporting', 'True if changes are reported at once; otherwise once a minute'),
    }
    if (!MODULES.includes(model)) return record(common)
    return record({
      ...common,
      switches: whole('switch_count', SWITCHES_MIN, SWITCHES_MAX, 'Number of switches'),
      switchOnPauseMs: multiples('switch_on_speed', 10, 0, 'Milliseconds between gangs that are turned on together'),
    })
  },
})

const GROUP_MAX = 255

export const groupsAndSensors = readOnly({
  id: 'groups_and_sensors',
  title: 'Group and sensor',
  meaning:
    'The group code of a unit (0: none), and the motion and light sensor of a module: none, its own, or a paired one.',
  when: 'A module does not react to motion, or a unit acts together with others.',
  notWhen: 'The house-wide all-off is meant: see all_off_group.',
  guidance: "Set the group and the sensor in the app, in the unit's menu for groups.",
  asks: ['Which sensor does the hall module use?'],
  meanings: { groupCode: { 0: 'none' } },
  models: [...LIGHTS, ...POWER_AND_SENSE],
  coding: ({ model }) => {
    const groupCode = whole('group_code', 0, GROUP_MAX, 'Group code; 0: none')
    const sensor = words('module_sensor', { 0: 'none', 1: 'built_in', 2: 'paired' }, 'The sensor of the module')
    return record(MODULES.includes(model) ? { groupCode, sensor } : { groupCode })
  },
})
