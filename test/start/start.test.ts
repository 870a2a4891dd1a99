import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepareDataFolder } from '../../src/settings/data-folder.ts'
import { SettingsError } from '../../src/settings/settings.ts'
import { GatewayProcess, secretsIn } from '#support/gateway/gateway-process.ts'
import { stopAmongClients } from '#support/gateway/stopping.ts'
import { tempFolder } from '#support/temp-folder.ts'

describe('one data folder', () => {
  let dataDir: string
  let token: string
  let gateway: GatewayProcess | null = null
  beforeAll(() => {
    // A name that a shell would split.
    dataDir = join(mkdtempSync(join(tmpdir(), 'hm-test-')), "our mother's house")
  })
  afterAll(async () => {
    await gateway?.kill()
    rmSync(dirname(dataDir), { recursive: true, force: true })
  })

  /** The gateway on the folder; starts one if none runs. */
  async function running(): Promise<GatewayProcess> {
    if (gateway !== null) return gateway
    gateway = await GatewayProcess.start({ dataDir })
    token = gateway.token ?? token
    return gateway
  }

  test('prints its address and CA, and no secret without a terminal', async () => {
    const first = await running()
    expect(first.stderr).toBe('')
    expect(secretsIn(first.printed)).toEqual([])
    expect(first.printed).toContain('The console: bin/hm console creates a one-time link')
    expect(first.printed).not.toContain('/console/#')
    const status = (await first.admin.call('GET', '/status')) as { gateway: string; port: number }
    const { ca } = (await first.admin.call('GET', '/tls')) as { ca: { fingerprint: string } }
    expect(first.printed).toContain('Sonnenwinkel is up')
    expect(first.printed).toContain(`https://localhost:${status.port}`)
    // It listens only on loopback here, which no other name reaches.
    expect(first.printed).not.toContain(`hm-${status.gateway}.local`)
    expect(first.printed.replaceAll(/\s+/g, '')).toContain(ca.fingerprint.slice(0, 47) + ca.fingerprint.slice(48))
  })

  test('no signal opens the debugger', async () => {
    const gateway = await running()
    gateway.child.kill('SIGUSR1')
    await gateway.admin.call('GET', '/status')
    expect(gateway.stderr).toBe('')
  })

  test('a stop by SIGTERM closes sockets with 1001, also of silent clients, and ends with 0', async () => {
    const stopped = await running()
    gateway = null
    expect(await stopAmongClients(stopped, token, 'SIGTERM')).toEqual([0, null, ''])
  })
})

describe('an obstacle is one sentence with the next step', () => {
  test('an impossible data folder', () => {
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

  test('a wrong setting', { tags: ['long'] }, async () => {
    const ended = await GatewayProcess.fails({ dataDir: tempFolder(), env: { HM_PORT: 'http' } })
    expect([ended.code, ended.stderr]).toEqual([1, 'HM_PORT is "http": it must be a whole number from 0 to 65535.\n'])
  })
})
