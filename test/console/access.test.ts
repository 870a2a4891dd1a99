import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleSecrets, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'

interface Shown {
  readonly kind: string
  readonly id: string
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

test('of a device are told what uses it and who sees it', async () => {
  const { id } = await integrate('Hall only', ['room:hall'])
  const hall = (await as('GET', '/devices/front-door')).body as { usedBy: object[]; seenBy: { id: string }[] }
  expect(hall).toMatchObject({ device: 'front-door', name: 'Front door' })
  expect(hall.usedBy).toContainEqual(expect.objectContaining({ kind: 'scene' }))
  expect(hall.seenBy.map((each) => each.id)).toContain(id)
  const elsewhere = [...running.gateway.home.house.devices.values()].find(({ room }) => room !== 'hall')!
  const other = (await as('GET', `/devices/${elsewhere.key}`)).body as { seenBy: { id: string }[] }
  expect(other.seenBy.map((each) => each.id)).not.toContain(id)
  expect((await as('GET', '/devices/none')).status).toBe(404)
})

/** Numbers that look made up, and are the same in each run. */
function* randoms(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    yield state / 2_147_483_648
  }
}

proves('console.preview', 'what the preview of an exposure tells is what the key sees afterwards', async () => {
  const { id, token } = await integrate('Picked', ['all'])
  const { house } = running.gateway.home
  const words = [
    ...[...house.floors.keys()].map((floor) => `floor:${floor}`),
    ...[...house.rooms.keys()].map((room) => `room:${room}`),
    ...[...house.units.keys()].map((unit) => `unit:${unit}`),
    ...[...house.scenes.keys()].map((scene) => `scene:${scene}`),
  ]
  const random = randoms(14)
  const draw = (): number => random.next().value as number
  const sees = async (): Promise<string[]> => {
    const headers = { authorization: `Bearer ${token}` }
    const { text } = await visitor.ask({ path: '/v1/house', headers })
    const prefix = `${running.gateway.serial}:${id}:`
    return [...text.matchAll(/"id":"([^"]+)"/g)].map(([, found = '']) => found.replace(prefix, '')).toSorted()
  }
  let before = await sees()
  for (let pick = 0; pick < 25; pick += 1) {
    const expose = words.filter(() => draw() < 0.08)
    if (expose.length === 0) continue
    const { appears, disappears } = (await as('POST', `/integrations/${id}/preview`, { expose })).body as {
      appears: Shown[]
      disappears: Shown[]
    }
    expect((await as('PATCH', `/integrations/${id}`, { expose })).status).toBe(200)
    const after = await sees()
    expect(idsOf(appears)).toEqual(after.filter((each) => !before.includes(each)))
    expect(idsOf(disappears)).toEqual(before.filter((each) => !after.includes(each)))
    before = after
  }
})

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
