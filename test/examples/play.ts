import { contract, type EndpointName } from '../../src/api/contract/index.ts'
import {
  EXAMPLE_AUTOMATION,
  EXAMPLE_CODE,
  EXAMPLE_GATEWAY,
  EXAMPLE_INTEGRATION,
  EXAMPLE_LINK,
  EXAMPLE_RUN,
  EXAMPLE_SCENE,
  EXAMPLE_SCHEDULE,
  type Example,
  EXAMPLES,
} from '../../src/documents/example-requests.ts'
import { EVENT_KINDS, type EventKind } from '../../src/api/contract/events.ts'
import type { Endpoint } from '../../src/api/contract/endpoint.ts'
import { type Access, HttpCaller, type StreamMessage, TestSocket } from '#support/gateway/callers.ts'
import type { TestAdmin } from '#support/gateway/test-admin.ts'
import type { TestRequest } from '#support/gateway/verifies.ts'

/** An answer as the demo home gave it, and what it was asked. */
export interface Answered {
  readonly asked: Example
  readonly status: number
  readonly body: unknown
}

/**
 * What the demo home answered to the examples, by endpoint, one event of each kind, and `subscribed`, the answer to a
 * subscription.
 */
export interface Played {
  readonly answers: Readonly<Record<string, Answered>>
  readonly events: Readonly<Record<string, unknown>>
}

/** The demo home that the examples are played against, with a key that may do everything. */
export interface Stage {
  readonly access: Access & { readonly token: string }
  readonly admin: TestAdmin
  /** Waits for what waits for the radio, as fast as the home's clock allows. */
  readonly hasten: <T>(work: Promise<T>) => Promise<T>
}

/** Objects that an example shows of a list. */
const SHOWN_MAX = 2
/** Secrets and fingerprints, which are not shown as they are. */
const SHOWN_INSTEAD: Readonly<Record<string, string>> = {
  ca: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n',
  access_token: `hm_agent_${EXAMPLE_GATEWAY}.${EXAMPLE_INTEGRATION}.${EXAMPLE_LINK}.…`,
}
/** Whose events are shown; of the other kinds there is one alone. */
const SHOWN_DEVICES: Partial<Record<EventKind, string>> = { state: ':living-lamp', sensor: ':living-climate' }
/** What the first step of the scene that is run sets the lamp to. */
const FIRST_STEP_BRI = 60
const EVERYTHING_ALLOWED = {
  advanced_config: 'read_write',
  structural: 'on',
  automations: 'on',
  schedules: 'on',
  agent_access: 'on',
}
/** What the answers to some examples are called in the examples that follow. */
const NAMED_BY: Partial<Record<EndpointName, (body: Fields) => readonly [example: string, real: string]>> = {
  'scenes.create': (body) => [EXAMPLE_SCENE, localId(body, 'scene')],
  'scenes.run': (body) => [EXAMPLE_RUN, String((body['run'] as Fields)['runId'])],
  'automations.create': (body) => [EXAMPLE_AUTOMATION, localId(body, 'automation')],
  'schedules.create': (body) => [EXAMPLE_SCHEDULE, localId(body, 'schedule')],
  'pair.ask': (body) => [EXAMPLE_CODE, String(body['code']).split('.')[1] ?? ''],
}

type Fields = Readonly<Record<string, unknown>>

/** Sends every example to the demo home, in their order, and listens to the stream meanwhile. */
export async function playExamples({ access, admin, hasten }: Stage): Promise<Played> {
  const [gateway = '', integration = '', link = ''] = access.token.replace('hm_key_', '').split('.')
  await admin.call('PATCH', `/integrations/${integration}`, { settings: EVERYTHING_ALLOWED })
  const names = new Map([
    [EXAMPLE_GATEWAY, gateway],
    [EXAMPLE_INTEGRATION, integration],
    [EXAMPLE_LINK, link],
  ])
  const answers: Record<string, Answered> = {}
  await using caller = new HttpCaller(access)
  const socket = await TestSocket.open(access)
  const { body: subscribed } = await socket.subscribe(['*'])
  for (const name of Object.keys(EXAMPLES) as EndpointName[]) {
    if (name === 'pair.token') await acceptAgent(admin, integration)
    const { status, body } = await hasten(caller.call(exampleRequest(name, names)))
    const named = NAMED_BY[name]?.(body as Fields)
    if (named) names.set(...named)
    answers[name] = { asked: EXAMPLES[name], status, body: shown(body, names) }
    // Stopped earlier, the run would end before its step or after it, as it happens.
    if (name === 'scenes.run') await hasten(socket.event(isFirstStep))
  }
  await admin.call('PATCH', `/integrations/${integration}`, { settings: { cloud_access: 'off' } })
  const events: Record<string, unknown> = { subscribed: shown(subscribed, names) }
  for (const kind of EVENT_KINDS) {
    const told = await hasten(
      socket.event(({ event, device }) => event === kind && String(device).endsWith(SHOWN_DEVICES[kind] ?? '')),
    )
    events[kind] = shown(told, names)
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

/** An example as it is sent to a home in which things have these names. */
function exampleRequest(name: EndpointName, names: ReadonlyMap<string, string>): TestRequest {
  const { method, path }: Endpoint = contract[name]
  const { params = {}, query = {}, body } = JSON.parse(renamed(JSON.stringify(EXAMPLES[name]), [...names])) as Example
  const filled = path.replace(/\{(\w+)\}/g, (_, each: string) => encodeURIComponent(params[each] ?? ''))
  const text = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]))
  return { method, path: filled, query: text, ...(body === undefined ? {} : { body }) }
}

/** An answer or event as the documents show it. */
function shown(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string')
    return renamed(
      value,
      [...names].map(([example, real]) => [real, example] as const),
    )
  if (Array.isArray(value)) {
    const some = value.every((each) => typeof each === 'object') ? value.slice(0, SHOWN_MAX) : value
    return some.map((each) => shown(each, names))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, SHOWN_INSTEAD[key] ?? shown(each, names)]))
}

function renamed(text: string, names: readonly (readonly [from: string, to: string])[]): string {
  return names.reduce((all, [from, to]) => all.replaceAll(from, to), text)
}

/** The last part of the id of what was created. */
function localId(body: Fields, field: string): string {
  const { id = '' } = body[field] as { id?: string }
  return id.split(':').at(-1) ?? ''
}
