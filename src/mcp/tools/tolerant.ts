import { z } from 'zod'
import { isObject, parseJson } from '../../lib/json.ts'

type Fields = Readonly<Record<string, unknown>>
type Schema = z.core.$ZodType

/**
 * Arguments as their schema reads them, for models that write null for an argument left out, or a list, an object, a
 * number, true or false as JSON text. A value that fits stays as it is: a text whose argument is a text is never read
 * as JSON. A value that fits in no reading is left for the schema to refuse. `siblings` are the other forms that the
 * value might have: null for a field of theirs means left out, too.
 */
export function tolerated(schema: Schema, value: unknown, siblings: readonly Schema[] = []): unknown {
  if (z.safeParse(schema, value).success) return value
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return tolerated(def.innerType, value, siblings)
    case 'pipe':
      return tolerated(def.in, value, siblings)
    case 'object': {
      const fields = fromText(value)
      return isObject(fields) ? fieldsOf(def.shape, fields, siblings.flatMap(shapesOf)) : value
    }
    case 'record': {
      const fields = fromText(value)
      if (!isObject(fields)) return value
      return Object.fromEntries(Object.entries(fields).map(([key, each]) => [key, tolerated(def.valueType, each)]))
    }
    case 'array': {
      const items = fromText(value)
      return Array.isArray(items) ? items.map((each) => tolerated(def.element, each)) : value
    }
    case 'union':
      return closest(def.options, value, siblings)
    case 'number':
    case 'boolean':
    case 'literal': {
      const read = fromText(value)
      return z.safeParse(schema, read).success || typeof read === def.type ? read : value
    }
    default:
      return value
  }
}

type Shape = Readonly<Record<string, Schema>>

/** The fields of every form of object that a schema allows. */
function shapesOf(schema: Schema): readonly Shape[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return [def.shape]
  if (def.type === 'union') return def.options.flatMap(shapesOf)
  if (def.type === 'pipe') return shapesOf(def.in)
  return def.type === 'optional' || def.type === 'nullable' || def.type === 'default' ? shapesOf(def.innerType) : []
}

/** Null for a field that may be left out, and takes no null, leaves it out; so does null for a field of a sibling. */
function fieldsOf(shape: Shape, fields: Fields, siblings: readonly Shape[]): Fields {
  const read = Object.entries(fields).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    const others = siblings.flatMap((sibling) => (Object.hasOwn(sibling, key) ? (sibling[key] ?? []) : []))
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined
    if (field === undefined) return value === null && others.length > 0 ? [] : [[key, value]]
    const isLeftOut = value === null && !z.safeParse(field, null).success && z.safeParse(field, undefined).success
    return isLeftOut ? [] : [[key, tolerated(field, value, others)]]
  })
  return Object.fromEntries(read)
}

/** The reading of the alternative that it fits, or else of the one that objects least. */
function closest(options: readonly Schema[], value: unknown, siblings: readonly Schema[]): unknown {
  let best = { issues: Infinity, read: value }
  for (const option of options) {
    const read = tolerated(option, value, [...siblings, ...options])
    const parsed = z.safeParse(option, read)
    const issues = parsed.success ? 0 : parsed.error.issues.length
    if (issues < best.issues) best = { issues, read }
  }
  return best.read
}

/** The value that a JSON text holds; anything else as it is. */
function fromText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const parsed = parseJson(value)
  return parsed.ok ? parsed.value : value
}
