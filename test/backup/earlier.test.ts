import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Decrypter } from 'age-encryption'
import { expect } from 'vitest'
import { encrypted } from '../../src/backup/format/encryption.ts'
import { keyOf, newPhrase, SALT_BYTES } from '../../src/backup/format/phrase.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { openedGateway } from '#support/faults/backups.ts'
import { hm } from '#support/gateway/cli.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** An encrypted backup that the program of commit ff45cd14 wrote, before backups were age files. */
const EARLIER = new URL('earlier/ff45cd14.hmb', import.meta.url).pathname
const PHRASE = 'eager right wisdom scrap cheap purity profit avoid decade flower cousin doll'

proves('backup.encrypted', 'a backup of an earlier version restores, and its phrase opens new ones too', async () => {
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
  expect(checked.out).toContain('is whole: Sonnenwinkel')
  // Any age tool opens it by its identity.
  const { out } = await hm(tempFolder(), 'backup', 'identity', file, '--phrase-file', phraseFile)
  const decrypter = new Decrypter()
  decrypter.addIdentity(out.trim())
  const tar = await decrypter.decrypt(readFileSync(file))
  expect(Buffer.from(tar.subarray(0, 13)).toString()).toBe('manifest.json')
})

proves('backup.faults', 'an identity takes the phrase of its backup, and an age file', async () => {
  const folder = tempFolder()
  const [right, wrong] = [join(folder, 'right.txt'), join(folder, 'wrong.txt')]
  writeFileSync(right, PHRASE)
  writeFileSync(wrong, newPhrase(systemRandom))
  const file = join(folder, 'new.hmb')
  const key = await keyOf(PHRASE, systemRandom.bytes(SALT_BYTES), 4)
  const bytes: Uint8Array[] = []
  for await (const piece of encrypted(Readable.from([Buffer.from('home')]), key)) bytes.push(piece)
  writeFileSync(file, Buffer.concat(bytes))
  const exitCode = async (...words: string[]): Promise<unknown> =>
    (await hm(folder, 'backup', 'identity', ...words)).code
  expect(await exitCode(file, '--phrase-file', right)).toBe(0)
  expect(await exitCode(file, '--phrase-file', wrong)).toBe(8)
  expect(await exitCode(EARLIER, '--phrase-file', right)).toBe(3)
})
