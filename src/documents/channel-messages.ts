import type { ErrorCode } from '../wire/errors.ts'
import { withDirectRecursion } from './direct-recursion.ts'
import { type Json, type JsonObject, SchemaRegistry } from './schema-registry.ts'

const SCHEMA_FORMAT = 'application/schema+json;version=draft-2020-12'
export const CHANNEL = '#/channels/stream'

const SCHEMA_PLACE = { before: '#/components/schemas/', after: '/schema' }

/** Collects the messages of the channel, each with its payload as a schema of the document. */
export class Messages {
  readonly schemas = new SchemaRegistry(SCHEMA_PLACE)
  readonly #messages = new Map<string, Json>()

  /** Adds a message and returns the reference for operations. */
  add(
    name: string,
    about: {
      readonly title: string
      readonly summary: string
      readonly payload: JsonObject
      readonly examples?: readonly Json[]
      readonly codes?: readonly ErrorCode[]
    },
  ): JsonObject {
    const { title, summary, payload, examples, codes } = about
    this.#messages.set(name, {
      name,
      title,
      summary,
      contentType: 'application/json',
      payload: { schemaFormat: SCHEMA_FORMAT, schema: payload },
      ...(codes ? { 'x-error-codes': codes } : {}),
      ...(examples ? { examples: examples.map((example) => ({ payload: example })) } : {}),
    })
    return { $ref: `${CHANNEL}/messages/${name}` }
  }

  inChannel(): JsonObject {
    return Object.fromEntries(
      [...this.#messages.keys()].map((name) => [name, { $ref: `#/components/messages/${name}` }]),
    )
  }

  components(): JsonObject {
    return Object.fromEntries(this.#messages)
  }

  schemaComponents(): JsonObject {
    const schemas = withDirectRecursion(this.schemas.components(), SCHEMA_PLACE)
    return Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, { schemaFormat: SCHEMA_FORMAT, schema }]),
    )
  }
}
