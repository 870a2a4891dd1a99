import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { readSettings } from '../src/gateway/settings.ts'
import { callerOver } from '#support/gateway/caller-over.ts'
import { TestSocket } from '#support/gateway/callers.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { times } from '#support/long.ts'
import { dial } from '#support/gateway/raw-client.ts'
import { plugIn, pullOut, SimProcess } from '#support/bus/sim-process.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { proves } from '#support/gateway/verifies.ts'

const run = promisify(execFile)
const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0

/** Runs a line as if it were pasted into a shell; no proxy of this machine is in the way. */
async function paste(line: string): Promise<string> {
  return (await run('sh', ['-c', line], { env: { ...process.env, NO_PROXY: '*', no_proxy: '*' } })).stdout
}

const secretsIn = (text: string): string[] => text.match(/hm_(?:key|agent|session)_\S+/g) ?? []

describe('the first start', () => {
  test('prints where it is, whom to trust, and a curl line that works when pasted; the next starts print no secret', async (context) => {
    // A name that a shell would take apart.
    const dataDir = join(tempFolder(), "our mother's house")
    const first = await GatewayProcess.start({ dataDir })
    await using _ = first
    expect(first.stderr).toBe('')
    const status = (await first.admin.call('GET', '/status')) as { gateway: string; port: number }
    const { ca } = (await first.admin.call('GET', '/tls')) as { ca: { fingerprint: string } }
    expect(first.printed).toContain('Sonnenwinkel is up')
    expect(first.printed).toContain(`https://localhost:${status.port}`)
    expect(first.printed).toContain(`https://hm-${status.gateway}.local:${status.port}`)
    expect(first.printed.replaceAll(/\s+/g, '')).toContain(ca.fingerprint.slice(0, 47) + ca.fingerprint.slice(48))
    expect(secretsIn(first.printed)).toHaveLength(1)

    const token = first.token!
    const line = first.printed.split('\n').find((each) => each.trim().startsWith('curl '))!
    if (has('curl', '--version'))
      expect(JSON.parse(await paste(line.trim()))).toMatchObject({
        house: 'Sonnenwinkel',
        gateway: status.gateway,
        floors: [{}, {}, {}],
      })
    const ended = await first.kill('SIGTERM')
    expect([ended.code, ended.stderr]).toEqual([0, ''])

    const second = await GatewayProcess.start({ dataDir })
    await using __ = second
    expect(secretsIn(second.printed)).toEqual([])
    expect(second.printed).toContain(`hm-${status.gateway}.local`)
    await using caller = callerOver('http', { url: second.url, ca: second.ca, token })
    expect((await caller.call({ method: 'GET', path: '/v1/house' })).status).toBe(200)
    for (const [kind, count] of [
      ['automations', 4],
      ['schedules', 2],
    ] as const) {
      const { body } = await caller.call({ method: 'GET', path: `/v1/${kind}` })
      expect((body as Record<typeof kind, unknown[]>)[kind]).toHaveLength(count)
    }
    if (!has('curl', '--version')) context.skip('curl is not installed')
  })

  test('that could not listen loses nothing: the next one prints the key', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    const dataDir = tempFolder()
    const ended = await GatewayProcess.fails({ dataDir, env: { HM_PORT: String(port) } })
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([
      1,
      '',
      `Port ${port} is in use: stop what listens there, or choose another with HM_PORT.\n`,
    ])
    taken.close()
    await using gateway = await GatewayProcess.start({ dataDir, env: { HM_PORT: String(port) } })
    expect(gateway.port).toBe(port)
    expect(secretsIn(gateway.printed)).toHaveLength(1)
  })
})

describe('a stop', () => {
  test.for(['SIGTERM', 'SIGINT'] as const)(
    'by %s says goodbye with 1001, also where somebody does not answer, and ends with 0',
    async (signal) => {
      await using gateway = await GatewayProcess.start({ dataDir: tempFolder() })
      const door = { url: gateway.url, ca: gateway.ca, token: gateway.token }
      const socket = await TestSocket.open(door)
      await socket.subscribe(['*'])
      const unsubscribe = await TestSocket.open(door)
      unsubscribe.socket.pause()
      const silent = connect(gateway.port, '127.0.0.1').on('error', () => {})
      const halfSaid = await dial(door)
      halfSaid.write('GET /v1/about HTTP/1.1\r\nHost: localhost\r\n')
      await using caller = callerOver('http', door)
      await caller.call({ method: 'GET', path: '/v1/house' })
      const from = performance.now()
      const ending = gateway.kill(signal)
      expect(await socket.ended).toBe(1001)
      const ended = await ending
      console.info(`${signal}: ended after ${Math.round(performance.now() - from)} ms`)
      expect([ended.code, ended.signal, ended.stderr]).toEqual([0, null, ''])
      silent.destroy()
      halfSaid.destroy()
      unsubscribe.socket.terminate()
      expect(unsubscribe.socket.readyState).not.toBe(WebSocket.OPEN)
      await expect(gateway.admin.call('GET', '/status')).rejects.toThrow('No gateway runs on the data folder')
    },
  )
})

describe('what stands in the way is one sentence that says what to do', () => {
  test('a second gateway on the same folder; the first goes on', async () => {
    const dataDir = tempFolder()
    await using first = await GatewayProcess.start({ dataDir })
    const second = await GatewayProcess.fails({ dataDir })
    expect([second.code, second.stdout, second.stderr]).toEqual([
      1,
      '',
      `A gateway already runs on the data folder ${dataDir}: stop it first, or choose another folder with HM_DATA_DIR.\n`,
    ])
    expect(await first.admin.call('GET', '/status')).toMatchObject({ port: first.port })
  })

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
    const tooLong = join(folder, 'long'.repeat(30))
    mkdirSync(tooLong)
    const [file, inside, long] = await Promise.all(
      [inTheWay, join(inTheWay, 'data'), tooLong].map((dataDir) => GatewayProcess.fails({ dataDir })),
    )
    for (const ended of [file!, inside!, long!])
      expect([ended.code, ended.stdout, ended.stderr.split('\n').length]).toEqual([1, '', 2])
    expect(file!.stderr).toMatch(
      /^The data folder .+a-file cannot be written \(\w+\): make it writable for this user, or choose another with HM_DATA_DIR\.\n$/,
    )
    expect(inside!.stderr).toMatch(/^The data folder .+data cannot be written \(ENOTDIR\): /)
    expect(long!.stderr).toMatch(/^The path of the data folder is too long for a socket file: /)
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

  test('a setting that is wrong, by environment and by flag', async () => {
    const [environment, flag, unknown] = await Promise.all([
      GatewayProcess.fails({ dataDir: tempFolder(), env: { HM_PORT: 'http' } }),
      GatewayProcess.fails({ dataDir: tempFolder(), args: ['--hmhc', 'usb'] }),
      GatewayProcess.fails({ dataDir: tempFolder(), args: ['--prot', '1'] }),
    ])
    expect([environment.code, environment.stderr]).toEqual([
      1,
      'HM_PORT is "http": it must be a whole number from 0 to 65535.\n',
    ])
    expect([flag.code, flag.stderr]).toEqual([
      1,
      'HM_HMHC is "usb": it must be sim:, sim:units=300,seed=7,speed=10, a serial device such as /dev/ttyUSB0, or tcp://host:port.\n',
    ])
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain("Unknown option '--prot'")
    expect(unknown.stderr).toContain('--port PORT')
  })

  test('an address that this machine does not have', async () => {
    const ended = await GatewayProcess.fails({ dataDir: tempFolder(), env: { HM_HOST: '192.0.2.77' } })
    expect([ended.code, ended.stderr]).toEqual([
      1,
      'This machine has no address 192.0.2.77: choose another with HM_HOST.\n',
    ])
  })
})

describe('settings', () => {
  proves(
    '8.port',
    'are, unless told otherwise: port 8490, every address, the simulated house, the folder ./data',
    () => {
      expect(readSettings({}, [])).toEqual({
        dataDir: './data',
        host: '::',
        port: 8490,
        hmhc: { kind: 'sim', units: null, seed: 1, speed: 1 },
        rateLimit: { perSecond: 200, burst: 500 },
        logLevel: 'warn',
      })
    },
  )

  test('come from flags before the environment, and an empty variable is none', () => {
    expect(readSettings({ HM_PORT: '9000', HM_HOST: '' }, ['--port', '9001'])).toMatchObject({ port: 9001, host: '::' })
    expect(readSettings({ HM_HMHC: 'sim:units=300,seed=7,speed=10', HM_RATE_LIMIT: 'off' }, [])).toMatchObject({
      hmhc: { kind: 'sim', units: 300, seed: 7, speed: 10 },
      rateLimit: null,
    })
    expect(readSettings({ HM_HMHC: 'tcp://[::1]:7700', HM_RATE_LIMIT: '10/20' }, [])).toMatchObject({
      hmhc: { kind: 'tcp', host: '::1', port: 7700 },
      rateLimit: { perSecond: 10, burst: 20 },
    })
    expect(readSettings({ HM_HMHC: '/dev/serial/by-id/usb-x' }, [])).toMatchObject({
      hmhc: { kind: 'serial', path: '/dev/serial/by-id/usb-x' },
    })
  })

  test.each([
    { HM_PORT: '-1' },
    { HM_PORT: '65536' },
    { HM_PORT: '84.9' },
    { HM_PORT: '0x10' },
    { HM_PORT: ' 80' },
    { HM_HMHC: 'sim:units=0' },
    { HM_HMHC: 'sim:units=many' },
    { HM_HMHC: 'sim:seed=-1' },
    { HM_HMHC: 'sim:speed=1001' },
    { HM_HMHC: 'sim:cats=3' },
    { HM_HMHC: 'tcp://host' },
    { HM_HMHC: 'tcp://host:0' },
    { HM_HMHC: 'tcp://host:70000' },
    { HM_HMHC: 'ttyUSB0' },
    { HM_RATE_LIMIT: '200' },
    { HM_RATE_LIMIT: '0/10' },
    { HM_RATE_LIMIT: 'fast' },
    { HM_LOG_LEVEL: 'loud' },
  ])('%j is refused in a sentence that names it', (env) => {
    const [name, value] = Object.entries(env)[0]!
    expect(() => readSettings(env, [])).toThrow(new RegExp(`^[^\\n]*${name}[^\\n]*\\.$`))
    expect(() => readSettings(env, [])).toThrow(
      value
        .split(/[:=]|\/\//)
        .at(-1)!
        .trim(),
    )
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
