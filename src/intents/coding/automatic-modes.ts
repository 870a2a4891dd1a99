import { oneRegister, type Field } from './coding.ts'

/** 1 allowed, 4 not; on dimmers and single switches the tens are the power factor in tenths, 1 to 10 (Spec 2.7). */
const ALLOWED = 1
const NOT_ALLOWED = 4
const TENTHS = 10

const ALLOWED_SHAPE = { type: 'boolean', description: 'Whether Auto and Eco mode are allowed' }
const POWER_FACTOR_SHAPE = {
  type: 'number',
  minimum: 1 / TENTHS,
  maximum: 1,
  description: 'Power factor of the load, in tenths',
}

const allowedOf = (ones: number): boolean | null => (ones === ALLOWED ? true : ones === NOT_ALLOWED ? false : null)
const factorOf = (tenths: number): number | null => (tenths >= 1 && tenths <= TENTHS ? tenths / TENTHS : null)

/** Both halves of the shared register, or null where either is outside the coding: half a meaning would be a guess. */
function halves(raw: number): { readonly allowed: boolean; readonly factor: number } | null {
  const [allowed, factor] = [allowedOf(raw % 10), factorOf(Math.floor(raw / 10))]
  return allowed === null || factor === null ? null : { allowed, factor }
}

/** Whether Auto and Eco are allowed, where the register holds nothing else. */
export const allowedAlone: Field = oneRegister('automatic_modes', ALLOWED_SHAPE, allowedOf)

/** The two halves of the register on dimmers and single switches. */
export const allowedBesideFactor: Field = oneRegister(
  'automatic_modes',
  ALLOWED_SHAPE,
  (raw) => halves(raw)?.allowed ?? null,
)
export const factorBesideAllowed: Field = oneRegister(
  'automatic_modes',
  POWER_FACTOR_SHAPE,
  (raw) => halves(raw)?.factor ?? null,
)

/** The power factor where it has a register of its own. */
export const factorAlone: Field = oneRegister('power_factor', POWER_FACTOR_SHAPE, factorOf)
