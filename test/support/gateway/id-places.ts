import { contract, type EndpointName } from '../../../src/api/contract/index.ts'
import { refusedCalls } from '../../../src/api/contract/refused.ts'
import type { Endpoint, SubjectKind } from '../../../src/api/contract/endpoint.ts'
import type { TestRequest } from './verifies.ts'

/** Kind of the thing that an id names. */
export type IdKind = 'device' | 'scene' | 'group' | 'room' | 'floor' | 'automation' | 'schedule' | 'run' | 'message'

/** Existing ids of the caller, for requests with an id in the body. */
export interface Surroundings {
  /** Ids of a device and a scene that take `set_power` and may run. */
  readonly device: string
  readonly scene: string
  readonly group: string
  readonly automation: string
  readonly schedule: string
}

/** A position in a request where the service takes an id. */
export interface IdPlace {
  readonly name: string
  readonly kinds: readonly IdKind[]
  readonly request: (id: string, around: Surroundings) => TestRequest
  /** The request with a wrong or missing body, for ids in the path: the service checks the id first. */
  readonly withWrongBody?: (id: string, around: Surroundings) => TestRequest
}

/** Subjects whose ids are the same for all integrations, or that have none. */
const UNLISTED = ['none', 'mode', 'people', 'person'] as const
type Unlisted = (typeof UNLISTED)[number]
const isUnlisted = (kind: SubjectKind): kind is Unlisted => UNLISTED.some((unlisted) => unlisted === kind)
const KINDS: Readonly<Record<Exclude<SubjectKind, Unlisted>, readonly IdKind[]>> = {
  thing: ['device', 'scene'],
  device: ['device'],
  scene: ['scene'],
  group: ['group'],
  room: ['room'],
  floor: ['floor'],
  automation: ['automation'],
  schedule: ['schedule'],
  run: ['run'],
  message: ['message'],
}
const step = (device: string): object => ({ device, op: 'set_power', args: { on: true } })
const at = (time: string): object => ({ time })

type Build = (id: string, around: Surroundings) => object
type Places = Readonly<Record<string, readonly [readonly IdKind[], Build]>>

const ofScene: Places = {
  steps: [['device'], (id) => ({ name: 'Mine', steps: [step(id)] })],
  'second of steps': [
    ['device'],
    (id, { device }) => ({ name: 'Mine', steps: [step(device), { delay: 1 }, step(id)] }),
  ],
  roomId: [['room'], (roomId) => ({ name: 'Mine', roomId })],
  floorId: [['floor'], (floorId) => ({ name: 'Mine', floorId })],
}
const ofSteps = (rest: (around: Surroundings) => object): Places => ({
  'then.device': [['device'], (id, around) => ({ name: 'Mine', ...rest(around), then: [step(id)] })],
  'then.scene': [['scene'], (id, around) => ({ name: 'Mine', ...rest(around), then: [{ scene: id }] })],
})
const ofAutomation: Places = {
  ...ofSteps(() => ({ when: [at('04:00')] })),
  'when.state': [
    ['device'],
    (id, { device }) => ({ name: 'Mine', when: [{ device: id, state: 'on', is: true }], then: [step(device)] }),
  ],
  'when.reading': [
    ['device'],
    (id, { device }) => ({ name: 'Mine', when: [{ device: id, reading: 'light', below: 5 }], then: [step(device)] }),
  ],
  'when.detection': [
    ['device'],
    (id, { device }) => ({ name: 'Mine', when: [{ device: id, detection: 'motion' }], then: [step(device)] }),
  ],
  'when.scene': [['scene'], (id, { device }) => ({ name: 'Mine', when: [{ scene: id }], then: [step(device)] })],
  'if.state': [
    ['device'],
    (id, { device }) => ({
      name: 'Mine',
      when: [at('04:00')],
      if: [{ device: id, state: 'on', is: true }],
      then: [step(device)],
    }),
  ],
  'if.reading': [
    ['device'],
    (id, { device }) => ({
      name: 'Mine',
      when: [at('04:00')],
      if: [{ device: id, reading: 'light', below: 5 }],
      then: [step(device)],
    }),
  ],
}
const ofSchedule: Places = ofSteps(() => ({ at: at('04:00') }))
const edited = (places: Places): Places =>
  Object.fromEntries(
    Object.entries(places).map(([name, [kinds, build]]) => [
      name,
      [kinds, (id, around) => ({ ...build(id, around), ifRevision: 1 })],
    ]),
  )

/** Id positions in bodies; `null`: the body has no ids. Add each new endpoint with a body here. */
const IN_BODIES: Readonly<Record<string, Places | null>> = {
  // A mode or person has one id for all integrations.
  'mode.set': null,
  'presence.report': null,
  'devices.rename': null,
  'rooms.rename': null,
  'devices.control': null,
  // The result of a batch reports a missing device.
  'control.batch': {
    room: [['room'], (room) => ({ room, op: 'set_power', args: { on: true } })],
    floor: [['floor'], (floor) => ({ floor, op: 'set_power', args: { on: true } })],
    group: [['group'], (group) => ({ group, op: 'set_power', args: { on: true } })],
    'room of a group': [['room'], (room) => ({ group: 'light', room, op: 'set_power', args: { on: true } })],
  },
  'intents.write': null,
  'explain.post': { device: [['device', 'scene'], (device) => ({ device })] },
  'scenes.create': ofScene,
  'scenes.edit': edited(ofScene),
  'groups.create': { members: [['device'], (id) => ({ name: 'Mine', members: [id] })] },
  'groups.edit': { members: [['device'], (id) => ({ members: [id], ifRevision: 1 })] },
  'automations.create': ofAutomation,
  'automations.edit': edited(ofAutomation),
  'schedules.create': ofSchedule,
  'scenes.tryDraft': ofScene,
  'automations.tryDraft': ofAutomation,
  'schedules.tryDraft': ofSchedule,
  'schedules.edit': edited(ofSchedule),
  'automations.tryEdit': edited(ofAutomation),
  'schedules.tryEdit': edited(ofSchedule),
  // Without a credential a request names nothing of a home.
  'pair.ask': null,
  'pair.token': null,
}

/** Id positions in queries; `null`: none. Add each new endpoint with a query here. */
const IN_QUERIES: Readonly<
  Record<string, Readonly<Record<string, readonly [readonly IdKind[], (id: string) => Record<string, string>]>> | null>
> = {
  'energy.get': {
    room: [['room'], (id) => ({ scope: `room:${id}` })],
    floor: [['floor'], (id) => ({ scope: `floor:${id}` })],
    device: [['device'], (id) => ({ scope: `device:${id}` })],
  },
  'house.get': { room: [['room'], (room) => ({ room })] },
  'state.get': { room: [['room'], (room) => ({ room })] },
  'sensors.list': { room: [['room'], (room) => ({ room })] },
  'activity.list': {
    device: [['device', 'scene', 'group', 'room', 'floor', 'automation', 'schedule'], (device) => ({ device })],
    rule: [['automation', 'schedule'], (rule) => ({ rule })],
  },
  'calendars.list': null,
  'messages.list': null,
  'sensors.detections': null,
  'groups.delete': null,
  'devices.readings': null,
  'explain.get': null,
}

/** Valid bodies for the subject of a path. */
const RIGHT_BODIES: Readonly<Record<string, (around: Surroundings) => unknown>> = {
  'devices.rename': () => ({ name: 'Mine' }),
  'rooms.rename': () => ({ name: 'Mine' }),
  'devices.control': () => ({ op: 'stop' }),
  'intents.write': () => ({ value: 'on' }),
  'scenes.edit': () => ({ name: 'Mine', ifRevision: 1 }),
  'groups.edit': () => ({ name: 'Mine', ifRevision: 1 }),
  'automations.edit': () => ({ enabled: false, ifRevision: 1 }),
  'schedules.edit': () => ({ enabled: false, ifRevision: 1 }),
  'automations.tryEdit': () => ({ enabled: false, ifRevision: 1 }),
  'schedules.tryEdit': () => ({ enabled: false, ifRevision: 1 }),
}

/** Every position in every operation, refused ones included, where the service takes an id. */
export function idPlaces(): IdPlace[] {
  return (Object.entries(contract) as [EndpointName, Endpoint][])
    .flatMap(([name, endpoint]) => [...inPath(name, endpoint), ...inBody(name, endpoint), ...inQuery(name, endpoint)])
    .concat(
      refusedCalls
        .filter(({ path }) => path.includes('{id}'))
        .map(({ method, path, subject }) => {
          const request = (id: string): TestRequest => ({ method, path: fillPath(path, id) })
          return {
            name: `${method} ${path}`,
            kinds: kindsOf(subject, path),
            request,
            withWrongBody: (id) => ({ ...request(id), body: { name: 7, surprise: 1 } }),
          }
        }),
    )
}

function inPath(name: string, { method, aliases = [], path, subject, body }: Endpoint): IdPlace[] {
  // Ids of persons are the same for all integrations: test/service/people.test.ts.
  if (!path.includes('{id}') || subject === 'person') return []
  const right = RIGHT_BODIES[name]
  if (body !== null && !right) throw new Error(`id-places.ts has no right body for ${name}.`)
  return [method, ...aliases].map((name) => {
    const request = (id: string): TestRequest => ({ method: name, path: fillPath(path, id) })
    return {
      name: `${name} ${path}`,
      kinds: kindsOf(subject, path),
      request: (id, around) => ({ ...request(id), ...(right ? { body: right(around) } : {}) }),
      withWrongBody: (id) => ({ ...request(id), body: { surprise: [7] }, query: { surprise: '1' } }),
    }
  })
}

function inBody(name: string, { method, aliases = [], path, body, subject }: Endpoint): IdPlace[] {
  if (body === null) return []
  const places = IN_BODIES[name]
  if (places === undefined) throw new Error(`id-places.ts does not say where the body of ${name} carries ids.`)
  return [method, ...aliases].flatMap((name) =>
    Object.entries(places ?? {}).map(([place, [kinds, build]]): IdPlace => ({
      name: `${name} ${path}, ${place}`,
      kinds,
      request: (id, around) => ({ method: name, path: fillPath(path, own(subject, around)), body: build(id, around) }),
    })),
  )
}

function inQuery(name: string, { method, path, query }: Endpoint): IdPlace[] {
  if (Object.keys(query.shape).length === 0) return []
  const places = IN_QUERIES[name]
  if (places === undefined) throw new Error(`id-places.ts does not say where the query of ${name} carries ids.`)
  return Object.entries(places ?? {}).map(([place, [kinds, build]]) => ({
    name: `${method} ${path}?${place}`,
    kinds,
    request: (id) => ({ method, path, query: build(id) }),
  }))
}

function own(subject: SubjectKind, around: Surroundings): string {
  if (subject === 'automation' || subject === 'schedule') return around[subject]
  return subject === 'scene' || subject === 'group' ? around[subject] : around.device
}

function kindsOf(subject: SubjectKind, path: string): readonly IdKind[] {
  if (isUnlisted(subject)) throw new Error(`${path} takes an id and does not say of what.`)
  return KINDS[subject]
}

/** Inserts an id into the path without encoding it; the caller has done that. */
function fillPath(path: string, id: string): string {
  return path.replace('{id}', id).replace('{intent}', 'led_mode')
}
