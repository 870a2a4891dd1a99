import type { z } from 'zod'
import type { Endpoint } from '../api/contract/endpoint.ts'
import { type ErrorCode, errorBody } from '../wire/errors.ts'
import { ErrorShape } from '../api/contract/shapes.ts'
import { typeName } from './api-calls.ts'
import { type JsonObject, type SchemaRegistry, objectOf } from './schema-registry.ts'

const HOUSE: JsonObject = {
  type: 'string',
  description: "The home's name, so that a client of two homes never mixes them up.",
}

/**
 * Reference to the response schema of an endpoint: its declared fields and `house`, which the pipeline adds (Spec 1
 * point 5).
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

/** Reference to the response schema of an open endpoint, which has only the declared fields. */
export function openAnswerSchema(schemas: SchemaRegistry, name: string, endpoint: Endpoint): JsonObject {
  return endpoint.method === 'GET'
    ? { type: 'string', description: 'Plain text.' }
    : schemas.named(endpoint.answer, `${typeName(name)}Answer`, meaningOf(endpoint))
}

/** Description of a response without one of its own. */
export function meaningOf({ method, path }: Endpoint): string {
  return `Response of ${method} ${path}.`
}

/** Reference to the request body schema of an endpoint. */
export function bodySchema(
  schemas: SchemaRegistry,
  name: string,
  body: z.ZodType,
  { method, path }: Endpoint,
): JsonObject {
  return schemas.named(body, `${typeName(name)}Body`, `Request body of ${method} ${path}.`)
}

/** Literal responses of an endpoint, each with the values of its `error`. */
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

/** The Error shape. Possible codes are listed in the description, because later versions may add some. */
export function errorSchema(schemas: SchemaRegistry): JsonObject {
  return schemas.named(ErrorShape, 'Error')
}

/** Refusals with a retry time. */
const WITH_WAIT: readonly ErrorCode[] = [
  'rate_limited',
  'overloaded',
  'gateway_offline',
  'gateway_timeout',
  'relay_unavailable',
]

/** Example of each code, as sent. */
export function errorExamples(codes: readonly ErrorCode[]): JsonObject {
  return Object.fromEntries(
    codes.map((code) => [code, { value: errorBody(code, WITH_WAIT.includes(code) ? { retryAfter: 1 } : {}) }]),
  )
}
