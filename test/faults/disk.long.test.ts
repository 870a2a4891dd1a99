// @module-tag long
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lockDataFolder, prepareDataFolder } from '../../src/settings/data-folder.ts'
import { FAILED_STARTS_MAX, FailedStarts } from '../../src/operations/failed-starts.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { recordingLog } from '#support/recording-log.ts'
import { freePort } from '#support/free-port.ts'
import { callerOver } from '#support/gateway/caller-over.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { canMount, SmallDisk } from '#support/faults/small-disk.ts'
import { proves } from '#support/gateway/verifies.ts'

const MIB = 2 ** 20
const MINUTE = 60_000

/** Tries to open the folder in another process. */
function openSecond(dataDir: string): { readonly status: number | null; readonly stderr: string } {
  const file = join(import.meta.dirname, '../../src/settings/data-folder.ts')
  const script = `import { lockDataFolder, prepareDataFolder } from '${file}'; lockDataFolder(prepareDataFolder(process.argv[1]))`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script, dataDir], {
    encoding: 'utf8',
  })
  return { status, stderr }
}

describe.skipIf(!canMount)('a gateway started on an unwritable disk (needs root)', () => {
  proves(
    'storage.writable-again',
    'changes the home again by itself, in the same process, once the disk accepts writes',
    async () => {
      const disk = new SmallDisk(64 * MIB)
      const env = { HM_PORT: String(await freePort()) }
      const { dataDir } = disk
      const first = await GatewayProcess.start({ dataDir, env })
      const { token, ca, url } = first
      await first.kill()
      // Leftovers of a kill during a backup, a check and a restore.
      for (const left of ['backup-work', '.backup-check-Ab3', 'restored-Ab3']) mkdirSync(join(dataDir, left))
      disk.readOnly(true)
      await using gateway = await GatewayProcess.start({ dataDir, env })
      await using http = callerOver('http', { url, ca, token: token! })
      const path = `/v1/rooms/${token!
        .replace(/^hm_key_/, '')
        .split('.')
        .slice(0, 2)
        .join(':')}:room:hall`
      const rename = async (): Promise<number> =>
        (await http.call({ method: 'PATCH', path, body: { name: 'Anew' } })).status
      expect(await rename()).toBe(503)
      disk.readOnly(false)
      while (gateway.printed.split('Ctrl-C stops it.').length < 3) await once(gateway.child.stdout!, 'data')
      expect(await rename()).toBe(200)
      expect(gateway.stderr).toContain('The disk accepts writes again: the gateway restarts.')
      expect((await gateway.kill('SIGTERM')).code).toBe(0)
    },
  )
})

describe.skipIf(!canMount)('a disk that is full (needs root)', () => {
  async function lived(clock: PassingClock, disk: SmallDisk, log = recordingLog()) {
    const running = await TestGateway.open({ clock, dataDir: disk.dataDir, log })
    const home = await TestHome.at('http', running)
    return { running, home, log }
  }

  proves('storage.full-disk', 'gives its reserve to the configuration, and none of it to the history', async () => {
    const disk = new SmallDisk(64 * MIB)
    const clock = new PassingClock()
    const { running, home, log } = await lived(clock, disk)
    await using _ = running
    disk.fill()
    await clock.pass(2 * MINUTE)
    expect(log.sentences('error')).toContain('The disk is full: the history leaves entries out. Free space.')
    for (let turn = 0; turn < 20; turn++) {
      const name = `Renamed ${turn}`
      expect((await home.call({ method: 'PATCH', path: home.at('hall-light'), body: { name } })).status).toBe(200)
    }
  })

  proves('storage.full-disk', 'is no reason not to start', async () => {
    const disk = new SmallDisk(64 * MIB)
    const clock = new PassingClock()
    const first = await lived(clock, disk)
    await first.running.stop()
    disk.fill()
    using _ = lockDataFolder(prepareDataFolder(disk.dataDir))
    await using again = await TestGateway.open({ clock, dataDir: disk.dataDir })
    disk.fill()
    const home = await TestHome.at('http', again, first.home.main)
    expect((await home.call({ method: 'GET', path: '/v1/house' })).status).toBe(200)
    expect((await hm(disk.dataDir, 'status')).out).toMatch(/left on the disk under the data folder|accepts no writes/)
    // It does not allow a second gateway either.
    const other = openSecond(disk.dataDir)
    expect(other.status).toBe(1)
    expect(other.stderr).toContain('A gateway already runs on the data folder')
  })
})

describe.skipIf(!canMount)('on a disk that accepts no socket file (needs root)', () => {
  async function livedOn(disk: SmallDisk): Promise<void> {
    await (await TestGateway.open({ dataDir: disk.dataDir, settled: false })).stop()
  }

  proves('storage.socket-elsewhere', 'the banner says so, and safe mode is reported too', async () => {
    const disk = new SmallDisk(64 * MIB)
    await livedOn(disk)
    const starts = new FailedStarts(prepareDataFolder(disk.dataDir).failedStarts, silentLog, systemClock)
    disk.readOnly(true)
    {
      await using running = await GatewayProcess.start({ dataDir: disk.dataDir })
      expect(running.printed).toContain(
        'The disk under the data folder accepts no writes: changes are refused until it does.',
      )
      expect(running.printed).toMatch(/Its socket for the command line is \/.*\/admin\.sock\./)
      expect((await hm(disk.dataDir, 'status')).code).toBe(0)
      await running.kill('SIGTERM')
    }
    disk.readOnly(false)
    starts.tryAgain({ count: 0, reason: 'a test' })
    starts.opens()
    starts.failed(new Error('a test'))
    expect(starts.read()?.count).toBe(FAILED_STARTS_MAX)
    disk.readOnly(true)
    await using safe = await GatewayProcess.start({ dataDir: disk.dataDir })
    expect(safe.printed).toContain('Safe mode')
    expect((await hm(disk.dataDir, 'status')).err).toContain('The gateway is in safe mode')
  })
})

test.skipIf(canMount)('unwritable disks are not tested: mounting one needs root', () => {
  expect(canMount).toBe(false)
})
