import { writableWords } from '../coding/writable.ts'
import { writable } from '../define.ts'
import { ALL_GANGS, LIGHTS, POWER_AND_SENSE } from '../models.ts'

export const ledMode = writable({
  id: 'led_mode',
  title: 'Status LEDs',
  meaning:
    'Says when the status LEDs light: always, only while the load is on, or never. The LED of a shutter gang counts the load as on while the shutter moves.',
  when: 'LEDs disturb at night, or a switch should be easy to find in the dark.',
  notWhen: 'The shutter switch is meant: its LEDs are the read-only intent shutter_leds.',
  sideEffects: 'With off, nothing at the switch shows whether the load is on.',
  examples: [
    { ask: 'Turn off the little lights on the bedroom switch.', value: 'off' },
    { ask: 'The stairs switch should glow so that I find it at night.', value: 'on' },
    { ask: 'Show me at the switch whether the cellar light is on.', value: 'while_on' },
  ],
  models: [...LIGHTS, ...POWER_AND_SENSE],
  gangs: ALL_GANGS,
  coding: () =>
    writableWords(
      'led_mode',
      { 0: 'off', 1: 'on', 2: 'while_on' },
      'on: always lit; while_on: lit only while the load is on; off: never lit',
    ),
})
