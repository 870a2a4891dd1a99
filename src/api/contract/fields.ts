import { z } from 'zod'

/** Epoch milliseconds, as every time of the service is told. */
export function epochMs(description: string) {
  return z.int().meta({ description: `${description} Epoch ms.` })
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
  return z.string().meta({ description: `The id of ${what}.` })
}
export function idOrNull(description: string) {
  return z.string().nullable().meta({ description })
}

/** What an Idempotency-Key may be made of: printable ASCII without spaces. */
export const IDEMPOTENCY_KEY = '^[!-~]{1,255}$'

export const Name = z.string().meta({ description: 'What people call it.' })

/** What the documents say of a value that is checked elsewhere. */
export function documented(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input' })
  return json
}
