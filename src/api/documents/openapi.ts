import { ERRORS, type ErrorCode } from '../errors.ts'
import { BODY_BYTES_MAX } from '../call.ts'
import { answerSchema, errorExamples, errorSchema, literalSchemas, openAnswerSchema } from './answers.ts'
import {
  API_VERSION,
  AT_THE_DOOR,
  byStatus,
  type Operation,
  operations,
  typeName,
  WITH_CREDENTIAL,
} from './operations.ts'
import { type Json, type JsonObject, SchemaRegistry } from './schema-registry.ts'

/** What each first word of a path is about. */
const TAGS: Readonly<Record<string, string>> = {
  about: 'How to connect.',
  integration: 'Who is asking, and what it may do.',
  house: 'The home: floors, rooms, units, scenes.',
  state: 'The state of everything at once.',
  devices: 'Units, modules, gangs and scenes by id.',
  intents: 'Unit settings in plain words.',
  rooms: 'Rooms.',
  floors: 'Floors.',
  scenes: 'Scenes.',
  automations: 'Automations.',
  schedules: 'Schedules of the gateway.',
  sensors: 'Readings and detections.',
  energy: 'Energy and cost.',
  activity: 'What happened, and who did it.',
  explain: 'Why something is as it is.',
  gateway: 'The gateway itself.',
  pair: 'Asking an administrator for access.',
  stream: 'Live events and the same requests over one WebSocket; see the AsyncAPI document.',
  documents: 'Served outside /v1, without a credential.',
}

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  421: 'MisdirectedRequest',
  422: 'Validation',
  426: 'UpgradeRequired',
  429: 'RateLimited',
  500: 'Internal',
  503: 'Unavailable',
  504: 'Unreachable',
}

/** Responses that several operations share, kept once. */
class Responses {
  readonly #schemas: SchemaRegistry
  readonly #kept = new Map<string, Json>()

  constructor(schemas: SchemaRegistry) {
    this.#schemas = schemas
  }

  /** References to the refusals of an operation, by status. */
  refusals(errors: readonly ErrorCode[]): JsonObject {
    return Object.fromEntries(byStatus(errors).map(([status, codes]) => [String(status), this.#refusal(status, codes)]))
  }

  components(): JsonObject {
    return Object.fromEntries([...this.#kept].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  #refusal(status: number, codes: readonly ErrorCode[]): JsonObject {
    const name = responseName(status, codes)
    const retry = status === 429 || status === 503
    this.#kept.set(name, {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
      ...(retry
        ? { headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } } } }
        : {}),
      content: { 'application/json': { schema: errorSchema(this.#schemas, codes), examples: errorExamples(codes) } },
    })
    return { $ref: `#/components/responses/${name}` }
  }
}

/** Named by the status, and by what goes beyond the refusals that every credential can get. */
function responseName(status: number, codes: readonly ErrorCode[]): string {
  const usual = [...AT_THE_DOOR, ...WITH_CREDENTIAL].filter((code) => ERRORS[code].status === status)
  const named = usual.every((code) => codes.includes(code))
    ? codes.filter((code) => !usual.some((each) => each === code))
    : codes
  const alone = Object.values(ERRORS).filter((each) => each.status === status).length === 1
  return [STATUS_NAMES[status] ?? `Status${status}`, ...(alone ? [] : named)].join('.')
}

/** The OpenAPI 3.1 document of everything that is served over HTTPS, from the contract alone (Spec 9 point 3). */
export function openapiDocument(): JsonObject {
  const schemas = new SchemaRegistry({ before: '#/components/schemas/', after: '' })
  const responses = new Responses(schemas)
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations()) {
    const item = (paths[operation.path] ??= {})
    item[operation.method.toLowerCase()] = operationItem(operation, schemas, responses)
  }
  Object.assign(paths, streamPath(responses), documentPaths(responses))
  const used = [
    ...new Set(
      Object.values(paths).flatMap((item) => Object.values(item).flatMap((each) => (each as { tags: string[] }).tags)),
    ),
  ]
  return {
    openapi: '3.1.1',
    info: {
      title: 'Home Control Service API',
      version: API_VERSION,
      summary: 'Shows and controls a home through an API integration.',
      description: `Every answer carries \`house\`; clients ignore fields that they do not know, and request bodies are strict. JSON only, ${BODY_BYTES_MAX / 1024} KiB at most. Times are epoch milliseconds.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: 'https://{host}:8490',
        description: 'The gateway on the home network; TLS 1.3 with its own CA.',
        variables: {
          host: {
            default: 'hm-serial.local',
            description: 'hm-<serial>.local, hm-<serial>, or an address of the gateway.',
          },
        },
      },
    ],
    security: [{ bearer: [] }],
    tags: used.map((name) => ({ name, description: TAGS[name] ?? name })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key, agent or session token: hm_{kind}_{gateway}.{integration}.{link}.{secret}',
        },
      },
      responses: responses.components(),
      schemas: schemas.components(),
    },
  }
}

function operationItem(operation: Operation, schemas: SchemaRegistry, responses: Responses): JsonObject {
  const { endpoint } = operation
  return {
    operationId: operation.id,
    tags: [operation.path.split('/')[2] ?? ''],
    summary: operation.summary,
    description: `Specification: ${operation.spec}.${gateSentence(operation)}`,
    ...(operation.open ? { security: [] } : {}),
    ...parametersOf(operation, schemas),
    ...(endpoint?.body
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: schemas.named(endpoint.body, `${typeName(operation.id)}Body`, 'input') },
            },
          },
        }
      : {}),
    responses: {
      ...success(operation, schemas),
      ...withLiterals(operation, schemas, responses.refusals(operation.errors)),
    },
  }
}

function gateSentence({ endpoint }: Operation): string {
  return endpoint?.gate ? ` Needs ${endpoint.gate.knob}: ${endpoint.gate.anyOf.join(' or ')}.` : ''
}

function parametersOf({ endpoint, path }: Operation, schemas: SchemaRegistry): JsonObject {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): JsonObject => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: name === 'id' ? 'An id from GET /v1/house; its colons may be percent-encoded.' : `The ${name}.`,
  }))
  const query = endpoint ? schemas.inline(endpoint.query, 'input') : {}
  const required = (query['required'] as readonly string[] | undefined) ?? []
  const inQuery = Object.entries((query['properties'] as JsonObject | undefined) ?? {}).map(
    ([name, schema]): JsonObject => {
      const { description, ...rest } = schema as JsonObject
      return {
        name,
        in: 'query',
        required: required.includes(name),
        schema: rest,
        ...(description === undefined ? {} : { description }),
      }
    },
  )
  const parameters = [...inPath, ...inQuery]
  return parameters.length > 0 ? { parameters } : {}
}

function success({ id, endpoint }: Operation, schemas: SchemaRegistry): JsonObject {
  if (!endpoint) return {}
  if (endpoint.reach === 'open' && endpoint.method === 'GET')
    return { 200: { description: 'Plain text.', content: { 'text/plain': { schema: { type: 'string' } } } } }
  if (endpoint.reach === 'open')
    return {
      200: {
        description: 'Done. Without `house`: no credential is behind it.',
        content: { 'application/json': { schema: openAnswerSchema(schemas, id, endpoint) } },
      },
    }
  const name = id.split('.').slice(0, 2).join('.')
  const content = { 'application/json': { schema: answerSchema(schemas, name, endpoint) } }
  if (endpoint.status === 201) {
    return {
      201: {
        description: 'It was made.',
        headers: { Location: { description: 'Where it is.', required: true, schema: { type: 'string' } } },
        content,
      },
    }
  }
  if (!endpoint.tagged) return { 200: { description: 'Done.', content } }
  const headers = {
    ETag: { description: 'Changes with the bytes of the answer.', required: true, schema: { type: 'string' } },
  }
  return {
    200: { description: 'Done.', headers, content },
    304: { description: 'Nothing changed since the answer that If-None-Match names.', headers },
  }
}

/** The refusals, and the literal answers of an open endpoint, alone or beside the refusals of their status. */
function withLiterals({ id, endpoint, errors }: Operation, schemas: SchemaRegistry, refusals: JsonObject): JsonObject {
  const literals = endpoint ? literalSchemas(schemas, id, endpoint) : []
  return {
    ...refusals,
    ...Object.fromEntries(
      literals.map(({ status, schema, codes }): [string, Json] => {
        const refused = errors.filter((code) => ERRORS[code].status === status)
        const [both, examples] =
          refused.length === 0
            ? [schema, {}]
            : [{ anyOf: [schema, errorSchema(schemas, refused)] }, errorExamples(refused)]
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
          },
        ]
      }),
    ),
  }
}

/** The upgrade to the live stream; what is said on it is in the AsyncAPI document. */
function streamPath(responses: Responses): Record<string, Record<string, Json>> {
  const errors: ErrorCode[] = [
    'unauthorized',
    'session_expired',
    'record_disabled',
    'agent_access_disabled',
    'cloud_access_disabled',
    'origin_not_allowed',
    'misdirected_request',
    'upgrade_required',
    'rate_limited',
    'internal',
  ]
  return {
    '/v1/stream': {
      get: {
        operationId: 'stream.open',
        tags: ['stream'],
        summary: 'Open the live stream',
        description: 'Specification: 5.1, 6, D8. The token may also be a query parameter here.',
        parameters: [
          {
            name: 'token',
            in: 'query',
            required: false,
            schema: { type: 'string' },
            description: 'Instead of the Authorization header.',
          },
        ],
        responses: { 101: { description: 'The connection is a WebSocket now.' }, ...responses.refusals(errors) },
      },
    },
  }
}

function documentPaths(responses: Responses): Record<string, Record<string, Json>> {
  const served = (id: string, summary: string, type: string, schema: JsonObject): Record<string, Json> => ({
    get: {
      operationId: id,
      tags: ['documents'],
      summary,
      security: [],
      responses: {
        200: { description: 'The document.', content: { [type]: { schema } } },
        ...responses.refusals(['origin_not_allowed', 'misdirected_request']),
      },
    },
  })
  return {
    '/openapi.json': served('documents.openapi', 'This document', 'application/json', { type: 'object' }),
    '/asyncapi.json': served('documents.asyncapi', 'The document of the live stream', 'application/json', {
      type: 'object',
    }),
    '/ca.pem': served(
      'documents.ca',
      "The gateway's CA; compare its fingerprint before trusting it",
      'application/x-pem-file',
      { type: 'string' },
    ),
  }
}
