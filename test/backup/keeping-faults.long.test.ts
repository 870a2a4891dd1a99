// @module-tag long
import Database from 'better-sqlite3'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { prepareDataFolder } from '../../src/settings/data-folder.ts'
import { finishSwap } from '../../src/backup/restoring/restore-swap.ts'
import { listBackups, openedGateway } from '#support/faults/backups.ts'
import { hm } from '#support/gateway/cli.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

proves('backup.whole', 'a damaged history is left out and reported; the home is backed up all the same', async () => {
  const dataDir = tempFolder()
  const first = await openedGateway({ dataDir })
  await first.stop()
  // The gateway never reads this page, so it does not replace the file by itself.
  const db = new Database(join(dataDir, 'history.db'))
  db.exec('CREATE TABLE unread (x); INSERT INTO unread VALUES (randomblob(100))')
  const page = db.prepare<[], number>(`SELECT rootpage FROM sqlite_schema WHERE name = 'unread'`).pluck().get() ?? 0
  const pageBytes = Number(db.pragma('page_size', { simple: true }))
  db.close()
  const bytes = readFileSync(join(dataDir, 'history.db'))
  writeFileSync(join(dataDir, 'history.db'), bytes.fill(0xa5, (page - 1) * pageBytes, page * pageBytes))
  const running = await openedGateway({ dataDir })
  const file = join(tempFolder(), 'home.hmb')
  const sentence = 'The history is damaged and was left out; all else is in the backup.'
  expect((await hm(dataDir, 'backup', '--to', file, '--history')).out).toContain(sentence)
  const checked = await hm(tempFolder(), 'backup', 'check', file)
  expect(checked.out).toContain('without history')
  expect(checked.out).toContain(sentence)
  expect((await hm(dataDir, 'backup', '--history')).out).toContain(sentence)
  const { state, backups } = await listBackups(running)
  expect(state.error?.what).toContain(sentence)
  expect(backups[0]?.contents).toMatchObject({ history: false, lacks: expect.stringContaining(sentence) as string })
})

proves(
  'backup.whole',
  'other files next to a backup stay, and the next start removes the files of a killed backup',
  async () => {
    const dataDir = tempFolder()
    const first = await openedGateway({ dataDir })
    const folder = tempFolder()
    const own = join(folder, 'home.hmb.new')
    writeFileSync(own, 'mine')
    expect((await hm(dataDir, 'backup', '--to', join(folder, 'home.hmb'))).code).toBe(0)
    expect(readFileSync(own, 'utf8')).toBe('mine')
    expect(readdirSync(folder)).toHaveLength(2)
    await first.stop()
    // A kill left half a backup on a stick, and the CA in work folders.
    const unfinished = join(folder, '.hm-backup-0123456789ab.new')
    writeFileSync(unfinished, 'half')
    writeFileSync(join(dataDir, 'unfinished-backup'), `${unfinished}\n`)
    for (const name of ['backup-work', '.backup-check-4194999-abc']) {
      mkdirSync(join(dataDir, name))
      writeFileSync(join(dataDir, name, 'ca-private.pem'), 'secret')
    }
    await finishSwap(prepareDataFolder(dataDir))
    await openedGateway({ dataDir })
    await hm(dataDir, 'backup')
    expect(readdirSync(folder).toSorted()).toEqual(['home.hmb', 'home.hmb.new'])
    expect(readdirSync(dataDir).filter((name) => /work|check|unfinished/.test(name))).toEqual([])
  },
)
