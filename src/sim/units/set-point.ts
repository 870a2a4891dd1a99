import { refuse, type Outcome } from '../bus-types.ts'
import type { Settings } from '../registers/settings.ts'
import type { Unit } from './unit.ts'

const COOL = ['cool_on', 'cool_off'] as const
const HEAT = ['heat_on', 'heat_off'] as const
/** Which temperatures are in force for each `climate_load`; the one that is the set point stands last. */
const IN_FORCE: readonly (readonly string[])[] = [[], COOL, HEAT, [...HEAT, ...COOL]]
const NUMBER: Readonly<Record<string, number>> = { cool_on: 41, cool_off: 42, heat_on: 43, heat_off: 44 }

/** Degrees Celsius, or null while the switch feeds no climate load. */
export function setPointOf(settings: Settings): number | null {
  const name = IN_FORCE[settings.value('climate_load')]?.at(-1)
  return name === undefined ? null : settings.value(name) / 2
}

/** Moves all temperatures in force so that the set point becomes `celsius`, to half a degree. Null, or why not. */
export function shiftSetPoint(unit: Unit, celsius: number): Outcome | null {
  const { settings } = unit
  const names = IN_FORCE[settings.value('climate_load')] ?? []
  const current = setPointOf(settings)
  if (current === null) return refuse('not_offered')
  const shift = Math.round(celsius * 2) - current * 2
  if (shift === 0) return null
  const numbers = names.map((name) => NUMBER[name] ?? 0)
  const refusal = settings.write(names.map((name, index) => [numbers[index] ?? 0, settings.value(name) + shift]))
  if (refusal !== null) return refuse('out_of_range')
  unit.reportRegisters(null, numbers)
  return null
}
