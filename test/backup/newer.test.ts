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

/** Commands that open a backup. */
const OPENING_COMMANDS = [['restore'], ['restore', '--check'], ['backup', 'check']] as const

proves('backup.whole', 'a backup names the version of the program that made it', { tags: ['long'] }, async () => {
  const running = await openedGateway(ONE_UNIT)
  const { version } = await running.admin.call<{ version: string }>('GET', '/about')
  const made = await running.admin.call('POST', '/backups', {})
  expect(made).toMatchObject({ backup: { contents: { program: version } } })
  // The list reads the manifest in the file. An earlier program names its version in a refusal.
  const [backup] = (await listBackups(running)).backups
  expect(backup).toMatchObject({ contents: { program: version } })
})

describe('a backup with databases of a later program', () => {
  proves(
    'backup.faults',
    'is refused with the same sentence and exit code, with and without a gateway',
    { tags: ['long'] },
    async () => {
      const running = await openedGateway({ ...ONE_UNIT, restart: () => {} })
      const { dataDir } = running
      const file = join(tempFolder(), 'home.hmb')
      await hm(dataDir, 'backup', '--history', '--to', file)
      const newer = await Promise.all(Object.values(NEWER).map((how) => remadeBackup(file, how)))
      const tried = async (): Promise<void> => {
        for (const newerFile of newer)
          for (const words of OPENING_COMMANDS) expect(await hm(dataDir, ...words, newerFile)).toEqual(REFUSED)
      }
      await tried()
      for (const newerFile of newer)
        await expect(running.admin.call('POST', '/restore', { file: newerFile })).rejects.toThrow(
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
