import { fail, ok, type Result } from '../../lib/result.ts'
import type { RegisterName, RegisterValues } from '../../home/model/register.ts'
import type { Json, Shape } from '../shape.ts'

/**
 * One part of a value and the registers it is made of; `read` fails with those registers that are outside the coding.
 */
export interface Field {
  readonly registers: readonly RegisterName[]
  readonly shape: Shape
  read(values: RegisterValues): Result<Json, RegisterValues>
}

/**
 * A value as read. `unknown` holds the raw registers that the coding does not cover; the value shows them as they are.
 */
export interface Decoded {
  readonly value: Json
  readonly unknown: RegisterValues | null
}

/** Between a value as people see it and raw registers. All registers are present when `decode` is called. */
export interface Coding {
  readonly registers: readonly RegisterName[]
  readonly shape: Shape
  /** Of these registers, those that the value is made of, where that depends on one of them; otherwise all. */
  uses?(values: RegisterValues): readonly RegisterName[]
  decode(values: RegisterValues): Decoded
}

export interface WritableCoding extends Coding {
  /** The registers to write, or one plain sentence that says what is wrong with the value. */
  encode(value: unknown): Result<RegisterValues, string>
}

/** The raw value of a register that must be there. */
export function rawOf(values: RegisterValues, name: RegisterName): number {
  const value = values[name]
  if (value === undefined) throw new Error(`register ${name} was not read`)
  return value
}

/** The named registers alone, as they are: what is shown where the coding ends. */
export const pick = (values: RegisterValues, names: readonly RegisterName[]): RegisterValues =>
  Object.fromEntries(names.map((name) => [name, rawOf(values, name)]))

/** A value that is one field. */
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

/** A field read from one register: `to` gives the value, or null where the raw number is outside the coding. */
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
