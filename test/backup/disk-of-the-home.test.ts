import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openedGateway, setRecoveryPhrase } from '#support/faults/backups.ts'
import { canMount, SmallDisk } from '#support/faults/small-disk.ts'
import { hm } from '#support/gateway/cli.ts'
import type { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'

const MIB = 2 ** 20

/** Gives new folders the mode of a FAT stick, because not every machine can mount one. */
function withoutUsers(): void {
  const { mkdtemp } = promises
  const spy = vi.spyOn(promises, 'mkdtemp').mockImplementation(async (prefix) => {
    const made = await mkdtemp(prefix)
    chmodSync(made, 0o755)
    return made
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    spy.mockRestore()
    syncBuiltinESMExports()
  })
}

interface Card {
  readonly disk: SmallDisk
  readonly running: TestGateway
  readonly phraseFile: string
}

/** A gateway on a card that accepts no more writes, with a backup folder on another disk. */
async function onBadCard(how: 'full' | 'read-only', backupDir: string): Promise<Card> {
  const disk = new SmallDisk(64 * MIB)
  const first = await openedGateway({ ...ONE_UNIT, dataDir: disk.dataDir, backupDir })
  const phraseFile = join(tempFolder(), 'phrase')
  writeFileSync(phraseFile, await setRecoveryPhrase(first))
  await hm(disk.dataDir, 'backup')
  await first.stop()
  if (how === 'read-only') disk.readOnly(true)
  const running = await openedGateway({ ...ONE_UNIT, dataDir: disk.dataDir, backupDir })
  if (how === 'full') disk.fill()
  return { disk, running, phraseFile }
}

/** Checks a backup on another machine. */
async function expectWhole(file: string, phraseFile: string): Promise<void> {
  const checked = await hm(tempFolder(), 'backup', 'check', file, '--phrase-file', phraseFile)
  expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('is complete: ') as string })
}

describe.skipIf(!canMount)('a home on a disk that accepts no writes (needs root)', () => {
  for (const how of ['full', 'read-only'] as const) {
    proves(
      'backup.whole',
      `because it is ${how} still gets a sound backup on another disk, with no other files`,
      { tags: ['long'] },
      async () => {
        const [backupDir, stick] = [tempFolder(), tempFolder()]
        const { disk, running, phraseFile } = await onBadCard(how, backupDir)
        const file = join(stick, 'home.hmb')
        expect(await hm(running.dataDir, 'backup', '--to', file)).toMatchObject({ code: 0, err: '' })
        await expectWhole(file, phraseFile)
        // A killed process left this work folder in the backup folder.
        const workFolder = join(backupDir, '.backup-check-Ab3dE9')
        mkdirSync(workFolder)
        writeFileSync(join(workFolder, 'ca-private.pem'), 'secret')
        const { out } = await hm(running.dataDir, 'backup')
        expect(out).toMatch(/^Wrote .+, opened and checked\.$/m)
        const [, made = ''] = /^Wrote (\S+\.hmb)/.exec(out) ?? []
        await expectWhole(made, phraseFile)
        expect(readdirSync(stick)).toEqual(['home.hmb'])
        expect(readdirSync(backupDir).filter((name) => !name.endsWith('.hmb'))).toEqual([])
        // If neither disk accepts writes, the message names the disk of the backup.
        const small = new SmallDisk(MIB)
        small.fill()
        const nowhere = await hm(running.dataDir, 'backup', '--to', join(small.folder, 'home.hmb'))
        expect(nowhere.err).toMatch(/home\.hmb could not be written: the disk is full\.$/)
        expect(readdirSync(small.folder)).toEqual(['filler'])
        disk.empty()
      },
    )
  }

  proves(
    'backup.encrypted',
    'writes no plain parts of an encrypted backup where other users can read them',
    { tags: ['long'] },
    async () => {
      const stick = tempFolder()
      const { running } = await onBadCard('read-only', tempFolder())
      withoutUsers()
      const refused = await hm(running.dataDir, 'backup', '--to', join(stick, 'home.hmb'))
      expect(refused.err).toMatch(/could not be written: .+ where other users could read them\. /)
      expect(readdirSync(stick)).toEqual([])
      const plain = await hm(running.dataDir, 'backup', '--plain', '--to', join(stick, 'home.hmb'))
      expect(plain).toMatchObject({ code: 0 })
      expect(readdirSync(stick)).toEqual(['home.hmb'])
    },
  )
})

test.skipIf(canMount)('disks without writes are not tested: mounting one needs root', () => {
  expect(canMount).toBe(false)
})
