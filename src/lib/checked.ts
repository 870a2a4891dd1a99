import type * as z from 'zod'
import { fail, ok, type Result } from './result.ts'

/** A mismatch in input: `field` as in `then[2].args.bri` (empty for the whole), and the end of a sentence about it. */
export interface Problem {
  readonly field: string
  readonly message: string
  /** The field as a JSON Pointer, if it is inside a rule's part. */
  readonly at?: string
  /** The existing fields, if the problem is an unknown one. */
  readonly known?: readonly string[]
}

type Issue = z.core.$ZodIssue & Pick<Problem, 'known'>
type RawIssue = z.core.$ZodRawIssue

/** Number of unknown keys in a message, and length of each. */
const KEYS_TOLD_MAX = 3
const KEY_LENGTH_MAX = 64

/** Checks a value against a schema. Returns the most relevant problem, in plain words unless the schema has its own. */
export function checked<S extends z.ZodType>(schema: S, value: unknown): Result<z.output<S>, Problem> {
  const parsed = schema.safeParse(value, { error: inPlainWords })
  if (parsed.success) return ok(parsed.data)
  const { path, message, known } = mostTelling(parsed.error.issues)
  return fail({ field: fieldOf(path), message, ...(known === undefined ? {} : { known }) })
}

/** `limit: must be at most 200.`, or about the whole, `The query has no field x.` */
export function sentenceOf({ field, message }: Problem, whole: string): string {
  return field === '' ? `${whole} ${message}.` : `${field}: ${message}.`
}

/** Adds the existing fields to a problem about an unknown field. */
export function withKnownFields({ field, message, known }: Problem): Problem {
  return { field, message: known === undefined ? message : `${message}; it has ${known.join(', ') || 'none'}` }
}

/**
 * The most relevant issue. If a list may contain several shapes, the intended shape is the one with the fewest issues,
 * and among equals the one with the deepest.
 */
function mostTelling(issues: readonly Issue[], outer: readonly PropertyKey[] = []): Issue {
  // An unknown field says more than the one that is missing in its place.
  const first = issues.find(({ code, path }) => code === 'unrecognized_keys' && path.length === 0) ?? issues[0]
  if (first === undefined) throw new Error('A mismatch with a schema has at least one issue.')
  const path = [...outer, ...first.path]
  if (first.code !== 'invalid_union') return { ...first, path }
  const [meant] = first.errors.toSorted((a, b) => weight(a) - weight(b))
  if (meant === undefined || meant.length === 0) return { ...first, path }
  const choice = choiceOf(meant, first.errors)
  return choice === null
    ? mostTelling(meant, path)
    : { ...first, message: choice.message, path: [...path, ...choice.path] }
}

/**
 * The ambiguity of a value between shapes: it lacks the discriminating field, or that field has an unknown value. Null
 * if only one shape is possible.
 */
function choiceOf(
  meant: readonly Issue[],
  shapes: readonly (readonly Issue[])[],
): { readonly path: readonly string[]; readonly message: string } | null {
  const fields = new Set(neededBy(meant).length === 0 ? [] : shapes.flatMap((issues) => neededBy(issues)))
  if (fields.size > 1) return { path: [], message: `needs one of ${[...fields].join(', ')}` }
  const [first] = meant
  const [key] = first?.path ?? []
  if (first?.code !== 'invalid_value' || first.path.length !== 1 || typeof key !== 'string') return null
  const same = shapes
    .flat()
    .filter(({ code, path }) => code === 'invalid_value' && path.length === 1 && path[0] === key)
  const values = new Set(same.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values.map(String) : [])))
  const missing = first.message.startsWith(MISSING) ? `${MISSING}: it ` : ''
  return values.size > 1 ? { path: [key], message: `${missing}must be one of ${[...values].join(', ')}` } : null
}

/** The alternative fields of this shape if only fields are missing; else none. */
function neededBy(issues: readonly Issue[]): readonly string[] {
  const missing = issues.map((issue) => {
    if (issue.code === 'custom' && issue.path.length === 0) return needsOf(issue.params)
    return issue.path.length === 1 && issue.message.startsWith(MISSING) ? [String(issue.path[0])] : []
  })
  return missing.every((fields) => fields.length > 0) ? (missing[0] ?? []) : []
}

/** Refinements list alternative required fields in `params.needs`. */
function needsOf(params: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const needs = params?.['needs']
  return Array.isArray(needs) ? needs.map(String) : []
}

/** An unknown field counts more than a missing one: a shape without a field of the value is hardly meant. */
const UNKNOWN_WEIGHT = 9
const MISSING_WEIGHT = 8

/** A wrong or missing key of the object itself counts against a shape; an issue inside a matching key counts for it. */
function weight(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => {
    if (issue.code === 'unrecognized_keys') return sum + UNKNOWN_WEIGHT * issue.keys.length
    if (issue.code === 'invalid_value' && issue.path.at(-1) === 'op' && !issue.message.startsWith(MISSING))
      return sum + 16
    if (issue.path.length === 1 && issue.message.startsWith(MISSING)) return sum + MISSING_WEIGHT
    return sum + 1
  }, 0)
}

/** A path as people read it: `then[2].args.bri`. */
export function fieldOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? String(key) : `${text}.${String(key)}`
  }, '')
}

/** A path as a JSON Pointer (RFC 6901): `/then/2/args/bri`. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The JSON Pointer of a field that `fieldOf` wrote. */
export function pointerOfField(field: string): string {
  return pointerOf(field.match(/[^.[\]]+/g) ?? [])
}

const MISSING = 'is missing'
const WRONG_FORM = 'has not the right form'
const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
}

function inPlainWords(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? MISSING : `must be ${KINDS[issue.expected] ?? 'of another kind'}`
    case 'invalid_value':
      return `${issue.input === undefined ? `${MISSING}: it ` : ''}must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'too_big':
      return size(issue.origin, issue.inclusive === false ? 'below' : 'at most', Number(issue.maximum))
    case 'too_small':
      if (issue.origin !== 'number' && Number(issue.minimum) === 1) return 'must not be empty'
      return size(issue.origin, issue.inclusive === false ? 'above' : 'at least', Number(issue.minimum))
    case 'not_multiple_of':
      return `must be in steps of ${issue.divisor}`
    case 'unrecognized_keys':
      // The issue keeps fields set here (`Issue`).
      Object.assign(issue, { known: keysOf(issue.inst) })
      return `has no field ${issue.keys
        .slice(0, KEYS_TOLD_MAX)
        .map((key) => `\`${JSON.stringify(key.slice(0, KEY_LENGTH_MAX)).slice(1, -1)}\``)
        .join(', ')}`
    case 'invalid_union':
      return issue.input === undefined ? MISSING : WRONG_FORM
    case 'invalid_format':
      return WRONG_FORM
    default:
      return 'is not valid'
  }
}

/** The fields of the object schema that found an issue. */
function keysOf(schema: unknown): readonly string[] | undefined {
  const def = (schema as z.core.$ZodTypes | undefined)?._zod.def
  return def?.type === 'object' ? Object.keys(def.shape) : undefined
}

function size(origin: string, bound: string, value: number): string {
  if (origin === 'string') return `must have ${bound} ${value} characters`
  if (origin === 'array' || origin === 'set') return `must hold ${bound} ${value}`
  return `must be ${bound} ${value}`
}
