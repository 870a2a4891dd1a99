// @module-tag repeated
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminContract } from '../../src/admin/contract/index.ts'
import { EVENTS_PATH } from '../../src/admin/contract/events.ts'
import { contract } from '../../src/api/contract/index.ts'
import type { Endpoint } from '../../src/api/contract/endpoint.ts'
import { isPeerAllowed } from '../../src/http/console-pages.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type ConsoleSecrets, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { LONG } from '#support/long.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'

let running: TestGateway
let visitor: ConsoleVisitor
let key: string
let agent: string
let agentSession: string
let operator: string
let mine: ConsoleSecrets
let old: ConsoleSecrets

beforeAll(async () => {
  running = await TestGateway.open({ ...ONE_UNIT, settled: false })
  visitor = new ConsoleVisitor(running)
  const { integration } = await running.admin.call<{ integration: { id: string } }>('POST', '/integrations', {
    name: 'Dashboard',
    settings: { agent_access: 'on' },
  })
  const tokenOf = async (path: string, more: object): Promise<string> =>
    (await running.admin.call<{ token: string }>('POST', path, { integration: integration.id, ...more })).token
  key = await tokenOf('/keys', {})
  agent = await tokenOf('/agents', { name: 'Claude', platform: 'Test' })
  agentSession = await tokenOf('/agents', { name: 'Claude', platform: 'Test', session: true })
  const prometheus = { name: 'Prometheus', scopes: ['metrics'] }
  operator = (await running.admin.call<{ token: string }>('POST', '/operators', prometheus)).token
  mine = await visitor.signInByLink()
  old = await visitor.signInByLink()
  const { core } = running.gateway.stores
  core.change(() => core.db.prepare('UPDATE console_sessions SET steady_created_at = 0 WHERE id = ?').run(old.session))
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

interface Place {
  readonly method: string
  readonly path: string
}

/** Divisor of the combinations in `npm test`. */
const EACH = 8

/** All paths under `/admin`, declared and others. */
function places(): readonly Place[] {
  const filled = ({ method, path }: Endpoint, before = ''): Place => ({
    method,
    path: before + path.replaceAll(/\{\w+\}/g, 'abc'),
  })
  return [
    ...Object.values<Endpoint>(adminContract).map((endpoint) => filled(endpoint)),
    ...Object.values<Endpoint>(contract).map((endpoint) => filled(endpoint, '/admin/home')),
    ...[EVENTS_PATH, '/admin/v1/stream', '/admin', '/admin/', '/admin/home', '/admin/v1/session?x=1'].map((path) => ({
      method: 'GET',
      path,
    })),
    { method: 'HEAD', path: '/admin/v1/session' },
    { method: 'OPTIONS', path: '/admin/v1/session' },
  ]
}

const BEYOND = 'an operator token beyond its scopes'

/** Headers with incomplete session secrets. */
function incompleteSecrets(): Readonly<Record<string, () => Record<string, string>>> {
  const whole = (): Record<string, string> => visitor.headersOf(mine)
  const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
  const without = (name: string): Record<string, string> =>
    Object.fromEntries(Object.entries(whole()).filter(([header]) => header !== name))
  return {
    nothing: () => ({}),
    'a key': () => bearer(key),
    'an agent': () => bearer(agent),
    'a session token': () => bearer(agentSession),
    [BEYOND]: () => bearer(operator),
    'a whole session beside a key': () => ({ ...whole(), ...bearer(key) }),
    'the halves as a bearer token': () => bearer(`${mine.cookie}.${mine.half}`),
    'the cookie alone': () => without('x-hm-session'),
    'the half alone': () => without('cookie'),
    'halves of two sessions': () => ({ ...whole(), 'x-hm-session': old.half }),
    'the cookie twice': () => ({
      ...whole(),
      cookie: [mine, old].map((one) => visitor.headersOf(one).cookie).join('; '),
    }),
    'an expired session': () => visitor.headersOf(old),
    'another port of this host': () => ({ ...whole(), origin: 'https://localhost:1' }),
    'a page of another site': () => ({ ...whole(), 'sec-fetch-site': 'same-site' }),
    'a foreign origin': () => ({ ...whole(), origin: 'https://evil.example' }),
    'a wrong host': () => ({ ...whole(), host: 'evil.example' }),
  }
}

/** Places for one set of headers: together all sets cover all places; in the long run each set does. */
const placesOf = (turn: number): readonly Place[] => places().filter((_, at) => LONG || (at + turn) % EACH === 0)

/** Parts of an answer that a client sees, except the time. */
function seen({ status, text, headers }: RawAnswer): object {
  const { date: _, 'retry-after': __, ...rest } = headers ?? {}
  return { status, text, headers: rest }
}

proves(
  'console.invisible',
  'without a complete session every path under /admin answers like an invented one',
  { tags: ['long'] },
  async () => {
    const differing: string[] = []
    const asIs = (await running.admin.call('GET', '/sessions')) as { sessions: object[] }
    let next = 2
    for (const [turn, [what, headersOf]] of Object.entries(incompleteSecrets()).entries()) {
      const invented = new Map<string, string>()
      for (const [at, { method, path }] of placesOf(turn).entries()) {
        if (what === BEYOND && path === '/admin/v1/metrics') continue
        // Failed authentications are counted for each address.
        if (at % 40 === 0) next += 1
        const from = `127.0.0.${next}`
        const headers = headersOf()
        if (!invented.has(method))
          invented.set(
            method,
            JSON.stringify(seen(await visitor.ask({ method, path: '/invented/place', headers, from }))),
          )
        const answer = JSON.stringify(seen(await visitor.ask({ method, path, headers, from })))
        if (answer !== invented.get(method)) differing.push(`${what}: ${method} ${path} ${answer}`)
      }
    }
    expect(differing).toEqual([])
    expect(await running.admin.call('GET', '/sessions')).toEqual(asIs)
  },
)

proves(
  'console.invisible',
  'without a complete session the administrators’ stream answers like an invented path',
  async () => {
    const halves = (half: string) => ({ 'sec-websocket-protocol': `hm, hm-session.${half}` })
    // Browsers cannot add headers to an upgrade.
    const { 'x-hm-session': _half, ...sent } = visitor.headersOf(mine)
    const whole: Record<string, string> = { ...sent, ...halves(mine.half) }
    const { cookie, ...noCookie } = whole
    const { origin: _, ...noOrigin } = whole
    const all: readonly Record<string, string>[] = [
      {},
      { authorization: `Bearer ${key}` },
      { ...whole, authorization: `Bearer ${key}` },
      { cookie: cookie ?? '', origin: visitor.origin },
      noCookie,
      noOrigin,
      { ...whole, ...halves(old.half) },
      { ...whole, 'sec-websocket-protocol': `hm-session.${mine.half}, hm-session.${old.half}` },
      { ...whole, cookie: visitor.headersOf(old).cookie, ...halves(old.half) },
      { ...whole, origin: 'https://localhost:1' },
      { ...whole, host: 'evil.example' },
    ]
    for (const [at, headers] of all.entries()) {
      const upgrade = { headers: { ...UPGRADE, ...headers }, from: `127.0.1.${at + 1}` }
      const invented = seen(await visitor.ask({ path: '/invented/place', ...upgrade }))
      expect([at, seen(await visitor.ask({ path: '/admin/v1/stream', ...upgrade }))]).toEqual([at, invented])
    }
  },
)

proves('console.invisible', 'changes need an Origin, reads do not', async () => {
  const { origin: _, ...silent } = visitor.headersOf(mine)
  const place = { path: `/admin/v1/sessions/${old.session}`, headers: silent, from: '127.0.0.250' }
  expect((await visitor.ask({ method: 'DELETE', ...place })).status).toBe(401)
  expect((await visitor.ask({ path: '/admin/v1/session', headers: silent })).status).toBe(200)
})

proves('console.invisible', 'the service and the MCP server ignore sessions', async () => {
  const from = '127.0.0.251'
  const headers = visitor.headersOf(mine)
  for (const [method, path] of [
    ['GET', '/v1/house'],
    ['GET', '/v1/stream'],
    ['POST', '/mcp'],
  ] as const)
    expect(seen(await visitor.ask({ method, path, headers, from }))).toEqual(
      seen(await visitor.ask({ method, path, headers: { origin: visitor.origin }, from })),
    )
})

test('every place of the matrix answers a complete session differently from an invented path', async () => {
  // Otherwise the comparison would be empty.
  const gets = places().filter(({ method, path }) => method === 'GET' && path.startsWith('/admin/v1/s'))
  const answers = await Promise.all(gets.map(({ path }) => visitor.as(mine, 'GET', path)))
  expect(answers.some(({ status }) => status === 200)).toBe(true)
  expect(answers.filter(({ status }) => status === 401)).toEqual([])
})

proves('console.off', 'with the console off all its paths are gone', async () => {
  await using other = await TestGateway.open({ ...ONE_UNIT, settled: false, console: 'off' })
  using stranger = new ConsoleVisitor(other)
  const here = (path: string, method = 'GET') =>
    stranger.ask({ method, path, headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' } })
  const invented = seen(await here('/invented'))
  for (const path of [
    '/',
    '/console',
    '/console/',
    '/console/home',
    '/console/trust/ca.crt',
    '/console/session',
    '/console/x',
  ])
    expect(seen(await here(path))).toEqual(invented)
  expect(seen(await here('/console/session', 'POST'))).toEqual(seen(await here('/invented', 'POST')))
  await expect(stranger.link()).rejects.toThrow('The console is off')
})

proves('console.off', 'on loopback the console serves only this machine', () => {
  const peers = ['127.0.0.1', '127.9.9.9', '::1', '192.0.2.7', 'fe80::1', '']
  expect(peers.map((peer) => isPeerAllowed('loopback', peer))).toEqual([true, true, true, false, false, false])
  expect(peers.every((peer) => isPeerAllowed('on', peer))).toBe(true)
})
