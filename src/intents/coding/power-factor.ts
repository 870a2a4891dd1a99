import type { Shape } from '../shape.ts'

const TEN = 10
const TENTHS_MAX = 10

export const POWER_FACTOR_SHAPE: Shape = { type: 'number', minimum: 1 / TENTHS_MAX, maximum: 1, description: 'Power factor of the load, in tenths' }

/** Tenths, 1 to 10, as a power factor; null outside that. */
export const fromTenths = (tenths: number): number | null => (tenths >= 1 && tenths <= TENTHS_MAX ? tenths / TENTHS_MAX : null)

/** The power factor in the tens of `automatic_modes` on dimmers and single switches (Spec 2.7). */
export const powerFactorOf = (automaticModes: number): number | null => fromTenths(Math.floor(automaticModes / TEN))
