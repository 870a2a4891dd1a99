import { record } from '../coding/coding.ts'
import { flag } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { MODULES } from '../models.ts'

export const sideButtons = readOnly({
  id: 'side_buttons',
  title: 'Side buttons',
  meaning:
    'Whether the scene buttons at the sides of a module are off altogether, and whether each of them, left and right, responds.',
  when: 'A scene button at the side of a module does nothing.',
  notWhen: 'One of the gangs does not react to touches: see key_sense of that gang.',
  sideEffects: 'None: it is only shown.',
  guidance: "Set it in the app, in the module's menu for keys.",
  asks: ['Why does the left button on the hall module do nothing?'],
  models: MODULES,
  coding: () =>
    record({
      off: flag('side_buttons_off', 'Whether both are off'),
      left: flag('side_button_left', 'Whether the left one responds'),
      right: flag('side_button_right', 'Whether the right one responds'),
    }),
})
