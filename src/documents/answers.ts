import type { z } from 'zod'
import type { Endpoint } from '../api/contract/endpoint.ts'
import { type ErrorCode, errorBody } from '../wire/errors.ts'
import { ErrorShape } from '../api/contract/shapes.ts'
import { typeName } from './operations.ts'
import { type JsonObject, type SchemaRegistry, objectOf } from './schema-registry.ts'

const HOUSE: JsonObject = {
  type: 'string',
  description: "The home's name, so that a client of two homes never mixes them up.",
}

/**
 * A reference to what an endpoint answers: its declared fields and the `house` that the pipeline puts before them (Spec
 * 1 point 5).
 */
export function answerSchema(schemas: SchemaRegistry, name: string, endpoint: Endpoint): JsonObject {
  return schemas.extended(
    endpoint.answer,
    `${typeName(name)}Answer`,
    ({ description = meaningOf(endpoint), properties, required, ...rest }) => {
      if (rest['type'] !== 'object') throw new Error(`The answer of ${name} is no object.`)
      return {
        ...rest,
        description,
        properties: { house: HOUSE, ...objectOf(properties) },
        required: ['house', ...((required as readonly string[] | undefined) ?? [])],
      }
    },
  )
}

/** A reference to what an open endpoint answers, which is only what it declares. */
export function openAnswerSchema(schemas: SchemaRegistry, name: string, endpoint: Endpoint): JsonObject {
  return endpoint.method === 'GET'
    ? { type: 'string', description: 'Plain text.' }
    : schemas.named(endpoint.answer, `${typeName(name)}Answer`, meaningOf(endpoint))
}

/** What an answer without a description of its own is. */
export function meaningOf({ method, path }: Endpoint): string {
  return `What ${method} ${path} answers.`
}

/** A reference to the body of an endpoint. */
export function bodySchema(
  schemas: SchemaRegistry,
  name: string,
  body: z.ZodType,
  { method, path }: Endpoint,
): JsonObject {
  return schemas.named(body, `${typeName(name)}Body`, `What ${method} ${path} takes.`)
}

/** The literal answers of an endpoint, each with the values of its `error`. */
export function literalSchemas(
  schemas: SchemaRegistry,
  name: string,
  endpoint: Endpoint,
): readonly { status: number; schema: JsonObject; codes: readonly string[] }[] {
  return Object.entries(endpoint.literal ?? {}).map(([status, shape]) => {
    const inline = schemas.inline(shape) as {
      readonly properties: { readonly error: { readonly enum?: readonly string[]; readonly const?: string } }
    }
    const { enum: words = [], const: word } = inline.properties.error
    return {
      status: Number(status),
      schema: schemas.named(
        shape,
        `${typeName(name)}Literal${status}`,
        `${meaningOf(endpoint)} With status ${status}.`,
      ),
      codes: word === undefined ? words : [word],
    }
  })
}

/** The Error shape; which codes can come is said beside it, since later versions may add some. */
export function errorSchema(schemas: SchemaRegistry): JsonObject {
  return schemas.named(ErrorShape, 'Error')
}

/** Refusals that say when to come back. */
const WITH_WAIT: readonly ErrorCode[] = [
  'rate_limited',
  'overloaded',
  'gateway_offline',
  'gateway_timeout',
  'relay_unavailable',
]

/** What each code looks like, as it is sent. */
export function errorExamples(codes: readonly ErrorCode[]): JsonObject {
  return Object.fromEntries(
    codes.map((code) => [code, { value: errorBody(code, WITH_WAIT.includes(code) ? { retryAfter: 1 } : {}) }]),
  )
}
