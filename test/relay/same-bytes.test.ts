import { describe, expect, onTestFinished } from 'vitest'
import { contract, type EndpointName } from '../../src/api/contract/index.ts'
import type { Endpoint, SubjectKind } from '../../src/api/contract/endpoint.ts'
import { keysOf } from '../../src/lib/keys-of.ts'
import { type Access, HttpCaller, StreamCaller, TestSocket } from '#support/gateway/callers.ts'
import type { TestHome } from '#support/gateway/harness.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { proves, type TestRequest } from '#support/gateway/verifies.ts'
import { bytesOf } from '#support/relay/bytes-of.ts'
import { sharedRelayedHome } from '#support/relay/relayed-home.ts'

/** Paths that the relay serves itself, and paths for the home network only. */
const NOT_RELAYED: readonly EndpointName[] = ['about.get', 'tls.get']
const ENDPOINTS: Readonly<Record<EndpointName, Endpoint>> = contract
const READS = keysOf(ENDPOINTS).filter((name) => ENDPOINTS[name].method === 'GET' && !NOT_RELAYED.includes(name))
const DEVICES = ['hall-light', 'kitchen-panel:1', 'front-door', 'house-meter', 'landing-sensor', 'living-climate']

type Ids = Readonly<Record<SubjectKind, readonly string[]>>
type Query = Readonly<Record<string, string>>

/** Things of each kind: devices of many classes, a rule of each kind, and a running run. */
async function idsOf(home: TestHome): Promise<Ids> {
  const on = power(home, 'hall-light', true)
  const rule = async (kind: 'automation' | 'schedule', rest: object): Promise<string> =>
    (await new RuleCalls(home, kind).create({ name: 'Of the test', ...rest, then: [on] })).id
  const { id: scene } = await new RuleCalls(home, 'scene').create({ name: 'Slow', steps: [on, { delay: 3_600 }] })
  const ran = await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(scene)}/run` })
  const group = await home.call({ method: 'POST', path: '/v1/groups', body: { name: 'Of the test' } })
  const devices = DEVICES.map((local) => home.id(local))
  return {
    none: [''],
    mode: [''],
    people: [''],
    person: ['nobodyhere'],
    thing: [...devices, home.id('kitchen-panel'), scene],
    device: devices,
    scene: [scene, home.id('scene:dinner')],
    group: [(group.body as { group: { id: string } }).group.id],
    room: [home.id('room:hall')],
    floor: [home.id('floor:top-floor')],
    automation: [await rule('automation', { when: [{ time: '04:00' }] })],
    schedule: [await rule('schedule', { at: { time: '04:00' } })],
    message: [],
    run: [(ran.body as { run: { runId: string } }).run.runId],
  }
}

/** Queries with other results than the plain request. */
function queriesOf(home: TestHome): Readonly<Partial<Record<EndpointName, readonly Query[]>>> {
  const inHall: readonly Query[] = [{}, { room: home.id('room:hall') }]
  return {
    'house.get': inHall,
    'state.get': inHall,
    'sensors.list': inHall,
    'devices.readings': [{ kind: 'temperature' }],
    'energy.get': [{}, { scope: `room:${home.id('room:kitchen')}` }, { scope: `device:${home.id('house-meter')}` }],
    'activity.list': [{}, { limit: '2' }, { device: home.id('hall-light') }],
  }
}

function requestsOf(name: EndpointName, ids: Ids, queries: readonly Query[] = [{}]): readonly TestRequest[] {
  const { path, subject } = ENDPOINTS[name]
  return ids[subject].flatMap((id) =>
    queries.map((query) => ({ method: 'GET', path: path.replace('{id}', encodeURIComponent(id)), query })),
  )
}

function callers(access: Access): { readonly http: HttpCaller; readonly stream: StreamCaller } {
  const made = { http: new HttpCaller(access), stream: new StreamCaller(access) }
  onTestFinished(async () => {
    await made.http[Symbol.asyncDispose]()
    await made.stream[Symbol.asyncDispose]()
  })
  return made
}

/** A socket that receives all events, with their texts. */
async function listening(access: Access): Promise<{ readonly socket: TestSocket; readonly texts: readonly string[] }> {
  const socket = await TestSocket.open(access)
  onTestFinished(() => socket.close())
  await socket.subscribe(['*'])
  const texts: string[] = []
  socket.socket.on('message', (data: Buffer) => texts.push(data.toString('utf8')))
  return { socket, texts }
}

describe('reads and writes through a relay', () => {
  const shared = sharedRelayedHome()

  proves('1.2.relay', 'have the bytes and headers of the home network, read by read', { tags: ['long'] }, async () => {
    const { relay, home } = await shared()
    await home.change(home.main, { people: 'anyone' })
    const [ids, queries] = [await idsOf(home), queriesOf(home)]
    const [here, there] = [callers(home.access(home.main.token)), callers(relay.access(home.main.token))]
    const answered = new Set<EndpointName>()
    await home.running.still(async () => {
      for (const name of READS)
        for (const request of requestsOf(name, ids, queries[name])) {
          const expected = await here.http.call(request)
          if (expected.status === 200) answered.add(name)
          expect(bytesOf(await there.http.call(request)), request.path).toEqual(bytesOf(expected))
          const [own, relayed] = [await here.stream.call(request), await there.stream.call(request)]
          expect([relayed.status, relayed.text], request.path).toEqual([own.status, own.text])
          expect(relayed.status).toBe(expected.status)
        }
    })
    expect(READS.filter((name) => !answered.has(name))).toEqual([])
  })

  proves('1.2.relay', 'are unchanged by their tag, as at home', { tags: ['long'] }, async () => {
    const { relay, home } = await shared()
    const authorization = `Bearer ${home.main.token}`
    const tagged = READS.filter((name) => ENDPOINTS[name].tagged && ENDPOINTS[name].subject === 'none')
    expect(tagged.length).toBeGreaterThan(2)
    await home.running.still(async () => {
      for (const name of tagged) {
        const { path } = ENDPOINTS[name]
        const first = await rawRequest(home.access(null), { path, headers: { authorization } })
        const headers = { authorization, 'if-none-match': first.headers?.['etag'] ?? '' }
        const [expected, answer] = [
          await rawRequest(home.access(null), { path, headers }),
          await rawRequest(relay.access(null), { path, headers }),
        ]
        expect(bytesOf(answer), path).toEqual(bytesOf(expected))
        expect(answer.status).toBe(304)
      }
    })
  })

  proves('1.2.relay', 'and their events have the bytes of the home network', async () => {
    const { relay, home } = await shared()
    const [atHome, outside] = [home.access(home.main.token), relay.access(home.main.token)]
    const [here, there] = [callers(atHome).http, callers(outside).http]
    const [near, far] = [await listening(atHome), await listening(outside)]
    far.socket.hasten = (work) => home.running.hasten(work)
    near.socket.hasten = far.socket.hasten
    const path = home.at('study-light', '/control')
    for (const [on, first, second] of [
      [true, there, here],
      [false, here, there],
    ] as const) {
      const { device: _device, ...body } = power(home, 'study-light', on)
      // With the same key, the second response repeats the first one.
      const write = { method: 'POST', path, body, key: `once-${on}` }
      const done = await home.running.hasten(first.call(write))
      expect(done.status).toBe(200)
      expect(bytesOf(await second.call(write))).toEqual(bytesOf(done))
    }
    const rename = { method: 'PATCH', path: home.at('study-light'), body: { name: 'Lamp of the study' } }
    expect((await there.call(rename)).status).toBe(200)
    await home.running.still(async () =>
      expect(bytesOf(await there.call(rename))).toEqual(bytesOf(await here.call(rename))),
    )
    for (const { socket } of [near, far]) await socket.event(({ event }) => event === 'exposure')
    expect(far.texts).toEqual(near.texts)
    expect(far.texts.map((text) => (JSON.parse(text) as { event: string }).event)).toEqual([
      'state',
      'state',
      'exposure',
    ])
  })
})
