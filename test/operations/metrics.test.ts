import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OPERATORS_MAX } from '../../src/auth/operators/operators.ts'
import { readHouseFile } from '../../src/home/house/house-file.ts'
import { FRESH_MS } from '../../src/auth/persons/console-session.ts'
import { OPERATOR_RATE } from '../../src/http/operator-requests.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { hm } from '#support/gateway/cli.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { TestOperator, valuesOf } from '#support/operations/test-operator.ts'
import { PROMTOOL, promtool } from '#support/operations/promtool.ts'

const METRICS = '/admin/v1/metrics'
const clock = new ManualClock(Date.now())
let running: TestGateway
let operator: TestOperator
let key: string

beforeAll(async () => {
  running = await TestGateway.open({ ...ONE_UNIT, settled: false, clock })
  operator = await TestOperator.of(running, 'metrics')
  const { integration } = await running.admin.call<{ integration: { id: string } }>('POST', '/integrations', {
    name: 'Dashboard',
  })
  key = (await running.admin.call<{ token: string }>('POST', '/keys', { integration: integration.id })).token
})

afterAll(async () => {
  operator[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

/** Response as a client sees it, without the time. */
const seen = ({ status, text, headers }: RawAnswer): object => {
  const { date: _, ...rest } = headers ?? {}
  return { status, text, headers: rest }
}
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

proves(
  'operations.metrics',
  'requests are counted by endpoint, transport and status, and refusals by code',
  async () => {
    await operator.ask('/v1/house', bearer(key))
    await operator.ask('/v1/house', bearer(key))
    await operator.ask('/v1/devices/none', bearer(key))
    await operator.ask('/v1/nowhere', bearer(key))
    const now = await operator.metrics()
    expect(Object.fromEntries(now)).toMatchObject({
      'hm_requests_total{endpoint="house.get",transport="https",status="200"}': 2,
      'hm_requests_total{endpoint="devices.get",transport="https",status="404"}': 1,
      'hm_requests_total{endpoint="",transport="https",status="404"}': 1,
      'hm_request_seconds_count{endpoint="house.get"}': 2,
      'hm_refusals_total{code="not_found"}': 2,
      'hm_refusals_total{code="unit_unreachable"}': 0,
      'hm_runs_failed_total{of="schedule"}': 0,
      hm_units: 1,
      hm_integrations: 1,
      hm_disk_takes_writes: 1,
      hm_cloud_configured: 0,
    })
    expect(now.get('hm_certificate_left_seconds')).toBeGreaterThan(86_400)
    expect(now.get('hm_history_bytes')).toBeGreaterThan(0)
    expect(now.get('hm_resident_memory_bytes')).toBeGreaterThan(1e6)
  },
)

proves('operations.metrics', 'refusals of a foreign Host and a foreign page are counted too', async () => {
  const counted = async (): Promise<readonly (number | undefined)[]> => {
    const now = await operator.metrics()
    return [
      'hm_refusals_total{code="misdirected_request"}',
      'hm_refusals_total{code="origin_not_allowed"}',
      'hm_requests_total{endpoint="",transport="https",status="421"}',
      'hm_requests_total{endpoint="",transport="https",status="403"}',
    ].map((row) => now.get(row) ?? 0)
  }
  expect(await counted()).toEqual([0, 0, 0, 0])
  const origin = 'https://evil.example'
  await operator.ask('/v1/house', { headers: { host: 'evil.example' } })
  await operator.ask('/mcp', { method: 'POST', headers: { host: 'evil.example' } })
  await operator.ask('/v1/house', { headers: { origin } })
  await operator.ask('/console/session', { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } })
  expect(await counted()).toEqual([2, 2, 2, 2])
})

proves(
  'operations.metrics',
  'attention is counted in full, although only the first items have names',
  { tags: ['long'] },
  async () => {
    // Units that the bus of one unit does not have.
    const plain = { model: 'HMHHX1', room: 'hall', class: 'light_switch', gangs: [] }
    const silent = Array.from({ length: 12 }, (_, at) => ({
      ...plain,
      id: `gone-${at}`,
      name: `Gone ${at}`,
      address: 900 + at,
    }))
    const house = { home: { name: 'Werkhof' }, rooms: [{ id: 'hall', name: 'Hall' }], units: silent }
    const read = readHouseFile(JSON.stringify(house), 'Europe/Berlin')
    if (!read.ok) throw new Error(read.error)
    await using many = await TestGateway.open({ ...ONE_UNIT, firstHouse: read.value, settled: false })
    const scraped = async () => valuesOf((await hm(many.dataDir, 'metrics')).out)
    let now = await scraped()
    const isUp = async () => (now = await scraped()).get('hm_line_up')
    await many.hasten(expect.poll(isUp).toBe(1))
    const attention = 'hm_attention{kind="unit_silent"}'
    expect([now.get('hm_units_silent'), now.get(attention)]).toEqual([silent.length, silent.length])
  },
)

test(
  'refusals of agents are counted as mcp, and the size of a database includes its WAL',
  { tags: ['long'] },
  async () => {
    const invented = bearer(`${key.slice(0, -20)}${'x'.repeat(20)}`)
    expect((await operator.ask('/mcp', { method: 'POST', ...invented, from: '127.0.3.8' })).status).toBe(401)
    const now = await operator.metrics()
    expect(now.get('hm_requests_total{endpoint="",transport="mcp",status="401"}')).toBe(1)
    const core = join(running.dataDir, 'core.db')
    expect(statSync(`${core}-wal`).size).toBeGreaterThan(0)
    expect(now.get('hm_configuration_bytes')).toBe(statSync(core).size + statSync(`${core}-wal`).size)
  },
)

proves('operations.metrics', 'they have names and ids only with units=1', async () => {
  const [unit] = [...running.gateway.home.house.units.values()]
  const { text, headers } = await operator.ask(METRICS)
  expect(headers?.['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  for (const name of [unit?.id, unit?.name, running.gateway.serial, running.gateway.home.house.info.name, 'Dashboard'])
    expect(text).not.toContain(String(name))
  const named = await operator.metrics('?units=1')
  expect([...named.keys()]).toContain(`hm_unit_answers{unit="${unit?.id}",name="${unit?.name}"}`)
})

test('an active alarm is 1, and an ended one is 0', async () => {
  const { house, live } = running.gateway.home
  const [unit] = [...house.units.values()]
  live.remember(unit!.id, { water: true, smoke: false }, 0)
  const now = await operator.metrics('?units=1')
  const alarm = (kind: string) => now.get(`hm_unit_alarm{unit="${unit!.id}",name="${unit!.name}",kind="${kind}"}`)
  expect([alarm('water'), alarm('smoke'), alarm('tamper')]).toEqual([1, 0, undefined])
})

test('the command line prints the same', async () => {
  const printed = await hm(running.dataDir, 'metrics')
  const names = (values: ReadonlyMap<string, number>): readonly string[] => [...values.keys()].toSorted()
  expect(names(valuesOf(printed.out))).toEqual(names(await operator.metrics()))
})

test('the page has a row for each metric, with its help text', async () => {
  const { text } = await operator.ask(`${METRICS}?units=1`)
  const documented = [...text.matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (\w+)$/gm)].map(([, ...fields]) => fields)
  const page = readFileSync('docs/operations.md', 'utf8')
  const rows = [...page.matchAll(/^\| `(hm_\w+)`[^|]* \| (\w+) \| (.*) \|$/gm)]
  expect(rows.map(([, name, type, help]) => [name, help, type])).toEqual(documented)
})

test.runIf(PROMTOOL)('promtool reports no problem', async () => {
  const { text } = await operator.ask(`${METRICS}?units=1`)
  expect(promtool(['check', 'metrics'], text)).toBe('')
  // It does report a wrong metric.
  expect(promtool(['check', 'metrics'], 'hm_requests 1\n# TYPE hm_requests counter\n')).not.toBe('')
})

proves(
  'operations.tokens',
  'on the service and at /mcp an operator token is refused like an invented one',
  async () => {
    const invented = operator.token.replace(/\.[^.]+$/, `.${'x'.repeat(43)}`)
    const places = [
      ['GET', '/v1/house'],
      ['GET', '/v1/nowhere'],
      ['GET', '/v1/stream'],
      ['POST', '/v1/devices/none/control'],
      ['POST', '/mcp'],
      ['GET', '/admin/home/v1/house'],
      ['GET', '/admin/v1/status'],
      ['POST', METRICS],
      ['GET', `${METRICS}/`],
    ] as const
    for (const [method, path] of places)
      expect([path, seen(await operator.ask(path, { method, from: '127.0.3.1' }))]).toEqual([
        path,
        seen(await operator.ask(path, { method, from: '127.0.3.2', ...bearer(invented) })),
      ])
    expect((await operator.ask(METRICS, { from: '127.0.3.3', ...bearer(invented) })).status).toBe(401)
    expect((await operator.ask(METRICS, { method: 'HEAD' })).status).toBe(200)
  },
)

proves('operations.tokens', 'a token is made in a fresh session, listed with its use, and ended at once', async () => {
  using visitor = new ConsoleVisitor(running)
  const me = await visitor.signInByLink()
  const ask = { name: 'Prometheus', scopes: ['metrics'] }
  const made = await visitor.as(me, 'POST', '/admin/v1/operators', ask)
  const { token, operator: view } = made.body as { token: string; operator: { id: string } }
  expect([made.status, token.startsWith(`hm_op_${running.gateway.serial}.`)]).toEqual([201, true])
  expect((await visitor.ask({ path: METRICS, ...bearer(token) })).status).toBe(200)
  const listed = await running.admin.call<{ operators: object[] }>('GET', '/operators')
  expect(listed.operators).toContainEqual({ ...view, ...ask, createdAt: clock.now(), usedAt: clock.now() })
  expect(JSON.stringify(listed)).not.toContain(token.slice(-20))

  clock.advance(FRESH_MS + 1_000)
  expect((await visitor.as(me, 'POST', '/admin/v1/operators', ask)).status).toBe(403)
  expect((await visitor.as(me, 'DELETE', `/admin/v1/operators/${view.id}`)).status).toBe(200)
  expect((await visitor.ask({ path: METRICS, from: '127.0.3.4', ...bearer(token) })).status).toBe(401)
  expect((await visitor.as(me, 'DELETE', `/admin/v1/operators/${view.id}`)).status).toBe(404)
})

proves('operations.tokens', 'the command line makes, lists and ends tokens', async () => {
  const made = await hm(running.dataDir, 'operator', 'create', '--name', 'Nightly', '--scope', 'backup', '--json')
  const { operator: view } = JSON.parse(made.out) as { operator: { id: string } }
  expect((await hm(running.dataDir, 'operator', 'list')).out).toMatch(new RegExp(`${view.id} +Nightly +backup`))
  expect((await hm(running.dataDir, 'operator', 'end', view.id)).out).toBe(`Revoked ${view.id}.\n`)
  expect((await hm(running.dataDir, 'operator', 'end', view.id)).err).toMatch(/There is no operator token/)
})

proves('operations.tokens', 'tokens are limited in number and rate', { tags: ['long'] }, async () => {
  const made: string[] = []
  const one = () =>
    running.admin.call<{ operator: { id: string } }>('POST', '/operators', { name: 'More', scopes: ['metrics'] })
  while (made.length < OPERATORS_MAX - 1) made.push((await one()).operator.id)
  await expect(one()).rejects.toThrow(`at most ${OPERATORS_MAX} operator tokens`)
  for (const id of made) await running.admin.call('DELETE', `/operators/${id}`)

  clock.advance(60_000)
  const statuses: number[] = []
  for (let at = 0; at <= OPERATOR_RATE.burst; at += 1) statuses.push((await operator.ask(METRICS)).status)
  expect(statuses).toEqual([...Array<number>(OPERATOR_RATE.burst).fill(200), 429])
})
