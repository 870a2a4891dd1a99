import type { z } from 'zod'
import { checked, type Problem, sentenceOf } from '../lib/checked.ts'
import { isObject } from '../lib/json.ts'
import { Refusal } from './errors.ts'

/**
 * Checks a part of a request; refuses with one sentence that names the first field that is wrong. `better` may replace
 * the problem that the schema found.
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
  const message = isRepeated ? 'is given more than once' : problem.message
  throw new Refusal('validation', {
    message: sentenceOf(
      { field: field.slice(0, FIELD_LENGTH_MAX), message: message.slice(0, MESSAGE_LENGTH_MAX) },
      `The ${part}`,
    ),
  })
}

/** What is echoed of a request stays short, whatever was sent. */
const FIELD_LENGTH_MAX = 120
const MESSAGE_LENGTH_MAX = 240

/** Whether a body or arguments are left out, or as good as: `null` and `{}` are what some clients always send. */
export function isLeftOut(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}
