import type { z } from 'zod'
import { Refusal } from './errors.ts'

/** Checks a part of a request; refuses with one sentence that names the first field that is wrong. */
export function validated<S extends z.ZodType>(schema: S, value: unknown, part: 'body' | 'query' | 'message'): z.output<S> {
  if (part === 'body' && value === undefined) throw new Refusal('validation', { message: 'A JSON body is missing.' })
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new Refusal('validation', { message: issue ? sentence(issue, part) : `The ${part} is not valid.` })
}

function sentence(issue: z.core.$ZodIssue, part: string): string {
  const place = issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('').replace(/^\./, '')
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, 3).map((key) => JSON.stringify(key.slice(0, 64))).join(', ')
    return place ? `${place} has an unknown field: ${names}.` : `Unknown field in the ${part}: ${names}.`
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const inner = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0]?.[0]
    if (inner) return sentence({ ...inner, path: [...issue.path, ...inner.path] }, part)
  }
  return place ? `${place}: ${issue.message}.` : `The ${part} is not valid: ${issue.message}.`
}

/** The branch of a union that got furthest tells best what is wrong. */
function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length))
}
