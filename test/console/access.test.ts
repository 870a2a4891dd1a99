// @module-tag repeated
import fc from 'fast-check'
import { parse, stringify } from 'yaml'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OWNER_ID } from '../../src/auth/persons/person.ts'
import { type ConsoleSecrets, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { times } from '#support/long.ts'
import { proves } from '#support/gateway/verifies.ts'

interface Shown {
  readonly kind: string
  readonly id: string
}

interface Saved {
  readonly revision: string
  readonly credentials: readonly { readonly link: string }[]
}

let running: TestGateway
let visitor: ConsoleVisitor
let mine: ConsoleSecrets

beforeAll(async () => {
  running = await TestGateway.open({ settled: false })
  visitor = new ConsoleVisitor(running)
  mine = await visitor.entered()
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

const as = (method: string, path: string, body?: unknown) => visitor.as(mine, method, `/admin/v1${path}`, body)

async function integrate(name: string, expose: readonly string[]): Promise<{ id: string; token: string }> {
  const made = (await as('POST', '/integrations', { name, expose })).body as { integration: { id: string } }
  const { token } = (await as('POST', '/keys', { integration: made.integration.id })).body as { token: string }
  return { id: made.integration.id, token }
}

test('an integration is renamed, which its own clients read', async () => {
  const { id, token } = await integrate('Dashbord', ['all'])
  expect((await as('PATCH', `/integrations/${id}`, { name: 'Dashboard' })).body).toMatchObject({
    integration: { name: 'Dashboard', expose: ['all'] },
  })
  const own = await visitor.ask({ path: '/v1/integration', headers: { authorization: `Bearer ${token}` } })
  expect(own.text).toContain('"Dashboard"')
  const { entries } = (await as('GET', `/activity?integration=${id}&kind=access&limit=1`)).body as {
    entries: { what: string }[]
  }
  expect(entries).toMatchObject([{ what: 'renamed to Dashboard' }])
  expect((await as('PATCH', `/integrations/${id}`, { name: '' })).status).toBe(422)
})

test('who edits what somebody else has changed meanwhile is refused, and nothing is changed', async () => {
  const { id } = await integrate('Wall tablet', ['room:hall'])
  const read = async () => ((await as('GET', `/integrations/${id}`)).body as { integration: Saved }).integration
  const { revision } = await read()
  const first = await as('PATCH', `/integrations/${id}`, { expose: ['all'], ifRevision: revision })
  expect(first.status).toBe(200)
  const second = await as('PATCH', `/integrations/${id}`, { name: 'Tablet', ifRevision: revision })
  expect([second.status, second.text]).toEqual([409, expect.stringContaining('"revision_mismatch"')])
  const now = await read()
  expect(now).toMatchObject({ name: 'Wall tablet', expose: ['all'] })
  expect((await as('PATCH', `/integrations/${id}`, { name: 'Tablet', ifRevision: now.revision })).status).toBe(200)
})

test('an exposure is taken back together with the knob that went off by it', async () => {
  const { id } = await integrate('Names', ['all'])
  const change = async (body: object) => (await as('PATCH', `/integrations/${id}`, body)).body
  await change({ settings: { structural: 'on' } })
  expect(await change({ expose: ['scene:dinner'] })).toMatchObject({
    knobsOff: ['structural'],
    integration: { settings: { structural: 'off' } },
  })
  expect(await change({ expose: ['all'], settings: { structural: 'on' } })).toMatchObject({
    integration: { expose: ['all'], settings: { structural: 'on' } },
  })
})

test('a pick stays when its thing has gone and others are picked, and shows it again once it is back', async () => {
  const { id, token } = await integrate('Scenes', ['scene:dinner', 'scene:movie-night'])
  const { file } = await running.admin.call<{ file: string }>('GET', '/house/file')
  const home = parse(file) as { scenes: { id: string }[] }
  const without = stringify({ ...home, scenes: home.scenes.filter((scene) => scene.id !== 'dinner') })
  await running.admin.call('PUT', '/house/file', { file: without, check: false })
  const expose = ['scene:dinner', 'room:hall']
  expect((await as('PATCH', `/integrations/${id}`, { expose })).body).toMatchObject({ integration: { expose } })
  expect((await as('PATCH', `/integrations/${id}`, { expose: ['scene:movie-nights'] })).status).toBe(422)
  await running.admin.call('PUT', '/house/file', { file, check: false })
  const { text } = await visitor.ask({ path: '/v1/house', headers: { authorization: `Bearer ${token}` } })
  expect(text).toContain('"name":"Dinner"')
})

test('a long answer comes whole to a page that takes gzip, as browsers do', async () => {
  const then = [{ device: `${running.gateway.serial}:${OWNER_ID}:hall-light`, op: 'set_power', args: { on: true } }]
  for (let number = 0; number < 20; number += 1) {
    const schedule = { name: `${number} ${'ü'.repeat(60)}`, at: { time: '06:45' }, then }
    await visitor.as(mine, 'POST', '/admin/home/v1/schedules', schedule)
  }
  const headers = { ...visitor.headersOf(mine), 'accept-encoding': 'gzip' }
  const packed = await visitor.ask({ path: '/admin/home/v1/activity?limit=20', headers })
  expect(packed).toMatchObject({ headers: { 'content-encoding': 'gzip' }, body: { entries: { length: 20 } } })
})

test('of a credential is told what would end with it', async () => {
  const { id } = await integrate('Keyed', ['all'])
  const { credentials } = ((await as('GET', `/integrations/${id}`)).body as { integration: Saved }).integration
  const [{ link } = { link: '' }] = credentials
  expect((await as('GET', `/keys/${link}`)).body).toEqual({
    key: expect.objectContaining({ link, kind: 'key', state: 'active', streams: 0 }) as object,
  })
  expect((await as('GET', '/keys/none')).status).toBe(404)
})

test('of a device are told what uses it and who sees it', async () => {
  // The clock sets nothing off before the home has settled.
  await running.hasten(running.settled())
  const { id } = await integrate('Hall only', ['room:hall'])
  const hall = (await as('GET', '/devices/front-door')).body as { usedBy: object[]; seenBy: { id: string }[] }
  expect(hall).toMatchObject({ device: 'front-door', name: 'Front door' })
  expect(hall.usedBy).toContainEqual(expect.objectContaining({ kind: 'scene', next: null }))
  const light = `${running.gateway.serial}:${OWNER_ID}:hall-light`
  const then = [{ device: light, op: 'set_power', args: { on: true } }]
  const schedule = { name: 'Hall at dawn', at: { time: '06:45' }, then }
  expect((await visitor.as(mine, 'POST', '/admin/home/v1/schedules', schedule)).status).toBe(201)
  const { usedBy } = (await as('GET', '/devices/hall-light')).body as { usedBy: object[] }
  expect(usedBy).toContainEqual(
    expect.objectContaining({ kind: 'schedule', name: 'Hall at dawn', next: expect.any(Number) as number }),
  )
  expect(hall.seenBy.map((each) => each.id)).toContain(id)
  const elsewhere = [...running.gateway.home.house.devices.values()].find(({ room }) => room !== 'hall')!
  const other = (await as('GET', `/devices/${elsewhere.key}`)).body as { seenBy: { id: string }[] }
  expect(other.seenBy.map((each) => each.id)).not.toContain(id)
  expect((await as('GET', '/devices/none')).status).toBe(404)
})

const PICKS = times(20, 200)

proves('console.preview', `what ${PICKS} previews of random picks tell is what the key sees afterwards`, async () => {
  const { id, token } = await integrate('Picked', ['all'])
  const sees = async (): Promise<string> =>
    (await visitor.ask({ path: '/v1/house', headers: { authorization: `Bearer ${token}` } })).text
  const idsIn = (seen: string): string[] => {
    const prefix = `${running.gateway.serial}:${id}:`
    return [...seen.matchAll(/"id":"([^"]+)"/g)].map(([, found = '']) => found.replace(prefix, '')).toSorted()
  }
  let before = idsIn(await sees())
  // The administrators' own way compares the answer with its schema.
  expect(await running.admin.call('POST', `/integrations/${id}/preview/house`, {})).toHaveProperty('house')
  const pick = fc.subarray(allPicks(), { minLength: 1, maxLength: 12 })
  const property = fc.asyncProperty(
    fc.oneof({ weight: 1, arbitrary: fc.constant(['all']) }, { weight: 9, arbitrary: pick }),
    async (expose) => {
      await running.still(async () => {
        const told = (await as('POST', `/integrations/${id}/preview`, { expose })).body as Record<
          'appears' | 'disappears',
          Shown[]
        >
        const previewed = (await as('POST', `/integrations/${id}/preview/house`, { expose })).text
        expect((await as('PATCH', `/integrations/${id}`, { expose })).status).toBe(200)
        const seen = await sees()
        expect(previewed).toBe(seen)
        const after = idsIn(seen)
        expect(idsOf(told.appears)).toEqual(after.filter((each) => !before.includes(each)))
        expect(idsOf(told.disappears)).toEqual(before.filter((each) => !after.includes(each)))
        before = after
      })
    },
  )
  await fc.assert(property, { numRuns: PICKS, endOnFailure: true })
})

/** Everything that can be picked in the home. */
function allPicks(): string[] {
  const { floors, rooms, units, devices, scenes } = running.gateway.home.house
  return [
    ...[...floors.keys()].map((floor) => `floor:${floor}`),
    ...[...rooms.keys()].map((room) => `room:${room}`),
    ...[...units.keys()].map((unit) => `unit:${unit}`),
    ...[...devices.values()].filter(({ gang }) => gang !== null).map(({ key }) => `gang:${key}`),
    ...[...scenes.keys()].map((scene) => `scene:${scene}`),
  ]
}

/** The ids of previewed things as the service has them; what is no thing of the house is left out. */
function idsOf(shown: readonly Shown[]): string[] {
  const form: Readonly<Record<string, (id: string) => string>> = {
    floor: (id) => `floor:${id}`,
    room: (id) => `room:${id}`,
    scene: (id) => `scene:${id}`,
    unit: (id) => id,
    module: (id) => id,
    gang: (id) => id,
  }
  return shown.flatMap(({ kind, id }) => form[kind]?.(id) ?? []).toSorted()
}

test(
  'a certificate that was asked for is not made where the session ended before its turn',
  { tags: ['long'] },
  async () => {
    using other = new ConsoleVisitor(running)
    const gone = await other.entered()
    const renew = (): Promise<object> => running.admin.call('POST', '/tls/renew')
    const { session } = (await other.as(gone, 'GET', '/admin/v1/session')).body as { session: { id: string } }
    // They wait for one another: the session's request gets its turn behind them.
    const before = Array.from({ length: 30 }, renew)
    await before[2]
    const asked = other.as(gone, 'POST', '/admin/v1/tls/renew')
    await before[4]
    await running.admin.call('DELETE', `/sessions/${session.id}`)
    expect((await asked).status).toBe(401)
    await Promise.all(before)
  },
)
