import type { Json } from './schema-registry.ts'
import type { EndpointName } from '../api/contract/index.ts'

/** An example request to the demo home: path parameters, query and body. */
export interface ExampleRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: Json
}

/** Fixed values of the examples for values that differ in every home. */
export const EXAMPLE_GATEWAY = '7k2mq4xw9tbc'
export const EXAMPLE_INTEGRATION = '4d1f0a52-6f0e-4b7f-9a35-0f9a3c1be6d2'
export const EXAMPLE_LINK = 'p3v8k2m9qd'
export const EXAMPLE_TOKEN = `hm_key_${EXAMPLE_GATEWAY}.${EXAMPLE_INTEGRATION}.${EXAMPLE_LINK}.SECRET`
/** Local ids of things that the examples create. */
export const EXAMPLE_SCENE = 'h2v6c9w4nq8x'
export const EXAMPLE_GROUP = 'd8t5p1k7wn3y'
export const EXAMPLE_AUTOMATION = 'm3k8q2v7xp4t'
export const EXAMPLE_SCHEDULE = 'w5j9r3n6cz8b'
export const EXAMPLE_RUN = '7a41df95-c65c-4907-851b-3e47478c88bf'
export const EXAMPLE_PERSON = 'q4z8n2v6kt'
export const EXAMPLE_MESSAGE = 'b6t3w9k2rm7q'
/** Secret part of an agent's polling code. */
export const EXAMPLE_CODE = 'Yk3vQ0dZs8mT1rXcW5nB7pLfHa2eJu9gKi4oCx6wRtE'

/** Id of a thing of the example home. */
export const exampleId = (local: string): string => `${EXAMPLE_GATEWAY}:${EXAMPLE_INTEGRATION}:${local}`
const of = (local: string): { readonly params: { readonly id: string } } => ({ params: { id: exampleId(local) } })
const run = { params: { id: EXAMPLE_RUN } }
const light = of('hall-light')
const automation = of(`automation:${EXAMPLE_AUTOMATION}`)
const schedule = of(`schedule:${EXAMPLE_SCHEDULE}`)
const group = of(`group:${EXAMPLE_GROUP}`)
const lampOn = (bri: number) => ({ device: exampleId('living-lamp'), op: 'set_brightness', args: { bri } })

const reading = {
  name: 'Reading',
  icon: 'book',
  roomId: exampleId('room:living-room'),
  steps: [lampOn(60), { delay: 900 }, lampOn(20)],
}
const lampAtDusk = {
  name: 'Lamp at dusk',
  when: [{ sun: 'sunset', offset: -15 }],
  if: [{ device: exampleId('living-tv'), state: 'on', is: true }],
  then: [lampOn(30)],
}
const bedtime = { name: 'Bedtime', at: { time: '22:30' }, days: [1, 2, 3, 4, 5], then: [lampOn(10)] }

/**
 * One request for every endpoint, in an order in which the demo home can answer all. The documents show them with the
 * home's responses (docs/api.md#clients-made-from-the-documents).
 */
export const EXAMPLES: Readonly<Record<EndpointName, ExampleRequest>> = {
  'about.get': {},
  'integration.get': {},
  'house.get': { query: { room: exampleId('room:hall') } },
  'state.get': { query: { class: 'light_dimmer' } },
  'tls.get': {},
  'mode.get': {},
  'starters.list': {},
  'calendars.list': {},
  'mode.set': { body: { mode: 'guest' } },
  'presence.report': { params: { id: EXAMPLE_PERSON }, body: { is: 'home' } },
  'persons.list': {},
  'devices.get': light,
  'devices.rename': { ...light, body: { name: 'Hall ceiling light' } },
  'rooms.rename': { ...of('room:hall'), body: { name: 'Entrance hall' } },
  'devices.control': { ...of('living-lamp'), body: { op: 'set_brightness', args: { bri: 40 } } },
  'devices.identify': of('living-lamp'),
  'control.batch': { body: { room: exampleId('room:living-room'), op: 'set_power', args: { on: false } } },
  'intents.definitions': {},
  'intents.list': light,
  'intents.write': { params: { ...light.params, intent: 'led_mode' }, body: { value: 'on' } },
  'devices.schedules': of('kitchen-panel'),
  'scenes.list': {},
  'scenes.tryDraft': { body: reading },
  'scenes.create': { body: reading },
  'scenes.get': of(`scene:${EXAMPLE_SCENE}`),
  'scenes.edit': { ...of(`scene:${EXAMPLE_SCENE}`), body: { ifRevision: 1, name: 'Reading corner' } },
  'scenes.try': of(`scene:${EXAMPLE_SCENE}`),
  'scenes.run': of(`scene:${EXAMPLE_SCENE}`),
  'groups.create': { body: { name: 'Reading lights', members: [exampleId('living-lamp'), exampleId('study-light')] } },
  'groups.list': {},
  'groups.get': group,
  'groups.edit': { ...group, body: { ifRevision: 1, name: 'Evening lights' } },
  'groups.delete': { ...group, query: { ifRevision: 2 } },
  'runs.list': {},
  'runs.get': run,
  'runs.stop': run,
  'automations.tryDraft': { body: lampAtDusk },
  'automations.create': { body: lampAtDusk },
  'automations.list': {},
  'automations.get': automation,
  'automations.try': automation,
  'automations.tryEdit': { ...automation, body: { ifRevision: 1, if: [] } },
  'automations.edit': { ...automation, body: { ifRevision: 1, enabled: false } },
  'schedules.tryDraft': { body: bedtime },
  'schedules.create': { body: bedtime },
  'schedules.list': {},
  'schedules.get': schedule,
  'schedules.try': schedule,
  'schedules.tryEdit': { ...schedule, body: { ifRevision: 1, at: { time: '23:00' } } },
  'schedules.edit': { ...schedule, body: { ifRevision: 1, at: { time: '23:00' } } },
  'sensors.list': { query: { class: 'sensor' } },
  'sensors.detections': { ...of('landing-sensor'), query: { limit: 2 } },
  'devices.readings': { ...of('living-climate'), query: { kind: 'temperature', points: 2 } },
  'energy.get': { query: { scope: `device:${exampleId('living-lamp')}`, period: 'day' } },
  'activity.list': { query: { device: exampleId('living-lamp'), kind: 'state', limit: 2 } },
  'explain.get': of('living-lamp'),
  'messages.list': { query: { limit: 1 } },
  'messages.acknowledge': { params: { id: EXAMPLE_MESSAGE } },
  'explain.post': { body: { device: exampleId('living-lamp') } },
  'pair.ask': { body: { gateway: EXAMPLE_GATEWAY, name: 'Claude', platform: 'Claude Code' } },
  'pair.token': { body: { code: `${EXAMPLE_GATEWAY}.${EXAMPLE_CODE}` } },
}
