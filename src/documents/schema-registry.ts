import { z } from 'zod'

/** A JSON value for a document. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** The value if it is an object, else an empty object. */
export function objectOf(json: Json | undefined): JsonObject {
  return isJsonObject(json) ? json : {}
}

function isJsonObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/**
 * Named schemas of a document, generated from zod. A schema with an id (`.meta({ id })`) becomes a component and is
 * referenced wherever it is used. Responses stay open to growth, request bodies are closed
 * (docs/decisions/versions.md).
 */
export class SchemaRegistry {
  readonly #prefix: string
  readonly #suffix: string
  readonly #components = new Map<string, Json>()
  /** Extended components, by their zod schema. */
  readonly #extended = new Map<string, string>()

  /** @param place path of a component in the document: `{ before: '#/components/schemas/', after: '' }`. */
  constructor(place: { readonly before: string; readonly after: string }) {
    this.#prefix = place.before
    this.#suffix = place.after
  }

  /**
   * The inline schema, with references to named ones. Responses are described as handlers return them, because a client
   * may send such an object back.
   */
  inline(schema: z.ZodType): JsonObject {
    const { $schema: _dialect, $defs = {}, ...root } = jsonSchemaOf(schema)
    for (const [name, definition] of Object.entries($defs)) this.#define(name, this.#rewritten(definition))
    return objectOf(this.#rewritten(root))
  }

  /**
   * Reference to the schema under its own id, or under `name` without one.
   *
   * @param description description for a schema without one.
   */
  named(schema: z.ZodType, name: string, description?: string): JsonObject {
    const found = this.inline(schema)
    return '$ref' in found ? found : this.define(name, description === undefined ? found : { description, ...found })
  }

  define(name: string, definition: Json): JsonObject {
    this.#define(name, definition)
    return this.#reference(name)
  }

  /** Reference to an extended schema, under its own id or `name`. */
  extended(schema: z.ZodType, name: string, extend: (plain: JsonObject) => JsonObject): JsonObject {
    const found = this.inline(schema)
    const { $ref } = found
    if (typeof $ref !== 'string') return this.define(name, extend(found))
    const id = $ref.slice(this.#prefix.length, $ref.length - this.#suffix.length)
    if (this.#extended.has(id)) return found
    const plain = objectOf(this.#components.get(id))
    this.#extended.set(id, JSON.stringify(plain))
    this.#components.set(id, titled(id, extend(plain)))
    return found
  }

  /** All components, sorted by name. */
  components(): { [name: string]: Json } {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** @throws if one name has two schemas; a request body and a response that differ need ids of their own. */
  #define(name: string, definition: Json): void {
    const whole = titled(name, this.#hoisted(definition, name))
    const known = this.#components.get(name)
    if (this.#extended.get(name) === JSON.stringify(whole)) return
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(whole))
      throw new Error(`Two different schemas have the id ${name}.`)
    this.#components.set(name, whole)
  }

  #reference(name: string): JsonObject {
    return { $ref: this.#prefix + name + this.#suffix }
  }

  /** Nested objects become components too, named by their position, so that generated code has readable names. */
  #hoisted(json: Json, name: string): Json {
    if (!isObject(json)) return json
    const { properties, items, anyOf } = json
    return {
      ...json,
      ...(isObject(properties) && {
        properties: mapped(properties, (value, key) => this.#inside(value, name + capital(key))),
      }),
      ...(isObject(items) && { items: this.#inside(items, `${name}Item`) }),
      ...(Array.isArray(anyOf) && { anyOf: anyOf.map((schema: Json) => this.#inside(schema, name)) }),
    }
  }

  #inside(json: Json, name: string): Json {
    if (!isObject(json)) return json
    if (!isObject(json['properties'])) return this.#hoisted(json, name)
    const { title } = json
    return this.define(typeof title === 'string' ? title : name, json)
  }

  #rewritten(json: Json): Json {
    if (Array.isArray(json)) return json.map((item: Json) => this.#rewritten(item))
    if (!isObject(json)) return json
    const rewritten = Object.fromEntries(
      Object.entries(json).flatMap(([key, value]) => {
        if (key === '$ref' && typeof value === 'string')
          return Object.entries(this.#reference(value.replace('#/$defs/', '')))
        return isRedundant(key, value) ? [] : [[key, this.#rewritten(value)]]
      }),
    )
    return nullable(open(sized(rewritten)))
  }
}

type Drawn = { readonly [key: string]: Json } & { readonly $defs?: JsonObject }

const drawings = new WeakMap<z.ZodType, Drawn>()

/** JSON Schema of a zod schema, generated once for all uses. */
function jsonSchemaOf(schema: z.ZodType): Drawn {
  const known = drawings.get(schema) ?? (z.toJSONSchema(schema, { io: 'input', override: withExamples }) as Drawn)
  drawings.set(schema, known)
  return known
}

/** Zod drops the examples of a schema with a transformed part; those of rules are examples of bodies. */
const withExamples: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema }) => {
  const { examples } = z.globalRegistry.get(zodSchema) ?? {}
  if (Array.isArray(examples)) jsonSchema.examples = examples
}

function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

function mapped(object: JsonObject, map: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]))
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Code generators number untitled schemas, so every one gets a title. */
function titled(name: string, json: Json): Json {
  return isObject(json) ? { title: name, ...json } : json
}

const INT32_MAX = 2 ** 31 - 1

/** Adds number formats for clients with sized numbers. */
function sized(json: JsonObject): JsonObject {
  const { type, format, minimum, maximum, enum: words } = json
  if (format !== undefined) return json
  const types = [type].flat()
  if (types.includes('number')) return { ...json, format: 'double' }
  if (!types.includes('integer')) return json
  const small =
    words !== undefined ||
    (typeof minimum === 'number' && typeof maximum === 'number' && minimum >= -INT32_MAX && maximum <= INT32_MAX)
  return { ...json, format: small ? 'int32' : 'int64' }
}

/** Turns a plain value or null into one schema with two types, so that its keywords cover both. */
function nullable(json: JsonObject): JsonObject {
  const { anyOf, ...around } = json
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return json
  const [value, none] = anyOf as readonly JsonObject[]
  if (none?.['type'] !== 'null' || typeof value?.['type'] !== 'string' || 'enum' in value || 'properties' in value)
    return json
  return { ...value, ...around, type: [value['type'], 'null'] }
}

/** Turns an extensible list of words into a plain string with the words as a hint. */
function open(json: JsonObject): JsonObject {
  if (json['x-extensible-enum'] === undefined) return json
  const { enum: _words, const: _word, ...rest } = json
  return rest
}

/** True for keywords without information: open objects, and the bounds of JavaScript's whole numbers. */
function isRedundant(key: string, value: Json): boolean {
  if (key === 'additionalProperties')
    return typeof value === 'object' && value !== null && Object.keys(value).length === 0
  return (
    (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) || (key === 'minimum' && value === Number.MIN_SAFE_INTEGER)
  )
}
