import { record } from '../coding/coding.ts'
import { inSteps, time } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { SHUTTER } from '../models.ts'

const MINUTES_MAX = 9
const TENTHS = 10

export const shutterTravel = readOnly({
  id: 'shutter_travel',
  title: 'Travel times',
  meaning:
    'How long the shutter takes all the way up and all the way down, how long the motor needs from power to motion (Activating Time), and how long the slats take to turn when the direction changes (Flip Time); all in seconds.',
  when: 'A shutter stops short of an end, or its position does not fit what one sees.',
  notWhen: 'The shutter should stand elsewhere: use set_position.',
  sideEffects: 'None: it is only shown.',
  guidance: "Measure both ways with a watch and set the times in the app, in the unit's menu for travel.",
  asks: ['How long does the living room shutter take to open?'],
  models: SHUTTER,
  coding: () =>
    record({
      upSeconds: time('up_time_min', 'up_time_s', MINUTES_MAX, 1, 'Seconds from closed to open'),
      downSeconds: time('down_time_min', 'down_time_s', MINUTES_MAX, 1, 'Seconds from open to closed'),
      activatingSeconds: inSteps('activating_time', TENTHS, 'Seconds from power to motion, in tenths'),
      flipSeconds: inSteps('flip_time', TENTHS, 'Seconds that the slats take to turn, in tenths'),
    }),
})
