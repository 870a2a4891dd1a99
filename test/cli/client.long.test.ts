// @module-tag long
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { HmError } from '../../client/src/error.ts'
import { ClientContext, patiently } from '../../src/cli/client/home/client-context.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { ClientUser, connectionCodeOf, type FollowingCommand, loggedIn } from '#support/gateway/client-user.ts'
import { runDoctor, brokenLink } from '#support/gateway/doctor-run.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { endToEnd, ownName } from '#support/relay/end-to-end.ts'
import { tempFolder } from '#support/temp-folder.ts'

let home: TestHome
beforeAll(async () => {
  home = await TestHome.open('http')
})
afterAll(() => home[Symbol.asyncDispose]())

describe('hm, followed', () => {
  proves('hm.follow', 'prints each entry of the activity as a line', async () => {
    const me = await loggedIn(home, tempFolder())
    await home.running.hasten(me.output('toggle', 'hall', 'light'))
    await using reading = me.following('activity', '-f', '--device', 'hall light', '--limit', '1', '--json')
    expect(JSON.parse(await reading.line())).toMatchObject({ device: home.id('hall-light') })
    await home.running.hasten(me.output('toggle', 'hall', 'light'))
    expect(JSON.parse(await reading.line())).toMatchObject({ device: home.id('hall-light'), kind: 'state' })
  })
})

describe('hm, followed across restarts', () => {
  proves('hm.follow', 'continues after kills of the gateway, reports them, and ends only with the key', async () => {
    const dataDir = tempFolder()
    await (await TestHome.open('http', { dataDir, settled: false }))[Symbol.asyncDispose]()
    await using first = await GatewayProcess.start({ dataDir })
    const made = await first.admin.call<{ integration: { id: string } }>('POST', '/integrations', {
      name: 'Follower',
      expose: ['all'],
    })
    const key = await first.admin.call<{ link: string; connectionCode: string }>('POST', '/keys', {
      integration: made.integration.id,
    })
    const me = new ClientUser(tempFolder())
    await me.output('login', key.connectionCode)
    me.change({ addresses: [first.url] })
    await using watching = me.following('watch', 'hall', '--json')
    await using reading = me.following('activity', '-f', '--limit', '1', '--json')
    expect(await noteOf(watching)).toMatch(/^Watching Hall/)
    await reading.line()
    await first.kill()
    expect(await noteOf(watching)).toMatch(/Trying again until it answers\.$/)
    expect(await noteOf(reading)).toMatch(/Trying again until it answers\.$/)
    await using again = await GatewayProcess.start({ dataDir, env: { HM_PORT: String(first.port) } })
    expect(await noteOf(watching)).toBe('Connected again.')
    expect(await noteOf(watching)).toMatch(/^Some changes were missed/)
    expect(await noteOf(reading)).toBe('Connected again.')
    const { device } = await me.answer<{ device: string }>('toggle', 'hall', 'light')
    await waitForState(watching, device)
    await waitForState(reading, device)
    await again.admin.call('DELETE', `/keys/${key.link}`)
    expect([await watching.ended(), await reading.ended()]).toEqual([2, 2])
    for (const run of [watching, reading])
      expect(JSON.parse(await run.notice())).toMatchObject({ error: { code: 'unauthorized' } })
  })

  test('a request to an overloaded gateway is repeated; a final refusal is not', async () => {
    const context = new ClientContext({ json: false })
    const refusal = (status: number, code: string): HmError =>
      new HmError(status, { code, message: 'No.', appAction: null, retryAfter: null })
    const answers = [refusal(503, 'overloaded'), 'done'] as const
    let attempts = 0
    const answer = await patiently(context, async () => {
      const answer = answers[attempts]!
      attempts += 1
      if (typeof answer !== 'string') throw answer
      return answer
    })
    expect([answer, attempts]).toEqual(['done', 2])
    await expect(patiently(context, () => Promise.reject(refusal(404, 'not_found')))).rejects.toMatchObject({
      code: 'not_found',
      exitCode: 3,
    })
  })
})

/** The next note of a command, which is not part of its answer. */
async function noteOf(command: FollowingCommand): Promise<string> {
  return (JSON.parse(await command.notice()) as { note: { message: string } }).note.message
}

/** Waits for a line with a state of a device. */
async function waitForState(command: FollowingCommand, device: string): Promise<void> {
  for (;;) {
    const line = JSON.parse(await command.line()) as { device: string; event?: string; kind?: string }
    if (line.device === device && (line.event ?? line.kind) === 'state') return
  }
}

/** A home of one unit with its own gateway, which the test may break. */
async function ownHome(options: Parameters<typeof TestHome.open>[1] = {}): Promise<TestHome> {
  const own = await TestHome.open('http', { ...ONE_UNIT, ...options })
  onTestFinished(() => own[Symbol.asyncDispose]())
  return own
}

describe('hm doctor names the fault', () => {
  proves('hm.doctor', 'at the gateway: a lost adapter, a disabled integration, an ended key', async () => {
    const own = await ownHome()
    const me = await loggedIn(own, tempFolder())
    const lost = new Promise<void>((resolve) => {
      const stop = own.running.gateway.home.events.on(({ kind }) => {
        if (kind !== 'link') return
        stop()
        resolve()
      })
    })
    own.running.sim.unplug()
    await own.running.hasten(lost)
    expect(await runDoctor(me)).toMatchObject({
      code: 6,
      findings: expect.arrayContaining([expect.objectContaining(brokenLink('adapter', /adapter was lost/))]) as object,
    })
    await own.change(own.main, { enabled: false })
    expect((await runDoctor(me)).findings).toContainEqual(expect.objectContaining(brokenLink('access', /disabled/)))
    await own.running.admin.call('DELETE', `/integrations/${own.main.id}`)
    const ended = await runDoctor(me)
    expect(ended.code).toBe(2)
    expect(ended.findings).toContainEqual(expect.objectContaining(brokenLink('access', /no longer accepts this login/)))
  })

  proves('hm.doctor', 'on the way: a wrong name, a wrong address, another CA, and a stopped gateway', async () => {
    const own = await ownHome()
    const me = await loggedIn(own, tempFolder())
    const sound = me.store.get(undefined)
    me.change({ addresses: ['https://hm-nowhere.invalid:8490'] })
    expect(await runDoctor(me)).toMatchObject({
      code: 4,
      findings: [brokenLink('name', /hm-nowhere\.invalid does not resolve/)],
    })
    me.change({ addresses: ['https://hm-nowhere.invalid:8490', ...sound.addresses] })
    expect(await runDoctor(me)).toMatchObject({ code: 0, state: 'well' })
    me.change({ addresses: [`https://127.0.0.1:${await otherServer()}`] })
    expect(await runDoctor(me)).toMatchObject({ code: 4, findings: [brokenLink('address', /is not a gateway/)] })
    me.change({ addresses: sound.addresses })
    await own.running.admin.call('POST', '/tls/regenerate-ca', {})
    expect(await runDoctor(me)).toMatchObject({
      code: 5,
      findings: sound.addresses.map(() => brokenLink('ca', /does not have the trusted CA/)),
    })
    expect((await me.run('devices')).code).toBe(5)
    await own.running.stop()
    expect(await runDoctor(me)).toMatchObject({
      code: 4,
      findings: sound.addresses.map(() => brokenLink('address', /no gateway listens at that port/)),
    })
  })

  proves('hm.doctor', 'of the time: a clock that is days behind', async () => {
    const ahead = { ...systemClock, now: () => Date.now() + 7 * 86_400_000 }
    const own = await ownHome({ clock: ahead, settled: false })
    const me = await loggedIn(home, tempFolder())
    const { fingerprint } = own.running.gateway
    me.change({ addresses: [own.running.url], token: own.main.token, ca: own.ca, fingerprint })
    const { code, findings } = await runDoctor(me)
    expect(findings).toMatchObject([brokenLink('clock', /A clock is wrong: it is/)])
    expect(code).toBe(4)
  })
})

/** A server without TLS, at a free port. */
async function otherServer(): Promise<number> {
  const server: Server = createServer((_, response) => response.end('Hello'))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('hm from outside', () => {
  proves('hm.relay', 'goes end to end through a relay that cannot read it', async () => {
    const { relay, home: own, set } = await endToEnd('on')
    const me = await loggedIn(own, tempFolder())
    // The login cannot reach the home directly: no name server knows the name.
    me.change({ addresses: [`https://${ownName(own)}:1`], relay: { url: relay.url, ca: null, endToEnd: true } })
    expect((await me.answer<{ house: string }>('devices')).house).not.toBe('')
    expect((await runDoctor(me)).findings).toContainEqual(expect.objectContaining({ link: 'relay', state: 'well' }))
    await own.change(own.main, { settings: { cloud_access: 'off' } })
    expect(await me.run('devices')).toMatchObject({ code: 3, err: expect.stringContaining('cloud_access') as string })
    // A command keeps its connections until its process ends, and this process continues.
    await set('off')
  })
})

test('bin/hm itself reads a piped code in any folder, and exits with the code of the command', async () => {
  const me = new ClientUser(tempFolder())
  const started = (...words: readonly string[]): ChildProcessWithoutNullStreams =>
    spawn(join(PROJECT_ROOT, 'bin/hm'), words, { cwd: tempFolder(), env: { ...process.env, ...me.env } })
  const login = started('login')
  login.stdin.end(`${await connectionCodeOf(home)}\n`)
  expect(await text(login.stdout)).toBe('You are logged in to Sonnenwinkel ("sonnenwinkel"). Try: hm devices\n')
  const devices = started('devices', '--profile', 'nowhere', '--json')
  const [errorText, [code]] = await Promise.all([text(devices.stderr), once(devices, 'exit')])
  expect([code, JSON.parse(errorText)]).toMatchObject([2, { error: { code: 'no_login' } }])
})
