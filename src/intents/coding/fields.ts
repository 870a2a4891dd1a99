import { fail, ok } from '../../lib/result.ts'
import type { RegisterName } from '../../home/model/register.ts'
import type { Json } from '../shape.ts'
import { oneRegister, pick, rawOf, type Field } from './coding.ts'

const MINUTES_OR_SECONDS_MAX = 59
const SIXTY = 60
const BYTE_MAX = 255

/** A whole number from `lowest` to `highest`, held as it is. */
export function whole(name: RegisterName, lowest: number, highest: number, description: string): Field {
  const shape = { type: 'integer', minimum: lowest, maximum: highest, description }
  return oneRegister(name, shape, (raw) => (raw >= lowest && raw <= highest ? raw : null))
}

/** A number of one byte held in fractions, for example tenths of a second, shown in whole ones. */
export function inSteps(name: RegisterName, stepsInOne: number, description: string): Field {
  const shape = { type: 'number', minimum: 0, maximum: BYTE_MAX / stepsInOne, description }
  return oneRegister(name, shape, (raw) => (raw <= BYTE_MAX ? raw / stepsInOne : null))
}

/** A number of one byte held in units of `unit`, for example 25 ms, shown multiplied out. */
export function multiples(name: RegisterName, unit: number, lowest: number, description: string): Field {
  const shape = { type: 'integer', minimum: lowest * unit, maximum: BYTE_MAX * unit, multipleOf: unit, description }
  return oneRegister(name, shape, (raw) => (raw >= lowest && raw <= BYTE_MAX ? raw * unit : null))
}

/** 0 or 1 as false or true. */
export function flag(name: RegisterName, description: string): Field {
  return oneRegister(name, { type: 'boolean', description }, (raw) => (raw > 1 ? null : raw === 1))
}

/** A few raw numbers, each with its word. */
export function words(name: RegisterName, coding: Readonly<Record<number, string>>, description: string): Field {
  return oneRegister(name, { type: 'string', enum: Object.values(coding), description }, (raw) => coding[raw] ?? null)
}

/** Two registers that are one time: h:min shown in minutes, or min:sec shown in seconds. */
export function time(
  big: RegisterName,
  small: RegisterName,
  bigMax: number,
  lowest: number,
  description: string,
): Field {
  const registers = [big, small]
  const highest = bigMax * SIXTY + MINUTES_OR_SECONDS_MAX
  return {
    registers,
    shape: { type: 'integer', minimum: lowest, maximum: highest, description },
    read: (values) => {
      const [bigRaw, smallRaw] = [rawOf(values, big), rawOf(values, small)]
      const total = bigRaw * SIXTY + smallRaw
      if (bigRaw <= bigMax && smallRaw <= MINUTES_OR_SECONDS_MAX && total >= lowest) return ok(total)
      const outside = registers.filter((name) => rawOf(values, name) > (name === big ? bigMax : MINUTES_OR_SECONDS_MAX))
      return fail(pick(values, outside.length > 0 ? outside : registers))
    },
  }
}

/** A field of several registers read together: `to` gives the value, or null where they are outside the coding. */
export function together(
  registers: readonly RegisterName[],
  shape: Field['shape'],
  to: (...raws: number[]) => Json,
): Field {
  return {
    registers,
    shape,
    read: (values) => {
      const value = to(...registers.map((name) => rawOf(values, name)))
      return value === null ? fail(pick(values, registers)) : ok(value)
    },
  }
}
