import { z } from 'zod'

/** A JSON value on its way into a document. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** `input`: what a client may send. `output`: what it gets. */
export type Direction = 'input' | 'output'

/**
 * The named schemas of a document, drawn from zod: a schema with an id (`.meta({ id })`) becomes a component and a reference
 * wherever it is used. Answers stay open to growth, bodies stay closed (docs/decisions/versions.md).
 */
export class SchemaRegistry {
  readonly #prefix: string
  readonly #suffix: string
  readonly #components = new Map<string, Json>()
  /** Components that hold more than their zod schema says, by what it says. */
  readonly #extended = new Map<string, string>()

  /** @param place where a component stands in the document: `{ before: '#/components/schemas/', after: '' }`. */
  constructor(place: { readonly before: string; readonly after: string }) {
    this.#prefix = place.before
    this.#suffix = place.after
  }

  /** The schema in place, with references to what has a name of its own. */
  inline(schema: z.ZodType, direction: Direction): JsonObject {
    const {
      $schema: _dialect,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, { io: direction }) as { [key: string]: Json } & { $defs?: JsonObject }
    for (const [name, definition] of Object.entries($defs)) this.#define(name, this.#rewritten(definition))
    return this.#rewritten(root) as JsonObject
  }

  /** A reference to the schema under its own id, or under `name` where it has none. */
  named(schema: z.ZodType, name: string, direction: Direction): JsonObject {
    const found = this.inline(schema, direction)
    return '$ref' in found ? found : this.define(name, found)
  }

  define(name: string, definition: Json): JsonObject {
    this.#define(name, definition)
    return { $ref: this.#prefix + name + this.#suffix }
  }

  /** A reference to the schema with something added: under its own id, or under `name` where it has none. */
  extended(
    schema: z.ZodType,
    name: string,
    direction: Direction,
    extend: (plain: JsonObject) => JsonObject,
  ): JsonObject {
    const found = this.inline(schema, direction)
    const { $ref } = found
    if (typeof $ref !== 'string') return this.define(name, extend(found))
    const id = $ref.slice(this.#prefix.length, $ref.length - this.#suffix.length)
    if (this.#extended.has(id)) return found
    const plain = this.#components.get(id) as JsonObject
    this.#extended.set(id, JSON.stringify(plain))
    this.#components.set(id, extend(plain))
    return found
  }

  /** Every component by name, in the order of names. */
  components(): { [name: string]: Json } {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** @throws when one name stands for two things: a body and an answer that differ need ids of their own. */
  #define(name: string, definition: Json): void {
    const known = this.#components.get(name)
    if (this.#extended.get(name) === JSON.stringify(definition)) return
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition))
      throw new Error(`Two different schemas have the id ${name}.`)
    this.#components.set(name, definition)
  }

  #rewritten(json: Json): Json {
    if (Array.isArray(json)) return json.map((each: Json) => this.#rewritten(each))
    if (typeof json !== 'object' || json === null) return json
    return Object.fromEntries(
      Object.entries(json as JsonObject).flatMap(([key, value]) => {
        if (key === '$ref' && typeof value === 'string')
          return [[key, this.#prefix + value.replace('#/$defs/', '') + this.#suffix]]
        return saysNothing(key, value) ? [] : [[key, this.#rewritten(value)]]
      }),
    )
  }
}

/** Open objects are the default, and the bounds of whole numbers in JavaScript are no bounds of ours. */
function saysNothing(key: string, value: Json): boolean {
  if (key === 'additionalProperties')
    return typeof value === 'object' && value !== null && Object.keys(value).length === 0
  return (
    (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) || (key === 'minimum' && value === Number.MIN_SAFE_INTEGER)
  )
}
