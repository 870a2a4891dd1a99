// @module-tag repeated
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { systemRandom } from '../../lib/random.ts'
import { manifestOfFile, unpackFile, writeBackup } from './backup-file.ts'
import { BACKUP_FORMAT, type Manifest } from './manifest.ts'
import { type BackupKey, type KeyFinder, keyFinder, keyOf, newPhrase, SALT_BYTES, normalisePhrase } from './phrase.ts'
import { type BackupFault, BackupProblem } from './problem.ts'

const CHANGED_BYTES = times(8, 200)
/** Plain bytes of every chunk except the last. */
const CHUNK_BYTES = 64 * 1024
const PART = Buffer.alloc(3 * CHUNK_BYTES + 17, 'house ')
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

const MANIFEST: Manifest = {
  format: BACKUP_FORMAT,
  program: '1.1.0',
  schemas: { core: 1, history: null },
  gateway: 'abcdefghijkm',
  home: 'Home',
  at: 1_800_000_000_000,
  why: 'asked',
  counts: { persons: 1, integrations: 2, keys: 3 },
  lacks: null,
  parts: [{ name: 'core.db', bytes: PART.length, sha256: sha256(PART) }],
}

const PHRASE = newPhrase(systemRandom)
/** A low cost makes the tests fast. */
const KEY = await keyOf(PHRASE, systemRandom.bytes(SALT_BYTES), 4)
const byPhrase = (phrase: string): KeyFinder => keyFinder(null, phrase)
const NOBODY: KeyFinder = () => Promise.resolve(null)

async function backupFile(key: BackupKey | null, manifest = MANIFEST): Promise<string> {
  const parts = tempFolder()
  writeFileSync(join(parts, 'core.db'), PART)
  const file = join(tempFolder(), 'home.hmb')
  await writeBackup(file, `${file}.new`, { manifest, parts, key }, () => Promise.resolve())
  return file
}

/** Result of opening a file with these bytes: `whole`, or its fault. */
async function openedAs(bytes: Buffer, findKey: KeyFinder): Promise<BackupFault | 'whole'> {
  const file = join(tempFolder(), 'brought.hmb')
  writeFileSync(file, bytes)
  try {
    const into = tempFolder()
    await unpackFile(file, findKey, into)
    expect(readFileSync(join(into, 'core.db')).equals(PART)).toBe(true)
    return 'whole'
  } catch (error) {
    if (!(error instanceof BackupProblem)) throw error
    expect(error.message).toMatch(/^[A-Z][^\n]+\.$/)
    return error.fault
  }
}

describe.each([
  ['plain', null],
  ['encrypted', KEY],
] as const)('a backup that is %s', (_how, key) => {
  const findKey = key === null ? NOBODY : byPhrase(PHRASE)

  proves('backup.whole', 'opens to the written bytes, and its beginning is enough for the manifest', async () => {
    const file = await backupFile(key)
    const bytes = readFileSync(file)
    expect(await openedAs(bytes, findKey)).toBe('whole')
    writeFileSync(file, bytes.subarray(0, 2 * CHUNK_BYTES))
    expect(await manifestOfFile(file, findKey)).toEqual(MANIFEST)
    expect(bytes.includes('house house')).toBe(key === null)
  })

  proves('backup.faults', 'is reported as cut wherever it ends too early', async () => {
    const bytes = readFileSync(await backupFile(key))
    const sealedChunk = CHUNK_BYTES + 16
    const head = bytes.length % sealedChunk
    for (const length of [head + sealedChunk, head + 2 * sealedChunk, CHUNK_BYTES + 5, bytes.length - 2_000]) {
      const fault = await openedAs(bytes.subarray(0, length), findKey)
      expect(fault, `${length} of ${bytes.length}`).toBe('cut')
    }
    expect(await openedAs(bytes.subarray(0, 40), findKey)).toBe(key === null ? 'not_a_backup' : 'cut')
    expect(await openedAs(Buffer.alloc(0), findKey)).toBe('not_a_backup')
  })

  proves('backup.faults', 'never opens to other bytes after one byte has changed', async () => {
    const bytes = readFileSync(await backupFile(key))
    for (let turn = 0; turn < CHANGED_BYTES; turn += 1) {
      const changed = Buffer.from(bytes)
      const at = systemRandom.bytes(4).readUInt32BE() % bytes.length
      changed[at] = (changed[at] ?? 0) ^ (1 << (turn % 8))
      const fault = await openedAs(changed, findKey)
      // Some bytes of a plain backup have no meaning: it opens to the same content then.
      if (key !== null) expect(fault, `byte ${at}`).not.toBe('whole')
    }
  })

  proves('backup.faults', 'is refused if a newer program made it', async () => {
    const file = await backupFile(key, { ...MANIFEST, format: 2 as typeof BACKUP_FORMAT })
    expect(await openedAs(readFileSync(file), findKey)).toBe('newer')
  })
})

proves('backup.encrypted', 'only its phrase opens a backup, typed in any case and spacing', async () => {
  const bytes = readFileSync(await backupFile(KEY))
  expect(await openedAs(bytes, NOBODY)).toBe('phrase_needed')
  expect(await openedAs(bytes, byPhrase(newPhrase(systemRandom)))).toBe('wrong_phrase')
  expect(await openedAs(bytes, byPhrase(`  ${PHRASE.toUpperCase().replaceAll(' ', '\n ')}`))).toBe('whole')
  // Two encryptions of one backup differ.
  expect(readFileSync(await backupFile(KEY)).equals(bytes)).toBe(false)
})

proves('backup.encrypted', 'an impossible phrase is refused with its wrong word', () => {
  const words = PHRASE.split(' ')
  expect(() => normalisePhrase([...words.slice(0, 3), 'hausse', ...words.slice(4)].join(' '))).toThrow('Word 4 of')
  expect(() => normalisePhrase(words.slice(1).join(' '))).toThrow('has 12 words, but these are 11')
  expect(() => normalisePhrase('zoo '.repeat(12))).toThrow('not a recovery phrase')
})

proves('backup.faults', 'a file that is no backup is reported as such', async () => {
  for (const text of ['hello', 'SQLite format 3\0', '{"format":1}', 'x'.repeat(5_000)])
    expect(await openedAs(Buffer.from(text), NOBODY)).toBe('not_a_backup')
})

proves('backup.whole', 'a backup that fails its check after writing is removed', async () => {
  const parts = tempFolder()
  writeFileSync(join(parts, 'core.db'), PART)
  const folder = tempFolder()
  const file = join(folder, 'home.hmb')
  const wrong = { ...MANIFEST, parts: [{ name: 'core.db', bytes: PART.length, sha256: sha256(Buffer.from('x')) }] }
  const unfinished = join(folder, 'unfinished')
  const check = (): Promise<unknown> => unpackFile(unfinished, NOBODY, tempFolder())
  const writing = writeBackup(file, unfinished, { manifest: wrong, parts, key: null }, check)
  await expect(writing).rejects.toThrow('This backup is damaged')
  expect(readdirSync(folder)).toEqual([])
})
