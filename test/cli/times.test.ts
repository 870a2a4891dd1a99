import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { AdminSocket } from '../../src/cli/commands/context.ts'
import { CliError } from '../../src/cli/shell/terminal.ts'
import { type CliRun, hm, hmJson } from '#support/gateway/cli.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { startPairing } from '../agents/device-flow.ts'
import { tempFolder } from '#support/temp-folder.ts'

const NOTE = "Times are the home's (Europe/Berlin).\n"

let home: TestHome
let userCode: string
let schedule: string
let automation: string

beforeAll(async () => {
  // Listens on all addresses like a gateway, so IPv4 peers have mapped addresses.
  home = await TestHome.open('http', { host: '::' })
  const then = [power(home, 'hall-light', true)]
  const local = (id: string): string => id.split(':').at(-1)!
  schedule = local((await new RuleCalls(home, 'schedule').create({ name: 'Up', at: { time: '07:00' }, then })).id)
  automation = local(
    (await new RuleCalls(home, 'automation').create({ name: 'Dusk', when: [{ time: '20:15' }], then })).id,
  )
  await home.change(home.main, { settings: { agent_access: 'on' } })
  userCode = (await startPairing(home)).userCode
})
afterAll(() => home[Symbol.asyncDispose]())

/** Output of a command on a machine in a time zone. */
async function printedIn(zone: string, ...words: readonly string[]): Promise<string> {
  const own = process.env['TZ']
  process.env['TZ'] = zone
  try {
    const { code, out, err } = await hm(home.running.dataDir, ...words)
    expect([code, err]).toEqual([0, ''])
    return out
  } finally {
    if (own === undefined) delete process.env['TZ']
    else process.env['TZ'] = own
  }
}

/** Removes values that change between two calls. */
const steady = (text: string): string => text.replace(/^.* has been up for .*$|^ {2}(?:upSeconds|memory).*$/gm, '')

describe('the command line, wherever it runs', () => {
  test.each([
    ['key', 'list'],
    ['agent', 'list'],
    ['agent', 'requests'],
    ['schedule', 'list'],
    ['schedule', 'show', () => schedule],
    ['automation', 'next'],
    ['automation', 'try', () => automation],
    ['integration', 'show', () => home.main.id],
    ['intents', 'hall-light'],
    ['tls', 'show'],
    ['status'],
  ] as const)('prints the home’s time, and notes that: %s %s', async (...words) => {
    if (words[1] === 'list' && words[0] === 'agent')
      await hm(home.running.dataDir, 'agent', 'create', '--integration', home.main.id, '--name', 'A', '--platform', 'B')
    const typed = words.map((word) => (typeof word === 'string' ? word : word()))
    // The home is idle between the two calls. Otherwise sizes and remaining times would differ.
    const [here, there] = await home.running.still(async () => [
      await printedIn('Europe/Berlin', ...typed),
      await printedIn('Pacific/Kiritimati', ...typed),
    ])
    expect(steady(there)).toBe(steady(here))
    expect(there.endsWith(NOTE)).toBe(true)
    expect(there).toMatch(/\d{4}-\d\d-\d\d/)
  })

  test('does not mention times if it prints none', async () => {
    expect(await printedIn('UTC', 'scene', 'list')).not.toContain('Times are')
  })

  test('prints the time of the answer', async () => {
    const { schedules } = await hmJson<{ schedules: { id: string; next: number }[] }>(
      home.running.dataDir,
      'schedule',
      'list',
    )
    const { next } = schedules.find(({ id }) => id === schedule)!
    expect(new Date(next).toLocaleTimeString('sv-SE', { timeZone: 'Europe/Berlin' })).toBe('07:00:00')
    expect(await printedIn('America/Los_Angeles', 'schedule', 'show', schedule)).toMatch(
      /next {6}\d{4}-\d\d-\d\d 07:00:00/,
    )
  })

  test('reads times without an offset as the home’s', async () => {
    const file = `${tempFolder()}/activity.csv`
    const [from, to] = ['2026-11-01', '2026-11-01T00:00']
    expect(
      await printedIn('Pacific/Kiritimati', 'history', 'export', 'activity', file, '--from', from, '--to', to),
    ).toMatch(/^Wrote 0 rows/)
    const wrong = await hm(home.running.dataDir, 'history', 'export', 'activity', '/x.csv', '--from', '2026-13-01')
    expect(wrong.err).toBe('"2026-13-01" is not a time such as 2027-01-31, 2027-01-31T12:00 or 2027-01-31T12:00Z.')
  })
})

/** Runs a command against a gateway that cannot show the time zone. */
async function withoutZone(...words: readonly string[]): Promise<CliRun> {
  const { exchange } = AdminSocket.prototype
  vi.spyOn(AdminSocket.prototype, 'exchange').mockImplementation(function (this: AdminSocket, method, path, body) {
    if (path === '/admin/v1/home') throw new CliError('The time zone cannot be read.')
    return exchange.call(this, method, path, body)
  })
  return hm(home.running.dataDir, ...words)
}

test.each([
  ['rename', () => [home.main.id, 'Renamed']],
  ['delete', () => [home.main.id]],
] as const)('makes no change if it could not print its times: integration %s', async (command, words) => {
  const listed = () =>
    hmJson<{ integrations: { id: string; name: string }[] }>(home.running.dataDir, 'integration', 'list')
  const before = await listed()
  const ran = await withoutZone('integration', command, ...words())
  expect(ran).toEqual({ code: 1, out: '', err: 'The time zone cannot be read.' })
  expect(await listed()).toEqual(before)
})

test('prints an IPv4 peer as IPv4 when the gateway listens for both', async () => {
  const line = (await printedIn('UTC', 'agent', 'requests')).split('\n').find((line) => line.startsWith(userCode))
  expect(line).toContain(' 127.0.0.1 (home) ')
})
