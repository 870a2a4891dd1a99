import { z } from 'zod'
import { isObject, parseJson } from '../../lib/json.ts'

type Fields = Readonly<Record<string, unknown>>
type Schema = z.core.$ZodType

/**
 * Corrects common mistakes of models in arguments: null for a missing argument, and lists, objects, numbers or booleans
 * as JSON text. A valid value stays unchanged, so a text argument is never parsed as JSON. A value that stays invalid
 * is refused by the schema. `siblings` are other possible forms; null for one of their fields also counts as missing.
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
    case 'lazy':
      return tolerated(def.getter(), value, siblings)
    case 'object': {
      const fields = fromText(value)
      return isObject(fields) ? fieldsOf(def.shape, fields, siblings.flatMap(shapesOf)) : value
    }
    case 'record': {
      const fields = fromText(value)
      if (!isObject(fields)) return value
      return Object.fromEntries(Object.entries(fields).map(([key, item]) => [key, tolerated(def.valueType, item)]))
    }
    case 'array': {
      const items = fromText(value)
      return Array.isArray(items) ? items.map((item) => tolerated(def.element, item)) : value
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

/** Fields of all object forms of a schema. */
function shapesOf(schema: Schema): readonly Shape[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return [def.shape]
  if (def.type === 'union') return def.options.flatMap(shapesOf)
  if (def.type === 'pipe') return shapesOf(def.in)
  if (def.type === 'lazy') return shapesOf(def.getter())
  return def.type === 'optional' || def.type === 'nullable' || def.type === 'default' ? shapesOf(def.innerType) : []
}

/** Drops a null for an optional field that does not allow null, or for a field of a sibling. */
function fieldsOf(shape: Shape, fields: Fields, siblings: readonly Shape[]): Fields {
  const read = Object.entries(fields).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    const alternatives = siblings.flatMap((sibling) => (Object.hasOwn(sibling, key) ? (sibling[key] ?? []) : []))
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined
    if (field === undefined) return value === null && alternatives.length > 0 ? [] : [[key, value]]
    const isLeftOut = value === null && !z.safeParse(field, null).success && z.safeParse(field, undefined).success
    return isLeftOut ? [] : [[key, tolerated(field, value, alternatives)]]
  })
  return Object.fromEntries(read)
}

/** Value for the first matching alternative, or for the one with fewest errors. */
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

/** Parses a JSON text; returns all other values unchanged. */
function fromText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const parsed = parseJson(value)
  return parsed.ok ? parsed.value : value
}
