import { single } from '../coding/coding.ts'
import { multiples } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { LIGHTS } from '../models.ts'

const UNIT_MS = 25

export const fadeSpeed = readOnly({
  id: 'fade_speed',
  title: 'Fade speed',
  meaning:
    'How long a dimmer takes to ramp to a new brightness, in milliseconds (the unit counts in steps of 25 ms). 0 means that the light changes at once. Switches without a dimmer hold the value but cannot fade.',
  when: 'A light should come on more gently or more promptly.',
  notWhen: 'The light should come on at another brightness: use turn_on_brightness.',
  sideEffects: 'None: it is only shown.',
  guidance: "Set it in the app, in the unit's menu for the light.",
  asks: ['How slowly does the bedroom light fade in?'],
  models: LIGHTS,
  unit: 'ms',
  meanings: { value: { 0: 'at once' } },
  coding: () => single(multiples('fade_speed', UNIT_MS, 0, 'Milliseconds in steps of 25; 0: no fade')),
})
