import { z } from 'zod'
import { looseObject } from '../../lib/late-object.ts'

/** Epoch milliseconds, the format of all times in the service. */
export function epochMs(description: string) {
  return z.int().describe(`${description} Epoch ms.`)
}

/**
 * A word of a list; later versions may add more. Documents list the words beside a plain string, so that generated
 * clients accept unknown words.
 */
export function growing<const W extends readonly string[]>(words: W, description: string) {
  return z.enum(words).meta({ 'x-extensible-enum': words, description })
}

/** An id from a response; clients never build ids (Spec 2.2). */
export function idOf(what: string) {
  return z.string().describe(`The id of ${what}.`)
}

/** A string in a response, with its description. */
export const text = (description: string) => z.string().describe(description)
export const textOrNull = (description: string) => z.string().nullable().describe(description)
export const whether = (description: string) => z.boolean().describe(description)
/** A number of things. */
export const count = (description: string) => z.int().min(0).describe(description)

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
