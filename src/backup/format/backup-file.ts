import { constants, createReadStream } from 'node:fs'
import { open, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode, linkOrRename, PRIVATE_FILE_MODE, syncFolder } from '../../lib/files.ts'
import { type Random, randomId } from '../../lib/random.ts'
import { MANIFEST, pack, readManifest, unpack } from './archive.ts'
import type { Manifest } from './manifest.ts'
import { BackupProblem } from './problem.ts'
import { decrypt, encrypt, HEADER_BYTES, identityByHead, isEncrypted } from './encryption.ts'
import { type BackupKey, type KeyFinder, keyFinder } from './phrase.ts'

/** A tar file begins with the name of its first entry, and has the mark of its format at byte 257 (POSIX ustar). */
const FIRST_NAME = `${MANIFEST}\0`
const TAR_MARK = 'ustar'
const TAR_MARK_AT = 257
/** Chunk size of reads from the disk. */
const READ_BYTES = 64 * 1024
export const BACKUP_ENDING = '.hmb'
/** Name of an unfinished backup, which no file of a user has. */
const UNFINISHED = /^\.hm-backup-[0-9a-z]{12}\.new$/
const UNFINISHED_ID_LENGTH = 12
export const isUnfinished = (name: string): boolean => UNFINISHED.test(name)
/** A new path for an unfinished backup. Its folder must be on the disk that the finished backup goes to. */
export const unfinishedIn = (folder: string, random: Random): string =>
  join(folder, `.hm-backup-${randomId(random, UNFINISHED_ID_LENGTH)}.new`)
/** Opening a pipe that has no writer must not wait for one. */
const LOOK_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK

/** Content of a backup that is about to be written. */
export interface BackupContent {
  readonly manifest: Manifest
  /** The folder with the parts, which are files with their names. */
  readonly parts: string
  /** Key of the encryption; null for a plain backup. */
  readonly key: BackupKey | null
}

/**
 * Writes a backup as `unfinished`, lets `check` open it again, and gives it its name once it is on the disk. Other
 * users cannot read it at any time.
 *
 * @returns its size in bytes.
 * @throws the file system's own error, `EEXIST` if the file exists, or an error of `check`; no file stays then.
 */
export async function writeBackup(
  file: string,
  unfinished: string,
  content: BackupContent,
  check: () => Promise<unknown>,
): Promise<number> {
  try {
    const bytes = await writeNewFile(unfinished, bytesOf(content))
    await check()
    await linkOrRename(unfinished, file)
    await syncFolder(dirname(file))
    return bytes
  } finally {
    await rm(unfinished, { force: true }).catch(() => {})
  }
}

/** The bytes of a backup, in pieces. */
function bytesOf({ manifest, parts, key }: BackupContent): AsyncIterable<Uint8Array> {
  const plain = pack(manifest, parts)
  return key === null ? plain : encrypt(plain, key)
}

/** The bytes of a plain backup, encrypted. @throws the file system's own error. */
export async function* encryptFile(file: string, key: BackupKey): AsyncGenerator<Uint8Array> {
  yield* encrypt(createReadStream(file), key)
}

/** Reads the manifest at the beginning of a backup. @throws BackupProblem, or the file system's own error. */
export async function manifestOfFile(file: string, findKey: KeyFinder): Promise<Manifest> {
  return readManifest(await plainBytes(file, findKey))
}

/**
 * Unpacks a whole backup into a folder and compares it with its manifest, which `accept` may refuse.
 * @throws BackupProblem, or the file system's own error.
 */
export async function unpackFile(
  file: string,
  findKey: KeyFinder,
  folder: string,
  accept?: (manifest: Manifest) => Promise<void>,
): Promise<Manifest> {
  return unpack(await plainBytes(file, findKey), folder, accept)
}

/** The kind of a backup, by the first bytes of its file; null if the file is no backup. */
export async function kindOfFile(file: string): Promise<'encrypted' | 'plain' | null> {
  const head = await readHead(file)
  if (isEncrypted(head)) return 'encrypted'
  const isPlain = head.indexOf(FIRST_NAME) === 0 && head.indexOf(TAR_MARK) === TAR_MARK_AT
  return isPlain ? 'plain' : null
}

/** The age identity of an encrypted backup. @throws BackupProblem, or the file system's own error. */
export async function ageIdentity(file: string, phrase: string): Promise<string> {
  return identityByHead(await readHead(file), keyFinder(null, phrase))
}

async function plainBytes(file: string, findKey: KeyFinder): Promise<AsyncIterable<Uint8Array>> {
  const head = await readHead(file)
  if (head.length === 0) throw new BackupProblem('not_a_backup')
  const stream = createReadStream(file, { highWaterMark: READ_BYTES }) as AsyncIterable<Uint8Array>
  return isEncrypted(head) ? decrypt(stream, head, findKey) : stream
}

async function readHead(file: string): Promise<Buffer> {
  await using handle = await open(file, LOOK_FLAGS)
  const found = await handle.stat()
  if (!found.isFile() && !found.isDirectory()) throw new BackupProblem('not_a_backup')
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
  return buffer.subarray(0, bytesRead)
}

async function writeNewFile(file: string, stream: AsyncIterable<Uint8Array>): Promise<number> {
  await using handle = await open(file, 'wx', PRIVATE_FILE_MODE)
  await writeFile(handle, stream)
  await handle.sync()
  return (await handle.stat()).size
}

/** Refuses an existing file. @throws with code `EEXIST`, or the file system's own error. */
export async function refuseExisting(file: string): Promise<void> {
  try {
    await using _handle = await open(file, LOOK_FLAGS)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw error
  }
  throw Object.assign(new Error(`${file} exists already`), { code: 'EEXIST' })
}
