import { writableWhole } from '../coding/writable.ts'
import { writable } from '../define.ts'
import { DIMMER } from '../models.ts'

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
