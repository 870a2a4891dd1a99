import { AdminEventShape, EVENTS_PATH } from '../admin/contract/events.ts'
import { BACKUP_FILE_PATH } from '../admin/contract/backups.ts'
import { operationItem } from './openapi-operation.ts'
import { API_VERSION } from '../api/contract/index.ts'
import { ADMIN_USUAL, adminOperations } from './api-calls.ts'
import { Responses } from './responses.ts'
import { type Json, type JsonObject, SchemaRegistry } from './schema-registry.ts'

/** Descriptions of the groups of paths, by the first word after /admin/v1. */
const TAGS: Readonly<Record<string, string>> = {
  integrations: 'Exposure and permissions of programs.',
  keys: 'Credentials of programs.',
  agents: 'Agents: requests for access, and credentials.',
  confirmations: 'Calls of agents that need a confirmation.',
  home: 'Name, time zone, place and currency.',
  house: 'Floors, rooms, units and scenes, by local ids.',
  devices: 'Settings of units.',
  scenes: 'Scenes in words.',
  automations: 'Automations in words.',
  runs: 'Scheduled runs.',
  schedules: 'Schedules in words.',
  tariff: 'The price of electricity.',
  history: 'The recorded history as files.',
  energy: 'Jumps of counters and corrections of energy.',
  activity: 'The complete activity.',
  tls: 'The CA and the certificate.',
  status: 'State of the gateway.',
  about: 'The running release.',
  backup: 'A copy of the configuration.',
  backups: 'Backups of the home, made each night.',
  restore: 'Restoring a backup.',
  events: 'Live events for administrators.',
  session: 'The session of the request.',
  sessions: 'Signed-in browsers.',
  persons: 'Who administers the home by name.',
  passkeys: 'Keys of persons that their devices keep.',
  links: 'One-time links into the console.',
  operators: 'Tokens of programs that operate the gateway.',
  log: 'The newest lines of the log.',
  metrics: 'Metrics for monitoring systems.',
}

/** The OpenAPI 3.1 document of the administrators' API, which `bin/hm` speaks over the socket file. */
export function adminOpenapiDocument(): JsonObject {
  const schemas = new SchemaRegistry({ before: '#/components/schemas/', after: '' })
  const responses = new Responses(schemas, ADMIN_USUAL)
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of adminOperations()) {
    const item = (paths[operation.path] ??= {})
    item[operation.method.toLowerCase()] = operationItem(operation, schemas, responses)
  }
  paths[EVENTS_PATH] = { get: eventsItem(schemas, responses) }
  paths[BACKUP_FILE_PATH] = { get: backupFileItem(responses) }
  return {
    openapi: '3.1.1',
    info: {
      title: "hm-gateway: the administrators' API",
      version: API_VERSION,
      summary: 'Requests of bin/hm to the running gateway.',
      description:
        'Served over the socket file `admin.sock` in the data folder, whose users are administrators, and over HTTPS to persons signed in at the console. Operations with a scope are also served to operator tokens. The API belongs to this gateway, not to the Home Control Service API, and changes with it. Times are epoch milliseconds.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://hm', description: 'curl --unix-socket data/admin.sock http://hm/admin/v1/status' }],
    security: [],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { responses: responses.components(), schemas: schemas.components() },
  }
}

function eventsItem(schemas: SchemaRegistry, responses: Responses): JsonObject {
  return {
    operationId: 'events.watch',
    tags: ['events'],
    summary: 'Watch requests for access and calls that need a confirmation',
    description:
      'One JSON object a line: pending requests, then `watching`, then new events, until either side ends it.',
    responses: {
      200: {
        description: 'Lines of this schema.',
        content: { 'application/x-ndjson': { schema: schemas.named(AdminEventShape, 'AdminEvent') } },
      },
      ...responses.refusals(['overloaded']),
    },
  }
}

function backupFileItem(responses: Responses): JsonObject {
  return {
    operationId: 'backups.take',
    tags: ['backups'],
    summary: 'Download an encrypted backup; for persons in a fresh session',
    parameters: [
      { name: 'name', in: 'path', required: true, description: 'The name of its file.', schema: { type: 'string' } },
    ],
    responses: {
      200: { description: 'The file.', content: { 'application/octet-stream': { schema: { type: 'string' } } } },
      ...responses.refusals(['not_found', 'sign_in_again', 'validation']),
    },
  }
}
