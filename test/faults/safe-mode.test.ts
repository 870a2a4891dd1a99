import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { prepareDataFolder } from '../../src/settings/data-folder.ts'
import { FailedStarts, START_MS } from '../../src/operations/failed-starts.ts'
import { openSafeMode, SAFE_MODE_MS, type SafeMode } from '../../src/gateway/safe-mode.ts'
import { SettingsError } from '../../src/settings/settings.ts'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { hm } from '#support/gateway/cli.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { type RawRequestOptions, rawRequest } from '#support/gateway/raw-client.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

const SETTINGS = {
  host: '127.0.0.1',
  port: 0,
  hmhc: { kind: 'sim', units: null, seed: 1, speed: 1 },
  rateLimit: null,
  logLevel: 'silent',
  console: 'on',
  setupCode: null,
  backupDir: null,
} as const

/** The data folder of a stopped home. */
async function homeFolder(): Promise<string> {
  const dataDir = tempFolder()
  const running = await TestGateway.open({ dataDir, settled: false })
  await running.stop()
  return dataDir
}

function safeMode(dataDir: string, clock: ManualClock): Promise<SafeMode> {
  return openSafeMode({
    settings: { ...SETTINGS, dataDir },
    folder: prepareDataFolder(dataDir),
    clock,
    random: systemRandom,
    log: silentLog,
    failed: { count: 5, reason: 'The configuration is damaged.' },
  })
}

describe('safe mode', () => {
  proves(
    'administration.safe-mode',
    'answers about and the CA as usual, and 503 to everything else',
    { tags: ['long'] },
    async () => {
      const dataDir = await homeFolder()
      const safe = await safeMode(dataDir, new ManualClock(Date.now()))
      const ca = readFileSync(join(dataDir, 'tls/ca.pem'), 'utf8')
      const door = { url: `https://127.0.0.1:${safe.port}`, ca }
      expect(await rawRequest(door, { path: '/v1/about?x=1' })).toMatchObject({
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        text: expect.stringContaining('Home Control Service API'),
      })
      expect(await rawRequest(door, { path: '/ca.pem' })).toMatchObject({ status: 200, text: ca })
      const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
      const others: readonly RawRequestOptions[] = [
        { path: '/v1/house', headers: { authorization: 'Bearer hm_key_any' } },
        { path: '/v1/pair', method: 'POST', body: '{}' },
        { path: '/v1/stream', headers: { ...upgrade, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' } },
        { path: '/mcp', method: 'POST', body: '{}' },
        { path: '/v1/about', method: 'DELETE' },
      ]
      for (const request of others)
        expect(await rawRequest(door, request)).toMatchObject({
          status: 503,
          headers: { 'retry-after': '900' },
          body: { error: { code: 'safe_mode', message: expect.not.stringContaining('damaged'), retryAfter: 900 } },
        })
      await safe.stop()
    },
  )

  proves(
    'administration.safe-mode',
    'reports the failure and the fix to administrators, and ends by itself',
    { tags: ['long'] },
    async () => {
      const clock = new ManualClock(Date.now())
      const dataDir = await homeFolder()
      const safe = await safeMode(dataDir, clock)
      clock.advance(60_000)
      const sentence =
        'The gateway is in safe mode: 5 starts in a row failed, the last one by "The configuration is damaged.". Fix that and restart it; otherwise it tries again in 14 min.'
      for (const command of [['status'], ['agent', 'watch']])
        expect(await hm(dataDir, ...command)).toEqual({ code: 1, out: '', err: sentence })
      clock.advance(14 * 60_000)
      await safe.over
      await safe.stop()
      expect(existsSync(join(dataDir, 'admin.sock'))).toBe(false)
      await using again = await TestGateway.open({ dataDir, settled: false })
      expect(await again.admin.call('GET', '/status')).toMatchObject({ port: again.gateway.port })
    },
  )
})

describe('processes that fail to start', { tags: ['long'] }, () => {
  proves('administration.safe-mode', 'enter safe mode after five, which ends once the cause is fixed', async () => {
    const dataDir = await homeFolder()
    const core = join(dataDir, 'core.db')
    const good = join(tempFolder(), 'good.db')
    copyFileSync(core, good)
    writeFileSync(core, 'damaged '.repeat(100))
    rmSync(join(dataDir, 'backups'), { recursive: true, force: true })
    const starts = new FailedStarts(prepareDataFolder(dataDir).failedStarts, silentLog, new ManualClock())
    for (let turn = 0; turn < 5; turn++) expect((await GatewayProcess.fails({ dataDir })).code).toBe(1)
    expect(starts.read()).toEqual({ count: 5, reason: expect.stringContaining('is not usable') })
    const safe = await GatewayProcess.start({ dataDir })
    expect(safe.printed).toContain('Safe mode')
    expect((await hm(dataDir, 'status')).err).toContain('5 starts in a row failed, the last one by "The configuration ')
    expect(await safe.kill('SIGTERM')).toMatchObject({ code: 0 })
    copyFileSync(good, core)
    await using mended = await GatewayProcess.start({ dataDir })
    expect(mended.printed).not.toContain('Safe mode')
  })
})

proves('administration.safe-mode', 'failed starts are counted by their cause, on any disk', () => {
  const file = join(tempFolder(), 'failed-starts.json')
  const starts = new FailedStarts(file, silentLog, new ManualClock())
  expect(starts.read()).toBeNull()
  failsToOpen(starts, new Error('one\ntwo'))
  failsToOpen(starts, 'not an error')
  expect(starts.read()).toEqual({ count: 2, reason: 'not an error' })
  starts.tryAgain({ count: 9, reason: 'x' })
  failsToOpen(starts, new Error('again\nand again'))
  expect(starts.read()).toEqual({ count: 5, reason: 'again' })
  starts.clear()
  expect(starts.read()).toBeNull()
  for (const text of ['', '[]', '{"count":"5","reason":"x"}', '{"count":5}']) {
    writeFileSync(file, text)
    expect(starts.read()).toBeNull()
  }
  const nowhere = new FailedStarts('/nowhere/failed-starts.json', silentLog, new ManualClock())
  failsToOpen(nowhere, new Error('x'))
  expect(nowhere.read()).toBeNull()
})

proves('administration.safe-mode', 'a failed start is measured from each opening, and counts once', () => {
  const clock = new ManualClock()
  const starts = new FailedStarts(join(tempFolder(), 'failed-starts.json'), silentLog, clock)
  // A defect soon after the attempt that follows safe mode.
  starts.tryAgain({ count: 5, reason: 'earlier' })
  clock.advance(SAFE_MODE_MS)
  starts.opens()
  starts.opened()
  clock.advance(START_MS - 1)
  starts.failed(new Error('soon after the try'))
  expect(starts.read()).toEqual({ count: 5, reason: 'soon after the try' })
  // An opening that throws ends the process like a defect.
  failsToOpen(starts, new Error('twice told'))
  starts.failed(new Error('twice told'))
  expect(starts.read()).toEqual({ count: 6, reason: 'twice told' })
  failsToOpen(starts, new SettingsError('a port that is in use'))
  expect(starts.read()?.count).toBe(6)
  // A long run ends the count, an earlier short one of the same process does not.
  starts.opens()
  starts.opened()
  clock.advance(START_MS - 1)
  starts.opens()
  clock.advance(START_MS)
  expect(starts.read()?.count).toBe(6)
  starts.opened()
  clock.advance(START_MS)
  expect(starts.read()).toBeNull()
  starts.failed(new Error('late'))
  expect(starts.read()).toBeNull()
})

function failsToOpen(starts: FailedStarts, error: unknown): void {
  starts.opens()
  starts.failed(error)
}
