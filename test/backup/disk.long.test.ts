// @module-tag long
import Database from 'better-sqlite3'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ASKED_KEPT } from '../../src/backup/keeping/retention.ts'
import { schemaVersionOf } from '../../src/db/core/at-rest.ts'
import { NEWEST_SCHEMAS } from '../../src/db/database.ts'
import { listBackups, openedGateway, setRecoveryPhrase } from '#support/faults/backups.ts'
import { configurationRows } from '#support/faults/lived-home.ts'
import { BackupUploader, refusalMatching } from '#support/faults/backup-uploader.ts'
import { canMount, SmallDisk } from '#support/faults/small-disk.ts'
import { hm } from '#support/gateway/cli.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'

const MIB = 2 ** 20

describe.skipIf(!canMount)('a failing disk (needs root)', () => {
  proves(
    'backup.nightly',
    'of backups, full or read-only, is reported and leaves no partial file; the gateway goes on',
    async () => {
      const disk = new SmallDisk(16 * MIB)
      const running = await openedGateway({ backupDir: disk.folder })
      await setRecoveryPhrase(running)
      const home = await TestHome.at('http', running)
      disk.fill()
      expect((await hm(running.dataDir, 'backup')).err).toMatch(
        /^The backup .+ could not be written: the disk is full\.$/,
      )
      disk.empty()
      disk.readOnly(true)
      expect((await hm(running.dataDir, 'backup')).err).toMatch(/could not be written: the disk is read-only\.$/)
      disk.readOnly(false)
      expect(readdirSync(disk.folder)).toEqual([])
      expect((await hm(running.dataDir, 'backup')).out).toContain('opened and checked')
      const [name = ''] = readdirSync(disk.folder)
      const file = join(disk.folder, name)
      const bytes = readFileSync(file)
      bytes[bytes.length - 9_000] = (bytes[bytes.length - 9_000] ?? 0) ^ 1
      writeFileSync(file, bytes)
      expect((await hm(running.dataDir, 'backup', 'check', file)).err).toContain('damaged')
      expect((await listBackups(running)).backups.map((backup) => backup.name)).toEqual([name])
      expect((await home.call({ method: 'GET', path: '/v1/house' })).status).toBe(200)
      expect(
        (
          await home.call({
            method: 'PATCH',
            path: `/v1/rooms/${encodeURIComponent(home.id('room:hall'))}`,
            body: { name: 'Anew' },
          })
        ).status,
      ).toBe(200)
    },
  )

  proves('backup.before-update', 'without room for the backup delays the update until there is room', async () => {
    const disk = new SmallDisk(64 * MIB)
    const { dataDir } = disk
    await (await TestGateway.open({ dataDir, settled: false })).stop()
    const core = join(dataDir, 'core.db')
    const db = new Database(core)
    db.exec('DROP TABLE doubts; DROP TABLE operators; PRAGMA user_version = 17')
    db.close()
    // The rest is enough for SQLite, but not for a backup.
    const { bsize, bavail } = statfsSync(disk.folder)
    const most = join(disk.folder, 'most')
    writeFileSync(most, Buffer.alloc(bsize * bavail - 2 * MIB))
    await expect(TestGateway.open({ dataDir, settled: false })).rejects.toThrow(
      'no backup could be made before that: the disk is full. Fix that and start again',
    )
    expect(schemaVersionOf(core)).toBe(17)
    rmSync(most)
    await openedGateway({ dataDir })
    expect(schemaVersionOf(core)).toBe(NEWEST_SCHEMAS.core)
  })

  proves(
    'backup.brought',
    'of the home, full, refuses pieces of an upload, which goes on once there is room',
    async () => {
      const other = await openedGateway({ ...ONE_UNIT })
      const path = join(tempFolder(), 'home.hmb')
      await other.admin.call('POST', '/backups/write', { file: path, encrypted: false })
      await other.stop()
      const file = readFileSync(path)
      const disk = new SmallDisk(64 * MIB)
      const running = await openedGateway({ ...ONE_UNIT, dataDir: disk.dataDir })
      using visitor = new ConsoleVisitor(running)
      const anna = new BackupUploader(visitor, await visitor.signInByLink())
      expect(await anna.ask('POST', '', { bytes: 40 * MIB })).toMatchObject(
        refusalMatching(/opening it takes 80 MiB/, 503, 'storage_unavailable'),
      )
      const half = Math.floor(file.length / 2)
      const id = await anna.begin(file.length)
      expect(await anna.add(id, 0, file.subarray(0, half))).toMatchObject({ body: { received: half } })
      // The last room of the disk is reserved for the home.
      disk.fill(4 * MIB)
      const rest = file.subarray(half)
      expect(await anna.add(id, half, rest)).toMatchObject(refusalMatching(/disk is full/, 503, 'storage_unavailable'))
      expect(await anna.ask('POST', '', { bytes: file.length })).toMatchObject({ status: 503 })
      disk.empty()
      expect(await anna.add(id, half, rest)).toMatchObject({ body: { received: file.length } })
      expect(await anna.look(id)).toMatchObject({ status: 200, body: { present: 'another' } })
      // Other backup requests have the code for a full disk too.
      disk.fill(4 * MIB)
      expect(await anna.look(id)).toMatchObject(refusalMatching(/disk is full/, 503, 'storage_unavailable'))
      const full = await visitor.as(await visitor.signInByLink(), 'POST', '/admin/v1/backups', {})
      expect(full).toMatchObject(refusalMatching(/could not be written: the disk is full/, 503, 'storage_unavailable'))
    },
  )

  proves('backup.retention', 'that cannot remove an old backup still gets the new one, and reports it', async () => {
    const running = await openedGateway({ ...ONE_UNIT })
    const make = () => running.admin.call<{ lacks: string | null }>('POST', '/backups', {})
    for (let count = 0; count < ASKED_KEPT; count += 1) expect((await make()).lacks).toBeNull()
    const oldest = join(running.dataDir, 'backups', (await listBackups(running)).backups.at(-1)?.name ?? '')
    const mounted = (...args: readonly string[]) => expect(spawnSync('mount', args).status).toBe(0)
    mounted('--bind', oldest, oldest)
    const unmount = (): unknown => spawnSync('umount', ['--lazy', oldest])
    onTestFinished(() => void unmount())
    const lacks = /^The backup was made, but older ones could not be removed: something else uses it\.$/
    expect((await make()).lacks).toMatch(lacks)
    const { state, backups } = await listBackups(running)
    expect(state.error?.what).toMatch(lacks)
    expect(backups).toHaveLength(ASKED_KEPT + 1)
    unmount()
    expect((await make()).lacks).toBeNull()
    expect((await listBackups(running)).backups).toHaveLength(ASKED_KEPT)
  })

  proves(
    'backup.restore',
    'of the home, full or read-only, ends a restore with a clear reason and without loss',
    async () => {
      const disk = new SmallDisk(64 * MIB)
      const { dataDir } = disk
      const running = await openedGateway({ dataDir })
      await TestHome.at('http', running)
      const file = join(tempFolder(), 'home.hmb')
      await hm(dataDir, 'backup', '--to', file)
      await running.admin.call('POST', '/integrations', { name: 'Acknowledged' })
      await running.stop()
      const before = configurationRows(join(dataDir, 'core.db'))
      disk.fill()
      const full = await hm(dataDir, 'restore', file).catch((error: unknown) => ({ err: String(error) }))
      expect(full.err).toContain('the disk is full')
      expect(full.err).toContain('Free space on ')
      expect(full.err).not.toContain('--data-dir')
      disk.empty()
      disk.readOnly(true)
      const readOnly = await hm(dataDir, 'restore', file).catch((error: unknown) => ({ err: String(error) }))
      expect(readOnly.err).toContain('read-only')
      expect(readOnly.err).not.toContain('--data-dir')
      const anew = await hm(join(disk.folder, 'new'), 'restore', file).catch((error: unknown) => ({
        err: String(error),
      }))
      expect(anew.err).toContain('the disk is read-only')
      disk.readOnly(false)
      expect(configurationRows(join(dataDir, 'core.db'))).toEqual(before)
      expect(readdirSync(dataDir).filter((name) => /restor/.test(name))).toEqual([])
      expect((await hm(dataDir, 'restore', file)).out).toContain('Restored: ')
    },
  )
})

test.skipIf(canMount)('failing disks are not tested: mounting one needs root', () => {
  expect(canMount).toBe(false)
})
