import { BODY_BYTES_MAX } from '../api/call.ts'
import { EXAMPLE_TOKEN } from './example-requests.ts'
import type { ErrorCode } from '../wire/errors.ts'
import { operationItem } from './openapi-operation.ts'
import { API_VERSION } from '../api/contract/index.ts'
import { BEFORE_CREDENTIAL, AT_THE_RELAY, operations, REFUSED_TAG, WITH_CREDENTIAL } from './api-calls.ts'
import { Responses } from './responses.ts'
import { type Json, type JsonObject, SchemaRegistry } from './schema-registry.ts'

/** Descriptions of the groups of paths, by the first word. */
const TAGS: Readonly<Record<string, string>> = {
  about: 'How to connect.',
  integration: 'The integration of the request and its permissions.',
  house: 'The home: floors, rooms, units, scenes, groups.',
  state: 'The states of all devices.',
  devices: 'Units, modules, gangs and scenes by id.',
  intents: 'Unit settings in plain words.',
  rooms: 'Rooms.',
  floors: 'Floors.',
  scenes: 'Scenes.',
  groups: 'Named groups of devices.',
  automations: 'Automations.',
  schedules: 'Schedules of the gateway.',
  sensors: 'Readings and detections.',
  energy: 'Energy and cost.',
  activity: 'Events and their causes.',
  explain: 'Explanations of states.',
  gateway: 'The gateway itself.',
  pair: 'Asking an administrator for access.',
  stream: 'Live events and the same requests over one WebSocket; see the AsyncAPI document.',
  [REFUSED_TAG]: 'Calls that are always refused: the app does these things.',
  documents: 'Served outside /v1, without a credential.',
}

/** The OpenAPI 3.1 document of the HTTPS interface, built from the contract alone (Spec 9 point 3). */
export function openapiDocument(): JsonObject {
  const schemas = new SchemaRegistry({ before: '#/components/schemas/', after: '' })
  const responses = new Responses(schemas, [...BEFORE_CREDENTIAL, ...WITH_CREDENTIAL, ...AT_THE_RELAY])
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations()) {
    const item = (paths[operation.path] ??= {})
    item[operation.method.toLowerCase()] = operationItem(operation, schemas, responses)
  }
  Object.assign(paths, streamPath(responses), documentPaths(responses))
  const used = [
    ...new Set(
      Object.values(paths).flatMap((item) =>
        Object.values(item).flatMap((operation) => (operation as { tags: string[] }).tags),
      ),
    ),
  ]
  return {
    openapi: '3.1.1',
    info: {
      title: 'Home Control Service API',
      version: API_VERSION,
      summary: 'Shows and controls a home through an API integration.',
      description: `Every response has \`house\`; clients ignore unknown fields, and request bodies are strict. JSON only, ${BODY_BYTES_MAX / 1024} KiB at most. Times are epoch milliseconds.`,
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
      {
        url: 'https://{relay}',
        description: 'A relay to which the gateway is connected, from anywhere; the token identifies the home.',
        variables: { relay: { default: 'relay.example', description: 'The host of the relay, with its port.' } },
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

/** The upgrade to the live stream; its messages are in the AsyncAPI document. */
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
    'storage_unavailable',
    ...AT_THE_RELAY,
  ]
  return {
    '/v1/stream': {
      get: {
        operationId: 'stream.open',
        tags: ['stream'],
        summary: 'Open the live stream',
        description: 'Specification: 5.1, 6; docs/stream.md. The token may also be a query parameter here.',
        parameters: [
          {
            name: 'token',
            in: 'query',
            required: false,
            schema: { type: 'string' },
            description: 'Instead of the Authorization header.',
            example: EXAMPLE_TOKEN,
          },
        ],
        responses: {
          101: { description: 'The connection is now a WebSocket.' },
          ...responses.refusals(errors),
          ...responses.ofConnection(),
        },
      },
    },
  }
}

const field = (type: string, description: string): JsonObject => ({ type, description })
const OPENAPI_SHAPE: JsonObject = {
  type: 'object',
  properties: {
    openapi: field('string', 'The version of OpenAPI.'),
    info: field('object', 'The title and version of the interface.'),
    paths: field('object', 'The operations, by path and method.'),
    components: field('object', 'The named schemas and responses.'),
  },
  required: ['openapi', 'info', 'paths'],
}
const ASYNCAPI_SHAPE: JsonObject = {
  type: 'object',
  properties: {
    asyncapi: field('string', 'The version of AsyncAPI.'),
    info: field('object', 'The title and version of the interface.'),
    operations: field('object', 'The operations with their messages.'),
    components: field('object', 'The named schemas and messages.'),
  },
  required: ['asyncapi', 'info', 'operations'],
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
        ...responses.ofConnection(),
      },
    },
  })
  return {
    '/openapi.json': served('documents.openapi', 'This document', 'application/json', OPENAPI_SHAPE),
    '/asyncapi.json': served(
      'documents.asyncapi',
      'The document of the live stream',
      'application/json',
      ASYNCAPI_SHAPE,
    ),
    '/ca.pem': served(
      'documents.ca',
      "The gateway's CA; compare its fingerprint before trusting it",
      'application/x-pem-file',
      { type: 'string' },
    ),
  }
}
