import { z } from 'zod'
import { ClientMessage, StreamAnswer } from '../api/contract/events.ts'
import { type ErrorCode, errorBody, ERRORS } from '../wire/errors.ts'
import { errorSchema } from './response-schemas.ts'
import { MESSAGE_ID } from './examples.ts'
import type { Messages } from './channel-messages.ts'
import { typeName } from './api-calls.ts'
import { type Json, type JsonObject, type SchemaRegistry, objectOf } from './schema-registry.ts'

/** A client's message with these fields. */
export function clientMessage(
  schemas: SchemaRegistry,
  name: string,
  fields: readonly string[],
  more: { readonly description: string; readonly required: readonly string[]; readonly properties?: JsonObject },
): JsonObject {
  const own = Object.entries(objectOf(schemas.inline(z.strictObject(ClientMessage.shape))['properties']))
  return schemas.define(name, {
    type: 'object',
    description: more.description,
    properties: { ...Object.fromEntries(own.filter(([field]) => fields.includes(field))), ...more.properties },
    required: more.required,
    additionalProperties: false,
  })
}

export function responsePayload(schemas: SchemaRegistry, name: string, status: number, body: JsonObject): JsonObject {
  return reply(schemas, `${name}Reply`, { ...STATUS, const: status }, body)
}

const STATUS = { type: 'integer', format: 'int32', description: 'The status of the same request over HTTPS.' } as const

/** Response message: its id, status and body as over HTTPS. */
function reply(schemas: SchemaRegistry, name: string, status: JsonObject, body: JsonObject): JsonObject {
  const { properties, ...rest } = schemas.inline(z.looseObject(StreamAnswer.shape))
  return schemas.define(name, {
    ...rest,
    description: 'The response to a message.',
    properties: { ...objectOf(properties), status, body },
  })
}

export function refusal(
  messages: Messages,
  id: string,
  errors: readonly ErrorCode[],
  literals: readonly JsonObject[] = [],
): JsonObject {
  const { schemas } = messages
  const status = { ...STATUS, minimum: 400, maximum: 599 }
  const error = errorSchema(schemas)
  const [name, body] =
    literals.length === 0 ? ['Refusal', error] : [`${typeName(id)}Refusal`, { anyOf: [...literals, error] }]
  return messages.add(`${id}.refusal`, {
    title: `Refusal: ${id}`,
    summary:
      literals.length === 0
        ? 'The refusal in the Error shape.'
        : 'A literal response, or the refusal in the Error shape.',
    payload: reply(schemas, name, status, body),
    codes: errors,
    examples: errors
      .slice(0, 1)
      .map((code): Json => ({ id: MESSAGE_ID, status: ERRORS[code].status, body: errorBody(code) })),
  })
}
