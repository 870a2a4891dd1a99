import { oneRegister, record } from '../coding/coding.ts'
import { together } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { SHUTTER } from '../models.ts'

/** Older shutters hold 1 off and 2 on, newer ones 2 off and 3 on: `led_coding` 12 or 23 says which (Spec 2.7). */
const CODINGS: Readonly<Record<number, { readonly off: number; readonly on: number }>> = {
  12: { off: 1, on: 2 },
  23: { off: 2, on: 3 },
}

export const shutterLeds = readOnly({
  id: 'shutter_leds',
  title: 'Shutter LEDs',
  meaning:
    'Whether the LEDs of a shutter switch are on. Shutters code this in two ways, 1 off and 2 on or 2 off and 3 on; the number is shown as the unit holds it, with the coding that it uses.',
  when: 'The LEDs of a shutter switch disturb, or are missed.',
  notWhen: 'The LEDs of another switch are meant: use led_mode.',
  sideEffects: 'None: it is only shown.',
  guidance: "Turn the LEDs on or off in the app, in the unit's menu for keys.",
  asks: ['Are the LEDs of the bedroom shutter on?'],
  models: SHUTTER,
  coding: () =>
    record({
      on: together(
        ['shutter_leds', 'led_coding'],
        { type: 'boolean', description: 'Whether the LEDs are on' },
        (held, coding) => {
          const meaning = CODINGS[coding ?? 0]
          if (meaning === undefined || (held !== meaning.on && held !== meaning.off)) return null
          return held === meaning.on
        },
      ),
      held: oneRegister(
        'shutter_leds',
        { type: 'integer', minimum: 1, maximum: 3, description: 'The number as the unit holds it' },
        (raw) => (raw >= 1 && raw <= 3 ? raw : null),
      ),
      coding: oneRegister(
        'led_coding',
        { type: 'string', enum: ['1/2', '2/3'], description: 'Which numbers mean off and on' },
        (raw) => ({ 12: '1/2', 23: '2/3' })[raw] ?? null,
      ),
    }),
})
