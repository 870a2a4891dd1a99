import { CONNECTION_REFUSALS } from '../lib/https-server.ts'
import { IDEMPOTENCY_KEY } from '../api/contract/fields.ts'
import { type Endpoint, isWrite } from '../api/contract/endpoint.ts'
import { ERRORS } from '../wire/errors.ts'
import {
  answerSchema,
  bodySchema,
  meaningOf,
  errorExamples,
  errorSchema,
  literalSchemas,
  openAnswerSchema,
} from './response-schemas.ts'
import { exampleAnswer, exampleOf } from './examples.ts'
import { type ApiCall, typeName } from './api-calls.ts'
import type { Responses } from './responses.ts'
import { type Json, type JsonObject, type SchemaRegistry, objectOf } from './schema-registry.ts'

/** An operation for an OpenAPI document. */
export function operationItem(operation: ApiCall, schemas: SchemaRegistry, responses: Responses): JsonObject {
  const { endpoint } = operation
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === null ? {} : { description: operation.description }),
    ...(operation.open ? { security: [] } : {}),
    ...parametersOf(operation, schemas),
    ...(endpoint?.body
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: bodySchema(schemas, operation.id, endpoint.body, endpoint),
                ...exampleField(exampleOf(operation)?.body),
              },
            },
          },
        }
      : {}),
    responses: {
      ...(operation.administrative ? {} : responses.ofConnection()),
      ...success(operation, schemas),
      ...withLiterals(operation, schemas, responses.refusals(operation.errors)),
    },
  }
}

/** `example` field of the documents. */
function exampleField(example: Json | undefined): JsonObject {
  return example === undefined ? {} : { example }
}

const IDEMPOTENCY_KEY_HEADER: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY },
  description: 'A unique name for each request. A request repeated within 24 hours is performed once.',
}

const IF_NONE_MATCH: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'The ETag of a stored response; 304 without a body while it is current.',
  example: '"8f2c61d04b7e"',
}

function parametersOf(operation: ApiCall, schemas: SchemaRegistry): JsonObject {
  const { endpoint, path, idMeans, administrative } = operation
  const { params = {}, query: exampleQuery = {} } = exampleOf(operation) ?? {}
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): JsonObject => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: name === 'id' ? idMeans : `The ${name}.`,
    ...exampleField(params[name]),
  }))
  const query = endpoint ? schemas.inline(endpoint.query) : {}
  const required = (query['required'] as readonly string[] | undefined) ?? []
  const inQuery = Object.entries(objectOf(query['properties'])).map(([name, schema]): JsonObject => {
    const { description, ...rest } = objectOf(schema)
    return {
      name,
      in: 'query',
      required: required.includes(name),
      schema: rest,
      ...(description === undefined ? {} : { description }),
      ...exampleField(exampleQuery[name]),
    }
  })
  const inHeader = [
    ...(endpoint && !administrative && isWrite(endpoint) ? [IDEMPOTENCY_KEY_HEADER] : []),
    ...(endpoint?.tagged ? [IF_NONE_MATCH] : []),
  ]
  const parameters = [...inPath, ...inQuery, ...inHeader]
  return parameters.length > 0 ? { parameters } : {}
}

function success(operation: ApiCall, schemas: SchemaRegistry): JsonObject {
  const { id, endpoint } = operation
  if (!endpoint) return {}
  if (operation.administrative) return administrativeSuccess(operation.id, endpoint, schemas)
  if (endpoint.reach === 'open' && endpoint.method === 'GET')
    return {
      200: {
        description: 'Plain text.',
        content: { 'text/plain': { schema: { type: 'string' }, ...exampleAnswer(operation, 200) } },
      },
    }
  if (endpoint.reach === 'open')
    return {
      200: {
        description: 'Done. Without `house`, because the request has no credential.',
        content: {
          'application/json': { schema: openAnswerSchema(schemas, id, endpoint), ...exampleAnswer(operation, 200) },
        },
      },
    }
  const name = id.split('.').slice(0, 2).join('.')
  const content = {
    'application/json': {
      schema: answerSchema(schemas, name, endpoint),
      ...exampleAnswer(operation, endpoint.status ?? 200),
    },
  }
  if (endpoint.status === 201) {
    return {
      201: {
        description: 'Created.',
        headers: { Location: { description: 'Path of the new object.', required: true, schema: { type: 'string' } } },
        content,
      },
    }
  }
  if (!endpoint.tagged) return { 200: { description: 'Done.', content } }
  const headers = {
    ETag: { description: 'Changes with the bytes of the response.', required: true, schema: { type: 'string' } },
  }
  return {
    200: { description: 'Done.', headers, content },
    304: { description: 'Unchanged since the response named by If-None-Match.', headers },
  }
}

/** Administrators' responses have only declared fields. */
function administrativeSuccess(id: string, endpoint: Endpoint, schemas: SchemaRegistry): JsonObject {
  if (endpoint.answer.type === 'string')
    return { 200: { description: 'Plain text.', content: { 'text/plain': { schema: { type: 'string' } } } } }
  const schema = schemas.named(endpoint.answer, `${typeName(id)}Answer`, meaningOf(endpoint))
  return { [endpoint.status ?? 200]: { description: 'Done.', content: { 'application/json': { schema } } } }
}

/** Adds the literal responses of an open endpoint to the refusals, alone or with refusals of the same status. */
function withLiterals({ id, endpoint, errors }: ApiCall, schemas: SchemaRegistry, refusals: JsonObject): JsonObject {
  const literals = endpoint ? literalSchemas(schemas, id, endpoint) : []
  return {
    ...refusals,
    ...Object.fromEntries(
      literals.map(({ status, schema, codes }): [string, Json] => {
        const refused = errors.filter((code) => ERRORS[code].status === status)
        const alone = refused.length === 0 && !(status in CONNECTION_REFUSALS)
        const [both, examples] = alone
          ? [schema, {}]
          : [{ anyOf: [schema, errorSchema(schemas)] }, errorExamples(refused)]
        return [
          String(status),
          {
            description: [
              ...codes.map((code) => `\`${code}\`, literally.`),
              ...refused.map((code) => `\`${code}\`: ${ERRORS[code].message}`),
            ].join('\n\n'),
            content: {
              'application/json': {
                schema: both,
                examples: {
                  ...Object.fromEntries(codes.map((code) => [code, { value: { error: code } }])),
                  ...examples,
                },
              },
            },
            ...(refused.length === 0 ? {} : { 'x-error-codes': refused }),
          },
        ]
      }),
    ),
  }
}
