// @module-tag long
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { type BackupsAnswer, listBackups, openedGateway, setRecoveryPhrase } from '#support/faults/backups.ts'
import { hm } from '#support/gateway/cli.ts'
import type { TestGateway, TestGatewayOptions } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { type RecordingLog, recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'

const HOUR = 3_600_000

/** Lets time pass until a nightly backup is made or fails. */
async function nightPasses(running: TestGateway, clock: PassingClock, ms: number): Promise<BackupsAnswer['state']> {
  const before =
    JSON.stringify((await listBackups(running)).state.error) + String((await listBackups(running)).backups.length)
  await clock.pass(ms)
  for (;;) {
    const { state, backups } = await listBackups(running)
    if (!state.working && JSON.stringify(state.error) + String(backups.length) !== before) return state
  }
}

async function withNights(
  options: TestGatewayOptions = {},
): Promise<{ running: TestGateway; clock: PassingClock; log: RecordingLog }> {
  const clock = new PassingClock()
  const log = recordingLog()
  return { running: await openedGateway({ clock, log, ...options }), clock, log }
}

proves('backup.nightly', 'a home without a backup gets one an hour after its start, then every night', async () => {
  const { running, clock } = await withNights()
  const state = await nightPasses(running, clock, HOUR + 120_000)
  expect(state.last?.name).toMatch(/^home-[\d-]+T[\d-]+Z-\w+\.hmb$/)
  expect(state.nextAt - clock.now()).toBeLessThanOrEqual(25 * HOUR)
  const local = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' })
  expect(local.format(state.nextAt)).toMatch(/^03:(?:1\d|2[0-5])$/)
  await nightPasses(running, clock, state.nextAt - clock.now() + 120_000)
  expect((await listBackups(running)).backups).toHaveLength(2)
})

proves('backup.nightly', 'a missing or emptied folder is reported and retried; the home goes on', async () => {
  const backupDir = join(tempFolder(), 'disk')
  const { running, clock, log } = await withNights({ backupDir })
  await setRecoveryPhrase(running)
  const missing = await nightPasses(running, clock, HOUR + 120_000)
  expect(missing.error?.what).toBe(
    `The backup folder ${backupDir} is missing: mount its disk, or change HM_BACKUP_DIR.`,
  )
  expect(existsSync(backupDir)).toBe(false)
  expect(missing.nextAt - clock.now()).toBeLessThanOrEqual(HOUR)
  expect((await hm(running.dataDir, 'status')).out).toContain(missing.error?.what)
  expect(log.sentences('error').join()).toContain('retries every hour')
  mkdirSync(backupDir)
  expect((await nightPasses(running, clock, HOUR + 120_000)).error).toBeNull()
  // Without its disk, the empty mount point must not get backups.
  renameSync(backupDir, `${backupDir}-away`)
  mkdirSync(backupDir)
  const emptied = await nightPasses(running, clock, 26 * HOUR)
  expect(emptied.error?.what).toContain('no longer has a backup of this home. Is its disk mounted?')
  expect(readdirSync(backupDir)).toEqual([])
  expect((await hm(running.dataDir, 'backup')).out).toContain(`Wrote ${backupDir}/`)
  rmSync(`${backupDir}-away`, { recursive: true })
})
