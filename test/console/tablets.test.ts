import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { adminContract } from '../../src/admin/contract/index.ts'
import { LIFE_TABLET_MS } from '../../src/auth/persons/console-session.ts'
import type { Endpoint } from '../../src/api/contract/endpoint.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { ConsolePage } from '#support/gateway/console-page.ts'
import { type ConsoleSecrets, ConsoleVisitor, secretsOf } from '#support/gateway/console-visitor.ts'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'

const LAN = { address: '127.0.1.1', netmask: '255.255.255.0', family: 'IPv4', mac: '02:00:00:00:00:01' } as const
const AT_HOME = '127.0.1.7'
const ELSEWHERE = '127.0.2.7'
const interfaces = () => ({ eth0: [{ ...LAN, internal: false, cidr: '127.0.1.1/24' }] })
const PIN = '271828'
const HOUR_MS = 3_600_000

interface Tablet extends ConsoleSecrets {
  readonly id: string
}

interface Made {
  readonly integration: { readonly id: string; readonly kind: string }
  readonly links: readonly string[]
}

let running: TestGateway
let visitor: ConsoleVisitor

beforeAll(async () => {
  running = await TestGateway.open({ interfaces })
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna' })
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

const codeOf = ({ links }: Pick<Made, 'links'>): string => links[0]?.split('#')[1] ?? ''

const make = (body: object = {}): Promise<Made> =>
  running.admin.call('POST', '/tablets', { name: 'Hall tablet', ...body })

async function tabletOf(body: object = {}): Promise<Tablet> {
  const made = await make(body)
  return { id: made.integration.id, ...secretsOf(await visitor.signIn({ link: codeOf(made) }, { from: AT_HOME })) }
}

const from = (who: ConsoleSecrets, peer: string, path: string): Promise<RawAnswer> =>
  running.hasten(visitor.ask({ path, headers: visitor.headersOf(who), from: peer }))

const as = (who: ConsoleSecrets, method: string, path: string, body?: unknown): Promise<RawAnswer> =>
  running.hasten(visitor.as(who, method, path, body))

const open = (who: Tablet): Promise<RawAnswer> => {
  const device = encodeURIComponent(`${running.gateway.serial}:${who.id}:front-door`)
  return as(who, 'POST', `/admin/home/v1/devices/${device}/control`, { op: 'open' })
}

const prove = (who: ConsoleSecrets, pin: string): Promise<RawAnswer> =>
  as(who, 'POST', '/admin/v1/session/proof', { pin })

proves('console.tablets', 'a wall tablet sees its record alone, at home, for a year', async () => {
  const made = await make({ expose: ['room:hall'] })
  expect(made.integration).toMatchObject({ kind: 'tablet', person: null, name: 'Hall tablet' })
  expect(await visitor.signIn({ link: codeOf(made) }, { from: ELSEWHERE })).toMatchObject({ status: 401 })
  const entered = await visitor.signIn({ link: codeOf(made) }, { from: AT_HOME })
  expect([entered.headers?.['set-cookie']].flat()[0]).toContain('Max-Age=31536000')
  const tablet = secretsOf(entered)
  expect((await as(tablet, 'GET', '/admin/v1/session')).body).toMatchObject({
    role: 'tablet',
    session: { person: null, name: 'Hall tablet' },
    record: { id: made.integration.id },
    proofs: { pin: false },
  })
  for (const path of ['/admin/home/v1/house', '/admin/v1/messages', '/admin/v1/session']) {
    expect((await from(tablet, AT_HOME, path)).status, path).toBe(200)
    expect((await from(tablet, ELSEWHERE, path)).status, path).toBe(401)
  }
  const { text } = await as(tablet, 'GET', '/admin/home/v1/house')
  expect([text.includes('hall-light'), text.includes('kitchen')]).toEqual([true, false])
  const { sessions } = await running.admin.call<{ sessions: { id: string; name: string }[] }>('GET', '/sessions')
  const own = sessions.find(({ name }) => name === 'Hall tablet')
  await running.admin.call('DELETE', `/sessions/${own?.id}`)
  expect((await from(tablet, AT_HOME, '/admin/v1/session')).status).toBe(401)
})

proves(
  'console.tablets',
  'a wall tablet reaches nothing else of the administrators’ API',
  { tags: ['long'] },
  async () => {
    const tablet = await tabletOf()
    const invented = await as(tablet, 'GET', '/admin/v1/invented')
    const declared = Object.values(adminContract) as Endpoint[]
    for (const { method, path, for: people } of declared.filter(({ reach }) => reach !== 'socket')) {
      if (people === 'record') continue
      const answer = await as(tablet, method, path.replaceAll(/\{\w+\}/g, 'x'), method === 'GET' ? undefined : {})
      expect([answer.status, answer.text], `${method} ${path}`).toEqual([404, invented.text])
    }
  },
)

proves(
  'console.tablet-pin',
  'a wall tablet opens only within 30 seconds of its PIN, and saves no openings',
  async () => {
    const settings = { allow_unlock: 'on', automations: 'on' }
    const tablet = await tabletOf({ settings, pin: PIN })
    const stale = { status: 403, body: { error: { code: 'sign_in_again' } } }
    expect(await open(tablet)).toMatchObject(stale)
    expect(await prove(tablet, '000000')).toMatchObject({ status: 401 })
    expect(await open(tablet)).toMatchObject(stale)
    expect(await prove(tablet, PIN)).toMatchObject({ status: 200, body: { fresh: true } })
    const device = `${running.gateway.serial}:${tablet.id}:front-door`
    const rule = { name: 'Mornings', when: [{ time: '07:00' }], then: [{ device, op: 'open' }] }
    expect(await as(tablet, 'POST', '/admin/home/v1/automations', rule)).toMatchObject({ status: 403 })
    expect(await open(tablet)).toMatchObject({ status: 200 })
    const activity = `/admin/home/v1/activity?limit=5&device=${encodeURIComponent(device)}`
    const { entries } = (await as(tablet, 'GET', activity)).body as { entries: { cause: object }[] }
    expect(entries[0]?.cause).toMatchObject({ name: 'Hall tablet' })
    const other = await tabletOf({ settings })
    const { tablets } = await running.admin.call<{ tablets: { id: string }[] }>('GET', '/tablets')
    const listed = (id: string) => tablets.find((one) => one.id === id)
    expect(listed(tablet.id)).toEqual({ id: tablet.id, pin: true, usedAt: expect.any(Number) as number })
    expect(listed(other.id)).toMatchObject({ pin: false })
    expect(await prove(other, PIN)).toMatchObject({
      status: 401,
      body: { error: { message: expect.stringContaining('no PIN') as string } },
    })
    expect(await open(other)).toMatchObject(stale)
    await running.admin.call('PUT', `/tablets/${other.id}/pin`, { pin: '314159' })
    expect(await prove(other, '314159')).toMatchObject({ status: 200 })
    expect(await open(other)).toMatchObject({ status: 200 })
    await running.admin.call('PUT', `/tablets/${other.id}/pin`, { pin: null })
    expect(await open(other)).toMatchObject(stale)
    await running.admin.call('PATCH', `/integrations/${other.id}`, { settings: { allow_unlock: 'off' } })
    expect(await open(other)).toMatchObject({ status: 403, body: { error: { code: 'unlock_not_allowed' } } })
  },
)

proves(
  'console.tablets',
  'a changed or deleted tablet loses its stream, and another link the earlier session',
  async () => {
    const tablet = await tabletOf()
    const page = new ConsolePage({ running, visitor }, tablet)
    expect(await page.hears('access')).toEqual(await page.hears('invented'))
    await page.hears('state')
    const { session } = (await as(tablet, 'GET', '/admin/v1/session')).body as { session: { id: string } }
    const again = await running.admin.call<Made>('POST', `/tablets/${tablet.id}/link`)
    const second = secretsOf(await visitor.signIn({ link: codeOf(again) }, { from: AT_HOME }))
    await page.until(() => page.closed !== null)
    expect(page.closed?.code).toBe(4401)
    expect((await as(tablet, 'GET', '/admin/v1/session')).status).toBe(401)
    // A restored configuration must not revive it.
    expect(readFileSync(join(running.dataDir, 'revoked'), 'utf8')).toContain(session.id)
    const next = new ConsolePage({ running, visitor }, second)
    await next.hears('state')
    await running.admin.call('DELETE', `/integrations/${tablet.id}`)
    await next.until(() => next.closed !== null)
    expect(next.closed?.code).toBe(4401)
    expect((await as(second, 'GET', '/admin/v1/session')).status).toBe(401)
    const ended = await as(second, 'GET', '/console/ended')
    expect(ended.body).toEqual({ reason: 'Hall tablet no longer has access to this home.' })
    await expect(running.admin.call('POST', `/tablets/${tablet.id}/link`)).rejects.toThrow('no wall tablet')
  },
)

proves(
  ['console.tablet-pin', 'console.tablets'],
  'the sixth PIN waits an hour, also over a restart, and a session a year',
  { tags: ['long'] },
  async () => {
    const clock = new ManualClock(Date.now())
    const dataDir = tempFolder()
    const options = { clock, dataDir, interfaces, settled: false, ...ONE_UNIT }
    const first = await TestGateway.open(options)
    const made = await first.admin.call<Made>('POST', '/tablets', { name: 'Hall', pin: PIN })
    const browser = new ConsoleVisitor(first)
    const tablet = secretsOf(await browser.signIn({ link: codeOf(made) }))
    const enter = (at: ConsoleVisitor, pin: string) => at.as(tablet, 'POST', '/admin/v1/session/proof', { pin })
    for (let wrong = 0; wrong < 4; wrong += 1) expect((await enter(browser, '000000')).status).toBe(401)
    expect((await enter(browser, PIN)).status).toBe(200)
    for (let wrong = 0; wrong < 5; wrong += 1) expect((await enter(browser, '000000')).status).toBe(401)
    expect(await enter(browser, PIN)).toMatchObject({ status: 429, headers: { 'retry-after': '3600' } })
    browser[Symbol.dispose]()
    await first[Symbol.asyncDispose]()
    await using second = await TestGateway.open(options)
    using later = new ConsoleVisitor(second)
    const refused = await enter(later, PIN)
    expect(refused.status).toBe(429)
    clock.stall(HOUR_MS)
    expect((await enter(later, PIN)).status).toBe(200)
    clock.stall(LIFE_TABLET_MS - 2 * HOUR_MS)
    expect((await later.as(tablet, 'GET', '/admin/v1/session')).status).toBe(200)
    clock.stall(2 * HOUR_MS)
    expect((await later.as(tablet, 'GET', '/admin/v1/session')).status).toBe(401)
  },
)

proves('console.tablet-commands', 'bin/hm adds a tablet, makes links and sets its PIN', async () => {
  const home = await TestHome.at('http', running)
  const commands = new HomeCommands(home)
  const typing = (typed: string) =>
    vi.spyOn(process, 'stdin', 'get').mockImplementation(() => Readable.from([`${typed}\n`]) as typeof process.stdin)
  onTestFinished(() => void vi.restoreAllMocks())
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  typing(PIN)
  const added = await commands.output('tablet', 'add', 'Kitchen', '--pin', '--set', 'allow_unlock=on')
  expect(added).toMatch(/^id {2}\S+\nOpen one of these on the tablet/)
  const id = /^id {2}(\S+)/.exec(added)?.[1] ?? ''
  expect(await commands.output('tablet', 'list')).toMatch(new RegExp(`^${id} +Kitchen +served +all`, 'm'))
  expect(await commands.output('tablet', 'link', id)).toContain('#')
  expect(await commands.output('tablet', 'pin', id)).toContain('opens after this PIN')
  expect(await commands.output('tablet', 'pin', id, '--none')).toContain('opens nothing')
  typing('12345')
  expect(await commands.sentence('tablet', 'pin', id)).toContain('six digits')
  expect(await commands.sentence('tablet', 'link', 'x')).toContain('There is no wall tablet x')
  expect(await commands.sentence('key', 'create', '--integration', id)).toContain('no keys')
  expect(await commands.output('integration', 'rename', id, 'Pantry')).toContain('Pantry')
  expect(await commands.output('integration', 'delete', id)).toContain('Deleted')
})
