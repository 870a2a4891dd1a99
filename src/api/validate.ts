import type { z } from 'zod'
import { checked, type Problem, sentenceOf, withKnownFields } from '../lib/checked.ts'
import { isObject } from '../lib/json.ts'
import { Refusal } from './errors.ts'
import type { RefusalDetails } from '../wire/errors.ts'

/**
 * Checks a part of a request and refuses it with one sentence about the first wrong field. `better` may replace the
 * problem that the schema found.
 */
export function validated<S extends z.ZodType>(
  schema: S,
  value: unknown,
  part: 'body' | 'query' | 'message',
  better: (problem: Problem) => Problem = (problem) => problem,
): z.output<S> {
  if (part === 'body' && value === undefined) throw new Refusal('validation', { message: 'A JSON body is missing.' })
  const result = checked(schema, value)
  if (result.ok) return result.value
  const problem = better(result.error)
  const { field } = problem
  const isRepeated = part === 'query' && isObject(value) && Array.isArray(value[field])
  throw new Refusal(
    'validation',
    wrongDetails(isRepeated ? { field, message: 'occurs more than once' } : problem, part),
  )
}

/** Details of a validation refusal; a caller of tools also gets the list of known fields. */
export function wrongDetails(
  { field, message, known, at }: Problem,
  part: 'body' | 'query' | 'message',
): RefusalDetails {
  const short: Problem = {
    field: field.slice(0, FIELD_LENGTH_MAX),
    message: message.slice(0, MESSAGE_LENGTH_MAX),
    ...(known === undefined ? {} : { known }),
  }
  return {
    field: short.field === '' ? part : short.field,
    ...(at !== undefined && { at }),
    message: { http: sentenceOf(short, `The ${part}`), tool: `${withKnownFields(short).message}.` },
  }
}

/** Bounds of echoed request text. */
const FIELD_LENGTH_MAX = 120
const MESSAGE_LENGTH_MAX = 240

/** True if a body or arguments are missing, or `null` or `{}`, which some clients always send. */
export function isLeftOut(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}
