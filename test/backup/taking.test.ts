import { renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openHistory } from '../../src/db/history/history-db.ts'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { openedGateway, setRecoveryPhrase } from '#support/faults/backups.ts'
import { canMount, SmallDisk } from '#support/faults/small-disk.ts'
import { hm } from '#support/gateway/cli.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { proves } from '#support/gateway/verifies.ts'
import { draft } from '#support/homes/history.ts'
import { TestOperator } from '#support/operations/test-operator.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'

async function made(operator: TestOperator): Promise<string> {
  const { body } = await operator.ask('/admin/v1/backups', { method: 'POST', body: {} })
  return (body as { backup: { name: string } }).backup.name
}

test('a backup with the history has the entry that was just acknowledged', { tags: ['long'] }, async () => {
  const running = await openedGateway()
  const { activity } = running.gateway.stores.history
  activity.record(draft(1_000, 'just acknowledged'))
  await activity.committed()
  const { out } = await hm(running.dataDir, 'backup', '--history')
  const [, file = ''] = /^Wrote (\S+) /.exec(out) ?? []
  const dataDir = join(tempFolder(), 'new')
  await hm(dataDir, 'restore', file)
  const restored = openHistory({
    file: join(dataDir, 'history.db'),
    clock: running.clock,
    random: systemRandom,
    log: silentLog,
  })
  onTestFinished(() => restored.close())
  expect([...restored.activity.iterate(0, 2_000)].map(({ what }) => what)).toEqual(['just acknowledged'])
})

describe('a download of a backup', () => {
  proves(
    'backup.console',
    'from an unreadable folder is refused with the reason, and the gateway goes on',
    async () => {
      const backupDir = join(tempFolder(), 'share')
      symlinkSync(tempFolder(), backupDir)
      const running = await openedGateway({ backupDir })
      await setRecoveryPhrase(running)
      using operator = await TestOperator.of(running, 'backup')
      using visitor = new ConsoleVisitor(running)
      const anna = await visitor.signInByLink()
      const path = `/admin/v1/backups/${await made(operator)}/file`
      expect((await operator.ask(path)).status).toBe(200)
      renameSync(backupDir, `${backupDir}-gone`)
      symlinkSync(backupDir, backupDir)
      const refused = {
        status: 503,
        body: {
          error: { code: 'storage_unavailable', message: expect.stringContaining('cannot be read: ') as string },
        },
      }
      expect(await operator.ask(path)).toMatchObject(refused)
      expect(await visitor.as(anna, 'GET', path)).toMatchObject(refused)
      const [name = ''] = path.split('/').slice(-2)
      expect(await operator.ask('/admin/v1/backups')).toMatchObject(refused)
      expect(await visitor.as(anna, 'GET', '/admin/v1/backups')).toMatchObject(refused)
      expect(await visitor.as(anna, 'POST', `/admin/v1/backups/${name}/check`)).toMatchObject(refused)
      expect(await visitor.as(anna, 'POST', `/admin/v1/backups/${name}/restore`, {})).toMatchObject(refused)
      expect(await operator.ask('/admin/v1/backups', { method: 'POST', body: {} })).toMatchObject({ status: 422 })
    },
  )

  test.runIf(canMount)('works on a read-only disk too (mounting one needs root)', { tags: ['long'] }, async () => {
    const disk = new SmallDisk(64 * 2 ** 20)
    const first = await openedGateway({ dataDir: disk.dataDir })
    await setRecoveryPhrase(first)
    using before = await TestOperator.of(first, 'backup')
    const path = `/admin/v1/backups/${await made(before)}/file`
    await first.stop()
    disk.readOnly(true)
    const log = recordingLog()
    const running = await openedGateway({ dataDir: disk.dataDir, log })
    using visitor = new ConsoleVisitor(running)
    const taken = await visitor.ask({ path, headers: { authorization: `Bearer ${before.token}` } })
    expect([taken.status, taken.text.startsWith('age-encryption.org/v1\n')]).toEqual([200, true])
    expect(log.sentences('warn')).toContain('The activity takes no entry about a backup.')
  })
})
