import type { z } from 'zod'
import {
  AutomationsEvent,
  ExposureEvent,
  IntegrationEvent,
  MessageEvent,
  ModeEvent,
  PresenceEvent,
  SceneEvent,
  ScenesEvent,
  SchedulesEvent,
  SensorEvent,
  StateEvent,
  Subscribed,
  TouchEvent,
} from '../api/contract/events.ts'
import { ErrorShape } from '../api/contract/shapes.ts'
import { isWrite } from '../api/contract/endpoint.ts'
import { type ErrorCode, errorBody } from '../wire/errors.ts'
import { answerSchema, bodySchema, literalSchemas, openAnswerSchema } from './response-schemas.ts'
import { exampleMessages, recorded } from './examples.ts'
import { API_VERSION } from '../api/contract/index.ts'
import { AT_THE_RELAY, type ApiCall, operations, typeName } from './api-calls.ts'
import { CHANNEL, Messages } from './channel-messages.ts'
import { type JsonObject, objectOf, type SchemaRegistry } from './schema-registry.ts'
import { responsePayload, clientMessage, refusal } from './stream-messages.ts'

/** Refusals that exist only on HTTPS: on the way to the socket, or for bodies that a frame cannot hold. */
const ONLY_HTTPS: readonly ErrorCode[] = [
  'misdirected_request',
  'origin_not_allowed',
  'payload_too_large',
  'unsupported_media_type',
  ...AT_THE_RELAY,
]

const TAGS = {
  requests: 'Requests as over HTTPS.',
  events: 'Events of the home.',
  refused: 'Calls that are always refused: the app does these things.',
} as const

const EVENTS = {
  StateEvent,
  SensorEvent,
  SceneEvent,
  ExposureEvent,
  ScenesEvent,
  AutomationsEvent,
  SchedulesEvent,
  IntegrationEvent,
  MessageEvent,
  ModeEvent,
  PresenceEvent,
  TouchEvent,
} as const

const SERVERS = {
  gateway: {
    host: '{host}:8490',
    protocol: 'wss',
    description: 'The gateway on the home network; TLS 1.3 with its own CA.',
    variables: {
      host: {
        default: 'hm-serial.local',
        description: 'hm-<serial>.local, hm-<serial>, or an address of the gateway.',
      },
    },
    security: [{ $ref: '#/components/securitySchemes/bearer' }, { $ref: '#/components/securitySchemes/token' }],
  },
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A key, agent or session token.' },
  token: { type: 'httpApiKey', name: 'token', in: 'query', description: 'The same token, on the upgrade only.' },
}

/** The AsyncAPI 3.0 document of the live stream, from the contract alone (Spec 9 point 3). */
export function asyncapiDocument(): JsonObject {
  const messages = new Messages()
  const known = {
    ...subscribeOperation(messages),
    ...eventOperations(messages),
    ...Object.fromEntries(operations().map((operation) => [operation.id, requestOperation(operation, messages)])),
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Home Control Service API: the live stream',
      version: API_VERSION,
      description:
        'One WebSocket carries the requests of the HTTPS interface and live events. Clients ignore unknown fields; messages of clients are strict. Text frames, JSON, 64 KiB at most from the client.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      tags: Object.keys(TAGS).map((name) => ({ $ref: `#/components/tags/${name}` })),
    },
    defaultContentType: 'application/json',
    servers: SERVERS,
    channels: {
      stream: {
        address: '/v1/stream',
        title: 'The live stream',
        description: 'The token goes into the Authorization header, or into the query parameter token.',
        messages: messages.inChannel(),
        bindings: {
          ws: {
            method: 'GET',
            query: {
              type: 'object',
              properties: { token: { type: 'string', description: 'Instead of the Authorization header.' } },
            },
            bindingVersion: '0.1.0',
          },
        },
      },
    },
    operations: known,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      tags: Object.fromEntries(Object.entries(TAGS).map(([name, description]) => [name, { name, description }])),
      messages: messages.components(),
      schemas: messages.schemaComponents(),
    },
  }
}

function subscribeOperation(messages: Messages): JsonObject {
  const { schemas } = messages
  const subscribe = messages.add('subscribe', {
    title: 'Subscribe',
    summary: 'Topics to add; an empty list ends all subscriptions.',
    payload: clientMessage(schemas, 'SubscribeMessage', ['id', 'subscribe', 'since'], {
      description: 'Subscribes to topics.',
      required: ['subscribe'],
    }),
    examples: [
      { id: 'a1', subscribe: ['*'] },
      { subscribe: ['state', 'scene'], since: 1798761600000001 },
      { subscribe: [] },
    ],
  })
  const subscribed = messages.add('subscribed', {
    title: 'Subscribed',
    summary: 'All topics of this socket, and the seq of the last event.',
    payload: responsePayload(schemas, 'Subscribed', 200, schemas.named(Subscribed, 'Subscribed')),
    examples: [{ id: 'a1', status: 200, body: recorded.events['subscribed'] ?? null }],
  })
  const refused = refusal(messages, 'subscribe', [
    'unauthorized',
    'session_expired',
    'record_disabled',
    'agent_access_disabled',
    'cloud_access_disabled',
    'not_found',
    'validation',
    'rate_limited',
    'internal',
    'storage_unavailable',
  ])
  return { subscribe: operation('receive', 'Subscribe to events', 'events', [subscribe], [subscribed, refused]) }
}

function eventOperations(messages: Messages): JsonObject {
  const { schemas } = messages
  const events = Object.entries<z.ZodType>(EVENTS).map(([name, schema]) =>
    messages.add(name.charAt(0).toLowerCase() + name.slice(1), {
      title: name.replace('Event', ' event'),
      summary: schema.meta()?.description ?? name,
      payload: schemas.named(schema, name),
      examples: [recorded.events[name.replace('Event', '').toLowerCase()] ?? null],
    }),
  )
  const error = messages.add('error', {
    title: 'Last word',
    summary: 'Reason why the gateway ends this socket.',
    payload: schemas.named(ErrorShape, 'Error'),
    examples: [errorBody('record_disabled')],
  })
  return {
    events: operation('send', 'Send events to subscribed sockets', 'events', events),
    end: operation('send', 'Send the reason of the end, then close the socket with 4401 or 4403', 'requests', [error]),
  }
}

/** A request of the HTTPS interface as a message, with its responses. */
function requestOperation(of: ApiCall, messages: Messages): JsonObject {
  const { schemas } = messages
  const { endpoint } = of
  const name = typeName(of.id)
  const example = exampleMessages(of)
  const request = messages.add(`${of.id}.request`, {
    title: of.summary,
    summary: `${of.method} ${of.path}`,
    payload: requestSchema(of, schemas),
    examples: [example.request],
  })
  const success =
    endpoint &&
    messages.add(`${of.id}.answer`, {
      title: `Answer: ${of.summary}`,
      summary: `Response of ${of.method} ${of.path}, as over HTTPS.`,
      payload: responsePayload(
        schemas,
        name,
        endpoint.status ?? 200,
        endpoint.reach === 'open'
          ? openAnswerSchema(schemas, of.id, endpoint)
          : answerSchema(schemas, of.id.split('.').slice(0, 2).join('.'), endpoint),
      ),
      ...(example.answer === undefined ? {} : { examples: [example.answer] }),
    })
  const literals = endpoint ? literalSchemas(schemas, of.id, endpoint).map(({ schema }) => schema) : []
  const refused = refusal(
    messages,
    of.id,
    of.errors.filter((code) => !ONLY_HTTPS.includes(code)),
    literals,
  )
  const tag = endpoint ? 'requests' : 'refused'
  return operation('receive', of.summary, tag, [request], success ? [success, refused] : [refused])
}

function requestSchema({ id, method, path, endpoint }: ApiCall, schemas: SchemaRegistry): JsonObject {
  const pattern = `^${path.replace(/\{\w+\}/g, '[^/?]+')}(\\?.*)?$`
  const name = `${typeName(id)}Request`
  const query = endpoint ? schemas.inline(endpoint.query) : {}
  const hasQuery = Object.keys(objectOf(query['properties'])).length > 0
  const fields = ['id', 'method', 'path', ...(endpoint && isWrite(endpoint) ? ['idempotencyKey'] : [])]
  return clientMessage(schemas, name, fields, {
    description: `${method} ${path} as a message.`,
    required: ['method', 'path', ...(endpoint?.body ? ['body'] : [])],
    properties: {
      method: { type: 'string', const: method },
      path: { type: 'string', pattern, description: 'Ids in the path may be percent-encoded.' },
      ...(hasQuery
        ? {
            query: schemas.define(`${typeName(id)}Query`, { ...query, description: `The query of ${method} ${path}.` }),
          }
        : {}),
      ...(endpoint?.body ? { body: bodySchema(schemas, id, endpoint.body, endpoint) } : {}),
    },
  })
}

function operation(
  action: 'send' | 'receive',
  summary: string,
  tag: keyof typeof TAGS,
  messages: readonly JsonObject[],
  reply?: readonly JsonObject[],
): JsonObject {
  return {
    action,
    channel: { $ref: CHANNEL },
    summary,
    tags: [{ $ref: `#/components/tags/${tag}` }],
    messages,
    ...(reply ? { reply: { channel: { $ref: CHANNEL }, messages: reply } } : {}),
  }
}
