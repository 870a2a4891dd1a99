import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { trusting } from '#support/gateway/callers.ts'
import { ConsolePage } from '#support/gateway/console-page.ts'
import { type ConsoleSecrets, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'

let running: TestGateway
let visitor: ConsoleVisitor
let anna: ConsoleSecrets

beforeAll(async () => {
  running = await TestGateway.open()
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna' })
  anna = await visitor.signInByLink('Anna')
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

const pageOf = (secrets: ConsoleSecrets, more: { readonly origin?: string } = {}) =>
  new ConsolePage({ running, visitor }, secrets, more)

const as = (method: string, path: string, body?: unknown) =>
  running.hasten(visitor.as(anna, method, `/admin/home${path}`, body))

test('caches store no answer for the owner, even of lists that clients may cache', async () => {
  for (const path of ['/v1/house', '/v1/scenes', '/v1/state'])
    expect([path, (await as('GET', path)).headers?.['cache-control']]).toEqual([path, 'no-store'])
})

/** The owner's id of a device. */
const id = (local: string): string => `${running.gateway.serial}:00000000-0000-0000-0000-000000000000:${local}`

proves(['console.owner', 'console.causes'], 'the owner sees and controls everything, and is the cause', async () => {
  const { text } = await as('GET', '/v1/house')
  for (const unit of running.gateway.home.house.units.keys()) expect(text).toContain(`"${id(unit)}"`)
  const lock = `/v1/devices/${encodeURIComponent(id('front-door'))}`
  expect(await as('POST', `${lock}/control`, { op: 'open' })).toMatchObject({ status: 200 })
  const { entries } = (await as('GET', `/v1/activity?device=${encodeURIComponent(id('front-door'))}`)).body as {
    entries: { cause: object }[]
  }
  expect(entries[0]?.cause).toEqual({ source: 'person', name: 'Anna' })
  expect((await running.admin.call<{ integrations: object[] }>('GET', '/integrations')).integrations).toEqual([])
})

proves('console.owner', 'scenes of a person belong to no integration, even those that open a lock', async () => {
  const steps = [{ device: id('front-door'), op: 'open' }]
  const made = await as('POST', '/v1/scenes', { name: 'Come in', steps })
  expect(made).toMatchObject({ status: 201, body: { scene: { origin: null } } })
  const { scene } = made.body as { scene: { id: string } }
  expect((await as('POST', `/v1/scenes/${encodeURIComponent(scene.id)}/run`)).status).toBe(200)
})

test('a person’s write with an Idempotency-Key happens once', async () => {
  const ask = () =>
    visitor.ask({
      method: 'POST',
      path: '/admin/home/v1/scenes',
      headers: { ...visitor.headersOf(anna), 'idempotency-key': 'once' },
      body: { name: 'Once', steps: [{ device: id('front-door'), op: 'close' }] },
    })
  const [first, again] = [await ask(), await ask()]
  expect([first.status, again.text]).toEqual([201, first.text])
})

proves('console.stream', 'one socket carries requests and events, as the service’s does', async () => {
  const page = pageOf(anna)
  expect((await page.hears('*', 'access', 'status')).body).toMatchObject({ subscribed: ['*', 'access', 'status'] })
  expect(page.socket.protocol).toBe('hm')
  await page.until(() => page.of('status').length > 0)
  expect(page.of('status')[0]?.state).toMatchObject({ gateway: running.gateway.serial })
  page.socket.send(
    JSON.stringify({
      id: 'c',
      method: 'POST',
      path: `/v1/devices/${encodeURIComponent(id('hall-light'))}/control`,
      body: { op: 'set_power', args: { on: true } },
    }),
  )
  await page.until(() => page.received.some((message) => message.id === 'c'))
  expect(page.received.find((message) => message.id === 'c')?.status).toBe(200)
  await page.until(() => page.of('state').length > 0)
  page.socket.terminate()
})

proves(
  'console.stream',
  'an agent’s request appears on every open page, and one acceptance removes it everywhere',
  async () => {
    const pages = [pageOf(anna), pageOf(anna)]
    for (const page of pages) await page.hears('access')
    const { integration } = await running.admin.call<{ integration: { id: string } }>('POST', '/integrations', {
      name: 'Assistant',
      settings: { agent_access: 'on' },
    })
    const body = { gateway: running.gateway.serial, name: 'Claude', platform: 'Test' }
    const paired = await visitor.ask({ method: 'POST', path: '/v1/pair', body })
    expect(paired).toMatchObject({ status: 200 })
    const { userCode: code } = paired.body as { userCode?: string }
    for (const page of pages) {
      await page.until(() => page.of('access', 'agent_request').length > 0)
      expect(JSON.stringify(page.of('access', 'agent_request')[0]?.state)).toContain(code ?? 'no code')
    }
    const { request } = (page0(pages).of('access', 'agent_request')[0] as { state: { request: { request: string } } })
      .state.request
    const accepted = await visitor.as(anna, 'POST', `/admin/v1/agents/requests/${request}/accept`, {
      integration: integration.id,
    })
    expect(accepted).toMatchObject({ status: 200 })
    for (const page of pages) {
      await page.until(() => page.of('access', 'agent_request_ended').length > 0)
      expect(page.of('access', 'changed').length).toBeGreaterThan(0)
      page.socket.terminate()
    }
  },
)

const page0 = (pages: readonly ConsolePage[]): ConsolePage => pages[0] as ConsolePage

proves('console.stream', 'the stream sends every stored activity entry, and requests can filter them', async () => {
  const page = pageOf(anna)
  await page.hears('activity')
  const name = 'Told at once'
  await running.admin.call('POST', '/integrations', { name })
  await page.until(() => JSON.stringify(page.of('activity')).includes(name))
  const list = (query: string) => visitor.as(anna, 'GET', `/admin/v1/activity${query}`)
  const { entries } = (await list('?kind=access&source=person&limit=5')).body as { entries: { what: string }[] }
  expect(entries[0]?.what).toBe(`integration ${name} created`)
  expect((await list('?device=front-door')).body).toMatchObject({ entries: [{ name: 'Front door' }], nextTo: null })
  expect((await list('?room=hall&device=front-door')).body).toMatchObject({ entries: [{ name: 'Front door' }] })
  expect((await list('?room=kitchen&device=front-door')).body).toMatchObject({ entries: [], nextTo: null })
  expect((await list('?limit=0')).status).toBe(422)
  page.socket.terminate()
})

proves('console.stream', 'the stream sends all activity, in bulk and after the clock was set back', async () => {
  const page = pageOf(anna)
  await page.hears('activity')
  const { activity } = running.gateway.stores.history
  const at = running.clock.now() - 3_600_000
  const many = Array.from({ length: 500 }, (_, index) => `stored ${index}`)
  const cause = { source: 'person', name: 'Anna' } as const
  for (const what of many) activity.record({ at, kind: 'state', subject: { kind: 'home' }, what, cause })
  const stored = () =>
    page
      .of('activity')
      .flatMap(({ state }) => (state as { entries: { what: string }[] }).entries.map(({ what }) => what))
      .filter((what) => what.startsWith('stored '))
  await page.until(() => stored().length >= many.length)
  expect(stored()).toEqual(many)
  page.socket.terminate()
})

proves('console.stream', 'a socket closes with its session, and none opens with one secret alone', async () => {
  const mine = await visitor.signInByLink()
  const page = pageOf(mine)
  await page.hears('*', 'access', 'activity', 'status')
  await visitor.as(anna, 'DELETE', `/admin/v1/sessions/${mine.session}`)
  await page.until(() => page.closed !== null)
  for (const attempt of [
    () => pageOf(mine),
    () => pageOf({ ...anna, half: mine.half }),
    () => pageOf({ ...anna, cookie: mine.cookie }),
    () => pageOf(anna, { origin: 'https://localhost:1' }),
  ]) {
    const { socket } = attempt()
    const [error] = (await once(socket, 'error')) as [Error]
    expect(error.message).toContain('401')
  }
})

proves('console.stream', 'these topics do not exist for programs', async () => {
  const { integration } = await running.admin.call<{ integration: { id: string } }>('POST', '/integrations', {
    name: 'Dashboard',
  })
  const { token } = await running.admin.call<{ token: string }>('POST', '/keys', { integration: integration.id })
  const socket = new WebSocket(`wss://${visitor.host}/v1/stream`, {
    ...trusting(readFileSync(running.gateway.caFile, 'utf8')),
    headers: { authorization: `Bearer ${token}` },
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ id: 'a', subscribe: ['access'] }))
  const [data] = (await once(socket, 'message')) as [Buffer]
  expect(JSON.parse(data.toString())).toMatchObject({ status: 404 })
  socket.terminate()
})
