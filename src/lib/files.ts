import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Mode of keys and of every other private file. */
export const PRIVATE_FILE_MODE = 0o600
export const PRIVATE_FOLDER_MODE = 0o700

/** Errors of file systems without hard links. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/**
 * Replaces the file at `path` by `content`: a power cut leaves the old file or the new one, never a part. @param ready
 * called once the new file is on the disk; its error keeps the old file @throws the error of the file system or of
 * `ready`; then the old file is unchanged
 */
export async function replaceFile(path: string, content: string, ready: () => unknown = () => {}): Promise<void> {
  const fresh = await writeBeside(path, content, PRIVATE_FILE_MODE)
  try {
    ready()
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

/** `replaceFile` for code that must wait for the disk. @throws the file system's own error */
export function replaceFileNow(path: string, content: string | Buffer): void {
  const fresh = `${path}.new`
  try {
    writeBesideNow(fresh, content, true)
    renameSync(fresh, path)
  } catch (error) {
    removeLeftover(fresh)
    throw error
  }
  syncFolderNow(dirname(path))
}

/**
 * `replaceFile` for a file that `replaceFileNow` may replace meanwhile; `isWanted` is then false, and so is the result.
 * @throws the file system's own error
 */
export async function replaceFileIf(path: string, content: string, isWanted: () => boolean): Promise<boolean> {
  const fresh = `${path}.new`
  writeBesideNow(fresh, content, false)
  await syncFile(fresh)
  // No other write comes between this question and the new name.
  if (!isWanted()) return false
  renameSync(fresh, path)
  await syncFolder(dirname(path))
  return isWanted()
}

function writeBesideNow(fresh: string, content: string | Buffer, flush: boolean): void {
  // Leftover of an interrupted write.
  rmSync(fresh, { force: true })
  writeFileSync(fresh, content, { flag: 'wx', flush, mode: PRIVATE_FILE_MODE })
}

/** `syncFolder` for code that must wait. */
export function syncFolderNow(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/**
 * Creates the file at `path` atomically, and never replaces an existing one. @throws with code `EEXIST` if it exists;
 * otherwise the file system's own error
 */
export async function createFile(path: string, content: string, mode = PRIVATE_FILE_MODE): Promise<void> {
  const fresh = await writeBeside(path, content, mode)
  try {
    await linkOrRename(fresh, path)
  } finally {
    await rm(fresh, { force: true })
  }
  await syncFolder(dirname(path))
}

/**
 * True if a file or folder has this path. Node's `existsSync` reports a file as missing when its disk fails, and a home
 * would count as new. @throws the file system's own error
 */
export function pathExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Removes an obsolete file or folder if possible: on an unwritable disk, or with another owner, it stays. */
export function removeLeftover(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch (error) {
    if (errorCode(error) === null) throw error
  }
}

/**
 * Creates a private folder and its missing parents. Node's own function reports an unwritable disk as a missing folder.
 * @throws the file system's own error
 */
export function makeFolders(path: string): void {
  try {
    mkdirSync(path, { mode: PRIVATE_FOLDER_MODE })
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && statSync(path).isDirectory()) return
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error
    makeFolders(dirname(path))
    mkdirSync(path, { mode: PRIVATE_FOLDER_MODE })
  }
}

/** Syncs created, renamed and removed names in a folder to the disk. */
export function syncFolder(path: string): Promise<void> {
  return sync(path)
}

/** Syncs the content of a file to the disk. */
export function syncFile(path: string): Promise<void> {
  return sync(path)
}

async function sync(path: string): Promise<void> {
  await using opened = await open(path, 'r')
  await opened.sync()
}

/** The system's short error name (`ENOENT`), or null if the error has none. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

async function writeBeside(path: string, content: string, mode: number): Promise<string> {
  const fresh = `${path}.new`
  // Leftover of an interrupted write; O_EXCL then prevents writing through a foreign file or link.
  await rm(fresh, { force: true })
  const file = await open(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode)
  try {
    // The process's umask may have removed bits.
    await file.chmod(mode)
    await file.writeFile(content)
    await file.sync()
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  } finally {
    await file.close()
  }
  return fresh
}

/** Moves a finished file to its final name, without replacing an existing one. */
export async function linkOrRename(fresh: string, path: string): Promise<void> {
  try {
    await link(fresh, path)
  } catch (error) {
    if (!NO_LINKS.includes(errorCode(error) ?? '')) throw error
    const taken = await stat(path).then(
      () => true,
      () => false,
    )
    if (taken) throw Object.assign(new Error(`${path} exists`), { code: 'EEXIST' })
    await rename(fresh, path)
  }
}
