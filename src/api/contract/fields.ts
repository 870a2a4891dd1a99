import { z } from 'zod'

/** Epoch milliseconds, as every time of the service is told. */
export function epochMs(description: string) {
  return z.int().describe(`${description} Epoch ms.`)
}

/**
 * One of some words, to which later versions may add: the documents list the words beside a plain text, so that a
 * client that is made from them takes a word that it does not know.
 */
export function growing<const W extends readonly string[]>(words: W, description: string) {
  return z.enum(words).meta({ 'x-extensible-enum': words, description })
}

/** An id that is read from answers and never put together by clients (Spec 2.2). */
export function idOf(what: string) {
  return z.string().describe(`The id of ${what}.`)
}

/** A text of an answer, and what it is. */
export const text = (description: string) => z.string().describe(description)
export const textOrNull = (description: string) => z.string().nullable().describe(description)
export const whether = (description: string) => z.boolean().describe(description)
/** How many of something. */
export const count = (description: string) => z.int().min(0).describe(description)

/** An object of an answer. It is loose: clients tolerate what is added later. */
export const shape = <F extends z.ZodRawShape>(description: string, fields: F) =>
  z.looseObject(fields).describe(description)
/** The same where documents know it by a name of its own. */
export const named = <F extends z.ZodRawShape>(id: string, description: string, fields: F) =>
  z.looseObject(fields).meta({ id, description })

/** A list of objects, each of which is what `description` says. */
export const listOf = <F extends z.ZodRawShape>(description: string, fields: F) => z.array(shape(description, fields))

/** What an Idempotency-Key may be made of: printable ASCII without spaces. */
export const IDEMPOTENCY_KEY = '^[!-~]{1,255}$'

export const Name = z.string().describe('What people call it.')

/** What the documents say of a value that is checked elsewhere. */
export function documented(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input' })
  return json
}
