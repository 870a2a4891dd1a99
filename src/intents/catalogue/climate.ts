import { climateCoding } from '../coding/climate.ts'
import { writable } from '../define.ts'
import { POWER_AND_SENSE } from '../models.ts'

export const climate = writable({
  id: 'climate',
  title: 'Climate',
  meaning:
    'What the switch feeds and its room-temperature rules in Auto and Eco mode. cool: on above its on temperature, off below its off temperature. heat: on below on, off above off. none: temperature does nothing. ' +
    'What is sent is what the switch then feeds: send cool or heat alone, both for a reversible heat pump, or none alone.',
  when: 'The switch feeds a heater, a fan or an air conditioner and should hold a room temperature.',
  notWhen:
    'The load should be on or off right now: use set_power. The wished temperature of a rule that is already set should move: use set_temp on a power switch.',
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
