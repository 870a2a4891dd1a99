// @module-tag long
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Decrypter } from 'age-encryption'
import { expect } from 'vitest'
import { unpackFile } from '../../src/backup/format/backup-file.ts'
import { encrypt } from '../../src/backup/format/encryption.ts'
import { keyFinder, keyOf, newPhrase, SALT_BYTES } from '../../src/backup/format/phrase.ts'
import { finishSwap } from '../../src/backup/restoring/restore-swap.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { openedGateway } from '#support/faults/backups.ts'
import { prepareDataFolder, readHomeId } from '../../src/settings/data-folder.ts'
import { hm } from '#support/gateway/cli.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** An encrypted backup of the program of commit ff45cd14, which did not write age files. */
const EARLIER = new URL('earlier/ff45cd14.hmb', import.meta.url).pathname
const PHRASE = 'eager right wisdom scrap cheap purity profit avoid decade flower cousin doll'

proves(
  'backup.encrypted',
  'a backup of an earlier version restores, and its phrase also opens new backups',
  async () => {
    const folder = tempFolder()
    const phraseFile = join(folder, 'phrase.txt')
    writeFileSync(phraseFile, PHRASE)
    const dataDir = join(folder, 'home')
    await hm(dataDir, 'restore', EARLIER, '--phrase-file', phraseFile)
    const running = await openedGateway({ dataDir })
    const file = join(folder, 'new.hmb')
    await running.admin.call('POST', '/backups/write', { file })
    await running.stop()
    const checked = await hm(tempFolder(), 'backup', 'check', file, '--phrase-file', phraseFile)
    expect(checked.out).toContain('is complete: Sonnenwinkel')
    // Every age tool opens the new backup with its identity.
    const { out } = await hm(tempFolder(), 'backup', 'identity', file, '--phrase-file', phraseFile)
    const decrypter = new Decrypter()
    decrypter.addIdentity(out.trim())
    const tar = await decrypter.decrypt(readFileSync(file))
    expect(Buffer.from(tar.subarray(0, 13)).toString()).toBe('manifest.json')
  },
)

proves('backup.faults', 'an identity needs an age file and its phrase', async () => {
  const folder = tempFolder()
  const [right, wrong] = [join(folder, 'right.txt'), join(folder, 'wrong.txt')]
  writeFileSync(right, PHRASE)
  writeFileSync(wrong, newPhrase(systemRandom))
  const file = join(folder, 'new.hmb')
  const key = await keyOf(PHRASE, systemRandom.bytes(SALT_BYTES), 4)
  const bytes: Uint8Array[] = []
  for await (const piece of encrypt(Readable.from([Buffer.from('home')]), key)) bytes.push(piece)
  writeFileSync(file, Buffer.concat(bytes))
  const exitCode = async (...words: string[]): Promise<unknown> =>
    (await hm(folder, 'backup', 'identity', ...words)).code
  expect(await exitCode(file, '--phrase-file', right)).toBe(0)
  expect(await exitCode(file, '--phrase-file', wrong)).toBe(8)
  expect(await exitCode(EARLIER, '--phrase-file', right)).toBe(3)
})

const RESTORED = 'restored-riXsmp'
const ASIDE = 'before-restore-2027-01-15T08-00-00'
/** The note of a decided restore by the program of commit ddd4bf69. */
const NOTE = `{"from":"${RESTORED}","aside":"${ASIDE}","away":["core.db","tls","home-id"],"take":["revoked","just-restored","core.db","tls","home-id"],"revived":null}\n`

/** Makes work files that only earlier programs used. */
function makeEarlierWorkFiles(dataDir: string): void {
  for (const name of ['backup-work', 'restored-Ab3dE9']) {
    mkdirSync(join(dataDir, name))
    writeFileSync(join(dataDir, name, 'ca-private.pem'), 'secret')
  }
  writeFileSync(join(dataDir, 'brought-backup-0123456789abcdef'), 'half of it')
}

/** The data folder of a home after ddd4bf69 unpacked EARLIER in it and was killed. */
async function interruptedRestore(home: string): Promise<string> {
  const dataDir = tempFolder()
  cpSync(home, dataDir, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  makeEarlierWorkFiles(dataDir)
  const restored = join(dataDir, RESTORED)
  mkdirSync(join(restored, 'tls'), { recursive: true, mode: 0o700 })
  await unpackFile(EARLIER, keyFinder(null, PHRASE), restored)
  for (const name of ['ca-private.pem', 'leaf.pem', 'clock.json'])
    if (existsSync(join(restored, name))) renameSync(join(restored, name), join(restored, 'tls', name))
  for (const name of ['house.yaml', 'backup.json']) rmSync(join(restored, name), { force: true })
  for (const name of ['revoked', 'just-restored']) writeFileSync(join(restored, name), '')
  return dataDir
}

proves('backup.restore', 'a restore that an earlier version began is finished or undone after an update', async () => {
  const first = await openedGateway(ONE_UNIT)
  const { serial } = first.gateway.stores
  await first.stop()
  const serialOf = async (dataDir: string): Promise<string> => {
    const isDecided = existsSync(join(dataDir, 'restoring.json'))
    expect(await finishSwap(prepareDataFolder(dataDir))).toBe(isDecided)
    expect(readdirSync(dataDir).filter((name) => /restor(?:ed|ing)|work|brought/.test(name))).toEqual(
      isDecided ? ['just-restored'] : [],
    )
    const running = await openedGateway({ ...ONE_UNIT, dataDir })
    await running.stop()
    return running.gateway.stores.serial
  }
  const undecided = await interruptedRestore(first.dataDir)
  expect(await serialOf(undecided)).toBe(serial)

  const decided = await interruptedRestore(first.dataDir)
  writeFileSync(join(decided, 'restoring.json'), NOTE)
  // The exchange stopped halfway: one file is aside, and one is in its place.
  const half = await interruptedRestore(first.dataDir)
  writeFileSync(join(half, 'restoring.json'), NOTE)
  mkdirSync(join(half, ASIDE))
  renameSync(join(half, 'core.db'), join(half, ASIDE, 'core.db'))
  renameSync(join(half, RESTORED, 'core.db'), join(half, 'core.db'))
  for (const dataDir of [decided, half]) {
    const restored = readFileSync(join(dataDir, RESTORED, 'home-id'), 'utf8').trim()
    expect(await serialOf(dataDir)).toBe(restored)
    expect(restored).not.toBe(serial)
    expect(readHomeId(prepareDataFolder(join(dataDir, ASIDE)))).toBe(serial)
  }
})
