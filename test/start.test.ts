import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepareDataFolder } from '../src/gateway/data-folder.ts'
import { SettingsError } from '../src/gateway/settings.ts'
import { callerOver } from '#support/gateway/caller-over.ts'
import { GatewayProcess, secretsIn } from '#support/gateway/gateway-process.ts'
import { stopAmongClients } from '#support/gateway/stopping.ts'
import { tempFolder } from '#support/temp-folder.ts'

const run = promisify(execFile)
const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0

/** Runs a line as if it were pasted into a shell; no proxy of this machine is in the way. */
async function paste(line: string): Promise<string> {
  return (await run('sh', ['-c', line], { env: { ...process.env, NO_PROXY: '*', no_proxy: '*' } })).stdout
}

/** Runs what follows at a terminal of its own. */
const AT_TERMINAL = ['sh', '-c', 'exec script --quiet --return --command "$*" /dev/null', 'sh']

test.skipIf(!has('script', '--version') || !has('curl', '--version'))(
  'at a terminal the first start prints a link and a key, in a curl line that works when pasted',
  async () => {
    const first = await GatewayProcess.start({ dataDir: tempFolder(), within: AT_TERMINAL })
    try {
      expect(first.printed).toMatch(/https:\/\/localhost:\d+\/console\/#[\w-]{24}/)
      const line = first.printed.split('\n').find((each) => each.trim().startsWith('curl '))!
      expect(secretsIn(line)).toHaveLength(1)
      expect(JSON.parse(await paste(line.trim()))).toMatchObject({ house: 'Sonnenwinkel', floors: [{}, {}, {}] })
    } finally {
      await first.kill('SIGTERM')
    }
  },
)

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
  async function running(): Promise<GatewayProcess> {
    if (gateway !== null) return gateway
    gateway = await GatewayProcess.start({ dataDir })
    starts += 1
    token = gateway.token ?? token
    return gateway
  }

  test('prints where it is and whom to trust, and no secret where no terminal reads it', async () => {
    const first = await running()
    expect(first.stderr).toBe('')
    expect(secretsIn(first.printed)).toEqual([])
    expect(first.printed).toContain('The console: bin/hm console makes a link')
    expect(first.printed).not.toContain('/console/#')
    const status = (await first.admin.call('GET', '/status')) as { gateway: string; port: number }
    const { ca } = (await first.admin.call('GET', '/tls')) as { ca: { fingerprint: string } }
    expect(first.printed).toContain('Sonnenwinkel is up')
    expect(first.printed).toContain(`https://localhost:${status.port}`)
    // It listens on loopback alone here, where no other name leads.
    expect(first.printed).not.toContain(`hm-${status.gateway}.local`)
    expect(first.printed.replaceAll(/\s+/g, '')).toContain(ca.fingerprint.slice(0, 47) + ca.fingerprint.slice(48))
  })

  test('no signal opens the debugger', async () => {
    const asked = await running()
    asked.child.kill('SIGUSR1')
    await asked.admin.call('GET', '/status')
    expect(asked.stderr).toBe('')
  })

  test('a stop by SIGTERM says goodbye with 1001, also where somebody does not answer, and ends with 0', async () => {
    const stopped = await running()
    gateway = null
    expect(await stopAmongClients(stopped, token, 'SIGTERM')).toEqual([0, null, ''])
  })

  test('the next start prints no secret, and everything is there', async () => {
    if (starts === 0) await running()
    await gateway?.kill('SIGTERM')
    gateway = null
    const next = await running()
    expect(secretsIn(next.printed)).toEqual([])
    expect(next.printed).toContain('Keys: bin/hm key list')
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
})

describe('what stands in the way is one sentence that says what to do', () => {
  test('a data folder that cannot be one', () => {
    const folder = tempFolder()
    const inTheWay = join(folder, 'a-file')
    writeFileSync(inTheWay, '')
    expect(() => prepareDataFolder(inTheWay)).toThrow(SettingsError)
    expect(() => prepareDataFolder(join(inTheWay, 'data'))).toThrow(
      /^The data folder .+data cannot be written \(ENOTDIR\): [^\n]+$/,
    )
    expect(() => prepareDataFolder(join(folder, 'long'.repeat(30)))).toThrow(
      /^The path of the data folder is too long for a socket file: [^\n]+$/,
    )
  })

  test('a setting that is wrong', async () => {
    const ended = await GatewayProcess.fails({ dataDir: tempFolder(), env: { HM_PORT: 'http' } })
    expect([ended.code, ended.stderr]).toEqual([1, 'HM_PORT is "http": it must be a whole number from 0 to 65535.\n'])
  })
})
