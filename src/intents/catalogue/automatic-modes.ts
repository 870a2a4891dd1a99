import { allowedAlone, allowedBesideFactor, factorBesideAllowed } from '../coding/automatic-modes.ts'
import { record } from '../coding/coding.ts'
import { readOnly } from '../define.ts'
import { ALL, ALL_GANGS, DIMMER_AND_SINGLE } from '../models.ts'

export const automaticModes = readOnly({
  id: 'automatic_modes',
  title: 'Automatic modes',
  meaning:
    'Whether the unit or gang may be in Auto and Eco mode. Where it may not, motion, climate and presence never act on it, and setting one of those modes is refused. Dimmers and single switches hold their power factor beside it.',
  when: 'A unit never reacts to motion, or set_mode auto is refused.',
  notWhen: 'The unit is merely in Manual mode at the moment: use set_mode.',
  sideEffects: 'None: it is only shown.',
  guidance: "Allow or forbid the automatic modes in the app, in the unit's menu for modes.",
  asks: ['Why can I not set the pantry light to auto?'],
  explainRank: 7,
  models: ALL,
  gangs: ALL_GANGS,
  coding: ({ model }) =>
    record(
      DIMMER_AND_SINGLE.includes(model)
        ? { allowed: allowedBesideFactor, powerFactor: factorBesideAllowed }
        : { allowed: allowedAlone },
    ),
})
