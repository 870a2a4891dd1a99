import { readFileSync } from 'node:fs'
import type { EndpointName } from '../api/contract/index.ts'
import { type Example, EXAMPLE_AUTOMATION, EXAMPLE_SCHEDULE, exampleId, EXAMPLES } from './example-requests.ts'
import type { Operation } from './operations.ts'
import type { Json, JsonObject } from './schema-registry.ts'

/** What the demo home answered to the examples, and told of by itself; `npm run docs:examples` asks it. */
export interface Recorded {
  readonly answers: Readonly<Record<string, { readonly status: number; readonly body: Json }>>
  readonly events: Readonly<Record<string, Json>>
}

/** How the examples of the stream name their request. */
export const MESSAGE_ID = '7'

const FILE = new URL('./examples.json', import.meta.url)

export const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Recorded

/** What stands for the id in the paths of calls that are always refused, by the first word of the path. */
const REFUSED_IDS: Readonly<Record<string, string>> = {
  rooms: 'room:hall',
  floors: 'floor:ground-floor',
  devices: 'hall-light',
  scenes: 'scene:good-night',
  automations: `automation:${EXAMPLE_AUTOMATION}`,
  schedules: `schedule:${EXAMPLE_SCHEDULE}`,
}

/** The example of an operation, or null for one of the administrators. */
export function exampleOf({ id, path, endpoint, administrative }: Operation): Example | null {
  if (administrative) return null
  if (endpoint) return EXAMPLES[endpointName(id)]
  const local = REFUSED_IDS[path.split('/')[2] ?? '']
  return local === undefined ? {} : { params: { id: exampleId(local) } }
}

/** What the demo home answered to the example of an operation with this status, as a field of the documents. */
export function exampleAnswer({ id, administrative }: Operation, status: number): JsonObject {
  const answer = administrative ? undefined : recorded.answers[endpointName(id)]
  return answer?.status === status ? { example: answer.body } : {}
}

/** The example of an operation as a message of the stream, and its answer there. */
export function exampleMessages(operation: Operation): { readonly request: Json; readonly answer: Json | undefined } {
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

/** The name in the contract; an operation that does the same by another method has that method after it. */
function endpointName(id: string): EndpointName {
  return id.split('.').slice(0, 2).join('.') as EndpointName
}
