import { type Json, type JsonObject, objectOf } from './schema-registry.ts'

/**
 * Puts a schema in the place of its reference, if only the schema inside it uses it: `any` of conditions stands inside
 * Condition. Such schemas hold themselves directly, because the parser of AsyncAPI ends with an error if one holds
 * itself through another one.
 *
 * @param place text before and after a name in references.
 */
export function withDirectRecursion(
  schemas: JsonObject,
  { before, after }: { readonly before: string; readonly after: string },
): JsonObject {
  const names = Object.keys(schemas)
  const referenceTo = (name: string): string => `${before}${name}${after}`
  const uses = new Map(
    names.map((name) => {
      const text = JSON.stringify(schemas[name])
      return [name, new Set(names.filter((other) => text.includes(JSON.stringify(referenceTo(other)))))]
    }),
  )
  const outerOf = (name: string): string | undefined => {
    const [outer, ...others] = names.filter((other) => uses.get(other)?.has(name))
    return outer !== name && others.length === 0 && outer !== undefined && uses.get(name)?.has(outer)
      ? outer
      : undefined
  }
  const inner = new Map(
    names.flatMap((name) => (outerOf(name) === undefined ? [] : [[referenceTo(name), schemas[name]]])),
  )
  const rest = names.filter((name) => !inner.has(referenceTo(name)))
  return Object.fromEntries(rest.map((name) => [name, replaced(schemas[name] ?? null, inner)]))
}

function replaced(json: Json, inner: ReadonlyMap<string, Json | undefined>): Json {
  if (Array.isArray(json)) return json.map((item: Json) => replaced(item, inner))
  if (typeof json !== 'object' || json === null) return json
  const { $ref } = objectOf(json)
  const found = typeof $ref === 'string' ? inner.get($ref) : undefined
  if (found !== undefined) return found
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, replaced(value, inner)]))
}
