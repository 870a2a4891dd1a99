import { fail, ok, type Result } from '../../lib/result.ts'
import type { RegisterName, RegisterValues } from '../../home/model/device.ts'

/** JSON on the wire. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A JSON Schema (2020-12) of an intent's value: the `Shape` of Spec 2.7. */
export type Shape = { readonly [keyword: string]: Json }

/** One shape for several: the shape itself if they are equal. */
export function anyOf(shapes: readonly Shape[]): Shape {
  const distinct = [...new Map(shapes.map((shape) => [JSON.stringify(shape), shape])).values()]
  const [only, ...others] = distinct
  if (only === undefined) throw new Error('a shape needs at least one alternative')
  return others.length === 0 ? only : { anyOf: distinct }
}

/** One part of a value and its registers; `read` fails with the registers that are outside the coding. */
export interface Field {
  readonly registers: readonly RegisterName[]
  readonly shape: Shape
  read(values: RegisterValues): Result<Json, RegisterValues>
}

/**
 * A value as read. `unknown` holds the raw registers that the coding does not cover; the value shows them unchanged.
 */
interface Decoded {
  readonly value: Json
  readonly unknown: RegisterValues | null
}

/** Converts between a value for people and raw registers. All registers are present when `decode` is called. */
export interface Coding {
  readonly registers: readonly RegisterName[]
  readonly shape: Shape
  /** The registers that determine the value, if that depends on one of them; otherwise all. */
  uses?(values: RegisterValues): readonly RegisterName[]
  decode(values: RegisterValues): Decoded
}

export interface WritableCoding extends Coding {
  /** Returns the registers to write, or one sentence about the wrong value. */
  encode(value: unknown): Result<RegisterValues, string>
}

/** The raw value of a required register. */
export function rawOf(values: RegisterValues, name: RegisterName): number {
  const value = values[name]
  if (value === undefined) throw new Error(`register ${name} was not read`)
  return value
}

/** The named registers unchanged: shown for values outside the coding. */
export const pick = (values: RegisterValues, names: readonly RegisterName[]): RegisterValues =>
  Object.fromEntries(names.map((name) => [name, rawOf(values, name)]))

/** A value with one field. */
export function single(field: Field): Coding {
  return {
    registers: field.registers,
    shape: field.shape,
    decode: (values) => {
      const read = field.read(values)
      return read.ok ? { value: read.value, unknown: null } : { value: { unknown: read.error }, unknown: read.error }
    },
  }
}

/**
 * A value that is an object of fields. A field outside its coding is left out and its registers appear under `unknown`.
 */
export function record(fields: Readonly<Record<string, Field>>): Coding {
  const entries = Object.entries(fields)
  return {
    registers: [...new Set(entries.flatMap(([, field]) => field.registers))],
    shape: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, { shape }]) => [name, shape])),
      required: entries.map(([name]) => name),
    },
    decode: (values) => {
      const known: Record<string, Json> = {}
      const unknown: Record<RegisterName, number> = {}
      for (const [name, field] of entries) {
        const read = field.read(values)
        if (read.ok) known[name] = read.value
        else Object.assign(unknown, read.error)
      }
      return Object.keys(unknown).length === 0
        ? { value: known, unknown: null }
        : { value: { ...known, unknown }, unknown }
    },
  }
}

/** A field of one register: `to` returns the value, or null if the raw number is outside the coding. */
export function oneRegister(name: RegisterName, shape: Shape, to: (raw: number) => Json): Field {
  return {
    registers: [name],
    shape,
    read: (values) => {
      const value = to(rawOf(values, name))
      return value === null ? fail(pick(values, [name])) : ok(value)
    },
  }
}

const MINUTES_OR_SECONDS_MAX = 59
const SIXTY = 60
const BYTE_MAX = 255

/** A whole number from `lowest` to `highest`, stored unchanged. */
export function whole(name: RegisterName, lowest: number, highest: number, description: string): Field {
  const shape = { type: 'integer', minimum: lowest, maximum: highest, description }
  return oneRegister(name, shape, (raw) => (raw >= lowest && raw <= highest ? raw : null))
}

/** A number of one byte stored in fractions, for example tenths of a second, shown in whole units. */
export function inSteps(name: RegisterName, stepsInOne: number, description: string): Field {
  const shape = { type: 'number', minimum: 0, maximum: BYTE_MAX / stepsInOne, description }
  return oneRegister(name, shape, (raw) => (raw <= BYTE_MAX ? raw / stepsInOne : null))
}

/** A number of one byte stored in units of `unit`, for example 25 ms, shown multiplied. */
export function multiples(name: RegisterName, unit: number, lowest: number, description: string): Field {
  const shape = { type: 'integer', minimum: lowest * unit, maximum: BYTE_MAX * unit, multipleOf: unit, description }
  return oneRegister(name, shape, (raw) => (raw >= lowest && raw <= BYTE_MAX ? raw * unit : null))
}

/** 0 or 1 as false or true. */
export function flag(name: RegisterName, description: string): Field {
  return oneRegister(name, { type: 'boolean', description }, (raw) => (raw > 1 ? null : raw === 1))
}

/** A few raw numbers, each with a word. */
export function words(name: RegisterName, coding: Readonly<Record<number, string>>, description: string): Field {
  return oneRegister(name, { type: 'string', enum: Object.values(coding), description }, (raw) => coding[raw] ?? null)
}

/** Two registers of one time: h:min shown in minutes, or min:sec shown in seconds. */
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

/** A field of several registers: `to` returns the value, or null if they are outside the coding. */
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

/** Name of a value's type for an error message. */
export function nameType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return (
    { undefined: 'nothing', boolean: 'true or false', number: 'a number', string: 'a text', object: 'an object' }[
      typeof value as string
    ] ?? 'something else'
  )
}

/** A whole number within limits, or a sentence about the wrong value; `what` names it with its unit. */
function wholeNumber(value: unknown, lowest: number, highest: number, what: string): Result<number, string> {
  const requirement = `value: must be a whole number of ${what} from ${lowest} to ${highest}`
  if (typeof value !== 'number') return fail(`${requirement}, not ${nameType(value)}.`)
  if (!Number.isInteger(value)) return fail(`${requirement}, without a fraction.`)
  if (value < lowest || value > highest)
    return fail(`${requirement}; ${value} is too ${value < lowest ? 'low' : 'high'}.`)
  // JSON has a -0, registers do not.
  return ok(value === 0 ? 0 : value)
}

/** A whole number that one register stores unchanged. */
export function writableWhole(
  name: RegisterName,
  lowest: number,
  highest: number,
  what: string,
  description: string,
): WritableCoding {
  return {
    ...single(whole(name, lowest, highest, description)),
    encode: (value) => {
      const number = wholeNumber(value, lowest, highest, what)
      return number.ok ? ok({ [name]: number.value }) : number
    },
  }
}

/** A time in two registers: in minutes as h:min, or in seconds as min:sec. */
export function writableTime(
  big: RegisterName,
  small: RegisterName,
  bigMax: number,
  lowest: number,
  what: string,
  description: string,
): WritableCoding {
  const highest = bigMax * SIXTY + SIXTY - 1
  return {
    ...single(time(big, small, bigMax, lowest, description)),
    encode: (value) => {
      const total = wholeNumber(value, lowest, highest, what)
      return total.ok ? ok({ [big]: Math.floor(total.value / SIXTY), [small]: total.value % SIXTY }) : total
    },
  }
}

export function writableFlag(name: RegisterName, description: string): WritableCoding {
  return {
    ...single(flag(name, description)),
    encode: (value) =>
      typeof value === 'boolean'
        ? ok({ [name]: value ? 1 : 0 })
        : fail(`value: must be true or false, not ${nameType(value)}.`),
  }
}

export function writableWords(
  name: RegisterName,
  coding: Readonly<Record<number, string>>,
  description: string,
): WritableCoding {
  const list = Object.values(coding)
  return {
    ...single(words(name, coding, description)),
    encode: (value) => {
      const raw = Object.keys(coding).find((key) => coding[Number(key)] === value)
      return raw === undefined ? fail(`value: must be one of ${list.join(', ')}.`) : ok({ [name]: Number(raw) })
    },
  }
}

/**
 * 1 allowed, 4 forbidden; on dimmers and single switches the tens are the power factor in tenths, 1 to 10 (Spec 2.7).
 */
const ALLOWED = 1
const NOT_ALLOWED = 4
const TENTHS = 10

const ALLOWED_SHAPE = { type: 'boolean', description: 'True if Auto and Eco mode are allowed' }
const POWER_FACTOR_SHAPE = {
  type: 'number',
  minimum: 1 / TENTHS,
  maximum: 1,
  description: 'Power factor of the load, in tenths',
}

const allowedOf = (ones: number): boolean | null => (ones === ALLOWED ? true : ones === NOT_ALLOWED ? false : null)
const factorOf = (tenths: number): number | null => (tenths >= 1 && tenths <= TENTHS ? tenths / TENTHS : null)

/** Both parts of the shared register, or null if one is outside the coding: half a meaning would be a guess. */
function sharedRegister(raw: number): { readonly allowed: boolean; readonly factor: number } | null {
  const [allowed, factor] = [allowedOf(raw % 10), factorOf(Math.floor(raw / 10))]
  return allowed === null || factor === null ? null : { allowed, factor }
}

/** True if Auto and Eco are allowed; the register holds nothing more. */
export const allowedAlone: Field = oneRegister('automatic_modes', ALLOWED_SHAPE, allowedOf)

/** The two parts of the register on dimmers and single switches. */
export const allowedWithFactor: Field = oneRegister(
  'automatic_modes',
  ALLOWED_SHAPE,
  (raw) => sharedRegister(raw)?.allowed ?? null,
)
export const factorWithAllowed: Field = oneRegister(
  'automatic_modes',
  POWER_FACTOR_SHAPE,
  (raw) => sharedRegister(raw)?.factor ?? null,
)

/** The power factor in a register of its own. */
export const factorAlone: Field = oneRegister('power_factor', POWER_FACTOR_SHAPE, factorOf)
