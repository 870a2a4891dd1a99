import { record } from '../coding/coding.ts'
import { flag, whole } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { ALL } from '../models.ts'

const RAW_MAX = 65_535

export const protection = readOnly({
  id: 'protection',
  title: 'Protection',
  meaning:
    "At which temperature inside (Max Temp, degrees Celsius) the unit turns its load off to protect itself, the greatest and smallest load as raw numbers of the maker's (Max Load, Min Load), and whether the load is checked against them.",
  when: 'A unit turns off by itself and its cause says protection.',
  notWhen: 'The temperature of the room is meant: see the sensors, or climate.',
  sideEffects: 'None: it is only shown.',
  guidance: "The limits are an electrician's matter; they are in the app, in the unit's menu for protection.",
  asks: ['At what temperature does the hall dimmer protect itself?'],
  models: ALL,
  coding: () =>
    record({
      maxTemp: whole('max_temp', 40, 99, 'Degrees Celsius inside the unit'),
      maxLoad: whole('max_load', 0, RAW_MAX, 'Raw number as the unit holds it'),
      minLoad: whole('min_load', 0, RAW_MAX, 'Raw number as the unit holds it'),
      loadCheck: flag('load_check', 'Whether the load is checked against the two'),
    }),
})
