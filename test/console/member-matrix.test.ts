// @module-tag repeated
import { afterAll, beforeAll, expect } from 'vitest'
import { adminContract } from '../../src/admin/contract/index.ts'
import { EVENTS_PATH } from '../../src/admin/contract/events.ts'
import { contract } from '../../src/api/contract/index.ts'
import type { Endpoint } from '../../src/api/contract/endpoint.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { ConsolePage } from '#support/gateway/console-page.ts'
import { type ConsoleSecrets, ConsoleVisitor, secretsOf } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { LONG, times } from '#support/long.ts'

let running: TestGateway
let visitor: ConsoleVisitor
let lena: Member
/** Headers of each caller, by name. */
let callers: Readonly<Record<string, Record<string, string>>>
/** Programs that see the hall: their headers for `/v1`, and their record. */
let programs: Readonly<Record<string, { readonly headers: Record<string, string>; readonly record: string }>>

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
  const closed = await memberOf('Closed', {})
  await running.admin.call('PATCH', `/integrations/${closed.integration}`, { enabled: false })
  const guest = await memberOf('Guest', { hours: [elsewhen()] })
  const expired = await memberOf('Old', {})
  const { core } = running.gateway.stores
  core.change(() =>
    core.db.prepare('UPDATE console_sessions SET steady_created_at = 0 WHERE id = ?').run(expired.session),
  )
  const asked = { integration: lena.integration, name: 'Claude', platform: 'Laptop' }
  const { token } = await running.admin.call<{ token: string }>('POST', '/agents', asked)
  const own = { name: 'Programs', expose: ['room:hall'], settings }
  const { integration } = await running.admin.call<{ integration: { id: string } }>('POST', '/integrations', own)
  const key = await running.admin.call<{ token: string }>('POST', '/keys', { integration: integration.id })
  programs = {
    'agent of a member': { headers: { authorization: `Bearer ${token}` }, record: lena.integration },
    key: { headers: { authorization: `Bearer ${key.token}` }, record: integration.id },
  }
  const { links } = await running.admin.call<{ links: string[] }>('POST', '/tablets', { name: 'Hall tablet' })
  const tablet = secretsOf(await visitor.signIn({ link: links[0]?.split('#')[1] ?? '' }))
  const { cookie } = visitor.headersOf(lena)
  callers = {
    member: visitor.headersOf(lena),
    child: visitor.headersOf(child),
    disabled: visitor.headersOf(closed),
    'guest outside hours': visitor.headersOf(guest),
    'wall tablet': visitor.headersOf(tablet),
    administrator: visitor.headersOf(await visitor.signInByLink('Anna')),
    'agent of a member': programs['agent of a member']?.headers ?? {},
    key: programs.key?.headers ?? {},
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

/** Declarations that the session of a caller opens; other callers have none. */
const OPEN_TO: Readonly<Record<string, (declared: Endpoint) => boolean>> = {
  member: (declared) => declared.for !== undefined,
  child: (declared) => declared.for !== undefined,
  disabled: (declared) => declared.for !== undefined,
  'guest outside hours': (declared) => declared.for !== undefined,
  'wall tablet': (declared) => declared.for === 'record',
  administrator: (declared) => declared.reach !== 'socket',
}

/** A request for it without a token answers as every path of the service then does. */
const NO_TOKEN = '/v1/house'

interface Place {
  readonly method: string
  readonly path: string
  /** A path that does not exist, or `NO_TOKEN`. */
  readonly invented: string
}

const filled = ({ method, path }: Endpoint, invented: string, before = ''): Place => ({
  method,
  path: before + path.replaceAll(/\{\w+\}/g, 'abc'),
  invented,
})

/** Paths that a caller may not use; callers without a session reach nothing under /admin at all. */
function forbiddenTo(caller: string): readonly Place[] {
  const invented = '/admin/v1/invented'
  const isOpen = OPEN_TO[caller]
  const declared = Object.values<Endpoint>(adminContract).filter((one) => !(isOpen?.(one) ?? false))
  const admin = declared.map((one) => filled(one, invented))
  const home = Object.values<Endpoint>(contract)
  const closed = home.filter(({ reach }) => reach !== 'open').map((one) => filled(one, NO_TOKEN))
  const service = caller in programs ? [] : closed
  if (isOpen) return [...admin, ...service]
  const more = [
    ...home.map((one) => filled(one, invented, '/admin/home')),
    { method: 'GET', path: EVENTS_PATH, invented },
  ]
  return [...admin, ...more, ...service]
}

/** A window of the week in which it is not now. */
const elsewhen = (): { readonly from: string; readonly until: string } => {
  const day = new Date(running.clock.now() + 3 * 86_400_000).toUTCString().slice(0, 3).toLowerCase()
  return { from: `${day} 10:00`, until: `${day} 11:00` }
}

function seen({ status, text, headers }: RawAnswer): string {
  const { date: _, 'retry-after': __, 'keep-alive': ___, ...rest } = headers ?? {}
  return JSON.stringify({ status, text, headers: rest })
}

/** Divisor of the paths in `npm test`. */
const EACH = 32

proves('console.member-paths', 'the matrix: forbidden paths answer every caller like an invented one', async () => {
  const differing: string[] = []
  let host = 2
  for (const [turn, [caller, headers]] of Object.entries(callers).entries()) {
    const invented = new Map<string, string>()
    const places = forbiddenTo(caller).filter((_, at) => LONG || (at + turn) % EACH === 0)
    for (const [at, { method, path, invented: none }] of places.entries()) {
      // Failed authentications are counted for each address.
      if (at % 40 === 0) host += 1
      const from = `127.0.0.${host}`
      const asked = { method: none === NO_TOKEN ? 'GET' : method, path: none, headers, from }
      const kind = `${asked.method} ${none}`
      if (!invented.has(kind)) invented.set(kind, seen(await visitor.ask(asked)))
      const answer = seen(await visitor.ask({ method, path, headers, from }))
      if (answer !== invented.get(kind)) differing.push(`${caller}: ${method} ${path} ${answer}`)
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

proves(
  'console.members',
  'paths of /v1 answer members’ agents and keys for foreign ids as for invented ones',
  async () => {
    const { house } = running.gateway.home
    const differing: string[] = []
    for (const [turn, [caller, { headers, record }]] of Object.entries(programs).entries()) {
      const id = (local: string): string => encodeURIComponent(`${running.gateway.serial}:${record}:${local}`)
      const { text: ownHouse } = await visitor.ask({ path: '/v1/house', headers })
      const foreign = [...house.devices.keys()].filter((key) => !ownHouse.includes(`:${key}"`))
      const places = Object.values<Endpoint>(contract).filter(
        ({ path, reach }) => path.includes('{') && reach !== 'open',
      )
      const answerAt = async ({ method, path }: Endpoint, local: string): Promise<string> => {
        const asked = { method, path: path.replaceAll(/\{\w+\}/g, id(local)), headers }
        return seen(await visitor.ask(asked))
          .replaceAll(id(local), 'ID')
          .replaceAll(decodeURIComponent(id(local)), 'ID')
      }
      for (const [at, place] of places.entries()) {
        if (!LONG && (at + turn) % 4 !== 0) continue
        const local = foreign[at % foreign.length] ?? ''
        const invented = await answerAt(place, local.replaceAll(/[a-z]/g, 'q'))
        if ((await answerAt(place, local)) !== invented) differing.push(`${caller}: ${place.method} ${place.path}`)
      }
    }
    expect(differing).toEqual([])
  },
)

proves('console.members', 'a search by a member’s agent finds foreign names no more than invented ones', async () => {
  const { house } = running.gateway.home
  const { headers = {}, record } = programs['agent of a member'] ?? {}
  const { text: ownHouse } = await visitor.ask({ path: '/v1/house', headers })
  const search = async (words: string): Promise<string> => {
    const params = { name: 'house', arguments: { search: words } }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const more = { ...headers, accept: 'application/json' }
    const { text } = await visitor.ask({ method: 'POST', path: '/mcp', headers: more, body })
    return text.replaceAll(words, 'WORDS').replaceAll(/\d{4}-\d\d-\d\dT[^"\\]+/g, 'TIME')
  }
  const named = [...house.devices.values(), ...house.rooms.values(), ...house.scenes.values()].map(({ name }) => name)
  const foreign = [...new Set(named)].filter((name) => !ownHouse.includes(name))
  const invented = await search('Qqqqq')
  expect(invented).toContain('result')
  const found: string[] = []
  for (const name of foreign.slice(0, times(10, 200))) if ((await search(name)) !== invented) found.push(name)
  expect([foreign.length > 10, record]).toEqual([true, lena.integration])
  expect(found).toEqual([])
})
