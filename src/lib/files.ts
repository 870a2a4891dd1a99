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

/** Mode of keys and of every other file that other users of the machine must not read. */
export const PRIVATE_FILE_MODE = 0o600
export const PRIVATE_FOLDER_MODE = 0o700

/** File systems without hard links answer one of these. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/**
 * Puts `content` in place of the file at `path`: after a power cut there is the old file or the new one, never a part
 * of one.
 *
 * @param ready called once the new one is on the disk beside the old one; where that throws the old one stays
 * @throws the file system's own error, or what `ready` throws; the old file is untouched then.
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

/** As `replaceFile`, for code that must have it on the disk before it goes on. @throws the file system's own error. */
export function replaceFileNow(path: string, content: string | Buffer): void {
  const fresh = `${path}.new`
  try {
    // The rest of an interrupted write.
    rmSync(fresh, { force: true })
    writeFileSync(fresh, content, { flag: 'wx', flush: true, mode: PRIVATE_FILE_MODE })
    renameSync(fresh, path)
  } catch (error) {
    removeLeft(fresh)
    throw error
  }
  syncFolderNow(dirname(path))
}

/** As `syncFolder`, for code that must not go on before. */
export function syncFolderNow(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/**
 * Makes the file at `path`, whole or not at all, and never in place of one that is there.
 * @throws with code `EEXIST` when there is one; otherwise the file system's own error.
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
 * True if a file or folder has this path. Node's `existsSync` says that a file is missing when its disk fails, and a
 * home would be taken for a new one.
 * @throws the file system's own error.
 */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/**
 * Removes a file or folder that nobody needs any more, where it can be: on a disk that takes no writes, or of another
 * user, it stays until somebody can.
 */
export function removeLeft(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch (error) {
    if (errorCode(error) === null) throw error
  }
}

/**
 * Makes a private folder, and those above it that are not there. Node's own way to do so calls a disk that takes no
 * writes a folder that is missing.
 * @throws the file system's own error.
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

/** Makes what was created, renamed or removed in a folder outlive a power cut. */
export function syncFolder(path: string): Promise<void> {
  return sync(path)
}

/** Makes what was written to a file outlive a power cut. */
export function syncFile(path: string): Promise<void> {
  return sync(path)
}

async function sync(path: string): Promise<void> {
  await using opened = await open(path, 'r')
  await opened.sync()
}

/** The system's short name for what went wrong (`ENOENT`), or null where the error carries none. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

async function writeBeside(path: string, content: string, mode: number): Promise<string> {
  const fresh = `${path}.new`
  // A rest of an interrupted write; O_EXCL then makes sure that nobody else's file or link is written through.
  await rm(fresh, { force: true })
  const file = await open(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode)
  try {
    // The process's umask may have taken bits away.
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

/** Gives a file that was written beside its place its name, and never in place of one that is there. */
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
