import { contract, type EndpointName } from '../../src/api/contract/index.ts'
import {
  EXAMPLE_AUTOMATION,
  EXAMPLE_CODE,
  EXAMPLE_GATEWAY,
  EXAMPLE_INTEGRATION,
  EXAMPLE_LINK,
  EXAMPLE_MESSAGE,
  EXAMPLE_PERSON,
  EXAMPLE_RUN,
  EXAMPLE_GROUP,
  EXAMPLE_SCENE,
  EXAMPLE_SCHEDULE,
  type ExampleRequest,
  EXAMPLES,
} from '../../src/documents/example-requests.ts'
import { EVENT_KINDS, type EventKind } from '../../src/api/contract/events.ts'
import type { Endpoint } from '../../src/api/contract/endpoint.ts'
import { type Access, HttpCaller, type StreamMessage, TestSocket } from '#support/gateway/callers.ts'
import type { TestAdmin } from '#support/gateway/test-admin.ts'
import type { TestRequest } from '#support/gateway/verifies.ts'

/** A response of the demo home with its request. */
export interface ExampleAnswer {
  readonly request: ExampleRequest
  readonly status: number
  readonly body: unknown
}

/** Responses of the demo home by endpoint, one event of each kind, and `subscribed`, the response to a subscription. */
export interface Played {
  readonly answers: Readonly<Record<string, ExampleAnswer>>
  readonly events: Readonly<Record<string, unknown>>
}

/** The demo home for the examples, with a key that may do everything. */
export interface ExampleHome {
  readonly access: Access & { readonly token: string }
  readonly admin: TestAdmin
  /** Speeds the home's clock up while the work waits for the radio. */
  readonly hasten: <T>(work: Promise<T>) => Promise<T>
  /** Touches a key of the home. Without it, no touch is played. */
  readonly touch?: () => void
}

/** Most items of a list in an example. */
const LIST_ITEMS_MAX = 2
/** Placeholders for secrets and fingerprints. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  ca: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n',
  access_token: `hm_agent_${EXAMPLE_GATEWAY}.${EXAMPLE_INTEGRATION}.${EXAMPLE_LINK}.…`,
}
/** Device of the documented event, for kinds with several events. */
const EVENT_DEVICES: Partial<Record<EventKind, string>> = { state: ':living-lamp', sensor: ':living-climate' }
/** Brightness of the lamp after the first step of the example scene. */
const FIRST_STEP_BRI = 60
const EVERYTHING_ALLOWED = {
  advanced_config: 'read_write',
  structural: 'on',
  automations: 'on',
  schedules: 'on',
  agent_access: 'on',
}
/** Names in later examples for objects that some responses created. */
const NAMED_BY: Partial<Record<EndpointName, (body: Fields) => readonly [example: string, real: string]>> = {
  'scenes.create': (body) => [EXAMPLE_SCENE, localId(body, 'scene')],
  'groups.create': (body) => [EXAMPLE_GROUP, localId(body, 'group')],
  'scenes.run': (body) => [EXAMPLE_RUN, String((body['run'] as Fields)['runId'])],
  'automations.create': (body) => [EXAMPLE_AUTOMATION, localId(body, 'automation')],
  'schedules.create': (body) => [EXAMPLE_SCHEDULE, localId(body, 'schedule')],
  'pair.ask': (body) => [EXAMPLE_CODE, String(body['code']).split('.')[1] ?? ''],
}

type Fields = Readonly<Record<string, unknown>>

/** Sends every example to the demo home, in order, and collects events of the stream. */
export async function playExamples({ access, admin, hasten, touch }: ExampleHome): Promise<Played> {
  const [gateway = '', integration = '', link = ''] = access.token.replace('hm_key_', '').split('.')
  const { person } = await admin.call<{ person: { id: string } }>('POST', '/persons', { name: 'Anna' })
  const people = { people: 'each', reports: [person.id] }
  await admin.call('PATCH', `/integrations/${integration}`, { settings: EVERYTHING_ALLOWED, ...people })
  const names = new Map([
    [EXAMPLE_GATEWAY, gateway],
    [EXAMPLE_INTEGRATION, integration],
    [EXAMPLE_LINK, link],
    [EXAMPLE_PERSON, person.id],
  ])
  const answers: Record<string, ExampleAnswer> = {}
  await using caller = new HttpCaller(access)
  const socket = await TestSocket.open(access)
  const { body: subscribed } = await socket.subscribe(['*', 'message', 'mode', 'presence', 'touch'])
  const { message } = await admin.call<{ message: { id: string } }>('POST', '/messages/test')
  names.set(EXAMPLE_MESSAGE, message.id)
  for (const name of Object.keys(EXAMPLES) as EndpointName[]) {
    if (name === 'pair.token') await acceptAgent(admin, integration)
    const { status, body } = await hasten(caller.call(exampleRequest(name, names)))
    const named = NAMED_BY[name]?.(body as Fields)
    if (named) names.set(...named)
    answers[name] = { request: EXAMPLES[name], status, body: documented(body, names) }
    // The run waits for its first step, so that the next example always stops it after that step.
    if (name === 'scenes.run') await hasten(socket.event(isFirstStep))
  }
  await admin.call('PATCH', `/integrations/${integration}`, { settings: { cloud_access: 'off' } })
  const events: Record<string, unknown> = { subscribed: documented(subscribed, names) }
  touch?.()
  for (const kind of EVENT_KINDS) {
    if (kind === 'touch' && touch === undefined) continue
    const received = await hasten(
      socket.event(({ event, device }) => event === kind && String(device).endsWith(EVENT_DEVICES[kind] ?? '')),
    )
    events[kind] = documented(received, names)
  }
  socket.close()
  return { answers, events }
}

function isFirstStep({ event, device, state }: StreamMessage): boolean {
  return event === 'state' && String(device).endsWith(':living-lamp') && (state as Fields)['bri'] === FIRST_STEP_BRI
}

async function acceptAgent(admin: TestAdmin, integration: string): Promise<void> {
  const { requests } = await admin.call<{ requests: readonly { request: string }[] }>('GET', '/agents/requests')
  for (const { request } of requests) await admin.call('POST', `/agents/requests/${request}/accept`, { integration })
}

/** An example as a request to a home with these names. */
function exampleRequest(name: EndpointName, names: ReadonlyMap<string, string>): TestRequest {
  const { method, path }: Endpoint = contract[name]
  const {
    params = {},
    query = {},
    body,
  } = JSON.parse(renamed(JSON.stringify(EXAMPLES[name]), [...names])) as ExampleRequest
  const filled = path.replace(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(params[param] ?? ''))
  const text = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]))
  return { method, path: filled, query: text, ...(body === undefined ? {} : { body }) }
}

/** A response or event in the form for the documents. */
function documented(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string')
    return renamed(
      value,
      [...names].map(([example, real]) => [real, example] as const),
    )
  if (Array.isArray(value)) {
    const some = value.every((item) => typeof item === 'object') ? value.slice(0, LIST_ITEMS_MAX) : value
    return some.map((item) => documented(item, names))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, PLACEHOLDERS[key] ?? documented(field, names)]),
  )
}

function renamed(text: string, names: readonly (readonly [from: string, to: string])[]): string {
  return names.reduce((all, [from, to]) => all.replaceAll(from, to), text)
}

/** The last part of the id of the created object. */
function localId(body: Fields, field: string): string {
  const { id = '' } = body[field] as { id?: string }
  return id.split(':').at(-1) ?? ''
}
