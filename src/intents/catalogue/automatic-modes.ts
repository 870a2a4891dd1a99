import { oneRegister, record, type Field } from '../coding/coding.ts'
import { POWER_FACTOR_SHAPE, powerFactorOf } from '../coding/power-factor.ts'
import { readOnly } from '../define.ts'
import { ALL, ALL_GANGS, DIMMER_AND_SINGLE } from '../models.ts'

/** 1 allowed, 4 not; on dimmers and single switches the tens are the power factor (Spec 2.7). */
const ALLOWED = 1
const NOT_ALLOWED = 4
const TEN = 10

const allowedOf = (ones: number): boolean | null => (ones === ALLOWED ? true : ones === NOT_ALLOWED ? false : null)
const ALLOWED_SHAPE = { type: 'boolean', description: 'Whether Auto and Eco mode are allowed' }

const plain: Field = oneRegister('automatic_modes', ALLOWED_SHAPE, allowedOf)
const beside: Field = oneRegister('automatic_modes', ALLOWED_SHAPE, (raw) => (powerFactorOf(raw) === null ? null : allowedOf(raw % TEN)))
const powerFactor: Field = oneRegister('automatic_modes', POWER_FACTOR_SHAPE, (raw) => (allowedOf(raw % TEN) === null ? null : powerFactorOf(raw)))

export const automaticModes = readOnly({
  id: 'automatic_modes',
  title: 'Automatic modes',
  meaning: 'Whether the unit or gang may be in Auto and Eco mode. Where it may not, motion, climate and presence never act on it, and setting one of those modes is refused. Dimmers and single switches hold their power factor beside it.',
  when: 'A unit never reacts to motion, or set_mode auto is refused.',
  notWhen: 'The unit is merely in Manual mode at the moment: use set_mode.',
  sideEffects: 'None: it is only shown.',
  guidance: 'Allow or forbid the automatic modes in the app, in the unit\'s menu for modes.',
  asks: ['Why can I not set the pantry light to auto?'],
  models: ALL,
  gangs: ALL_GANGS,
  coding: ({ model }) => record(DIMMER_AND_SINGLE.includes(model) ? { allowed: beside, powerFactor } : { allowed: plain }),
})
