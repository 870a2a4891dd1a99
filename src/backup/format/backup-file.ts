import { constants, createReadStream } from 'node:fs'
import { open, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode, linkOrRename, PRIVATE_FILE_MODE, syncFolder } from '../../lib/files.ts'
import { type Random, randomId } from '../../lib/random.ts'
import { MANIFEST, manifestIn, packed, unpacked } from './archive.ts'
import type { Manifest } from './manifest.ts'
import { BackupProblem } from './problem.ts'
import { decrypted, encrypted, HEADER_BYTES, identityByHead, isEncrypted } from './encryption.ts'
import { type BackupKey, type KeyFinder, keyFinder } from './phrase.ts'

/** A tar file begins with the name of its first entry, and has the mark of its format at byte 257 (POSIX ustar). */
const FIRST_NAME = `${MANIFEST}\0`
const TAR_MARK = 'ustar'
const TAR_MARK_AT = 257
/** Bytes that are read from the disk at once. */
const READ_BYTES = 64 * 1024
export const BACKUP_ENDING = '.hmb'
/** What an unfinished backup is called, beside its place: nobody's own file has such a name. */
const UNFINISHED = /^\.hm-backup-[0-9a-z]{12}\.new$/
const UNFINISHED_ID_LENGTH = 12
export const isUnfinished = (name: string): boolean => UNFINISHED.test(name)
/** A new path for an unfinished backup, in a folder of the disk that the backup goes to. */
export const unfinishedIn = (folder: string, random: Random): string =>
  join(folder, `.hm-backup-${randomId(random, UNFINISHED_ID_LENGTH)}.new`)
/** A pipe without a writer is opened at once, never waited for. */
const LOOK_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK

/** A backup that is to be written. */
export interface NewBackup {
  readonly manifest: Manifest
  /** Where its parts lie, by their names. */
  readonly parts: string
  /** What it is encrypted with, or null. */
  readonly key: BackupKey | null
}

/**
 * Writes a backup as `unfinished`, lets `check` open it again, and gives it its name once it is on the disk. Nobody
 * else can read any of it at any time.
 *
 * @returns its size in bytes.
 * @throws the file system's own error, `EEXIST` where there is such a file, or what `check` throws; nothing is left then.
 */
export async function writeBackup(
  file: string,
  unfinished: string,
  backup: NewBackup,
  check: () => Promise<unknown>,
): Promise<number> {
  try {
    const bytes = await written(unfinished, bytesOf(backup))
    await check()
    await linkOrRename(unfinished, file)
    await syncFolder(dirname(file))
    return bytes
  } finally {
    await rm(unfinished, { force: true }).catch(() => {})
  }
}

/** The bytes of a backup, in pieces. */
function bytesOf({ manifest, parts, key }: NewBackup): AsyncIterable<Uint8Array> {
  const plain = packed(manifest, parts)
  return key === null ? plain : encrypted(plain, key)
}

/** The bytes of a plain backup, encrypted. @throws the file system's own error. */
export async function* encryptedFile(file: string, key: BackupKey): AsyncGenerator<Uint8Array> {
  yield* encrypted(createReadStream(file), key)
}

/** What a backup says of itself; reads its beginning alone. @throws BackupProblem, or the file system's own error. */
export async function manifestOfFile(file: string, find: KeyFinder): Promise<Manifest> {
  return manifestIn(await plainOf(file, find))
}

/**
 * Takes a whole backup into a folder, held to its manifest; `begins` may refuse what that says.
 * @throws BackupProblem, or the file system's own error.
 */
export async function unpackFile(
  file: string,
  find: KeyFinder,
  folder: string,
  begins?: (manifest: Manifest) => Promise<void>,
): Promise<Manifest> {
  return unpacked(await plainOf(file, find), folder, begins)
}

/** The kind of a backup, as the first bytes of the file say; null if it is no backup. */
export async function kindOfFile(file: string): Promise<'encrypted' | 'plain' | null> {
  const head = await beginningOf(file)
  if (isEncrypted(head)) return 'encrypted'
  const isPlain = head.indexOf(FIRST_NAME) === 0 && head.indexOf(TAR_MARK) === TAR_MARK_AT
  return isPlain ? 'plain' : null
}

/** The age identity of an encrypted backup. @throws BackupProblem, or the file system's own error. */
export async function ageIdentity(file: string, phrase: string): Promise<string> {
  return identityByHead(await beginningOf(file), keyFinder(null, phrase))
}

async function plainOf(file: string, find: KeyFinder): Promise<AsyncIterable<Uint8Array>> {
  const beginning = await beginningOf(file)
  if (beginning.length === 0) throw new BackupProblem('not_a_backup')
  const stream = createReadStream(file, { highWaterMark: READ_BYTES }) as AsyncIterable<Uint8Array>
  return isEncrypted(beginning) ? decrypted(stream, beginning, find) : stream
}

async function beginningOf(file: string): Promise<Buffer> {
  await using opened = await open(file, LOOK_FLAGS)
  const found = await opened.stat()
  if (!found.isFile() && !found.isDirectory()) throw new BackupProblem('not_a_backup')
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
  return buffer.subarray(0, bytesRead)
}

async function written(file: string, stream: AsyncIterable<Uint8Array>): Promise<number> {
  await using opened = await open(file, 'wx', PRIVATE_FILE_MODE)
  await writeFile(opened, stream)
  await opened.sync()
  return (await opened.stat()).size
}

/** @throws with code `EEXIST` where there is such a file; the file system's own error. */
export async function refuseTaken(file: string): Promise<void> {
  try {
    await using _there = await open(file, LOOK_FLAGS)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw error
  }
  throw Object.assign(new Error(`${file} exists already`), { code: 'EEXIST' })
}
