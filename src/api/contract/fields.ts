import { z } from 'zod'
import { looseObject } from '../../lib/late-object.ts'

/** Describes a schema that was made just now; `describe` of zod would copy it. */
const described = <S extends z.ZodType>(schema: S, description: string): S => {
  z.globalRegistry.add(schema, { description })
  return schema
}

/** Epoch milliseconds, the format of all times in the service. */
export function epochMs(description: string) {
  return described(z.int(), `${description} Epoch ms.`)
}

/**
 * A word of a list; later versions may add more. Documents list the words beside a plain string, so that generated
 * clients accept unknown words.
 */
export function growing<const W extends readonly string[]>(words: W, description: string) {
  const schema = z.enum(words)
  z.globalRegistry.add(schema, { 'x-extensible-enum': words, description })
  return schema
}

/** An id from a response; clients never build ids (Spec 2.2). */
export function idOf(what: string) {
  return described(z.string(), `The id of ${what}.`)
}

/** A string in a response, with its description. */
export const text = (description: string) => described(z.string(), description)
export const textOrNull = (description: string) => described(z.string().nullable(), description)
export const whether = (description: string) => described(z.boolean(), description)
/** A number of things. */
export const count = (description: string) => described(z.int().min(0), description)

/** An object in a response. It is loose: clients tolerate later additions. */
export const shape = <F extends z.ZodRawShape>(description: string, fields: () => F) =>
  looseObject(fields).describe(description)
/** A response object with a name of its own in the documents. */
export const named = <F extends z.ZodRawShape>(id: string, description: string, fields: () => F) =>
  looseObject(fields).meta({ id, description })

/** A list of objects with the given description. */
export const listOf = <F extends z.ZodRawShape>(description: string, fields: () => F) =>
  z.array(shape(description, fields))

/** Pattern of an Idempotency-Key: printable ASCII without spaces. */
export const IDEMPOTENCY_KEY = '^[!-~]{1,255}$'

export const Name = z.string().describe('Name for people.')

/** Schema in the documents of a value that other code checks. */
export function documented(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input' })
  return json
}

/** A number in a query is a string; only plain whole numbers are accepted. */
export const wholeNumber = (min: number, max: number, description: string) =>
  z
    .string()
    .refine((text) => /^\d{1,16}$/.test(text), `must be a whole number from ${min}${max > 1e15 ? '' : ` to ${max}`}`)
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max, description })
