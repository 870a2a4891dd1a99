// @module-tag long
import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockDataFolder, prepareDataFolder } from '../../src/settings/data-folder.ts'
import { freePort } from '#support/free-port.ts'
import { callerOver } from '#support/gateway/caller-over.ts'
import { GatewayProcess, secretsIn } from '#support/gateway/gateway-process.ts'
import { stopAmongClients } from '#support/gateway/stopping.ts'
import { plugIn, pullOut, SimProcess } from '#support/bus/sim-process.ts'
import { tempFolder } from '#support/temp-folder.ts'

const run = promisify(execFile)
const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0

/** Runs a line like one pasted into a shell, without a proxy of this machine. */
async function paste(line: string): Promise<string> {
  return (await run('sh', ['-c', line], { env: { ...process.env, NO_PROXY: '*', no_proxy: '*' } })).stdout
}

/** Runs a command at its own terminal. */
const AT_TERMINAL = ['sh', '-c', 'exec script --quiet --return --command "$*" /dev/null', 'sh']

test.skipIf(!has('script', '--version') || !has('curl', '--version'))(
  'at a terminal the first start prints a link and a key, in a curl line that works when pasted',
  async () => {
    const first = await GatewayProcess.start({ dataDir: tempFolder(), within: AT_TERMINAL })
    try {
      expect(first.printed).toMatch(/https:\/\/localhost:\d+\/console\/#[\w-]{24}/)
      const line = first.printed.split('\n').find((line) => line.trim().startsWith('curl '))!
      expect(secretsIn(line)).toHaveLength(1)
      expect(JSON.parse(await paste(line.trim()))).toMatchObject({ house: 'Sonnenwinkel', floors: [{}, {}, {}] })
    } finally {
      await first.kill('SIGTERM')
    }
  },
)

describe('one data folder', () => {
  let dataDir: string
  let gateway: GatewayProcess | null = null
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'hm-test-'))
  })
  afterAll(async () => {
    await gateway?.kill()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('a start that could not listen does not count: the next one is the first', async () => {
    const port = await freePort()
    const taken = createServer().listen(port, '127.0.0.1')
    await once(taken, 'listening')
    const ended = await GatewayProcess.fails({ dataDir, env: { HM_PORT: String(port) } })
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([
      1,
      '',
      `Port ${port} is in use: stop the program that listens there, or choose another port with HM_PORT.\n`,
    ])
    taken.close()
    gateway = await GatewayProcess.start({ dataDir, env: { HM_PORT: String(port) } })
    expect(gateway.port).toBe(port)
    expect(gateway.printed).toContain('The console: bin/hm console creates a one-time link')
    expect(gateway.token).not.toBeNull()
  })

  test('a second gateway on it is refused, and the first continues', async () => {
    const first = gateway!
    const second = await GatewayProcess.fails({ dataDir })
    expect([second.code, second.stdout, second.stderr]).toEqual([
      1,
      '',
      `A gateway already runs on the data folder ${dataDir}: stop it first, or choose another folder with HM_DATA_DIR.\n`,
    ])
    expect(await first.admin.call('GET', '/status')).toMatchObject({ port: first.port })
  })

  test('a stop by SIGINT ends it as SIGTERM does', async () => {
    expect(await stopAmongClients(gateway!, gateway!.token!, 'SIGINT')).toEqual([0, null, ''])
  })

  test('the next start prints no secret, and has all data', async () => {
    const token = gateway!.token!
    gateway = await GatewayProcess.start({ dataDir })
    expect(secretsIn(gateway.printed)).toEqual([])
    expect(gateway.printed).toContain('Keys: bin/hm key list')
    await using caller = callerOver('http', { url: gateway.url, ca: gateway.ca, token })
    expect((await caller.call({ method: 'GET', path: '/v1/house' })).status).toBe(200)
    for (const [kind, count] of [
      ['automations', 4],
      ['schedules', 2],
    ] as const) {
      const { body } = await caller.call({ method: 'GET', path: `/v1/${kind}` })
      expect((body as Record<typeof kind, unknown[]>)[kind]).toHaveLength(count)
    }
  })
})

describe('an obstacle is one sentence with the next step', () => {
  test('a data folder in use by another gateway stays unchanged', async () => {
    const folder = prepareDataFolder(tempFolder())
    using _ = lockDataFolder(folder)
    writeFileSync(folder.opening, 'the mark of the other')
    const ended = await GatewayProcess.fails({ dataDir: folder.path })
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('A gateway already runs')])
    expect(readFileSync(folder.opening, 'utf8')).toBe('the mark of the other')
    expect(readdirSync(folder.path).filter((name) => !name.startsWith('.'))).toEqual(['lock', 'opening.json'])
  })

  test('an impossible data folder', async () => {
    const inTheWay = join(tempFolder(), 'a-file')
    writeFileSync(inTheWay, '')
    const ended = await GatewayProcess.fails({ dataDir: inTheWay })
    expect([ended.code, ended.stdout]).toEqual([1, ''])
    expect(ended.stderr).toMatch(
      /^The data folder .+a-file cannot be written \(\w+\): make it writable for this user, or choose another with HM_DATA_DIR\.\n$/,
    )
  })

  test('a data folder with a missing configuration', async () => {
    const dataDir = tempFolder()
    writeFileSync(join(dataDir, 'home-id'), 'ab12cd34ef56\n')
    const ended = await GatewayProcess.fails({ dataDir })
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(
      /^The configuration .+ is not usable \(it is missing or empty, though this data folder belongs to a home\) and there is no good copy in .+\.\n$/,
    )
  })

  test('an address that this machine does not have', async () => {
    const ended = await GatewayProcess.fails({ dataDir: tempFolder(), env: { HM_HOST: '192.0.2.77' } })
    expect([ended.code, ended.stderr]).toEqual([
      1,
      'This machine has no address 192.0.2.77: choose another with HM_HOST.\n',
    ])
  })
})

test('a missing serial port is no obstacle: the gateway serves, answers 503, and works as soon as the port appears', async (context) => {
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
