import { readFileSync } from 'node:fs'
import type { EndpointName } from '../api/contract/index.ts'
import { type ExampleRequest, EXAMPLE_AUTOMATION, EXAMPLE_SCHEDULE, exampleId, EXAMPLES } from './example-requests.ts'
import type { ApiCall } from './api-calls.ts'
import type { Json, JsonObject } from './schema-registry.ts'

/** Responses and events of the demo home for the examples; `npm run docs:examples` records them. */
export interface Recorded {
  readonly answers: Readonly<Record<string, { readonly status: number; readonly body: Json }>>
  readonly events: Readonly<Record<string, Json>>
}

/** Message id of the stream's examples. */
export const MESSAGE_ID = '7'

const FILE = new URL('./examples.json', import.meta.url)

export const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Recorded

/** Example ids in the paths of calls that are always refused, by the first word of the path. */
const REFUSED_IDS: Readonly<Record<string, string>> = {
  rooms: 'room:hall',
  floors: 'floor:ground-floor',
  devices: 'hall-light',
  scenes: 'scene:good-night',
  automations: `automation:${EXAMPLE_AUTOMATION}`,
  schedules: `schedule:${EXAMPLE_SCHEDULE}`,
}

/** Example of an operation; null for administrators' operations. */
export function exampleOf({ id, path, endpoint, administrative }: ApiCall): ExampleRequest | null {
  if (administrative) return null
  if (endpoint) return EXAMPLES[endpointName(id)]
  const local = REFUSED_IDS[path.split('/')[2] ?? '']
  return local === undefined ? {} : { params: { id: exampleId(local) } }
}

/** Recorded response to the example of an operation with this status, as a field of the documents. */
export function exampleAnswer({ id, administrative }: ApiCall, status: number): JsonObject {
  const answer = administrative ? undefined : recorded.answers[endpointName(id)]
  return answer?.status === status ? { example: answer.body } : {}
}

/** Example of an operation as a message of the stream, with its response. */
export function exampleMessages(operation: ApiCall): { readonly request: Json; readonly answer: Json | undefined } {
  const { id, method, path } = operation
  const { params = {}, query, body } = exampleOf(operation) ?? {}
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const answer = recorded.answers[endpointName(id)]
  return {
    request: {
      id: MESSAGE_ID,
      method,
      path: filled,
      ...(query ? { query } : {}),
      ...(body === undefined ? {} : { body }),
    },
    answer: answer && { id: MESSAGE_ID, status: answer.status, body: answer.body },
  }
}

/** Name in the contract. An alias has its method appended. */
function endpointName(id: string): EndpointName {
  return id.split('.').slice(0, 2).join('.') as EndpointName
}
