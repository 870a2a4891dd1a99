// @module-tag repeated
import { afterAll, beforeAll, expect } from 'vitest'
import { adminContract } from '../../src/admin/contract/index.ts'
import { EVENTS_PATH } from '../../src/admin/contract/events.ts'
import { contract } from '../../src/api/contract/index.ts'
import type { Endpoint } from '../../src/api/contract/endpoint.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { ConsolePage } from '#support/gateway/console-page.ts'
import { type ConsoleSecrets, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { LONG, times } from '#support/long.ts'

let running: TestGateway
let visitor: ConsoleVisitor
let lena: Member
/** Headers of each caller, by name. */
let callers: Readonly<Record<string, Record<string, string>>>

interface Member extends ConsoleSecrets {
  readonly id: string
  readonly integration: string
}

async function memberOf(name: string, member: object): Promise<Member> {
  const { person } = await running.admin.call<{ person: Member }>('POST', '/persons', { name, member })
  return { ...person, ...(await visitor.signInByLink(name)) }
}

beforeAll(async () => {
  running = await TestGateway.open({ settled: false })
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna' })
  const settings = { agent_access: 'on', automations: 'on', schedules: 'on' }
  lena = await memberOf('Lena', { expose: ['room:hall'], settings })
  const child = await memberOf('Ben', { settings: { advanced_config: 'off' } })
  const closed = await memberOf('Guest', {})
  await running.admin.call('PATCH', `/integrations/${closed.integration}`, { enabled: false })
  const expired = await memberOf('Old', {})
  const { core } = running.gateway.stores
  core.change(() =>
    core.db.prepare('UPDATE console_sessions SET steady_created_at = 0 WHERE id = ?').run(expired.session),
  )
  const asked = { integration: lena.integration, name: 'Claude', platform: 'Laptop' }
  const { token } = await running.admin.call<{ token: string }>('POST', '/agents', asked)
  const { cookie } = visitor.headersOf(lena)
  callers = {
    member: visitor.headersOf(lena),
    child: visitor.headersOf(child),
    'guest outside hours': visitor.headersOf(closed),
    'agent of a member': { authorization: `Bearer ${token}` },
    'expired session': visitor.headersOf(expired),
    'foreign origin': { ...visitor.headersOf(lena), origin: 'https://evil.example' },
    'half a session': { cookie, origin: visitor.origin },
    nothing: {},
  }
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

/** Callers whose sessions open some paths. */
const SIGNED_IN = ['member', 'child', 'guest outside hours']

/** Paths of administrators; callers without a session reach none at all, and the home's neither. */
function forbiddenTo(caller: string): readonly { readonly method: string; readonly path: string }[] {
  const filled = ({ method, path }: Endpoint, before = '') => ({
    method,
    path: before + path.replaceAll(/\{\w+\}/g, 'abc'),
  })
  const admin = Object.values<Endpoint>(adminContract)
  if (SIGNED_IN.includes(caller)) return admin.filter((one) => one.for === undefined).map((one) => filled(one))
  return [
    ...admin.map((one) => filled(one)),
    ...Object.values<Endpoint>(contract).map((one) => filled(one, '/admin/home')),
    { method: 'GET', path: EVENTS_PATH },
  ]
}

function seen({ status, text, headers }: RawAnswer): string {
  const { date: _, 'retry-after': __, ...rest } = headers ?? {}
  return JSON.stringify({ status, text, headers: rest })
}

/** Divisor of the paths in `npm test`. */
const EACH = 16

proves('console.member-paths', 'the matrix: forbidden paths answer every caller like an invented one', async () => {
  const differing: string[] = []
  let host = 2
  for (const [turn, [caller, headers]] of Object.entries(callers).entries()) {
    const invented = new Map<string, string>()
    const places = forbiddenTo(caller).filter((_, at) => LONG || (at + turn) % EACH === 0)
    for (const [at, { method, path }] of places.entries()) {
      // Failed authentications are counted for each address.
      if (at % 40 === 0) host += 1
      const from = `127.0.0.${host}`
      if (!invented.has(method))
        invented.set(method, seen(await visitor.ask({ method, path: '/admin/v1/invented', headers, from })))
      const answer = seen(await visitor.ask({ method, path, headers, from }))
      if (answer !== invented.get(method)) differing.push(`${caller}: ${method} ${path} ${answer}`)
    }
  }
  expect(differing).toEqual([])
})

proves('console.members', 'ids outside the record answer like invented ones, over HTTP, stream and lists', async () => {
  const { house } = running.gateway.home
  const id = (local: string): string => `${running.gateway.serial}:${lena.integration}:${local}`
  const ownHouse = (await visitor.as(lena, 'GET', '/admin/home/v1/house')).text
  const places = [...house.rooms.keys()].map((room) => `room:${room}`)
  const all = [...house.devices.keys(), ...places, ...[...house.scenes.keys()].map((scene) => `scene:${scene}`)]
  const foreign = all.filter((local) => !ownHouse.includes(`"${id(local)}"`))
  const kinds = ['devices', 'rooms', 'floors', 'scenes', 'groups', 'automations', 'schedules'] as const
  const page = new ConsolePage({ running, visitor }, lena)
  const place = (at: number, local: string): string =>
    `/v1/${kinds[at % kinds.length]}/${encodeURIComponent(id(local))}`
  const hidden = (text: string, local: string): string =>
    text.replaceAll(id(local), 'ID').replaceAll(encodeURIComponent(id(local)), 'ID')
  const differing: string[] = []
  // An invented id of the same length and form.
  const inventedFor = (local: string): string => local.replaceAll(/[a-z]/g, 'q')
  const answerAt = async (at: number, local: string): Promise<string> =>
    hidden(seen(await visitor.as(lena, 'GET', `/admin/home${place(at, local)}`)), local)
  const known = new Map<string, string>()
  for (let at = 0; at < times(40, 2_000); at += 1) {
    const local = foreign[Math.floor(at / kinds.length) % foreign.length] ?? ''
    const key = `${at % kinds.length} ${inventedFor(local)}`
    if (!known.has(key)) known.set(key, await answerAt(at, inventedFor(local)))
    if ((await answerAt(at, local)) !== known.get(key)) differing.push(place(at, local))
  }
  for (const local of foreign.slice(0, 8)) {
    const [one, other] = [await page.hears(id(local)), await page.hears(id(inventedFor(local)))]
    if (JSON.stringify(one) !== JSON.stringify(other)) differing.push(`stream ${local}`)
  }
  page.socket.terminate()
  for (const path of ['house', 'state', 'activity?limit=200', 'scenes', 'automations', 'schedules', 'groups']) {
    const { text } = await visitor.as(lena, 'GET', `/admin/home/v1/${path}`)
    differing.push(...foreign.filter((local) => text.includes(`:${local}"`)).map((local) => `${path}: ${local}`))
  }
  expect(foreign.length).toBeGreaterThan(20)
  expect(differing).toEqual([])
})
