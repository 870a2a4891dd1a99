import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { listBackups, openedGateway } from '#support/faults/backups.ts'
import { configurationRows } from '#support/faults/lived-home.ts'
import { NEWER, remadeBackup } from '#support/faults/remade-backup.ts'
import { hm } from '#support/gateway/cli.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'

const SENTENCE = /^This backup was made by a newer hm-gateway \(\S+\): update this one first\.$/
const REFUSED = { code: 4, out: '', err: expect.stringMatching(SENTENCE) as string }

/** All that opens a backup. */
const ASKING = [['restore'], ['restore', '--check'], ['backup', 'check']] as const

proves('backup.whole', 'a backup names the version of the program that made it', async () => {
  const running = await openedGateway(ONE_UNIT)
  const { version } = await running.admin.call<{ version: string }>('GET', '/about')
  const made = await running.admin.call('POST', '/backups', {})
  expect(made).toMatchObject({ backup: { contents: { program: version } } })
  // The list reads the manifest in the file, by which an earlier program names the version that it needs.
  const [backup] = (await listBackups(running)).backups
  expect(backup).toMatchObject({ contents: { program: version } })
})

describe('a backup of databases that a later program changed', () => {
  proves(
    'backup.faults',
    'is told with one sentence and exit code, with a gateway and without one',
    { tags: ['long'] },
    async () => {
      const running = await openedGateway({ ...ONE_UNIT, restart: () => {} })
      const { dataDir } = running
      const file = join(tempFolder(), 'home.hmb')
      await hm(dataDir, 'backup', '--history', '--to', file)
      const newer = await Promise.all(Object.values(NEWER).map((how) => remadeBackup(file, how)))
      const tried = async (): Promise<void> => {
        for (const each of newer) for (const words of ASKING) expect(await hm(dataDir, ...words, each)).toEqual(REFUSED)
      }
      await tried()
      for (const each of newer)
        await expect(running.admin.call('POST', '/restore', { file: each })).rejects.toThrow(
          'made by a newer hm-gateway',
        )
      await running.stop()
      const before = configurationRows(join(dataDir, 'core.db'))
      await tried()
      expect(configurationRows(join(dataDir, 'core.db'))).toEqual(before)
      expect(readdirSync(dataDir).filter((name) => /restor|work|check/.test(name))).toEqual([])
      expect((await hm(dataDir, 'backup', 'check', file)).code).toBe(0)
    },
  )
})
