import { AdminEventShape, EVENTS_PATH } from '../admin/contract/events.ts'
import { BACKUP_FILE_PATH } from '../admin/contract/backups.ts'
import { operationItem } from './openapi-operation.ts'
import { API_VERSION } from '../api/contract/index.ts'
import { ADMIN_USUAL, adminOperations } from './operations.ts'
import { Responses } from './responses.ts'
import { type Json, type JsonObject, SchemaRegistry } from './schema-registry.ts'

/** What each first word of a path behind /admin/v1 is about. */
const TAGS: Readonly<Record<string, string>> = {
  integrations: 'What programs may see and do.',
  keys: 'Credentials of programs.',
  agents: 'Agents: who asks for access, and who has it.',
  confirmations: 'Calls of agents that need a confirmation.',
  home: 'Name, time zone, place and currency.',
  house: 'Floors, rooms, units and scenes, by local ids.',
  devices: 'Settings of units.',
  scenes: 'Scenes in words.',
  automations: 'Automations in words.',
  runs: 'What the clock sets off next.',
  schedules: 'Schedules in words.',
  tariff: 'What electricity costs.',
  history: 'What was recorded, as files.',
  energy: 'Energy that was counted wrongly: jumps of counters, corrections.',
  activity: 'What happened, with nothing left out.',
  tls: 'The CA and the certificate.',
  status: 'How the gateway is doing.',
  about: 'Which release runs.',
  backup: 'A copy of the configuration.',
  backups: 'The home as one file, made each night.',
  restore: 'A backup in the place of what there is.',
  events: 'What administrators are told as it happens.',
  session: 'The session that asks.',
  sessions: 'Browsers that are signed in.',
  persons: 'Who administers the home by name.',
  passkeys: 'Keys of persons that their devices keep.',
  links: 'One-time links into the console.',
  operators: 'Tokens of programs that look after the gateway.',
  log: 'The newest lines of the log.',
  metrics: 'What a monitoring system reads.',
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
      summary: 'What bin/hm asks the running gateway.',
      description:
        'Served over the socket file `admin.sock` in the data folder, and whoever may open that file is an administrator; over HTTPS to persons who signed in at the console, and what a scope is named for to operator tokens. It belongs to this gateway, not to the Home Control Service API, and changes with it. Times are epoch milliseconds.',
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
    summary: 'Watch: agents that ask for access, and calls that need a confirmation',
    description:
      'One JSON object a line: what waits now, then `watching`, then what happens, until either side ends it.',
    responses: {
      200: {
        description: 'The lines, each of this schema.',
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
    summary: 'Take a backup away, encrypted; for persons in a fresh session',
    parameters: [
      { name: 'name', in: 'path', required: true, description: 'The name of its file.', schema: { type: 'string' } },
    ],
    responses: {
      200: { description: 'The file.', content: { 'application/octet-stream': { schema: { type: 'string' } } } },
      ...responses.refusals(['not_found', 'sign_in_again', 'validation']),
    },
  }
}
