import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { prepareDataFolder } from '../src/gateway/data-folder.ts'
import { SettingsError } from '../src/gateway/settings.ts'
import { callerOver } from '#support/gateway/caller-over.ts'
import { TestSocket } from '#support/gateway/callers.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { times } from '#support/long.ts'
import { dial } from '#support/gateway/raw-client.ts'
import { plugIn, pullOut, SimProcess } from '#support/bus/sim-process.ts'
import { tempFolder } from '#support/temp-folder.ts'

const run = promisify(execFile)
const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0

/** Runs a line as if it were pasted into a shell; no proxy of this machine is in the way. */
async function paste(line: string): Promise<string> {
  return (await run('sh', ['-c', line], { env: { ...process.env, NO_PROXY: '*', no_proxy: '*' } })).stdout
}

const secretsIn = (text: string): string[] => text.match(/hm_(?:key|agent|session)_\S+/g) ?? []

describe('one data folder, from its first start on', () => {
  let dataDir: string
  let token: string
  let gateway: GatewayProcess | null = null
  let starts = 0
  beforeAll(() => {
    // A name that a shell would take apart.
    dataDir = join(mkdtempSync(join(tmpdir(), 'hm-test-')), "our mother's house")
  })
  afterAll(async () => {
    await gateway?.kill()
    rmSync(dirname(dataDir), { recursive: true, force: true })
  })

  /** The gateway on the folder, started where none runs. */
  async function running(env: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
    if (gateway !== null) return gateway
    gateway = await GatewayProcess.start({ dataDir, env })
    starts += 1
    token = gateway.token ?? token
    return gateway
  }

  test('a start that could not listen loses nothing: the next one prints the key', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    const ended = await GatewayProcess.fails({ dataDir, env: { HM_PORT: String(port) } })
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([
      1,
      '',
      `Port ${port} is in use: stop what listens there, or choose another with HM_PORT.\n`,
    ])
    taken.close()
    const first = await running({ HM_PORT: String(port) })
    expect(first.port).toBe(port)
    expect(secretsIn(first.printed)).toHaveLength(1)
  })

  test('prints where it is, whom to trust, and a curl line that works when pasted', async (context) => {
    const first = await running()
    expect(first.stderr).toBe('')
    const status = (await first.admin.call('GET', '/status')) as { gateway: string; port: number }
    const { ca } = (await first.admin.call('GET', '/tls')) as { ca: { fingerprint: string } }
    expect(first.printed).toContain('Sonnenwinkel is up')
    expect(first.printed).toContain(`https://localhost:${status.port}`)
    expect(first.printed).toContain(`https://hm-${status.gateway}.local:${status.port}`)
    expect(first.printed.replaceAll(/\s+/g, '')).toContain(ca.fingerprint.slice(0, 47) + ca.fingerprint.slice(48))
    if (!has('curl', '--version')) return context.skip('curl is not installed')
    const line = first.printed.split('\n').find((each) => each.trim().startsWith('curl '))!
    expect(JSON.parse(await paste(line.trim()))).toMatchObject({
      house: 'Sonnenwinkel',
      gateway: status.gateway,
      floors: [{}, {}, {}],
    })
    return undefined
  })

  test('a second gateway on it says so, and the first goes on', async () => {
    const first = await running()
    const second = await GatewayProcess.fails({ dataDir })
    expect([second.code, second.stdout, second.stderr]).toEqual([
      1,
      '',
      `A gateway already runs on the data folder ${dataDir}: stop it first, or choose another folder with HM_DATA_DIR.\n`,
    ])
    expect(await first.admin.call('GET', '/status')).toMatchObject({ port: first.port })
  })

  /** Stops the gateway that runs, with clients of every kind on it; resolves to how it ended. */
  async function stop(signal: 'SIGTERM' | 'SIGINT'): Promise<unknown[]> {
    const stopped = await running()
    const door = { url: stopped.url, ca: stopped.ca, token }
    const socket = await TestSocket.open(door)
    await socket.subscribe(['*'])
    const deaf = await TestSocket.open(door)
    deaf.socket.pause()
    const silent = connect(stopped.port, '127.0.0.1').on('error', () => {})
    const halfSaid = await dial(door)
    halfSaid.write('GET /v1/about HTTP/1.1\r\nHost: localhost\r\n')
    await using caller = callerOver('http', door)
    await caller.call({ method: 'GET', path: '/v1/house' })
    const from = performance.now()
    const ending = stopped.kill(signal)
    expect(await socket.ended).toBe(1001)
    const ended = await ending
    gateway = null
    console.info(`${signal}: ended after ${Math.round(performance.now() - from)} ms`)
    silent.destroy()
    halfSaid.destroy()
    deaf.socket.terminate()
    expect(deaf.socket.readyState).not.toBe(WebSocket.OPEN)
    await expect(stopped.admin.call('GET', '/status')).rejects.toThrow('No gateway runs on the data folder')
    return [ended.code, ended.signal, ended.stderr]
  }

  test('a stop by SIGTERM says goodbye with 1001, also where somebody does not answer, and ends with 0', async () => {
    expect(await stop('SIGTERM')).toEqual([0, null, ''])
  })

  test('the next start prints no secret, and everything is there', async () => {
    if (starts === 0) await running()
    await gateway?.kill('SIGTERM')
    gateway = null
    const next = await running()
    expect(secretsIn(next.printed)).toEqual([])
    const { gateway: serial } = (await next.admin.call('GET', '/status')) as { gateway: string }
    expect(next.printed).toContain(`hm-${serial}.local`)
    await using caller = callerOver('http', { url: next.url, ca: next.ca, token })
    expect((await caller.call({ method: 'GET', path: '/v1/house' })).status).toBe(200)
    for (const [kind, count] of [
      ['automations', 4],
      ['schedules', 2],
    ] as const) {
      const { body } = await caller.call({ method: 'GET', path: `/v1/${kind}` })
      expect((body as Record<typeof kind, unknown[]>)[kind]).toHaveLength(count)
    }
  })

  test('a stop by SIGINT is the same', async () => {
    expect(await stop('SIGINT')).toEqual([0, null, ''])
  })
})

describe('what stands in the way is one sentence that says what to do', () => {
  test('two starts at the same moment on one new folder: one runs, the other says so', async () => {
    for (let turn = 0; turn < times(1, 50); turn++) {
      const dataDir = tempFolder()
      const both = await Promise.allSettled([GatewayProcess.start({ dataDir }), GatewayProcess.start({ dataDir })])
      const [first, ...others] = both.filter((each) => each.status === 'fulfilled').map((each) => each.value)
      await using _ = first!
      expect(others).toEqual([])
      expect(String(both.find((each) => each.status === 'rejected')!.reason)).toContain(
        `A gateway already runs on the data folder ${dataDir}`,
      )
      expect(await first!.admin.call('GET', '/status')).toMatchObject({ port: first!.port })
    }
  })

  test('a data folder that cannot be one', async () => {
    const folder = tempFolder()
    const inTheWay = join(folder, 'a-file')
    writeFileSync(inTheWay, '')
    const ended = await GatewayProcess.fails({ dataDir: inTheWay })
    expect([ended.code, ended.stdout]).toEqual([1, ''])
    expect(ended.stderr).toMatch(
      /^The data folder .+a-file cannot be written \(\w+\): make it writable for this user, or choose another with HM_DATA_DIR\.\n$/,
    )
    expect(() => prepareDataFolder(inTheWay)).toThrow(SettingsError)
    expect(() => prepareDataFolder(join(inTheWay, 'data'))).toThrow(
      /^The data folder .+data cannot be written \(ENOTDIR\): [^\n]+$/,
    )
    expect(() => prepareDataFolder(join(folder, 'long'.repeat(30)))).toThrow(
      /^The path of the data folder is too long for a socket file: [^\n]+$/,
    )
  })

  test('a data folder of a home whose configuration is gone', async () => {
    const dataDir = tempFolder()
    writeFileSync(join(dataDir, 'home-id'), 'ab12cd34ef56\n')
    const ended = await GatewayProcess.fails({ dataDir })
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(
      /^The configuration .+ is not usable \(it is missing or empty, though this data folder belongs to a home\) and there is no good copy in .+\.\n$/,
    )
  })

  test('a setting that is wrong', async () => {
    const ended = await GatewayProcess.fails({ dataDir: tempFolder(), env: { HM_PORT: 'http' } })
    expect([ended.code, ended.stderr]).toEqual([1, 'HM_PORT is "http": it must be a whole number from 0 to 65535.\n'])
  })

  test('an address that this machine does not have', async () => {
    const ended = await GatewayProcess.fails({ dataDir: tempFolder(), env: { HM_HOST: '192.0.2.77' } })
    expect([ended.code, ended.stderr]).toEqual([
      1,
      'This machine has no address 192.0.2.77: choose another with HM_HOST.\n',
    ])
  })
})

test('a serial port that is not there stops nothing: the gateway serves, answers 503, and works as soon as it is there', async (context) => {
  if (!has('socat', '-V')) return context.skip('socat is not installed')
  await using sim = await SimProcess.start()
  const path = join(tempFolder(), 'adapter')
  await using gateway = await GatewayProcess.start({ dataDir: tempFolder(), env: { HM_HMHC: path } })
  expect(gateway.printed).toContain(path)
  const room = { id: 'hall', name: 'Hall' }
  const file = {
    home: { name: 'Real home' },
    floors: [],
    rooms: [room],
    units: [{ id: 'lamp', name: 'Lamp', address: 11, model: 'HMHHX1', class: 'light_switch', room: 'hall' }],
    scenes: [],
  }
  await gateway.admin.call('PUT', '/house/file', { file: JSON.stringify(file) })
  const { integration } = (await gateway.admin.call('POST', '/integrations', { name: 'Panel' })) as {
    integration: { id: string }
  }
  const { token } = (await gateway.admin.call('POST', '/keys', { integration: integration.id })) as { token: string }
  const { gateway: serial } = (await gateway.admin.call('GET', '/status')) as { gateway: string }
  await using caller = callerOver('http', { url: gateway.url, ca: gateway.ca, token })
  const control = (): ReturnType<typeof caller.call> =>
    caller.call({
      method: 'POST',
      path: `/v1/devices/${serial}:${integration.id}:lamp/control`,
      body: { op: 'set_power', args: { on: true } },
    })
  expect((await caller.call({ method: 'GET', path: '/v1/house' })).body).toMatchObject({
    house: 'Real home',
    rooms: [{ name: 'Hall', units: [{ name: 'Lamp' }] }],
  })
  expect(await control()).toMatchObject({ status: 503, body: { error: { code: 'hmhc_unavailable' } } })

  const socat = plugIn(path, sim.port)
  try {
    let answer = await control()
    while (answer.status !== 200) answer = await control()
    expect(answer.body).toMatchObject({ state: { on: true } })
  } finally {
    await pullOut(socat)
  }
  return undefined
})
