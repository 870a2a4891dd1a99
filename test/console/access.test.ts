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
  mine = await visitor.signInByLink()
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

test('clients of a renamed integration read its new name', async () => {
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

test('an edit of an outdated revision is refused and changes nothing', async () => {
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

test('an undo restores the exposure and the knob that went off with it', async () => {
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

test('a pick of a removed thing survives other changes, and applies again when the thing returns', async () => {
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

test('browsers get long answers complete in gzip', async () => {
  const then = [{ device: `${running.gateway.serial}:${OWNER_ID}:hall-light`, op: 'set_power', args: { on: true } }]
  for (let number = 0; number < 20; number += 1) {
    const schedule = { name: `${number} ${'ü'.repeat(60)}`, at: { time: '06:45' }, then }
    await visitor.as(mine, 'POST', '/admin/home/v1/schedules', schedule)
  }
  const headers = { ...visitor.headersOf(mine), 'accept-encoding': 'gzip' }
  const packed = await visitor.ask({ path: '/admin/home/v1/activity?limit=20', headers })
  expect(packed).toMatchObject({ headers: { 'content-encoding': 'gzip' }, body: { entries: { length: 20 } } })
})

test('a credential lists the consequences of its revocation', async () => {
  const { id } = await integrate('Keyed', ['all'])
  const { credentials } = ((await as('GET', `/integrations/${id}`)).body as { integration: Saved }).integration
  const [{ link } = { link: '' }] = credentials
  expect((await as('GET', `/keys/${link}`)).body).toEqual({
    key: expect.objectContaining({ link, kind: 'key', state: 'active', streams: 0 }) as object,
  })
  expect((await as('GET', '/keys/none')).status).toBe(404)
})

test('a device lists its users and the integrations that see it', async () => {
  // Schedules start only after the home has settled.
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
  expect(hall.seenBy.map((viewer) => viewer.id)).toContain(id)
  const elsewhere = [...running.gateway.home.house.devices.values()].find(({ room }) => room !== 'hall')!
  const other = (await as('GET', `/devices/${elsewhere.key}`)).body as { seenBy: { id: string }[] }
  expect(other.seenBy.map((viewer) => viewer.id)).not.toContain(id)
  expect((await as('GET', '/devices/none')).status).toBe(404)
})

const PICKS = times(8, 200)

proves('console.preview', `${PICKS} previews of random picks match the later view of the key`, async () => {
  const { id, token } = await integrate('Picked', ['all'])
  const sees = async (): Promise<string> =>
    (await visitor.ask({ path: '/v1/house', headers: { authorization: `Bearer ${token}` } })).text
  const idsIn = (seen: string): string[] => {
    const prefix = `${running.gateway.serial}:${id}:`
    return [...seen.matchAll(/"id":"([^"]+)"/g)].map(([, found = '']) => found.replace(prefix, '')).toSorted()
  }
  let before = idsIn(await sees())
  // The administrators' caller validates the answer against its schema.
  expect(await running.admin.call('POST', `/integrations/${id}/preview/house`, {})).toHaveProperty('house')
  const pick = fc.subarray(allPicks(), { minLength: 1, maxLength: 12 })
  const property = fc.asyncProperty(
    fc.oneof({ weight: 1, arbitrary: fc.constant(['all']) }, { weight: 9, arbitrary: pick }),
    async (expose) => {
      await running.still(async () => {
        const preview = (await as('POST', `/integrations/${id}/preview`, { expose })).body as Record<
          'appears' | 'disappears',
          Shown[]
        >
        const previewed = (await as('POST', `/integrations/${id}/preview/house`, { expose })).text
        expect((await as('PATCH', `/integrations/${id}`, { expose })).status).toBe(200)
        const seen = await sees()
        expect(previewed).toBe(seen)
        const after = idsIn(seen)
        expect(idsOf(preview.appears)).toEqual(after.filter((thing) => !before.includes(thing)))
        expect(idsOf(preview.disappears)).toEqual(before.filter((thing) => !after.includes(thing)))
        before = after
      })
    },
  )
  await fc.assert(property, { numRuns: PICKS, endOnFailure: true })
})

/** Keys of all things that can be picked. */
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

/** Service ids of previewed things; rules are left out. */
function idsOf(things: readonly Shown[]): string[] {
  const form: Readonly<Record<string, (id: string) => string>> = {
    floor: (id) => `floor:${id}`,
    room: (id) => `room:${id}`,
    scene: (id) => `scene:${id}`,
    unit: (id) => id,
    module: (id) => id,
    gang: (id) => id,
  }
  return things.flatMap(({ kind, id }) => form[kind]?.(id) ?? []).toSorted()
}

test('a queued certificate renewal is refused if its session has ended', { tags: ['long'] }, async () => {
  using other = new ConsoleVisitor(running)
  const ended = await other.signInByLink()
  const renew = (): Promise<object> => running.admin.call('POST', '/tls/renew')
  const { session } = (await other.as(ended, 'GET', '/admin/v1/session')).body as { session: { id: string } }
  // Renewals run one by one, so the session's request waits behind these.
  const before = Array.from({ length: 30 }, renew)
  await before[2]
  const renewal = other.as(ended, 'POST', '/admin/v1/tls/renew')
  await before[4]
  await running.admin.call('DELETE', `/sessions/${session.id}`)
  expect((await renewal).status).toBe(401)
  await Promise.all(before)
})
