import { readdirSync, statSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { silentLog } from '../lib/log.ts'
import { BALLAST_BYTES } from '../operations/disk.ts'
import { systemRandom } from '../lib/random.ts'
import { prepareDataFolder } from '../settings/data-folder.ts'
import { type RunningGateway, openGateway } from './gateway.ts'
import { unitLine } from './line.ts'
import { SettingsError } from '../settings/settings.ts'

const taken: Server[] = []
afterEach(() => {
  for (const server of taken.splice(0)) server.close()
})

function takenPort(): Promise<number> {
  const server = createServer()
  taken.push(server)
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

async function open(dataDir: string, clock: ManualClock, port: number): Promise<RunningGateway> {
  const hmhc = { kind: 'tcp', host: '127.0.0.1', port: 1 } as const
  const line = await unitLine(hmhc, clock, 'Europe/Berlin')
  return openGateway({
    settings: {
      dataDir,
      host: '127.0.0.1',
      port,
      hmhc,
      rateLimit: null,
      logLevel: 'silent',
      console: 'on',
      setupCode: null,
      backupDir: null,
    },
    folder: prepareDataFolder(dataDir),
    clock,
    random: systemRandom,
    log: silentLog,
    openPort: line.openPort,
    newHome: { ...line.newHome, integration: 'First' },
    defaultZone: 'Europe/Berlin',
    announce: false,
  })
}

test(
  'a gateway that cannot listen closes its opened parts, and the first key waits for the next start',
  { tags: ['long'] },
  async () => {
    const dataDir = tempFolder()
    const clock = new ManualClock()
    await expect(open(dataDir, clock, await takenPort())).rejects.toThrow(SettingsError)
    expect(clock.waiting).toBe(0)
    const gateway = await open(dataDir, clock, 0)
    expect(gateway.firstKey).toMatchObject({ integration: 'First' })
    await gateway.stop()
  },
)

test('a stopping gateway leaves no pending work, even if stopped repeatedly', async () => {
  const clock = new ManualClock()
  const gateway = await open(tempFolder(), clock, 0)
  expect(clock.waiting).toBeGreaterThan(0)
  await Promise.all([gateway.stop(), gateway.stop()])
  await gateway.stop()
  expect(clock.waiting).toBe(0)
})

test('a stopped gateway writes nothing more: the pending backup is complete, and its copies too', async () => {
  const clock = new ManualClock()
  const dataDir = tempFolder()
  const gateway = await open(dataDir, clock, 0)
  // The first backup is due, and a copy of the configuration.
  clock.advance(61 * 60_000)
  await gateway.stop()
  const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).toSorted()
  expect(names.filter((name) => /\.hmb$|^ballast$|core-.*\.db$/.test(name))).toEqual([
    'backups/core-000001-2027-01-01T00-00-00.000Z.db',
    'backups/core-000002-2027-01-01T01-01-00.000Z.db',
    expect.stringMatching(/^backups\/home-2027-01-01T01-01-00Z-.*\.hmb$/),
    'ballast',
  ])
  expect(names.filter((name) => /\.new$|^\.backup-check|^unfinished/.test(name))).toEqual([])
  expect(statSync(join(dataDir, 'ballast')).size).toBe(BALLAST_BYTES)
})
